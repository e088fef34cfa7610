/**
 * The order of checks while the event loop is overloaded: requests that `src/http/turn-pacer.ts` refuses, and the
 * checks before it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CallLimits } from '../../src/access/call-limits.js';
import { AccessStore } from '../../src/access/store.js';
import type { HttpReply, HttpRequest } from '../../src/http/adapters/adapter.js';
import { createApp, ROUTES } from '../../src/http/app.js';
import { createLog } from '../../src/observe/log.js';
import { COVERAGE, DETAILS, MemoryEngine, SEMANTIC } from '../api/service.js';

const PER_MINUTE = 5;

describe('overloaded event loop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-choked-'));
  const engine = new MemoryEngine();
  let isChoked = true;
  const pacer = { begin: <T>(call: (isLate: boolean) => T) => call(isChoked) };
  let access: AccessStore;
  let limits: CallLimits;
  let bodiesRead = 0;
  let made = 0;

  before(() => {
    access = AccessStore.open(folder);
    limits = new CallLimits(access, { perKey: PER_MINUTE });
  });
  after(async () => {
    await limits.close();
    await access.close();
    rmSync(folder, { recursive: true });
  });

  async function makeKey(monthlyQuota = 100): Promise<{ account: string; id: string; secret: string }> {
    const account = await access.createAccount({ name: `Any ${++made}`, plan: 'enterprise', monthlyQuota });
    const key = await access.createKey({ account: account.id, environment: 'test', name: 'test' });
    return { account: account.id, ...key };
  }

  async function call(path: string, key: string | undefined, body = '{"query":"x"}'): Promise<HttpReply> {
    const app = createApp(
      {
        engine,
        access,
        limits,
        log: createLog('fatal', { write() {} }),
        deadlineMs: 60_000,
        lifecycle: { draining: false },
        observe() {},
      },
      ROUTES,
      pacer,
    );
    const request: HttpRequest = {
      method: path === COVERAGE ? 'GET' : 'POST',
      path,
      query: '',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
      remoteAddress: '192.0.2.1',
      isGone: false,
      onGone() {},
      async body() {
        bodiesRead++;
        return Buffer.from(body);
      },
    };
    return (await app(request))!;
  }

  it('refuses calls with 503 and Retry-After before their body is read, and counts them in the rate limit', async () => {
    const { account, secret } = await makeKey();
    for (const [n, path] of [SEMANTIC, DETAILS].entries()) {
      const { status, headers, body } = await call(path, secret, 'not JSON');
      assert.equal(status, 503);
      assert.deepEqual(Object.keys(JSON.parse(String(body))), ['detail']);
      assert.equal(headers['retry-after'], '1');
      assert.match(headers['ratelimit']!, new RegExp(`"minute";r=${PER_MINUTE - n - 1};`));
    }
    assert.deepEqual([bodiesRead, engine.queries.length], [0, 0]);
    assert.equal(limits.quotaState(access.account(account)).remaining, 100, 'nothing of the quota is held');
  });

  it('an unknown key is 401, a deactivated one 403 and one over its rate limit 429, though calls are refused', async () => {
    const { id, secret } = await makeKey();
    for (let n = 0; n < PER_MINUTE; n++) assert.equal((await call(SEMANTIC, secret)).status, 503);
    assert.equal((await call(SEMANTIC, secret)).status, 429);
    await access.revoke(id);
    assert.equal((await call(SEMANTIC, secret)).status, 403);
    assert.equal((await call(SEMANTIC, undefined)).status, 401);
    assert.equal((await call(SEMANTIC, 'psk_live_nobody')).status, 401);
    assert.equal((await call('/nowhere', secret)).status, 404);
  });

  it('does not affect public endpoints', async () => {
    assert.equal((await call(COVERAGE, undefined)).status, 200);
  });

  it('accepts all requests when the loop is fast again', async () => {
    isChoked = false;
    const { secret } = await makeKey();
    assert.equal((await call(SEMANTIC, secret)).status, 200);
    assert.equal((await call(SEMANTIC, secret, 'not JSON')).status, 400);
  });
});
