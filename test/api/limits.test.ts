/** Specification 8, and the limits of 7, over HTTP. test/access tests the limits themselves. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { newSecret } from '../../src/access/key.js';
import { RATE_LIMIT_PER_MINUTE } from '../../src/limits.js';
import { ANALYTICS, type Answer, COVERAGE, DETAILS, onEachAdapter, SEMANTIC, Service } from './service.js';

onEachAdapter('8 limits', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
    service.engine.drawings.set('X/a.webp', '0'.repeat(64));
  });
  after(() => service.stop());

  async function keyOf(plan: 'free' | 'basic' | 'pro'): Promise<string> {
    const account = await service.access.createAccount({ name: randomUUID(), plan });
    const made = await service.access.createKey({ account: account.id, environment: 'test', name: 'test' });
    return made.secret;
  }

  function isRefused({ status, json, headers }: Answer, word: RegExp): void {
    assert.equal(status, 429);
    assert.deepEqual(Object.keys(json), ['detail']);
    assert.match(json.detail, word);
    assert.ok(
      Number(headers.get('retry-after')) >= 1,
      `expected Retry-After of at least 1 s: ${headers.get('retry-after')}`,
    );
  }

  it('SPEC 8 quota Free is 30 a month; SPEC 7 429 quota; SPEC 8.1, 8.2: both searches, and they alone, count', async () => {
    const key = { 'x-api-key': await keyOf('free') };
    for (let i = 0; i < 15; i++) {
      assert.equal((await service.post(SEMANTIC, { query: 'q' }, key)).status, 200);
      assert.equal((await service.post(ANALYTICS, { query: 'q' }, key)).status, 200);
      // DECISIONS quota: a 4xx answer is free.
      assert.equal((await service.post(SEMANTIC, { query: '' }, key)).status, 422);
    }
    for (const path of [SEMANTIC, ANALYTICS])
      isRefused(await service.post(path, { query: 'q' }, key), /quota/);
    assert.equal(
      (await service.post(SEMANTIC, { query: '' }, key)).status,
      422,
      'validation precedes the quota',
    );
    assert.equal((await service.post(DETAILS, { patent_ids: ['x'] }, key)).status, 200);
    assert.equal((await service.call(COVERAGE)).status, 200);
  });

  for (const [plan, searches] of [
    ['basic', 300],
    ['pro', 1_000],
  ] as const) {
    it(`SPEC 8 quota ${plan === 'pro' ? 'Pro' : 'Basic'} is ${searches} a month`, async () => {
      const key = { 'x-api-key': await keyOf(plan) };
      for (let done = 0; done < searches; done += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => service.post(SEMANTIC, { query: 'q', top_k: 1 }, key)),
        );
        for (const { status } of answers) assert.equal(status, 200);
      }
      isRefused(await service.post(SEMANTIC, { query: 'q' }, key), /quota/);
    });
  }

  it('SPEC 8 quota Enterprise is set by the operator', async () => {
    const account = await service.access.createAccount({ name: 'Own', plan: 'enterprise', monthlyQuota: 2 });
    const made = await service.access.createKey({ account: account.id, environment: 'test', name: 'test' });
    const key = { 'x-api-key': made.secret };
    for (let i = 0; i < 2; i++) assert.equal((await service.post(SEMANTIC, { query: 'q' }, key)).status, 200);
    isRefused(await service.post(SEMANTIC, { query: 'q' }, key), /quota/);
  });

  it('SPEC 8 rate limit; SPEC 7 429 rate: 60 per minute over all calls of a key, with any status', async () => {
    const limited = await Service.start(adapter, 10_000, {}, { rateLimit: RATE_LIMIT_PER_MINUTE });
    try {
      assert.equal(RATE_LIMIT_PER_MINUTE, 60);
      for (let i = 0; i < 20; i++) {
        assert.equal((await limited.post(SEMANTIC, { query: 'q' })).status, 200);
        assert.equal((await limited.post(DETAILS, { patent_ids: ['x'] })).status, 200);
        assert.equal((await limited.post(SEMANTIC, '{')).status, 400);
      }
      isRefused(await limited.post(DETAILS, { patent_ids: ['x'] }), /60|minute/);
      isRefused(await limited.post(SEMANTIC, '{'), /60|minute/);
      assert.equal((await limited.call(COVERAGE)).status, 200, 'public endpoints have a separate limit');
      assert.equal((await limited.call('/livez')).status, 200);
    } finally {
      await limited.stop();
    }
  });

  it('DECISIONS account, environment: calls with unknown keys are limited by client address', async () => {
    const limited = await Service.start(adapter, 10_000, {}, { publicRateLimit: 10 });
    try {
      const stranger = (key: string | undefined) => limited.search({ query: 'q' }, { 'x-api-key': key });
      for (let i = 0; i < 5; i++) {
        assert.equal((await stranger(newSecret())).status, 401);
        assert.equal((await stranger(undefined)).status, 401);
      }
      isRefused(await stranger(newSecret()), /10 requests within a minute with this client address/);
      isRefused(await stranger(undefined), /client address/);
      assert.equal((await limited.search({ query: 'q' })).status, 200, 'valid keys are not affected');
      assert.equal((await limited.call(COVERAGE)).status, 200, 'public endpoints are not affected');
      await limited.access.revoke(limited.keyId);
      isRefused(await limited.search({ query: 'q' }), /client address/);
    } finally {
      await limited.stop();
    }
  });

  it('SPEC 7 503 maintenance; DECISIONS maintenance: every call but health, administration and page files, with Retry-After', async () => {
    await service.access.setMaintenance(true);
    try {
      for (const answer of [
        await service.post(SEMANTIC, { query: 'q' }),
        await service.post(DETAILS, { patent_ids: ['x'] }),
        await service.call(COVERAGE),
        await service.call('/api/v1/drawings/X/a.webp'),
        await service.call('/session'),
        await service.call('/account'),
        await service.call('/docs'),
      ]) {
        assert.equal(answer.status, 503);
        assert.deepEqual(Object.keys(answer.json), ['detail']);
        assert.ok(
          Number(answer.headers.get('retry-after')) >= 1,
          `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
        );
      }
      assert.equal((await service.call('/livez')).status, 200);
      // 404 if the page is not built.
      assert.notEqual((await service.call('/')).status, 503);
      assert.equal((await service.call('/page/none.js')).status, 404);
      // The administration needs its secret, and is not refused by maintenance.
      assert.equal((await service.call('/admin/api/v1/maintenance')).status, 401);
    } finally {
      await service.access.setMaintenance(false);
    }
    assert.equal((await service.post(SEMANTIC, { query: 'q' })).status, 200);
  });
});
