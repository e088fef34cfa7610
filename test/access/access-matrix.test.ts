/**
 * Who may call what: every route of the server for a client without a session, a visitor, two accounts and the
 * operator. The paths name account A and its key, so the column of B shows what another account can reach.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { ROUTES } from '../../src/http/app.js';
import type { Route } from '../../src/http/route.js';
import { onEachAdapter, Service } from '../api/service.js';

const CALLERS = ['no session', 'visitor', 'account A', 'account B', 'operator'] as const;
type Caller = (typeof CALLERS)[number];
const PASSWORD = 'correct horse battery staple';

/** Bodies of the routes that need one. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/search/semantic': { query: 'a question' },
  'POST /api/v1/search/semantic-analytics': { query: 'a question' },
  'POST /api/v1/patents/details': { patent_ids: ['US11217824B2'] },
  'POST /session': { visitor: true },
  'POST /account/keys': { environment: 'production', name: 'new' },
  'PATCH /account/keys/{key}': { name: 'renamed' },
  'POST /account/password': { current: 'a wrong password', password: 'a new long password' },
  'POST /admin/api/v1/session': { secret: 'a wrong secret' },
  'POST /admin/api/v1/accounts': { name: 'New', plan: 'free' },
  'PATCH /admin/api/v1/accounts/{account}': { plan: 'enterprise' },
  'POST /admin/api/v1/accounts/{account}/environments': { name: 'production' },
  'POST /admin/api/v1/accounts/{account}/password': { password: PASSWORD },
  'POST /admin/api/v1/keys': { account: '{account}', environment: 'production', name: 'new' },
  'PATCH /admin/api/v1/keys/{key}': { name: 'renamed' },
  'POST /admin/api/v1/maintenance': { on: false },
};

/** Statuses that differ from the rule of the route's access: [no session, visitor, A, B, operator]. */
const EXCEPTIONS: Readonly<Record<string, readonly number[]>> = {
  // The key belongs to A.
  'PATCH /account/keys/{key}': [401, 401, 200, 404, 401],
  'POST /account/keys/{key}/revoke': [401, 401, 200, 404, 401],
  'POST /account/keys': [401, 401, 201, 201, 401],
  // The current password is wrong.
  'POST /account/password': [401, 401, 403, 403, 401],
  // The secret is wrong.
  'POST /admin/api/v1/session': [401, 401, 401, 401, 401],
  // The operator calls with the secret and has no session.
  'GET /admin/api/v1/session': [401, 401, 401, 401, 404],
  'POST /admin/api/v1/accounts': [401, 401, 401, 401, 201],
  'POST /admin/api/v1/accounts/{account}/environments': [401, 401, 401, 401, 201],
  'POST /admin/api/v1/keys': [401, 401, 401, 401, 201],
  // The account has keys.
  'DELETE /admin/api/v1/accounts/{account}': [401, 401, 401, 401, 422],
  // There is no such drawing, no such link, no such file, and no authorization server.
  'GET /api/v1/drawings/{publication_id}/{filename}': [404, 404, 404, 404, 404],
  'GET /files/drawings/{file}': [404, 404, 404, 404, 404],
  'GET /.well-known/oauth-protected-resource': [404, 404, 404, 404, 404],
  'GET /.well-known/oauth-protected-resource/mcp': [404, 404, 404, 404, 404],
  'GET /page/{file}': [404, 404, 404, 404, 404],
  'POST /admin/api/v1/grants/{grant}/revoke': [401, 401, 401, 401, 404],
  'POST /account/grants/{grant}/revoke': [401, 401, 404, 404, 401],
  // The path is missing.
  'GET /admin/api/v1/ingests/failures': [401, 401, 401, 401, 422],
};

/** The embedded authorization server is off. */
const OF_OAUTH = /^\/(?:oauth\/|\.well-known\/(?:oauth-authorization-server|openid-configuration))/;

/** The rule of an access. */
function expected({ method, path, access, takesSession }: Route): readonly number[] {
  const exception = EXCEPTIONS[`${method} ${path}`];
  if (exception) return exception;
  if (OF_OAUTH.test(path)) return [404, 404, 404, 404, 404];
  // `npm run build` makes the files of the page, and the compiler alone does not.
  if (path === '/' && !existsSync('dist/page/index.html')) return [404, 404, 404, 404, 404];
  if (access === 'admin') return [401, 401, 401, 401, 200];
  if (access === 'account') return [401, 401, 200, 200, 401];
  if (access === 'key') return takesSession ? [401, 200, 200, 200, 401] : [401, 401, 401, 401, 401];
  return [200, 200, 200, 200, 200];
}

