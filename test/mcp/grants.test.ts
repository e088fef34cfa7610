/** Grants of the embedded authorization server: administration, command line, several processes, and time. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Account } from '../../src/access/records.js';
import { AccessStore } from '../../src/access/store.js';
import { cookieKeyFile, cookieKeys, tendCookieKeys } from '../../src/http/oauth/cookie-keys.js';
import { OAuthTables } from '../../src/http/oauth/tables.js';
import { type Server, startServer } from '../../src/http/server.js';
import { ENVIRONMENTS_MAX, OAUTH_KEY_MS, OAUTH_RECORDS_MAX } from '../../src/limits.js';
import { createLog } from '../../src/observe/log.js';
import { LOCAL, MemoryEngine, onEachAdapter, Service } from '../api/service.js';
import { ROOT } from '../house/checkout.js';
import { freePort } from '../http/free-port.js';
import { REDIRECT, Visitor } from './oauth-client.js';
import { registered, statusOf, type Tokens, tokensFor } from './oauth-flow-helper.js';

const PASSWORD = 'correct horse battery';

interface Grant {
  account: string;
  client_name: string;
  last_used_at?: string;
}
const DAY_MS = 86_400_000;

onEachAdapter('grants', (adapter) => {
  let service: Service;
  let account: Account;
  let base: string;
  let second: { url: string; server: Server; access: AccessStore };
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on' });
    account = await service.access.createAccount({ name: 'Kim', plan: 'free' });
    await service.access.passwords.set(account.id, PASSWORD);
    const access = AccessStore.open(service.accessFolder);
    const server = await startServer({
      engine: new MemoryEngine(),
      access,
      log: createLog('silent', { write: () => {} }),
      config: {
        ...{ ...LOCAL, httpAdapter: adapter },
        ...{ publicUrl: base, oauthEmbedded: 'on' },
      },
    });
    second = { url: `http://127.0.0.1:${server.port}`, server, access };
  });
  after(async () => {
    await second.server.close();
    await second.access.close();
    await service.stop();
  });

  const admin = (path: string, init: RequestInit = {}) => {
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    return service.call(`/admin/api/v1/grants${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}` },
    });
  };
  const cli = (...args: string[]) => command('grants', ...args);
  const accounts = (...args: string[]) => command('accounts', ...args);
  const command = (...args: string[]) =>
    // The server of this process answers meanwhile.
    new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const words = [...args, '--data', dirname(service.accessFolder)];
      execFile(process.execPath, [join(ROOT, 'dist/src/cli/main.js'), ...words], (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  const tokens = async (client: string) => (await tokensFor(base, client, 'Kim', PASSWORD)).access_token;

  it('the administration lists and ends them; the key of the client goes with its last grant', async () => {
    const client = await registered(base, 'Editor');
    const [first, other] = [await tokens(client), await tokens(client)];
    const { json } = await admin(`?account=${account.id}`);
    assert.equal(json.grants.length, 2);
    const [one, two] = json.grants;
    assert.deepEqual([one.client_name, one.client_id, one.account], ['Editor', client, account.id]);
    assert.equal(one.key, two.key, 'a client has one key of an account');
    assert.deepEqual((await admin('?account=acc_none')).json.grants, []);
    assert.equal((await admin(`/${one.id}/revoke`, { method: 'POST' })).status, 200);
    assert.deepEqual([await statusOf(base, first), await statusOf(base, other)], [401, 200]);
    assert.equal(service.access.key(one.key).state, 'active');
    assert.equal((await admin(`/${one.id}/revoke`, { method: 'POST' })).status, 404);
    assert.equal((await admin(`/${two.id}/revoke`, { method: 'POST' })).status, 200);
    assert.equal(await statusOf(base, other), 401);
    assert.equal(service.access.key(one.key).state, 'deactivated');
    assert.equal((await service.call('/admin/api/v1/grants')).status, 401);
  });

  it('end with their account', async () => {
    const make = async (name: string) => {
      const { id } = await service.access.createAccount({ name, plan: 'free' });
      await service.access.passwords.set(id, PASSWORD);
      const client = await registered(base, `Client of ${name}`);
      return { id, token: (await tokensFor(base, client, id, PASSWORD)).access_token };
    };
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    const operator = (path: string) =>
      service.call(`/admin/api/v1/accounts/${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${secret}` },
      });
    const [one, two] = [await make('One'), await make('Two')];
    assert.equal((await operator(one.id)).status, 422, 'the key of the client is active');
    assert.equal((await operator(`${one.id}/keys`)).status, 200);
    assert.equal((await operator(one.id)).status, 200);
    const { status, stderr } = await accounts('delete', two.id, '--revoke-keys');
    assert.equal(status, 0, stderr);
    for (const { id, token } of [one, two]) {
      assert.equal(await statusOf(base, token), 401);
      assert.deepEqual((await admin(`?account=${id}`)).json.grants, []);
    }
  });

  it('an account lists and ends its own grants, and no others', async () => {
    const make = async (name: string) => {
      const { id } = await service.access.createAccount({ name, plan: 'free' });
      await service.access.passwords.set(id, PASSWORD);
      const token = (await tokensFor(base, await registered(base, `Client of ${name}`), id, PASSWORD))
        .access_token;
      const headers = { 'x-api-key': undefined, 'x-priorart-page': '1' };
      const opened = await service.post('/session', { account: id, password: PASSWORD }, headers);
      assert.equal(opened.json.has_mcp_sign_in, true);
      return { id, token, cookie: opened.headers.get('set-cookie')!.split(';')[0]! };
    };
    const [owner, other] = [await make('Owner'), await make('Other')];
    const own = (cookie: string, path = '', init: RequestInit = {}) =>
      service.call(`/account/grants${path}`, { ...init, headers: { cookie, 'x-priorart-page': '1' } });
    const { grants } = (await own(owner.cookie)).json;
    assert.deepEqual(
      grants.map((grant: Grant) => [grant.account, grant.client_name, grant.last_used_at]),
      [[owner.id, 'Client of Owner', undefined]],
    );
    const [{ id, created_at: since }] = grants;
    assert.equal(await statusOf(base, owner.token), 200);
    const [used] = (await own(owner.cookie)).json.grants;
    assert.ok(used.last_used_at >= since, JSON.stringify(used));
    const post = { method: 'POST' };
    const foreign = await own(other.cookie, `/${id}/revoke`, post);
    const unknown = await own(other.cookie, '/grant_none/revoke', post);
    assert.deepEqual([foreign.status, unknown.status], [404, 404]);
    assert.equal(foreign.json.detail.replace(id, 'grant_none'), unknown.json.detail);
    // What a page of another site can cause: the header is missing, or the browser names that site.
    const forged = [
      { cookie: owner.cookie },
      { cookie: owner.cookie, 'x-priorart-page': '1', 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of forged) {
      const answer = await service.call(`/account/grants/${id}/revoke`, { method: 'POST', headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    assert.equal(await statusOf(base, owner.token), 200);
    const ended = await own(owner.cookie, `/${id}/revoke`, post);
    assert.deepEqual([ended.status, ended.json.id], [200, id]);
    assert.deepEqual([await statusOf(base, owner.token), await statusOf(base, other.token)], [401, 200]);
    assert.equal((await own(owner.cookie, `/${id}/revoke`, post)).status, 404);
    assert.deepEqual((await own(owner.cookie)).json.grants, []);
    const [rest] = (await own(other.cookie)).json.grants;
    assert.equal((await admin(`/${rest.id}/revoke`, post)).status, 200);
  });

  it('the command line ends access in a running server', async () => {
    const token = await tokens(await registered(base, 'Notebook'));
    const [grant] = JSON.parse((await cli('list', '--account', 'Kim', '--json')).stdout);
    assert.equal(grant.client_name, 'Notebook');
    assert.match((await cli('list')).stdout, /Notebook/);
    assert.equal(await statusOf(base, token), 200);
    const { status, stdout, stderr } = await cli('revoke', grant.id);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /has no access any more/);
    assert.equal(await statusOf(base, token), 401);
    assert.notEqual((await cli('revoke', grant.id)).status, 0);
    assert.match((await cli()).stdout, /No client has access/);
  });

  it('servers of one folder share clients, sign-ins, codes and tokens', async () => {
    const client = await registered(second.url, 'Shared');
    const { access_token: token } = await tokensFor(base, client, 'Kim', PASSWORD, second.url);
    assert.deepEqual([await statusOf(base, token), await statusOf(second.url, token)], [200, 200]);
    const [grant] = (await admin('')).json.grants;
    await admin(`/${grant.id}/revoke`, { method: 'POST' });
    assert.deepEqual([await statusOf(base, token), await statusOf(second.url, token)], [401, 401]);
  });

  it('a client whose key is revoked gets no new tokens', async () => {
    const client = await registered(base, 'Refresher');
    const refreshed = async (refresh_token: string) => {
      const form = { grant_type: 'refresh_token', client_id: client, refresh_token };
      const response = await fetch(`${base}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      return { status: response.status, json: (await response.json()) as Tokens };
    };
    const given = await tokensFor(base, client, 'Kim', PASSWORD);
    const first = await refreshed(given.refresh_token);
    assert.equal(first.status, 200);
    const { grants } = (await admin(`?account=${account.id}`)).json;
    await service.access.revoke(grants.find((one: { client_id: string }) => one.client_id === client).key);
    assert.equal(await statusOf(base, first.json.access_token), 401);
    const second = await refreshed(first.json.refresh_token);
    assert.deepEqual([second.status, second.json.error], [400, 'invalid_grant']);
  });

  /** A person who has signed in and is asked to agree. */
  async function atConsent(client: string) {
    const url = new URL(`${base}/oauth/authorize`);
    url.search = new URLSearchParams({
      ...{ response_type: 'code', client_id: client, redirect_uri: REDIRECT, code_challenge_method: 'S256' },
      code_challenge: 'x'.repeat(43),
    }).toString();
    const person = new Visitor();
    const { url: page } = await person.visit(url);
    await person.visit(page, { step: 'sign-in', account: 'Kim', password: PASSWORD });
    const cookie = [...person.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    /** Answers the page without following the way back to the client. */
    const sent = (step: string) =>
      fetch(page, {
        ...{ method: 'POST', redirect: 'manual', headers: { cookie } },
        body: new URLSearchParams({ step }),
      });
    return { person, page, sent };
  }
  const grantsOfClient = async (client: string) =>
    (await admin('')).json.grants.filter((one: { client_id: string }) => one.client_id === client);

  it('a consent that is sent twice makes one grant; a later one is told that the page has expired', async () => {
    const client = await registered(base, 'Double');
    const { person, page, sent } = await atConsent(client);
    const allow = () => sent('allow');
    const grantsOf = async () => (await grantsOfClient(client)).length;
    const answers = [...(await Promise.all([allow(), allow()])), await allow()];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    );
    assert.equal(await grantsOf(), 1);
    const back = await person.visit(page, { step: 'allow' });
    assert.ok(back.url.searchParams.has('code'), back.url.href);
    assert.equal((await allow()).status, 400);
    assert.equal(await grantsOf(), 1);
  });

  it('who denies right after allowing leaves no access', async () => {
    const client = await registered(second.url, 'Denied');
    const { person, page, sent } = await atConsent(client);
    assert.equal((await sent('allow')).status, 303);
    const [{ key }] = await grantsOfClient(client);
    const back = await person.visit(page, { step: 'deny' });
    assert.equal(back.url.searchParams.get('error'), 'access_denied', back.url.href);
    assert.deepEqual([await grantsOfClient(client), service.access.key(key).state], [[], 'deactivated']);
  });

  it('an account without room for an environment gives access all the same', async () => {
    const { id } = await service.access.createAccount({ name: 'Full', plan: 'free' });
    await service.access.passwords.set(id, PASSWORD);
    const known = service.access.account(id).environments.length;
    for (let n = known; n < ENVIRONMENTS_MAX; n++)
      await service.access.changeAccount(id, { addEnvironment: `e${n}` });
    const { access_token } = await tokensFor(base, await registered(second.url, 'Late'), 'Full', PASSWORD);
    assert.equal(await statusOf(base, access_token), 200);
  });

  it('tokens that have expired, or are for another resource, are refused', async () => {
    const token = await tokens(await registered(base, 'Clock'));
    const tables = new OAuthTables(service.accessFolder);
    try {
      const { payload, expires } = tables.record('AccessToken', token)!;
      tables.put('AccessToken', 'expired', { payload, expires: Date.now() - 1 });
      tables.put('AccessToken', 'elsewhere', { payload: { ...payload, aud: `${base}/other` }, expires });
      tables.put('AccessToken', 'without scope', { payload: { ...payload, scope: '' }, expires });
      tables.put('AccessToken', 'like the first', { payload, expires });
      const statuses = [];
      for (const one of ['expired', 'elsewhere', 'without%20scope', 'like the first', token])
        statuses.push(await statusOf(base, decodeURIComponent(one)));
      assert.deepEqual(statuses, [401, 401, 403, 200, 200]);
    } finally {
      await tables.close();
    }
  });
});

