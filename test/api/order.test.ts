/**
 * DECISIONS, order of checks: the first check refuses a request that is wrong everywhere; the test then corrects that
 * part.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { BODY_MAX_BYTES } from '../../src/limits.js';
import { ANALYTICS, DETAILS, onEachAdapter, SEMANTIC, Service } from './service.js';

const PER_MINUTE = 20;

onEachAdapter('order of checks', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter, 10_000, {}, { rateLimit: PER_MINUTE });
  });
  after(() => service.stop());

  /** A key with an unused rate limit; of a new account by default. */
  async function makeKey(
    account?: string,
    monthlyQuota = 10,
  ): Promise<{ id: string; secret: string; account: string }> {
    const owner =
      account ??
      (await service.access.createAccount({ name: randomUUID(), plan: 'enterprise', monthlyQuota })).id;
    const made = await service.access.createKey({ account: owner, environment: 'test', name: 'test' });
    return { ...made, account: owner };
  }

  const overload = async () => {
    throw new PriorartError('overloaded', 'queue full', { retryAfter: 1 });
  };

  it('DECISIONS order of checks: route, key, rate limit, content type, size, JSON, validation, quota, overload, work', async () => {
    const { search, analytics } = service.engine;
    const used = await makeKey(undefined, 1);
    assert.equal((await service.post(SEMANTIC, { query: 'q' }, { 'x-api-key': used.secret })).status, 200);
    Object.assign(service.engine, { search: overload, analytics: overload });
    const revoked = await makeKey();
    await service.access.revoke(revoked.id);
    const limited = await makeKey(used.account);
    const left = await makeKey();

    const huge = `{${'x'.repeat(BODY_MAX_BYTES)}`;
    const plain = 'text/plain';
    const good = { [SEMANTIC]: { query: 'q' }, [ANALYTICS]: { query: 'q' } };
    for (const path of [SEMANTIC, ANALYTICS] as const) {
      const steps: [
        status: number,
        word: RegExp,
        path: string,
        key: string | undefined,
        type: string,
        body: unknown,
      ][] = [
        [404, /endpoint/, `${path}/more`, undefined, plain, huge],
        [401, /X-API-Key/, path, undefined, plain, huge],
        [401, /not valid/, path, 'psk_live_nobody', plain, huge],
        [403, /revoked/, path, revoked.secret, plain, huge],
        [429, /minute/, path, limited.secret, plain, huge],
        [415, /Content-Type/, path, used.secret, plain, huge],
        [413, /1,048,576/, path, used.secret, 'application/json', huge],
        [400, /JSON/, path, used.secret, 'application/json', '{'],
        [422, /query/, path, used.secret, 'application/json', { query: '' }],
        [429, /quota/, path, used.secret, 'application/json', good[path]],
        [503, /overloaded/, path, left.secret, 'application/json', good[path]],
      ];
      for (const [status, word, at, key, type, body] of steps) {
        // Uses up the limit just before the step, because a slow machine may take more than a minute for the steps.
        while (
          key === limited.secret &&
          (await service.post(SEMANTIC, '{', { 'x-api-key': key })).status !== 429
        );
        const answer = await service.post(at, body, { 'x-api-key': key, 'content-type': type });
        assert.equal(answer.status, status, `${at}: ${answer.text}`);
        assert.match(answer.json.detail, word);
      }
    }
    // Details have no quota, and a search refused for overload is free.
    assert.equal(
      (await service.post(DETAILS, { patent_ids: ['x'] }, { 'x-api-key': used.secret })).status,
      200,
    );
    Object.assign(service.engine, { search, analytics });
    const last = await service.post(SEMANTIC, { query: 'q' }, { 'x-api-key': left.secret });
    assert.equal(last.status, 200);
    assert.match(last.headers.get('ratelimit')!, /"month";r=9;/);
  });
});
