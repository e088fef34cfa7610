/** The HTTP interface of the administration: who may, what it does, and that it holds in other processes. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AdminSecret } from '../../src/access/admin-secret.js';
import { ADMIN_SESSION_S } from '../../src/limits.js';
import { accountWithKey, filesHolding, type ServerProcess, search, serverProcess } from './servers.js';

for (const adapter of ['uws', 'node'] as const) {
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
      return {
        status: response.status,
        headers: response.headers,
        json: text === '' ? {} : JSON.parse(text),
      };
    }

    it('keeps its secret where only the owner can read it', () => {
      assert.equal(statSync(join(made.dir, 'admin-secret')).mode & 0o777, 0o600);
      assert.match(secret, /^[0-9A-Za-z]{40}$/);
      for (const server of servers) assert.equal(server.output().includes(secret), false);
    });

    it('lets nobody in without the secret or a session, API keys included', async () => {
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

    it('makes accounts, environments and keys that work at once in another process, and revokes them', async () => {
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
      assert.ok(usage.json.usage.every((row: { key: string }) => row.key === key.json.id));
      assert.equal((await call('POST', `/keys/${key.json.id}/revoke`)).json.state, 'deactivated');
      assert.equal((await search(other, key.json.secret)).status, 403);
      assert.equal((await search(servers[0]!.url, key.json.secret)).status, 403);
      assert.deepEqual(filesHolding(made.dir, [key.json.secret]), []);
    });

    it('turns maintenance on and off for all servers, and stays open meanwhile', async () => {
      assert.equal((await call('POST', '/maintenance', { on: true, retry_after: 9 })).status, 200);
      assert.equal((await search(servers[1]!.url, made.key.secret)).status, 503);
      assert.equal((await call('GET', '/maintenance')).json.on, true);
      assert.equal((await call('POST', '/maintenance', { on: false })).status, 200);
      assert.equal((await search(servers[1]!.url, made.key.secret)).status, 200);
    });

    it('signs in with a cookie that scripts and other sites cannot use', async () => {
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
      const gone = await call('DELETE', '/session', undefined, own);
      assert.match(gone.headers.get('set-cookie') ?? '', /^priorart_admin=; .*Max-Age=0/);
    });

    it('refuses what cannot be, as the other endpoints do', async () => {
      const cases: [string, string, unknown, number, RegExp][] = [
        ['POST', '/accounts', { name: 'x', plan: 'gold' }, 422, /plan: got "gold"; expected one of/],
        ['POST', '/accounts', { name: 'x', plan: 'free', monthly_quota: 3 }, 422, /monthly_quota/],
        ['POST', '/accounts', { name: 'x', plan: 'free', nmae: 1 }, 422, /unknown field "nmae"; the nearest/],
        ['GET', '/accounts/acc_none', undefined, 404, /no account/],
        ['POST', '/keys/key_none/revoke', undefined, 404, /no key/],
        ['GET', '/usage?from=2026-02-30', undefined, 422, /from/],
        ['GET', `/keys/${made.key.id}/logs?limit=0`, undefined, 422, /limit/],
        ['POST', '/maintenance', { on: 'yes' }, 422, /on: got "yes"/],
        ['DELETE', '/accounts', undefined, 405, /method/],
      ];
      for (const [method, path, body, status, detail] of cases) {
        const answer = await call(method, path, body);
        assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.json)}`);
        assert.match(answer.json.detail, detail);
      }
    });

    it('lets an address try ten wrong secrets a minute', async () => {
      const wrong = () => call('GET', '/plans', undefined, { authorization: 'Bearer wrong' });
      const statuses = new Set<number>();
      for (let i = 0; i < 12; i++) statuses.add((await wrong()).status);
      assert.ok(statuses.has(429));
      assert.equal((await call('GET', '/plans')).status, 200, 'who knows the secret is let in');
    });
  });
}

describe("the administrator's secret", () => {
  it('signs sessions that end, cannot be changed, and die with it', async () => {
    const { dir, remove } = await accountWithKey('free');
    const secret = new AdminSecret(dir);
    assert.ok(secret.make());
    assert.equal(secret.make(), false);
    const now = Date.now();
    const { token, expires } = secret.newSession(now);
    assert.equal(expires, now + ADMIN_SESSION_S * 1000);
    assert.equal(secret.sessionEnd(token, now), expires);
    assert.equal(secret.sessionEnd(token, expires), undefined);
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === '1' ? '2' : '1'}${token.slice(i + 1)}`;
      assert.equal(secret.sessionEnd(changed, now), undefined, changed);
    }
    writeFileSync(secret.file, 'another secret of some length');
    assert.equal(secret.sessionEnd(token, now), undefined);
    assert.ok(secret.matches('another secret of some length'));
    chmodSync(secret.file, 0o644);
    assert.throws(() => secret.matches('x'), /can be read by others/);
    assert.ok(new AdminSecret(dir, 'given by the setting').matches('given by the setting'));
    assert.throws(() => new AdminSecret(dir, 'short'), /at least 16/);
    await remove();
  });
});