describe('the state of the authorization server', () => {
  let folder: string;
  let tables: OAuthTables;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'priorart-oauth-'));
    tables = new OAuthTables(folder);
  });
  after(async () => {
    await tables.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const connection = (id: string, expires: number) => ({
    ...{ id, account: 'acc_1', client_id: 'c', client_name: 'C', key: 'key_1', scope: 's' },
    ...{ created_at: new Date().toISOString(), expires_at: new Date(expires).toISOString() },
  });

  it('what has expired is removed, with what belongs to it', () => {
    const now = Date.now();
    tables.putConnection(connection('grant_a', now + DAY_MS));
    tables.putConnection(connection('grant_b', now + 3 * DAY_MS));
    const token = (grantId: string, expires: number) => ({ payload: { grantId }, expires });
    tables.put('AccessToken', 'short', token('grant_b', now + DAY_MS));
    tables.put('AccessToken', 'long', token('grant_b', now + 3 * DAY_MS));
    tables.put('RefreshToken', 'of a', token('grant_a', now + 3 * DAY_MS));
    assert.deepEqual(tables.sweep(now), []);
    assert.deepEqual(
      tables.sweep(now + 2 * DAY_MS).map(({ id }) => id),
      ['grant_a'],
    );
    assert.equal(tables.record('AccessToken', 'short'), undefined);
    assert.ok(tables.record('AccessToken', 'long'));
    assert.equal(tables.record('RefreshToken', 'of a'), undefined);
    assert.equal(tables.endGrant('grant_b')?.id, 'grant_b');
    assert.equal(tables.record('AccessToken', 'long'), undefined);
  });

  it('a registered client stays with its grants, and goes within an hour after the last has ended', () => {
    const now = Date.now();
    const hour = 3_600_000;
    const grant = (id: string) => ({ ...connection(id, now + 300 * DAY_MS), client_id: 'client_x' });
    const isThere = () => tables.record('Client', 'client_x') !== undefined;
    tables.put('Client', 'client_x', { payload: {}, expires: now + hour });
    tables.putConnection(grant('grant_one'));
    tables.putConnection(grant('grant_two'));
    tables.sweep(now + 200 * DAY_MS);
    assert.ok(isThere(), 'with two grants');
    tables.endGrant('grant_one');
    tables.sweep(now);
    tables.sweep(now + 2 * hour);
    assert.ok(isThere(), 'with one grant');
    tables.endGrant('grant_two');
    tables.sweep(now);
    assert.ok(isThere(), 'a person can agree again');
    tables.putConnection(grant('grant_again'));
    tables.sweep(now + 2 * hour);
    assert.ok(isThere(), 'with a new grant');
    tables.endGrant('grant_again');
    tables.sweep(now);
    // Later turns do not prolong it.
    tables.sweep(now + hour / 2);
    tables.sweep(now + hour);
    assert.equal(isThere(), false);
  });

  it('a client without any grant goes after an hour, and with a grant that expired', () => {
    const now = Date.now();
    const hour = 3_600_000;
    tables.put('Client', 'never', { payload: {}, expires: now + hour });
    // Kept for a year by an earlier version, for a grant that has ended since.
    tables.put('Client', 'earlier', { payload: {}, expires: now + 365 * DAY_MS });
    tables.put('Client', 'expiring', { payload: {}, expires: now + hour });
    tables.putConnection({ ...connection('grant_soon', now + DAY_MS), client_id: 'expiring' });
    const there = () => ['never', 'earlier', 'expiring'].filter((id) => tables.record('Client', id));
    tables.sweep(now);
    assert.deepEqual(there(), ['never', 'earlier', 'expiring']);
    tables.sweep(now + hour);
    assert.deepEqual(there(), ['expiring']);
    tables.sweep(now + DAY_MS);
    tables.sweep(now + DAY_MS + hour);
    assert.deepEqual(there(), []);
  });

  it('a full kind refuses further records until some are gone', () => {
    const most = OAUTH_RECORDS_MAX['Client']!;
    const record = { payload: {}, expires: Date.now() + DAY_MS };
    tables.exclusively(() => {
      for (let n = 0; n < most; n++) tables.put('Client', `client ${n}`, record);
    });
    assert.throws(() => tables.put('Client', 'one more', record), { code: 'unavailable' });
    tables.put('Client', 'client 0', record);
    tables.remove('Client', 'client 1');
    tables.put('Client', 'one more', record);
    assert.ok(tables.record('Client', 'one more'));
    assert.throws(() => tables.put('Unknown', 'x', record), { code: 'unavailable' });
  });

  it('a code is used once', () => {
    tables.put('AuthorizationCode', 'code', { payload: { grantId: 'g' }, expires: Date.now() + DAY_MS });
    assert.deepEqual(
      [tables.consume('AuthorizationCode', 'code'), tables.consume('AuthorizationCode', 'code')],
      [true, false],
    );
    assert.equal(tables.consume('AuthorizationCode', 'unknown'), false);
  });

  it('keys of cookies are replaced in time; the key before still counts', () => {
    const now = Date.now();
    assert.equal(tendCookieKeys(tables.folder, now), true);
    const [first] = cookieKeys(tables.folder);
    assert.equal(tendCookieKeys(tables.folder, now + OAUTH_KEY_MS - 1), false);
    assert.equal(tendCookieKeys(tables.folder, now + OAUTH_KEY_MS), true);
    const keys = cookieKeys(tables.folder);
    assert.deepEqual([keys.length, keys[1]], [2, first]);
    assert.equal(tendCookieKeys(tables.folder, now + 2 * OAUTH_KEY_MS), true);
    assert.ok(!cookieKeys(tables.folder).includes(first!));
    chmodSync(cookieKeyFile(tables.folder), 0o644);
    assert.throws(() => cookieKeys(tables.folder), { code: 'unavailable', message: /chmod 600/ });
  });
});
