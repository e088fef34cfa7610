/** Calls of the library beside the event loop, signals and observers of an application. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open } from '../src/index.js';
import { FIXTURES } from './crash/folder.js';
import { type Collection, collect } from './search/collection.js';

describe('calls of the library', () => {
  let collection: Collection;
  before(async () => {
    collection = await collect(FIXTURES);
  });
  after(() => collection.remove());

  it('answers on the calling thread let timers and signals fire', async () => {
    const engine = await open(collection.dir, { workers: 0 });
    const requests = Array.from({ length: 5_000 }, (_, n) => ({ query: `battery ${n}` }));
    const signal = AbortSignal.timeout(50);
    await assert.rejects(engine.searchMany(requests, { signal }), { code: 'cancelled' });
    let ticks = 0;
    const timer = setInterval(() => {
      ticks++;
    }, 1);
    for (const request of requests) {
      await engine.search(request);
      if (ticks > 3) break;
    }
    clearInterval(timer);
    assert.ok(ticks > 3);
    await engine.close();
  });

  for (const workers of [0, 1])
    it(`an observer that throws fails no answer and is told of questions only, with ${workers} workers`, async () => {
      const warnings: Error[] = [];
      const listen = (warning: Error) => {
        if ('code' in warning && warning.code === 'PRIORART_OBSERVE') warnings.push(warning);
      };
      process.on('warning', listen);
      const told: string[] = [];
      const engine = await open(collection.dir, {
        workers,
        observe({ kind }) {
          told.push(kind);
          throw new Error('no room for metrics');
        },
      });
      assert.equal((await engine.search({ query: 'x' })).total, 10);
      await engine.analyze({ query: 'x' });
      await engine.close();
      await new Promise(setImmediate);
      process.off('warning', listen);
      assert.deepEqual(told, ['semantic', 'analytics']);
      assert.deepEqual(
        warnings.map(({ message }) => message.includes('no room for metrics')),
        [true],
      );
    });

  it('the reason of a signal is the cause of the error', async () => {
    const engine = await open(collection.dir, { workers: 0 });
    const signal = AbortSignal.abort(new Error('the page was left'));
    const calls = [
      engine.search({ query: 'x' }, { signal }),
      engine.searchMany([{ query: 'x' }, { query: 'y' }], { signal }),
      engine.coverage({ signal }),
      engine.get('x', { signal }),
    ];
    for (const call of calls) {
      await assert.rejects(call, {
        code: 'cancelled',
        message: 'the request was cancelled',
        cause: signal.reason,
      });
    }
    await engine.close();
  });

  it('a worker that stops a search gives the reason of the signal, too', async () => {
    const engine = await open(collection.dir, { workers: 1 });
    const reason = new Error('the page was left');
    const query = 'a battery cell with a cathode and an electrolyte '.repeat(200);
    let [stopped, answered] = [0, 0];
    // A search may be answered before it is stopped.
    while (stopped === 0) {
      const controller = new AbortController();
      const searching = engine.search({ query, top_k: 100, explain: true }, { signal: controller.signal });
      // The worker has the question by then.
      for (let turn = 0; turn < 2 + (answered % 20); turn++) await new Promise(setImmediate);
      controller.abort(reason);
      await searching.then(
        () => answered++,
        (error: unknown) => {
          assert.equal((error as { code?: string }).code, 'cancelled');
          assert.equal((error as Error).cause, reason);
          stopped++;
        },
      );
    }
    await engine.close();
  });
});
