/** What an account does with its session, and what operators see beside accounts and keys. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { IngestedFile } from '../../src/observe/observations.js';
import { type Answer, MemoryEngine, onEachAdapter, Service } from '../api/service.js';
import { RawClient } from '../http/raw.js';
import { until } from '../until.js';
import { assertDocumented } from './documented.js';
import { makeNamesake } from './namesake.js';

const PASSWORD = 'correct horse battery staple';

onEachAdapter('routes of accounts and operators', (adapter) => {
  async function started(t: TestContext, parts: Parameters<typeof Service.start>[2] = {}) {
    const service = await Service.start(adapter, 10_000, parts);
    t.after(() => service.stop());
    const account = await service.access.createAccount({ name: 'Patent team', plan: 'basic' });
    await service.access.passwords.set(account.id, PASSWORD);
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    const send = async (headers: Record<string, string>, method: string, path: string, body?: object) => {
      const answer = await service.call(path, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (answer.status < 400) assertDocumented(method, path, answer);
      return answer;
    };
    const signIn = async (password = PASSWORD) => {
      const page = { 'x-priorart-page': '1' };
      const opened = await send(page, 'POST', '/session', { account: account.id, password });
      return { status: opened.status, headers: { ...page, cookie: cookieOf(opened) } };
    };
    const operator = (method: string, path: string, body?: object) =>
      send({ authorization: `Bearer ${secret}` }, method, `/admin/api/v1${path}`, body);
    return { service, account, send, signIn, operator };
  }

  const cookieOf = (answer: Answer) => (answer.headers.get('set-cookie') ?? '').split(';')[0]!;

  it('a session that ends while the body is awaited makes no key', async (t) => {
    const { service, account, signIn } = await started(t);
    const { headers } = await signIn();
    const client = new RawClient(Number(new URL(service.server.url).port));
    t.after(() => client.socket.destroy());
    const body = JSON.stringify({ environment: 'staging', name: 'stolen' });
    const lines = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers });
    const { passwords } = service.access;
    const isEnded = passwords.isAccountSessionEnded.bind(passwords);
    let checks = 0;
    passwords.isAccountSessionEnded = (session) => {
      checks += 1;
      return isEnded(session);
    };
    client.write(
      `POST /account/keys HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
        `content-length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
    );
    await until(() => checks > 0, 'the request is admitted');
    await passwords.endSessions(account.id);
    client.write(body.slice(1));
    const answer = await client.reply();
    assert.equal(answer?.status, 401, answer?.body);
    assert.equal(
      service.access.keysOf(account.id).some(({ name }) => name === 'stolen'),
      false,
    );
  });

  it('an account makes, names and revokes a key, whose secret is shown once', async (t) => {
    const { service, account, send, signIn } = await started(t);
    const { headers } = await signIn();
    const made = await send(headers, 'POST', '/account/keys', { environment: 'staging', name: 'laptop' });
    assert.equal(made.status, 201);
    assert.equal((await service.search({ query: 'x' }, { 'x-api-key': made.json.secret })).status, 200);
    const path = `/account/keys/${made.json.id}`;
    assert.equal((await send(headers, 'PATCH', path, { name: 'server' })).json.name, 'server');
    const listed = await send(headers, 'GET', '/account/keys');
    assert.equal(listed.text.includes(made.json.secret), false);
    assert.deepEqual(listed.json.keys.map(({ name }: { name: string }) => name).sort(), ['Page', 'server']);
    const own = await send(headers, 'GET', '/account');
    assert.deepEqual(
      [own.json.id, own.json.environments, own.json.quota.used],
      [account.id, ['page', 'staging'], 1],
    );
    const logs = await send(headers, 'GET', `/account/logs?key=${made.json.id}&status=2xx&limit=1`);
    assert.deepEqual([logs.json.lines[0].endpoint, logs.json.lines[0].key], ['semantic', made.json.id]);
    assert.equal((await send(headers, 'GET', `/account/usage?key=${made.json.id}`)).json.usage[0].ok, 1);
    assert.equal((await send(headers, 'POST', `${path}/revoke`)).json.state, 'deactivated');
    assert.equal((await service.search({ query: 'x' }, { 'x-api-key': made.json.secret })).status, 403);
    const ofPage = `/account/keys/page_${account.id.slice(4)}/revoke`;
    assert.equal(
      (await send(headers, 'POST', ofPage)).status,
      422,
      'the key of the page is not theirs to revoke',
    );
    for (const [method, route, body] of [
      ['POST', '/account/keys', { environment: 'Not a name', name: 'x' }],
      ['POST', '/account/keys', { environment: 'staging', name: ' ' }],
      ['GET', '/account/logs?status=9xx', undefined],
      ['GET', '/account/logs?cursor=nonsense', undefined],
      ['GET', '/account/logs?from=2026-02-30', undefined],
      ['GET', '/account/logs?from=2026-02-02&to=2026-02-01', undefined],
      ['GET', '/account/logs?account=acc_other', undefined],
      ['GET', '/account/usage?from=x', undefined],
      ['GET', '/account/usage?from=2020-01-01', undefined],
      ['GET', '/account/usage?from=2026-02-02&to=2026-02-01', undefined],
    ] as const) {
      const refused = await send(headers, method, route, body);
      assert.equal(refused.status, 422, `${method} ${route}: ${refused.text}`);
    }
  });

  it('an account changes its password, which ends its other sessions', async (t) => {
    const { send, signIn } = await started(t);
    const [mine, other] = [await signIn(), await signIn()];
    const change = (current: string, password: string) =>
      send(mine.headers, 'POST', '/account/password', { current, password });
    assert.equal((await change('a wrong password', 'a new long password')).status, 403);
    const short = await change(PASSWORD, 'short');
    assert.equal(short.status, 422);
    assert.equal(short.json.detail, 'password: got 5 characters; expected 12 to 1000 characters');
    assert.equal((await send(other.headers, 'GET', '/account')).status, 200, 'nothing has changed');
    const changed = await change(PASSWORD, 'a new long password');
    assert.equal(changed.status, 200);
    const renewed = { ...mine.headers, cookie: cookieOf(changed) };
    assert.equal((await send(renewed, 'GET', '/account')).status, 200);
    for (const { headers } of [mine, other])
      assert.equal((await send(headers, 'GET', '/account')).status, 401);
    assert.equal((await signIn()).status, 401);
    assert.equal((await signIn('a new long password')).status, 200);
  });

  it('a request without the header of the page is refused', async (t) => {
    const { send, signIn } = await started(t);
    const { headers } = await signIn();
    const { cookie } = headers;
    assert.equal((await send({ cookie }, 'GET', '/account')).status, 403);
    const foreign = { ...headers, 'sec-fetch-site': 'same-site' };
    assert.equal((await send(foreign, 'POST', '/account/keys', { environment: 'x', name: 'x' })).status, 403);
  });

  it('an operator sets and removes passwords, and ends sessions', async (t) => {
    const { account, send, signIn, operator } = await started(t);
    const path = `/accounts/${account.id}`;
    const first = await signIn();
    assert.equal((await operator('DELETE', `${path}/sessions`)).status, 200);
    assert.equal((await send(first.headers, 'GET', '/account')).status, 401);
    assert.equal((await operator('POST', `${path}/password`, { password: 'short' })).status, 422);
    assert.equal((await signIn()).status, 200);
    assert.equal(
      (await operator('POST', `${path}/password`, { password: 'a new long password' })).status,
      200,
    );
    assert.equal((await signIn()).status, 401);
    assert.equal((await signIn('a new long password')).status, 200);
    assert.equal((await operator('GET', path)).json.has_password, true);
    assert.equal((await operator('DELETE', `${path}/password`)).status, 200);
    assert.equal((await operator('GET', path)).json.has_password, false);
    assert.equal((await signIn('a new long password')).status, 401);
    for (const [method, what, body] of [
      ['POST', 'password', { password: PASSWORD }],
      ['DELETE', 'password', undefined],
      ['DELETE', 'sessions', undefined],
    ] as const)
      assert.equal((await operator(method, `/accounts/acc_none/${what}`, body)).status, 404);
  });

  it('an operator cannot give two accounts the same name, nor both of a name that has two a password', async (t) => {
    const { account, send, signIn, operator, service } = await started(t);
    const { id } = makeNamesake(service.accessFolder, account.name);
    const twin = await operator('POST', '/accounts', { name: account.name, plan: 'free' });
    assert.equal(twin.status, 409);
    assert.equal(twin.headers.get('x-error-code'), 'name_taken');
    assert.match(twin.json.detail, new RegExp(`account ${account.id} has the name`));
    const other = await service.access.createAccount({ name: 'Other', plan: 'free' });
    assert.equal((await operator('PATCH', `/accounts/${other.id}`, { name: account.name })).status, 409);
    const password = 'a new long password';
    assert.equal((await operator('POST', `/accounts/${account.id}/password`, { password })).status, 200);
    const refused = await operator('POST', `/accounts/${id}/password`, { password });
    assert.equal(refused.status, 409);
    assert.match(refused.json.detail, /choose another name for this account, or rename that one/);
    const signedIn = await signIn(password);
    assert.equal((await send(signedIn.headers, 'GET', '/account')).json.id, account.id);
  });

  it('an operator deletes an account without active keys, which ends its sessions', async (t) => {
    const { account, send, signIn, operator, service } = await started(t);
    const path = `/accounts/${account.id}`;
    const { headers } = await signIn();
    const key = await service.access.createKey({
      ...{ account: account.id, environment: 'production', name: 'server' },
    });
    assert.equal((await service.search({ query: 'x' }, { 'x-api-key': key.secret })).status, 200);
    const refused = await operator('DELETE', path);
    assert.equal(refused.status, 422);
    assert.equal(refused.json.detail, `account ${account.id} has an active key; revoke it first`);
    assert.equal((await send(headers, 'GET', '/account')).status, 200);
    assert.equal((await operator('DELETE', `${path}/keys`)).json.revoked, 1);
    assert.equal((await operator('DELETE', path)).status, 200);
    assert.equal((await operator('DELETE', path)).status, 404);
    assert.equal((await operator('GET', path)).status, 404);
    assert.equal((await send(headers, 'GET', '/account')).status, 401);
    assert.equal((await signIn()).status, 401);
    assert.equal((await service.search({ query: 'x' }, { 'x-api-key': key.secret })).status, 401);
    const { lines } = (await operator('GET', '/logs')).json;
    assert.ok(
      lines.some((line: { key: string }) => line.key === key.id),
      'its lines stay in the log',
    );
    assert.ok(
      (await operator('GET', '/usage')).json.usage.some((row: { key: string }) => row.key === key.id),
    );
  });

  it('an operator sees the log of all accounts, the ledger and the figures of the server', async (t) => {
    const engine = new MemoryEngine();
    const file = {
      first_read: '2026-01-01T00:00:00.000Z',
      readings: 1,
      formats: ['us-grant'],
      updated: 0,
      unchanged: 0,
    };
    const run = '2026-01-03T00:00:00.000Z';
    const failures = [{ position: 'byte 7', reason: 'not a known format' }];
    const counts = { ingested: 3, skipped: 1, failed: 0, bytes: 10 };
    const files = (): IngestedFile[] => [
      { path: '/data/a.zip', last_read: '2026-01-01T00:00:00.000Z', ...file, ...counts },
      { path: '/data/b.zip', last_read: '2026-01-02T00:00:00.000Z', ...file, ...counts },
      { path: '/data/c.zip', last_read: '2026-01-03T00:00:01.000Z', run, ...file, ...counts },
      {
        path: '/data/d.zip',
        last_read: '2026-01-03T00:00:02.000Z',
        run,
        ...file,
        ...counts,
        failed: 2,
        failures,
      },
    ];
    // As the ledger: a list of files is without what failed in them.
    const sources = () => files().map(({ failures: _, ...one }) => one);
    const source = (path: string) => files().find((one) => one.path === path);
    const ledgerOf = Object.assign(engine, { sources, source });
    const { service, account, operator } = await started(t, { engine: ledgerOf });
    const key = await service.access.createKey({ account: account.id, environment: 'x', name: 'x' });
    for (const secret of [service.key, key.secret])
      await service.search({ query: 'x' }, { 'x-api-key': secret });
    await service.search({ query: 'x', top_k: 0 }, { 'x-api-key': key.secret });
    const all = await operator('GET', '/logs');
    assert.deepEqual(
      all.json.lines.map((line: { key: string; status: number; error_code?: string }) => [
        ...[line.key, line.status, line.error_code],
      ]),
      [
        [key.id, 422, 'invalid_request'],
        [key.id, 200, undefined],
        [service.keyId, 200, undefined],
      ],
    );
    const listed = await operator('GET', `/keys?account=${account.id}`);
    assert.ok(Date.now() - Date.parse(listed.json.keys[0].last_used_at) < 60_000);
    const count = async (query: string) => (await operator('GET', `/logs?${query}`)).json.lines.length;
    assert.equal(await count(`account=${account.id}`), 2);
    assert.equal(await count(`account=${account.id}&status=422`), 1);
    assert.equal(await count(`account=${account.id}&key=${service.keyId}`), 0, 'the key belongs to another');
    assert.equal((await operator('GET', '/logs?account=acc_none')).status, 404);
    assert.equal((await operator('PATCH', `/keys/${key.id}`, { name: 'y' })).json.name, 'y');
    const ledger = await operator('GET', '/ingests');
    assert.deepEqual(
      [ledger.json.files, ledger.json.totals.ingested, ledger.json.totals.skipped],
      [4, 12, 4],
    );
    assert.deepEqual(
      ledger.json.latest.map(({ path }: { path: string }) => path),
      ['/data/d.zip', '/data/c.zip', '/data/b.zip', '/data/a.zip'],
    );
    assert.deepEqual(ledger.json.runs, [
      {
        started: run,
        files: 2,
        files_with_failures: 1,
        ...counts,
        ingested: 6,
        updated: 0,
        unchanged: 0,
        skipped: 2,
        failed: 2,
        bytes: 20,
      },
    ]);
    const pageOf = async (query: string) => {
      const { json } = await operator('GET', `/ingests${query}`);
      return [json.files, json.listed, json.latest.map(({ path }: { path: string }) => path)];
    };
    assert.deepEqual(await pageOf('?with_failures=true'), [4, 1, ['/data/d.zip']]);
    assert.deepEqual(await pageOf('?offset=2'), [4, 4, ['/data/b.zip', '/data/a.zip']]);
    assert.deepEqual(await pageOf('?offset=4'), [4, 4, []]);
    for (const wrong of ['?offset=-1', '?offset=x', '?with_failures=yes', '?page=2'])
      assert.equal((await operator('GET', `/ingests${wrong}`)).status, 422, wrong);
    const failed = await operator('GET', '/ingests/failures?path=%2Fdata%2Fd.zip');
    assert.deepEqual(failed.json, { path: '/data/d.zip', failed: 2, failures });
    assert.deepEqual((await operator('GET', '/ingests/failures?path=%2Fdata%2Fa.zip')).json.failures, []);
    assert.equal((await operator('GET', '/ingests/failures?path=none')).status, 404);
    assert.equal((await operator('GET', '/ingests/failures')).status, 422);
    const health = await operator('GET', '/health');
    const searches = health.json.latency.find(
      ({ endpoint }: { endpoint: string }) => endpoint === 'semantic',
    );
    assert.equal(searches.requests, 3);
    assert.deepEqual([searches.refused, searches.failed], [1, 0], 'the refused call is counted apart');
    const { p50, p95, p99, max } = searches.duration;
    assert.ok(p50 > 0 && p50 <= p95 && p95 <= p99 && p99 <= max, JSON.stringify(searches));
    assert.deepEqual(
      [health.json.ready, health.json.missing, health.json.maintenance],
      [true, [], undefined],
    );
    await service.access.setMaintenance(true, 300);
    const down = await operator('GET', '/health');
    assert.deepEqual([down.json.ready, down.json.missing], [false, ['maintenance is on']]);
    assert.equal(down.json.maintenance.retry_after, 300);
    await service.access.setMaintenance(false);
    assert.ok(health.json.memory.resident > 1e6);
  });
});
