/** The HTTP interface of the administration: authentication, its actions, and their effect in other processes. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AdminSecret } from '../../src/access/admin-secret.js';
import { Attempts } from '../../src/access/attempts.js';
import { type EndedSessions, isEnded, withEnded } from '../../src/access/ended-sessions.js';
import { SecretGuard } from '../../src/access/secret-guard.js';
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';
import { startServer } from '../../src/http/server.js';
import {
  ADMIN_ATTEMPT_ADDRESSES,
  ADMIN_ENDED_SESSIONS_MAX,
  ADMIN_PAUSE,
  ADMIN_SESSION_S,
  ADMIN_TURNS,
} from '../../src/limits.js';
import { createLog } from '../../src/observe/log.js';
import { ADAPTERS } from '../adapters.js';
import { LOCAL, MemoryEngine } from '../api/service.js';
import { A, identityFiles } from '../http/certificates.js';
import { until } from '../until.js';
import { assertDocumented } from './documented.js';
import { accountWithKey, filesHolding, type ServerProcess, search, serverProcess } from './servers.js';

for (const adapter of ADAPTERS) {
  describe(`administration (${adapter})`, () => {
    let made: Awaited<ReturnType<typeof accountWithKey>>;
    let servers: ServerProcess[];
    let secret: string;
    before(async () => {
      made = await accountWithKey('free');
      servers = [await serverProcess(made.dir, { adapter }), await serverProcess(made.dir)];
      secret = readFileSync(join(made.dir, 'admin-secret'), 'utf8').trim();
    });
    after(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await made.remove();
    });

    async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`${servers[0]!.url}/admin/api/v1${path}`, {
        method,
        headers: {
          ...(Object.keys(headers).length === 0 ? { authorization: `Bearer ${secret}` } : headers),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = text === '' ? {} : JSON.parse(text);
      if (response.ok) assertDocumented(method, `/admin/api/v1${path}`, { status: response.status, json });
      return { status: response.status, headers: response.headers, json };
    }

    it('its secret is in a file that only the owner can read', () => {
      assert.equal(statSync(join(made.dir, 'admin-secret')).mode & 0o777, 0o600);
      assert.match(secret, /^[0-9A-Za-z]{40}$/);
      for (const server of servers) assert.equal(server.output().includes(secret), false);
    });

    it('a request without the secret or a session is refused, even with an API key', async () => {
      for (const headers of [
        { 'x-api-key': made.key.secret },
        { authorization: `Bearer ${made.key.secret}` },
        { authorization: secret },
        { cookie: 'priorart_admin=1.2.3' },
      ]) {
        const answer = await call('GET', '/accounts', undefined, headers);
        assert.equal(answer.status, 401);
        assert.deepEqual(Object.keys(answer.json), ['detail']);
      }
      assert.equal((await call('POST', '/session', { secret: 'wrong' }, { 'x-other': '1' })).status, 401);
    });

    it('new accounts, environments and keys work at once in another process; keys can be revoked', async () => {
      const account = await call('POST', '/accounts', { name: 'Team', plan: 'enterprise', monthly_quota: 7 });
      assert.equal(account.status, 201);
      const { id } = account.json;
      assert.equal((await call('PATCH', `/accounts/${id}`, { name: 'Team 2' })).json.name, 'Team 2');
      const early = await call('POST', '/keys', { account: id, environment: 'production', name: 'k' });
      assert.equal(early.status, 422);
      assert.match(early.json.detail, /environment/);
      assert.equal((await call('POST', `/accounts/${id}/environments`, { name: 'production' })).status, 201);
      const key = await call('POST', '/keys', { account: id, environment: 'production', name: 'k' });
      assert.equal(key.status, 201);
      assert.equal(key.headers.get('cache-control'), 'no-store');
      const other = servers[1]!.url;
      assert.equal((await search(other, key.json.secret)).status, 200);
      const listed = await call('GET', `/keys?account=${id}`);
      assert.deepEqual(
        listed.json.keys.map((one: { id: string }) => one.id),
        [key.json.id],
      );
      assert.equal(JSON.stringify(listed.json).includes(key.json.secret), false);
      assert.equal((await search(servers[0]!.url, key.json.secret)).status, 200);
      const logs = await call('GET', `/keys/${key.json.id}/logs?limit=1`);
      assert.deepEqual([logs.json.lines[0].endpoint, logs.json.lines[0].status], ['semantic', 200]);
      const usage = await call('GET', `/usage?account=${id}`);
      assert.ok(
        usage.json.usage.every((row: { key: string }) => row.key === key.json.id),
        `expected usage of key ${key.json.id} only: ${JSON.stringify(usage.json.usage)}`,
      );
      assert.equal((await call('POST', `/keys/${key.json.id}/revoke`)).json.state, 'deactivated');
      assert.equal((await search(other, key.json.secret)).status, 403);
      assert.equal((await search(servers[0]!.url, key.json.secret)).status, 403);
      assert.deepEqual(filesHolding(made.dir, [key.json.secret]), []);
    });

    it('maintenance is turned on and off for all servers; the administration stays available', async () => {
      assert.equal((await call('POST', '/maintenance', { on: true, retry_after: 9 })).status, 200);
      assert.equal((await search(servers[1]!.url, made.key.secret)).status, 503);
      assert.equal((await call('GET', '/maintenance')).json.on, true);
      assert.equal((await call('POST', '/maintenance', { on: false })).status, 200);
      assert.equal((await search(servers[1]!.url, made.key.secret)).status, 200);
    });

    it('a sign-in sets a cookie that scripts and other sites cannot use', async () => {
      const login = await call('POST', '/session', { secret }, { 'x-other': '1' });
      assert.equal(login.status, 200);
      const set = login.headers.get('set-cookie') ?? '';
      assert.match(set, /^priorart_admin=[^;]+; Path=\/admin; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
      const cookie = set.split(';')[0]!;
      assert.equal((await call('GET', '/plans', undefined, { cookie })).json.plans.length, 4);
      assert.equal((await call('GET', '/session', undefined, { cookie })).status, 200);
      const forged = await call('POST', '/maintenance', { on: true }, { cookie });
      assert.equal(forged.status, 403);
      const foreign = { cookie, 'x-priorart-admin': '1', 'sec-fetch-site': 'cross-site' };
      assert.equal((await call('POST', '/maintenance', { on: true }, foreign)).status, 403);
      const own = { cookie, 'x-priorart-admin': '1' };
      assert.equal((await call('POST', '/maintenance', { on: false }, own)).status, 200);
      const again = await call('POST', '/session', { secret }, { 'x-other': '1' });
      const other = (again.headers.get('set-cookie') ?? '').split(';')[0]!;
      const gone = await call('DELETE', '/session', undefined, own);
      assert.match(gone.headers.get('set-cookie') ?? '', /^priorart_admin=; .*Max-Age=0/);
      for (const server of servers) {
        const asked = (held: string) =>
          fetch(`${server.url}/admin/api/v1/plans`, { headers: { cookie: held } });
        assert.equal((await asked(cookie)).status, 401, 'a copy of the cookie is good for nothing');
        assert.equal((await asked(other)).status, 200, 'other sessions go on');
      }
    });

    it('a 401 answer asks for a Bearer token', async () => {
      const closed = await fetch(`${servers[0]!.url}/admin/api/v1/plans`);
      assert.equal(closed.status, 401);
      assert.equal(closed.headers.get('www-authenticate'), 'Bearer realm="administration"');
    });

    it('invalid input is refused as on the other endpoints', async () => {
      const cases: [string, string, unknown, number, RegExp][] = [
        ['POST', '/accounts', { name: 'x', plan: 'gold' }, 422, /plan: got "gold"; expected one of/],
        ['POST', '/accounts', { name: 'x', plan: 'free', monthly_quota: 3 }, 422, /monthly_quota/],
        ['POST', '/accounts', { name: 'x', plan: 'free', nmae: 1 }, 422, /unknown field "nmae"; the nearest/],
        ['GET', '/accounts/acc_none', undefined, 404, /no account/],
        ['POST', '/keys/key_none/revoke', undefined, 404, /no key/],
        ['GET', '/usage?from=2026-02-30', undefined, 422, /from/],
        [
          'GET',
          '/usage?from=2026-02-02&to=2026-02-01',
          undefined,
          422,
          /^from: got "2026-02-02"; expected a day not after to, 2026-02-01$/,
        ],
        ['GET', '/usage?from=2999-01-01', undefined, 422, /^from: got .* expected a day not after to, 2/],
        ['GET', '/logs?from=2026-02-02&to=2026-02-01', undefined, 422, /^from: got .* not after to/],
        ['GET', `/keys/${made.key.id}/logs?limit=0`, undefined, 422, /limit/],
        ['GET', `/keys/${made.key.id}/logs?cursor=nonsense`, undefined, 422, /cursor: got "nonsense"/],
        ['POST', '/maintenance', { on: 'yes' }, 422, /on: got "yes"/],
        ['DELETE', '/accounts', undefined, 405, /method/],
      ];
      for (const [method, path, body, status, detail] of cases) {
        const answer = await call(method, path, body);
        assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.json)}`);
        assert.match(answer.json.detail, detail);
      }
      const { from, to } = (await call('GET', '/usage?to=2020-01-15')).json;
      assert.deepEqual([from, to], ['2020-01-01', '2020-01-15']);
    });

    it('wrong secrets are slowed down; the right secret is never refused', async () => {
      const wrong = () => call('GET', '/plans', undefined, { authorization: 'Bearer wrong' });
      // As many as end soon: the pauses after the tenth are two seconds, for a few at once.
      const many = await Promise.all(Array.from({ length: 12 }, wrong));
      assert.deepEqual([...new Set(many.map(({ status }) => status))], [401]);
      const started = performance.now();
      assert.equal((await wrong()).status, 401);
      assert.ok(performance.now() - started > ADMIN_PAUSE.longestMs - 50, 'it had to wait');
      assert.equal((await call('GET', '/plans')).status, 200, 'from the same address');
      const login = await call('POST', '/session', { secret }, { 'x-other': '1' });
      assert.equal(login.status, 200);
      const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0]!;
      const again = performance.now();
      assert.equal((await call('GET', '/plans', undefined, { cookie })).status, 200);
      assert.ok(performance.now() - again < ADMIN_PAUSE.longestMs - 50, 'a session does not wait');
    });

    it('a sign-in without a secret counts as a wrong one and waits before the next is read', async () => {
      for (let i = 0; i <= ADMIN_PAUSE.free; i++) {
        assert.equal((await call('POST', '/session', { other: 1 }, { 'x-other': '1' })).status, 422);
      }
      const started = performance.now();
      assert.equal((await call('POST', '/session', { other: 1 }, { 'x-other': '1' })).status, 422);
      assert.ok(
        performance.now() - started > ADMIN_PAUSE.firstMs - 50,
        `expected a pause of ${ADMIN_PAUSE.firstMs} ms before the answer`,
      );
    });
  });
}

for (const adapter of ADAPTERS) {
  it(`a session over TLS has a cookie for TLS only (${adapter})`, async (t) => {
    const { dir, remove } = await accountWithKey('free');
    const files = identityFiles(A);
    const access = AccessStore.open(dir);
    const server = await startServer({
      engine: new MemoryEngine(),
      access,
      log: createLog('silent'),
      config: {
        ...LOCAL,
        httpAdapter: adapter,
        tlsCert: files.certFile,
        tlsKey: files.keyFile,
        adminSecret: 'the secret of this test',
      },
    });
    t.after(async () => {
      await server.close();
      await access.close();
      files.remove();
      await remove();
    });
    const cookie = await new Promise<string | undefined>((resolve, reject) => {
      const options = { method: 'POST', ca: A.cert, headers: { 'content-type': 'application/json' } };
      const sent = request(`${server.url}/admin/api/v1/session`, options, (answer) => {
        answer.resume();
        resolve(answer.headers['set-cookie']?.[0]);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ secret: 'the secret of this test' }));
    });
    assert.match(cookie ?? '', /^priorart_admin=[^;]+;.*; Secure$/);
  });
}

describe('ended sessions', () => {
  it('the list of ended sessions is bounded, and entries past their time make room for new ones', () => {
    const session = (n: number, begun = n) => ({ id: `session-${n}`, begun, expires: begun + 10_000 });
    let ended: EndedSessions | undefined;
    for (let n = 0; n < ADMIN_ENDED_SESSIONS_MAX; n++) ended = withEnded(ended, session(n), n);
    assert.equal(ended?.sessions.length, ADMIN_ENDED_SESSIONS_MAX);
    assert.ok(isEnded(ended, session(0)) && !isEnded(ended, session(5_000)));
    const full = withEnded(ended, session(1_500), 2_000);
    assert.deepEqual(full, { until: 2_000, sessions: [] });
    assert.ok(isEnded(full, session(0)) && isEnded(full, session(1_999)), 'all that were open are over');
    assert.equal(isEnded(full, session(2_001)), false);
    const later = withEnded(ended, session(20_000), 20_000);
    assert.deepEqual(later.sessions, [['session-20000', 30_000]], 'those past their time are forgotten');
  });
});

describe("attempts at the administrator's secret", () => {
  const limits = { free: 2, firstMs: 100, longestMs: 1_000 };

  it('an attempt waits longer the more attempts from its network were wrong in the last minute', () => {
    let now = 0;
    const attempts = new Attempts(limits, () => now);
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      pauses.push(attempts.pauseMs('192.0.2.1'));
      attempts.wrong('192.0.2.1');
      now += 1_000;
    }
    assert.deepEqual(pauses, [0, 0, 0, 100, 200, 400, 800, 1_000, 1_000]);
    assert.equal(attempts.pauseMs('192.0.2.2'), 0, 'others do not wait');
    for (let i = 0; i < 4; i++) attempts.wrong(`2001:db8::${i}`);
    assert.equal(attempts.pauseMs('2001:db8:0:0:7::2'), 200, 'a /64 is one network');
    now = 65_500;
    assert.equal(attempts.pauseMs('192.0.2.1'), 100, 'the last three are of this minute');
    now = 69_000;
    assert.equal(attempts.pauseMs('192.0.2.1'), 0);
  });

  it('memory for attempts is bounded', () => {
    const attempts = new Attempts(limits, () => 0);
    for (let i = 0; i < 5_000; i++) attempts.wrong(`10.0.${i >> 8}.${i & 255}`);
    assert.equal(attempts.size, ADMIN_ATTEMPT_ADDRESSES);
    for (let i = 0; i < 5_000; i++) attempts.wrong('192.0.2.1');
    assert.equal(attempts.pauseMs('192.0.2.1'), 1_000);
  });
});

describe("the guard of the administrator's secret", () => {
  const RIGHT = 'right';
  const { atOnce, waiting } = ADMIN_TURNS;

  /** Pauses last until `release`. `checked` are the secrets that were compared. */
  function guarded() {
    const checked: string[] = [];
    const pauses: number[] = [];
    let held: (() => void)[] = [];
    const guard = new SecretGuard({
      limits: { free: 2, firstMs: 100, longestMs: 1_000 },
      now: () => 0,
      pause(ms) {
        pauses.push(ms);
        return new Promise<void>((resolve) => held.push(resolve));
      },
    });
    const compare = (address: string, text: string) => {
      checked.push(text);
      if (text !== RIGHT) guard.wrong(address);
      return text === RIGHT;
    };
    const attempt = (text: string, address = '192.0.2.1') =>
      guard.check(address, () => compare(address, text));
    const release = () => {
      const all = held;
      held = [];
      for (const end of all) end();
    };
    return { guard, checked, pauses, attempt, release, held: () => held.length };
  }

  const isRefused = (outcome: PromiseSettledResult<unknown>) =>
    outcome.status === 'rejected' &&
    isPriorartError(outcome.reason) &&
    outcome.reason.code === 'rate_limited';

  it('guesses at the same time take turns; too many refuse those that have waited longest', async () => {
    const { checked, attempt, release, held } = guarded();
    const guesses = Array.from({ length: 300 }, (_, i) => attempt(`guess ${i}`));
    assert.deepEqual(guesses.slice(0, 3), [false, false, false], 'without a pause they are checked at once');
    const right = attempt(RIGHT);
    assert.equal(attempt(RIGHT, '192.0.2.2'), true, 'another network does not wait');
    let ended = false;
    const outcomes = Promise.allSettled(guesses).finally(() => {
      ended = true;
    });
    await until(() => held() === atOnce, 'a few are in their pauses');
    await until(() => {
      assert.ok(held() <= atOnce);
      release();
      return ended;
    }, 'all are answered');
    assert.equal(await right, true, 'the right secret came last, and was checked');
    assert.equal((await outcomes).filter(isRefused).length, 300 - 3 - atOnce - (waiting - 1));
    assert.equal(checked.length, 3 + atOnce + waiting + 1);
  });

  it('secrets that have yet to arrive hold no turn, and count as wrong until they are right', async () => {
    const { guard, pauses, attempt, release, held } = guarded();
    const arrive: (() => void)[] = [];
    const opened = Array.from({ length: 5 }, () =>
      guard.read('192.0.2.1', () => new Promise<void>((resolve) => arrive.push(resolve))),
    );
    await until(() => arrive.length === 3 && held() === 2, 'three are read, and two have to wait');
    release();
    await until(() => arrive.length === 5, 'all are read');
    const right = attempt(RIGHT);
    await until(() => held() === 1, 'the right one waits for its pause only');
    assert.deepEqual(pauses, [100, 100, 400]);
    release();
    assert.equal(await right, true);
    for (const end of arrive) end();
    await Promise.all(opened);
    assert.equal(attempt(RIGHT), true, 'none was wrong, so there is no pause');
  });
});

