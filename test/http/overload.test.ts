/** More load than the workers can handle, over HTTP: accepted, refused and remaining requests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskedBy } from '../../src/engine-port.js';
import { Queue } from '../../src/pool/queue.js';
import type { Body } from '../../src/search/types.js';
import { MemoryEngine, onEachAdapter, SEMANTIC, Service } from '../api/service.js';
import { until } from '../until.js';
import { get, post, RawClient } from './raw.js';

const WORK_MS = 20;

/** An engine with the pool's queue. Its searches take a while and follow their signal. */
class BusyEngine extends MemoryEngine {
  readonly queue = new Queue(1, 20);
  begun = 0;
  /** Number of other searches that began while a search waited. */
  readonly ahead: number[] = [];
  cancelled = 0;
  workMs = WORK_MS;

  override async searchBody(_query: unknown, { signal }: AskedBy = {}): Promise<Body> {
    const before = this.begun;
    const work = async () => {
      this.ahead.push(this.begun - before);
      this.begun++;
      await sleep(this.workMs, undefined, signal ? { signal } : {}).catch(() => {
        this.cancelled++;
        throw signal?.reason;
      });
      return { json: Buffer.from('{"total":0,"results":[]}'), results: 0 };
    };
    return this.queue.run(work, { signal });
  }
}

onEachAdapter('overload', (adapter) => {
  it('excess searches are answered 503 with Retry-After at once, and the rest in time', async () => {
    const engine = new BusyEngine();
    const service = await Service.start(adapter, 10_000, { engine });
    try {
      const ends: { status: number; retry: string | null }[] = [];
      const started = performance.now();
      const all: Promise<void>[] = [];
      // Five times the rate of one worker, for two seconds.
      for (let due = 0; due < 2_000; due += WORK_MS / 5) {
        await sleep(Math.max(0, started + due - performance.now()));
        all.push(
          service.search({ query: 'x' }).then(({ status, headers }) => {
            ends.push({ status, retry: headers.get('retry-after') });
          }),
        );
      }
      await Promise.all(all);
      const answered = ends.filter(({ status }) => status === 200);
      const refused = ends.filter(({ status }) => status === 503);
      assert.equal(answered.length + refused.length, ends.length);
      assert.ok(
        refused.every(({ retry }) => Number(retry) >= 1),
        `expected Retry-After of at least 1 s: ${refused.map(({ retry }) => retry)}`,
      );
      assert.ok(answered.length >= 5, `${answered.length} answered`);
      assert.ok(refused.length > ends.length / 2, `${refused.length} of ${ends.length} refused`);
      // After the queue detects the overload, a search waits for a few others at most, not for twenty.
      const settled = engine.ahead.slice(engine.ahead.length >> 1).sort((a, b) => a - b);
      const middle = settled[settled.length >> 1]!;
      assert.ok(middle <= 4, `${middle} searches went ahead`);
      assert.deepEqual([engine.queue.running, engine.queue.length], [0, 0]);
      assert.equal((await service.search({ query: 'x' })).status, 200);
    } finally {
      await service.stop();
    }
  });

  it('a health check on a new connection is answered before most searches of clients that connected before it', async () => {
    const service = await Service.start(adapter, 10_000);
    const { port } = service.server;
    const message = post(SEMANTIC, '{"query":"x"}', {
      'X-API-Key': service.key,
      'Content-Type': 'application/json',
    });
    const clients = Array.from({ length: 400 }, () => new RawClient(port).write(message));
    const last = new RawClient(port).write(get('/livez'));
    try {
      assert.equal((await last.reply())?.status, 200);
      const begun = service.engine.queries.length;
      assert.ok(begun < clients.length / 2, `${begun} of ${clients.length} searches began before it`);
      const replies = await Promise.all(clients.map((client) => client.reply()));
      // On a slow machine, some searches wait too long and are refused.
      const others = replies.filter((reply) => reply?.status !== 200 && reply?.status !== 503);
      assert.deepEqual(others, [], 'each search is answered or refused');
    } finally {
      for (const client of [...clients, last]) client.destroy();
      await service.stop();
    }
  });

  it('refusals end with the load: a few concurrent searches are then all answered', async () => {
    const engine = new BusyEngine();
    const service = await Service.start(adapter, 10_000, { engine });
    try {
      const load: Promise<unknown>[] = [];
      while (!engine.queue.isShedding) {
        for (let n = 0; n < 40; n++) load.push(service.search({ query: 'x' }));
        await sleep(WORK_MS);
      }
      await Promise.all(load);
      let tries = 0;
      for (let refused = 1; refused > 0; tries++) {
        assert.ok(tries < 10, 'each of ten times, some of eight were refused');
        const all = await Promise.all(Array.from({ length: 8 }, () => service.search({ query: 'x' })));
        refused = all.filter(({ status }) => status === 503).length;
      }
    } finally {
      await service.stop();
    }
  });

  it('a client that disconnects removes its search from the queue and from the worker', async () => {
    const engine = new BusyEngine();
    engine.workMs = 5_000;
    const service = await Service.start(adapter, 10_000, { engine });
    try {
      const gone = new AbortController();
      const asked = Array.from({ length: 3 }, () =>
        service.search({ query: 'x' }, {}, { signal: gone.signal }).catch(() => 'gone'),
      );
      await until(() => engine.queue.length >= 2, 'two wait');
      gone.abort();
      assert.deepEqual(await Promise.all(asked), ['gone', 'gone', 'gone']);
      await until(() => engine.queue.running === 0, 'nothing runs');
      assert.deepEqual([engine.queue.running, engine.queue.length], [0, 0]);
      // Waiting searches may have begun for a moment, when the first one was cancelled.
      assert.ok(engine.begun >= 1);
      assert.equal(engine.cancelled, engine.begun);
    } finally {
      await service.stop();
    }
  });

  it('a search that exceeds its deadline is answered 503 and cancelled', async () => {
    const engine = new BusyEngine();
    engine.workMs = 60_000;
    const service = await Service.start(adapter, 150, { engine });
    try {
      const answers = await Promise.all([service.search({ query: 'x' }), service.search({ query: 'y' })]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503],
      );
      await until(() => engine.queue.running === 0, 'nothing runs');
      assert.deepEqual([engine.queue.running, engine.queue.length], [0, 0]);
      // Waiting searches may have begun for a moment, when the first one was cancelled.
      assert.ok(engine.begun >= 1);
      assert.equal(engine.cancelled, engine.begun);
    } finally {
      await service.stop();
    }
  });
});