onEachAdapter('access matrix', (adapter) => {
  async function prepared(t: TestContext) {
    const service = await Service.start(adapter, 10_000, {}, { pageAccount: 'Visitors' });
    t.after(() => service.stop());
    const { access } = service;
    const make = async (name: string) => {
      const account = await access.createAccount({ name, plan: 'enterprise' });
      await access.passwords.set(account.id, PASSWORD);
      const key = await access.createKey({
        account: account.id,
        environment: 'production',
        name: `key of ${name}`,
      });
      return { account, key };
    };
    await access.createAccount({ name: 'Visitors', plan: 'enterprise' });
    const [a, b] = [await make('A'), await make('B')];
    for (const { key } of [a, b])
      await service.search(
        { query: 'x' },
        { 'x-api-key': key.secret, 'x-request-id': `request-of-${key.id}` },
      );
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    const open = async (body: object) => {
      const opened = await service.post('/session', body, { 'x-api-key': undefined, 'x-priorart-page': '1' });
      assert.equal(opened.status, 200, opened.text);
      return { cookie: opened.headers.get('set-cookie')!.split(';')[0]!, 'x-priorart-page': '1' };
    };
    const headersOf = async (caller: Caller): Promise<Record<string, string>> => {
      if (caller === 'no session') return { 'x-priorart-page': '1' };
      if (caller === 'operator') return { authorization: `Bearer ${secret}`, 'x-priorart-page': '1' };
      if (caller === 'visitor') return open({ visitor: true });
      return open({ account: (caller === 'account A' ? a : b).account.id, password: PASSWORD });
    };
    return { service, a, b, headersOf };
  }

  it('every route answers each kind of caller as its access says', async (t) => {
    const { service, a, headersOf } = await prepared(t);
    const rows: { what: string; access: string; got: number[]; wanted: readonly number[] }[] = [];
    const sessions = new Map<Caller, Record<string, string>>();
    for (const caller of CALLERS) sessions.set(caller, await headersOf(caller));
    // Last, because these end the sessions of A, or the caller's own.
    const isLast = ({ method, path }: Route) =>
      /sessions|password|^\/session$/.test(path) && method !== 'GET';
    for (const route of [...ROUTES].sort((one, two) => Number(isLast(one)) - Number(isLast(two)))) {
      const { method, path, access } = route;
      const got: number[] = [];
      for (const caller of CALLERS) {
        const spare = await service.access.createKey({
          account: a.account.id,
          environment: 'production',
          name: 'spare',
        });
        const filled = (text: string) =>
          text
            .replace('{account}', a.account.id)
            .replace('{key}', spare.id)
            .replace(/\{\w+\}/g, 'US1A.webp');
        const body = BODIES[`${method} ${path}`];
        const headers = isLast(route) ? await headersOf(caller) : sessions.get(caller)!;
        const { status } = await service.call(filled(path), {
          method,
          headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: filled(JSON.stringify(body)) } : {}),
        });
        got.push(status);
        // The operator may have removed it.
        if (isLast(route) && caller === 'operator' && path.endsWith('/password'))
          await service.access.passwords.set(a.account.id, PASSWORD);
      }
      rows.push({ what: `${method} ${path}`, access, got, wanted: expected(route) });
    }
    const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
    t.diagnostic(line(['route', 'access', ...CALLERS]));
    for (const { what, access, got } of rows) t.diagnostic(line([what, access, ...got]));
    assert.deepEqual(
      rows.map(({ what, got }) => [what, ...got]),
      rows.map(({ what, wanted }) => [what, ...wanted]),
    );
    assert.equal(rows.length, ROUTES.length);
  });

  it('nothing of account A is in any answer to account B or a visitor', async (t) => {
    const { service, a, headersOf } = await prepared(t);
    const secrets = [a.account.id, a.key.id, a.key.secret, 'key of A'];
    for (const caller of ['account B', 'visitor', 'no session'] as const) {
      const headers = await headersOf(caller);
      for (const { method, path } of ROUTES.filter((route) => route.method === 'GET')) {
        if (path.includes('{')) continue;
        for (const query of [
          '',
          `?account=${a.account.id}`,
          `?key=${a.key.id}`,
          `?key=${a.key.id}&limit=1`,
        ]) {
          const { text, status } = await service.call(path + query, { method, headers });
          // A refusal may repeat the id that the caller sent.
          const found = secrets.filter((one) => text.includes(one) && !query.includes(one));
          assert.deepEqual(found, [], `${caller}: ${path}${query} ${status}`);
          if (query.includes('key=')) assert.equal(text.includes('request-of-'), false);
        }
      }
    }
  });

  it('account B cannot rename or revoke a key of A; its own list shows its own keys and log', async (t) => {
    const { service, a, b, headersOf } = await prepared(t);
    const headers = { ...(await headersOf('account B')), 'content-type': 'application/json' };
    const call = (method: string, path: string, body?: object) =>
      service.call(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const before = service.access.key(a.key.id);
    assert.equal((await call('PATCH', `/account/keys/${a.key.id}`, { name: 'stolen' })).status, 404);
    assert.equal((await call('POST', `/account/keys/${a.key.id}/revoke`)).status, 404);
    assert.deepEqual(service.access.key(a.key.id), before);
    const { json: own } = await call('GET', '/account/keys');
    assert.deepEqual(
      own.keys.map(({ id }: { id: string }) => id).sort(),
      [b.key.id, `page_${b.account.id.slice(4)}`].sort(),
    );
    const { json: logs } = await call('GET', '/account/logs');
    assert.deepEqual(
      logs.lines.map((line: { request_id: string }) => line.request_id),
      [`request-of-${b.key.id}`],
    );
    const { json: usage } = await call('GET', '/account/usage');
    assert.deepEqual([...new Set(usage.usage.map(({ key }: { key: string }) => key))], [b.key.id]);
  });
});
