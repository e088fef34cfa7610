/** Specification 4.6 and the decision on paths and payloads. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import { Counters } from '../../src/access/counters.js';
import { until } from '../until.js';
import { onEachAdapter, Service } from './service.js';

onEachAdapter('4.6 health checks', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());
  afterEach(() => {
    service.engine.missing = [];
  });

  it('SPEC 4.6 need no key; DECISIONS health', async () => {
    for (const path of ['/livez', '/readyz', '/healthz']) {
      assert.equal((await service.call(path)).status, 200, path);
      assert.equal((await service.call(path, { headers: { 'x-api-key': 'wrong' } })).status, 200, path);
    }
  });

  it('DECISIONS health: /readyz and /healthz are 503 with the missing part; /livez stays 200', async () => {
    service.engine.missing = ['the index is not open', 'the pool is starting'];
    for (const path of ['/readyz', '/healthz']) {
      const answer = await service.call(path);
      assert.equal(answer.status, 503);
      assert.deepEqual(answer.json, { detail: 'not ready: the index is not open; the pool is starting' });
      assert.ok(
        Number(answer.headers.get('retry-after')) >= 1,
        `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
      );
    }
    assert.equal((await service.call('/livez')).status, 200);
  });

  it('DECISIONS health: /readyz is 503 with the reason while calls with keys fail, and recovers', async () => {
    const ready = async () => {
      const [probe, call] = [await service.call('/readyz'), await service.search({ query: 'q' })];
      assert.equal(probe.status, call.status);
      return probe.json.detail;
    };
    assert.equal(await ready(), undefined);
    await service.access.setMaintenance(true);
    assert.equal(await ready(), 'not ready: maintenance is on');
    await service.access.setMaintenance(false);
    assert.equal(await ready(), undefined);
  });

  it('DECISIONS health: /readyz is 503 while the counters are damaged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'priorart-health-'));
    const counters = new Counters(folder);
    counters.close();
    const damaged = await Service.start(adapter, 10_000, {}, {}, (accessFolder) => {
      writeFileSync(
        join(accessFolder, 'counters.db'),
        readFileSync(join(folder, 'counters.db')).fill(0xff, 1024),
      );
    });
    try {
      assert.equal((await damaged.search({ query: 'q' })).status, 503);
      const answer = await damaged.call('/readyz');
      assert.deepEqual([answer.status, answer.json.detail], [503, 'not ready: calls cannot be counted']);
      assert.equal((await damaged.call('/livez')).status, 200);
      rmSync(join(damaged.accessFolder, 'counters.db'));
      await until(async () => (await damaged.call('/readyz')).status === 200, 'it recovers');
      assert.equal((await damaged.search({ query: 'q' })).status, 200);
    } finally {
      await damaged.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('answer HEAD without a body', async () => {
    const answer = await service.call('/livez', { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('content-length'), String('{"status":"ok"}'.length));
  });
});

onEachAdapter('shutting down', (adapter) => {
  it('during shutdown, /readyz is 503 on open connections, and running requests finish', async () => {
    const service = await Service.start(adapter);
    let finish!: () => void;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let arrived!: () => void;
    const started = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const search = service.engine.search;
    service.engine.search = async (query) => {
      arrived();
      await held;
      return search(query);
    };
    // Opens two connections; fetch keeps one of them idle.
    await Promise.all([service.call('/readyz'), service.call('/readyz')]);
    const running = service.search({ query: 'q' });
    await started;
    const stopped = service.stop();
    const ready = await service.call('/readyz').catch(() => undefined);
    if (ready) {
      assert.equal(ready.status, 503);
      assert.match(ready.json.detail, /shutting down/);
    }
    finish();
    assert.equal((await running).json.total, 10);
    await stopped;
    await assert.rejects(service.call('/livez'));
  });
});
