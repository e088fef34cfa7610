/** Specification 4.6 with the decision on paths and payloads. */
import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
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

  it('DECISIONS health: /readyz and /healthz are 503 with what is missing; /livez is not', async () => {
    service.engine.missing = ['the index is not open', 'the pool is starting'];
    for (const path of ['/readyz', '/healthz']) {
      const answer = await service.call(path);
      assert.equal(answer.status, 503);
      assert.deepEqual(answer.json, { detail: 'not ready: the index is not open; the pool is starting' });
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    assert.equal((await service.call('/livez')).status, 200);
  });

  it('answer HEAD without a body', async () => {
    const answer = await service.call('/livez', { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('content-length'), String('{"status":"ok"}'.length));
  });
});

onEachAdapter('shutting down', (adapter) => {
  it('turns /readyz to 503 on connections that are still there, and lets running requests finish', async () => {
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
    // Two connections, of which fetch keeps one idle.
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