/** Texts that a client cannot send in a header so that every server reads them, and why. */
const UNFIT: readonly (readonly [string, RegExp])[] = [
  ['schlüsselwörter-für-alle-2026', /expected printable ASCII/],
  ['a secret with a\ttab', /expected printable ASCII/],
  [' a blank before it', /begins or ends with a blank/],
  ['a blank behind it ', /begins or ends with a blank/],
  ['too short', /has 9 characters; expected at least 16/],
];

describe("the administrator's secret", () => {
  it('sessions are signed with it: they expire, cannot be changed, and end when it changes', async () => {
    const { dir, remove } = await accountWithKey('free');
    const secret = new AdminSecret(dir);
    assert.ok(secret.make());
    assert.equal(secret.make(), false);
    const now = Date.now();
    const { token, expires } = secret.newSession(now);
    assert.equal(expires, now + ADMIN_SESSION_S * 1000);
    assert.equal(secret.session(token, now)?.expires, expires);
    assert.equal(secret.session(token, expires), undefined);
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === '1' ? '2' : '1'}${token.slice(i + 1)}`;
      assert.equal(secret.session(changed, now), undefined, changed);
    }
    writeFileSync(secret.file, 'another secret of some length');
    assert.equal(secret.session(token, now), undefined);
    assert.ok(secret.matches('another secret of some length'));
    chmodSync(secret.file, 0o644);
    assert.throws(() => secret.matches('x'), /can be read by others/);
    assert.ok(new AdminSecret(dir, 'given by the setting').matches('given by the setting'));
    assert.throws(() => new AdminSecret(dir, 'short'), /at least 16/);
    chmodSync(secret.file, 0o600);
    for (const [text, why] of UNFIT) {
      assert.throws(
        () => new AdminSecret(dir, text),
        (error) => isPriorartError(error) && error.code === 'usage' && why.test(error.message),
      );
      writeFileSync(secret.file, text);
      const found = new AdminSecret(dir);
      if (text === text.trim()) assert.throws(() => found.matches(text), why);
      else assert.ok(found.matches(text.trim()), 'blanks around it are not part of the content of a file');
    }
    await remove();
  });
});
