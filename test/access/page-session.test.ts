/** Sessions of the web page: who can open one, what it is good for, and how it ends. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SessionSigner } from '../../src/access/account-session.js';
import { pageKeyOf } from '../../src/access/records.js';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { PriorartError } from '../../src/errors.js';
import { startServer } from '../../src/http/server.js';
import { ACCOUNT_ENDED_SESSIONS_MAX, ACCOUNT_SESSION_S } from '../../src/limits.js';
import { createLog } from '../../src/observe/log.js';
import { LOCAL, MemoryEngine, onEachAdapter, Service } from '../api/service.js';
import { temporary } from '../crash/folder.js';
import { until } from '../until.js';
import { filesHolding } from './servers.js';

const PASSWORD = 'correct horse battery staple';
const PAGE = { 'x-priorart-page': '1' };

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  cookie: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  json: any;
}

/** A request with any headers, also those that `fetch` does not let a caller set. */
async function send(
  url: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: unknown,
): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type =
    text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers: { ...type, ...headers } }, (answer) => {
      let got = '';
      answer.setEncoding('utf8').on('data', (more: string) => (got += more));
      answer.on('end', () => {
        const cookie = (answer.headers['set-cookie']?.[0] ?? '').split(';')[0]!;
        resolve({ status: answer.statusCode!, headers: answer.headers, cookie, json: JSON.parse(got) });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

const search = (url: string, headers: OutgoingHttpHeaders) =>
  send(url, 'POST', '/api/v1/search/semantic', headers, { query: 'a question' });

onEachAdapter('sessions of the web page', (adapter) => {
  type Settings = Parameters<typeof Service.start>[3];
  async function started(t: TestContext, settings: Settings = {}) {
    const service = await Service.start(adapter, 10_000, {}, settings);
    t.after(() => service.stop());
    return { service, url: service.server.url };
  }

  /** A server with the demonstration account, as `npm start` makes it. */
  async function demonstration(t: TestContext, settings: Settings = {}, monthlyQuota = 1_000) {
    const { service, url } = await started(t, settings);
    const account = await service.access.createAccount({
      name: 'Demonstration',
      plan: 'enterprise',
      monthlyQuota,
    });
    return { service, url, account };
  }

  async function withPassword(t: TestContext, settings: Settings = {}) {
    const { service, url } = await started(t, settings);
    const account = await service.access.createAccount({ name: 'Patent team', plan: 'free' });
    await service.access.passwords.set(account.id, PASSWORD);
    const signIn = (password = PASSWORD, asked = 'Patent team', at = url) =>
      send(at, 'POST', '/session', PAGE, { account: asked, password });
    return { service, url, account, signIn };
  }

  const visit = (url: string, headers: OutgoingHttpHeaders = {}) =>
    send(url, 'POST', '/session', { ...PAGE, ...headers }, { visitor: true });

  /** A second server on the folder of a service. */
  async function another(service: Service): Promise<string> {
    const access = AccessStore.open(service.accessFolder, { create: false });
    const server = await startServer({
      engine: new MemoryEngine(),
      access,
      log: createLog('silent'),
      config: {
        ...LOCAL,
        httpAdapter: adapter,
      },
    });
    service.beforeStop(async () => {
      await server.close();
      await access.close();
    });
    return server.url;
  }

  it('a visitor of this machine searches on the demonstration account, within its quota and log', async (t) => {
    const { service, url, account } = await demonstration(t, {}, 2);
    const before = await send(url, 'GET', '/session');
    const possible = { can_sign_in: false, has_mcp_sign_in: false, can_visit: true };
    assert.deepEqual(before.json, { kind: 'none', ...possible });
    const opened = await visit(url);
    assert.equal(opened.status, 200);
    assert.match(
      opened.headers['set-cookie']![0]!,
      /^priorart_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    assert.equal(opened.headers['cache-control'], 'no-store');
    const { cookie } = opened;
    for (const path of ['/api/v1/search/semantic', '/api/v1/search/semantic-analytics']) {
      const found = await send(url, 'POST', path, { ...PAGE, cookie }, { query: 'a question' });
      assert.equal(found.status, 200, path);
      assert.match(`${found.headers['ratelimit']}`, /"month";r=\d/);
    }
    const details = { patent_ids: ['US11217824B2'] };
    assert.equal(
      (await send(url, 'POST', '/api/v1/patents/details', { ...PAGE, cookie }, details)).status,
      200,
    );
    const over = await search(url, { ...PAGE, cookie });
    assert.deepEqual([over.status, over.headers['x-error-code']], [429, 'quota_exceeded']);
    const now = await send(url, 'GET', '/session', { cookie });
    const { resets_at, ...shown } = now.json.account;
    assert.ok(Date.parse(resets_at) > Date.now());
    assert.deepEqual(shown, {
      id: account.id,
      name: 'Demonstration',
      plan: 'enterprise',
      monthly_quota: 2,
      used: 2,
    });
    assert.equal(now.json.kind, 'visitor');
    const log = RequestLog.ofFolder(service.accessFolder);
    t.after(() => log.close());
    const lines = async () =>
      (await log.page(pageKeyOf(account.id), 10)).lines.map(
        ({ endpoint, status }) => `${endpoint} ${status}`,
      );
    await until(async () => (await lines()).length === 4, 'the lines of the log are written');
    assert.deepEqual(await lines(), [
      'semantic 429',
      'details 200',
      'semantic-analytics 200',
      'semantic 200',
    ]);
    const key = service.access.key(pageKeyOf(account.id));
    assert.deepEqual([key.environment, key.state, key.account], ['page', 'active', account.id]);
    await assert.rejects(service.access.revoke(key.id), /belongs to the web page/);
  });

  it('a session alone is not enough: without the header of the page, the answers are those without a key', async (t) => {
    const { url } = await demonstration(t);
    const { cookie } = await visit(url);
    const plain = await search(url, {});
    const withCookie = await search(url, { cookie });
    assert.equal(plain.status, 401);
    assert.match(plain.json.detail, /the header X-API-Key is missing/);
    assert.deepEqual([withCookie.status, withCookie.json], [plain.status, plain.json]);
    const foreign = await search(url, { ...PAGE, cookie, 'sec-fetch-site': 'same-site' });
    assert.deepEqual([foreign.status, foreign.headers['x-error-code']], [403, 'forbidden']);
    const wrongKey = await search(url, { ...PAGE, cookie, 'x-api-key': 'wrong' });
    assert.match(wrongKey.json.detail, /the API key in X-API-Key is not valid/);
    const without = await search(url, PAGE);
    assert.equal(without.status, 401);
    assert.match(without.json.detail, /no session/);
    assert.equal((await search(url, { ...PAGE, cookie: `${cookie}x` })).status, 401);
    const own = await search(url, {
      ...PAGE,
      cookie: `other=1; ${cookie}; more=2`,
      'sec-fetch-site': 'same-origin',
    });
    assert.equal(own.status, 200);
  });

  it('the rate limit of a key holds for the page, too', async (t) => {
    const { url } = await demonstration(t, { rateLimit: 2 });
    const { cookie } = await visit(url);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await search(url, { ...PAGE, cookie })).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('other names of the server, other origins and proxies open no session of a visitor', async (t) => {
    const { url } = await demonstration(t);
    const { port } = new URL(url);
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: 'localhost.evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-proto': 'https' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
      { 'x-real-ip': '127.0.0.1' },
      { 'sec-fetch-site': 'cross-site' },
    ] as OutgoingHttpHeaders[]) {
      const refused = await visit(url, headers);
      assert.deepEqual([refused.status, refused.cookie], [403, ''], JSON.stringify(headers));
    }
    for (const headers of [
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      { host: `127.0.0.1:${port}` },
      { host: `[::1]:${port}` },
    ])
      assert.equal((await visit(url, headers)).status, 200, JSON.stringify(headers));
    const rebound = await send(url, 'GET', '/session', { host: 'evil.example' });
    assert.equal(rebound.json.can_visit, false);
  });

  it('other servers open no session of a visitor, unless the operator names an account', async (t) => {
    for (const settings of [
      { publicUrl: 'https://patents.example.com' },
      { pageAccount: 'none' },
      { pageAccount: 'Unknown' },
      { host: '0.0.0.0' },
    ]) {
      const { service } = await demonstration(t, settings);
      const url = `http://127.0.0.1:${service.server.port}`;
      const refused = await visit(url);
      assert.deepEqual([refused.status, refused.json.detail], [403, 'this server needs a sign-in to search']);
      assert.equal((await send(url, 'GET', '/session')).json.can_visit, false);
    }
    const { url, service } = await started(t, {
      pageAccount: 'Public',
      publicUrl: 'https://patents.example.com',
    });
    assert.ok(service.logLines.some((line) => line.includes('no account, or more than one')));
    const { id } = await service.access.createAccount({ name: 'Public', plan: 'free' });
    const behind = { host: 'patents.example.com', 'x-forwarded-for': '192.0.2.1' };
    const opened = await visit(url, behind);
    assert.equal(opened.json.account.id, id);
    assert.match(opened.headers['set-cookie']![0]!, /; Secure$/);
    assert.equal((await visit(url, { host: 'evil.example' })).status, 403);
    assert.equal((await search(url, { ...PAGE, ...behind, cookie: opened.cookie })).status, 200);
    await service.access.changeAccount(id, { name: 'Renamed' });
    assert.equal((await search(url, { ...PAGE, ...behind, cookie: opened.cookie })).status, 401);
  });

  it('an account signs in with its password, on all servers of the folder, until it signs out', async (t) => {
    const { service, url, account, signIn } = await withPassword(t);
    const second = await another(service);
    assert.equal((await send(url, 'GET', '/session')).json.can_sign_in, true);
    const [first, other] = [await signIn(), await signIn(PASSWORD, account.id, second)];
    assert.deepEqual([first.status, first.json.kind, first.json.account.plan], [200, 'account', 'free']);
    for (const at of [url, second]) {
      assert.equal((await search(at, { ...PAGE, cookie: first.cookie })).status, 200);
      assert.equal((await search(at, { ...PAGE, cookie: other.cookie })).status, 200);
    }
    const kept = await send(url, 'DELETE', '/session', { cookie: first.cookie });
    assert.equal(kept.status, 403, 'a sign-out needs the header, too');
    const gone = await send(url, 'DELETE', '/session', { ...PAGE, cookie: first.cookie });
    assert.deepEqual([gone.status, gone.json.kind], [200, 'none']);
    assert.match(gone.headers['set-cookie']![0]!, /^priorart_session=; .*Max-Age=0$/);
    for (const at of [url, second]) {
      assert.equal((await search(at, { ...PAGE, cookie: first.cookie })).status, 401, 'a copy of the cookie');
      assert.equal((await search(at, { ...PAGE, cookie: other.cookie })).status, 200, 'other sessions go on');
      assert.equal((await send(at, 'GET', '/session', { cookie: first.cookie })).json.kind, 'none');
    }
  });

  it('the sign-out of a visitor removes the cookie, and adds no record to the account', async (t) => {
    const { service, url, account } = await demonstration(t);
    const { cookie } = await visit(url);
    const gone = await send(url, 'DELETE', '/session', { ...PAGE, cookie });
    assert.deepEqual([gone.status, gone.json.kind], [200, 'none']);
    assert.match(gone.headers['set-cookie']![0]!, /^priorart_session=; .*Max-Age=0$/);
    const session = new SessionSigner(service.accessFolder).read(cookie.slice(cookie.indexOf('=') + 1))!;
    assert.equal(session.account, account.id);
    assert.equal(service.access.passwords.isAccountSessionEnded(session), false, 'no record');
  });

  it('a request with a cookie does not create the data folder again after it was moved', async (t) => {
    const { service, url, account } = await demonstration(t);
    const folder = dirname(service.accessFolder);
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    t.after(() => rmSync(moved, { recursive: true, force: true }));
    const { token } = new SessionSigner(temporary(t)).begin({
      account: account.id,
      kind: 'visitor',
      epoch: 0,
    });
    const cookie = `priorart_session=${token}`;
    await send(url, 'GET', '/session', { cookie });
    await visit(url);
    assert.ok(!existsSync(folder), 'the folder is not there');
  });

  it('a changed or removed password, and a revocation, end the sessions of the account on all servers', async (t) => {
    const { service, url, account, signIn } = await withPassword(t);
    const second = await another(service);
    const status = async (cookie: string) => (await search(second, { ...PAGE, cookie })).status;
    const steps: [what: string, change: () => Promise<unknown>, password: string | undefined][] = [
      ['a new password', () => service.access.passwords.set(account.id, `${PASSWORD}!`), `${PASSWORD}!`],
      ['a revocation', () => service.access.passwords.endSessions(account.id), `${PASSWORD}!`],
      ['no password', () => service.access.passwords.set(account.id, undefined), undefined],
    ];
    let password: string | undefined = PASSWORD;
    for (const [what, change, next] of steps) {
      const { cookie } = await signIn(password);
      assert.equal(await status(cookie), 200);
      await change();
      assert.equal(await status(cookie), 401, what);
      assert.equal((await search(url, { ...PAGE, cookie })).status, 401, what);
      password = next;
    }
    assert.equal((await signIn(`${PASSWORD}!`)).status, 401);
  });

  it('a wrong password, an unknown account and one without a password have the same answer', async (t) => {
    const { service, url, signIn } = await withPassword(t);
    const answers = [
      await signIn('a wrong password'),
      await signIn(PASSWORD, 'Unknown'),
      await signIn(PASSWORD, 'Example'),
      await signIn('', ''),
    ];
    for (const { status, json, cookie } of answers) {
      assert.deepEqual([status, cookie], [401, '']);
      assert.deepEqual(json, {
        detail: 'the account or the password is wrong; if accounts share this name, sign in with the id',
      });
    }
    assert.equal((await signIn()).status, 200, 'the right one is never refused');
    const invalid: [unknown, number, RegExp][] = [
      [{}, 422, /account: missing; expected account and password, or visitor/],
      [{ account: 'Patent team' }, 422, /password: missing/],
      [{ account: 1, password: PASSWORD }, 422, /account: got 1/],
      [{ visitor: false }, 422, /visitor: got false/],
      [{ account: 'x', password: 'y'.repeat(30_000) }, 401, /wrong/],
      [{ acount: 'x' }, 422, /unknown field "acount"/],
    ];
    for (const [body, status, detail] of invalid) {
      const refused = await send(url, 'POST', '/session', PAGE, body);
      assert.equal(refused.status, status, JSON.stringify(body));
      assert.match(refused.json.detail, detail);
    }
    await service.access.passwords.set(
      service.access.accountNamed('Patent team')!.id,
      'another long password',
    );
    const texts = [PASSWORD, 'a wrong password', 'another long password'];
    assert.deepEqual(
      service.logLines.filter((line) => texts.some((text) => line.includes(text))),
      [],
    );
    assert.deepEqual(filesHolding(service.accessFolder, texts), []);
    assert.ok(readdirSync(service.accessFolder).includes('session-secret'));
  });

  it('a page of another site cannot sign in, sign out or search', async (t) => {
    const { url, signIn } = await withPassword(t, { corsOrigins: '*' });
    const { cookie } = await signIn();
    // What a form, or a script without permission, can send.
    const simple = await send(
      url,
      'POST',
      '/session',
      { 'content-type': 'text/plain', cookie },
      { visitor: true },
    );
    assert.equal(simple.status, 403);
    const typed = { ...PAGE, 'content-type': 'text/plain', cookie };
    assert.equal((await send(url, 'POST', '/session', typed, { visitor: true })).status, 415);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...PAGE, cookie, 'sec-fetch-site': site };
      assert.equal((await send(url, 'DELETE', '/session', headers)).status, 403, site);
      const body = { account: 'Patent team', password: PASSWORD };
      assert.equal((await send(url, 'POST', '/session', headers, body)).status, 403, site);
      assert.equal((await search(url, headers)).status, 403, site);
    }
    for (const path of ['/session', '/api/v1/search/semantic']) {
      const asked = await fetch(url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-priorart-page,content-type',
        },
      });
      const allowed = asked.headers.get('access-control-allow-headers') ?? '';
      assert.equal(allowed.toLowerCase().includes('x-priorart-page'), false, path);
      assert.equal(asked.headers.get('access-control-allow-credentials'), null);
    }
    assert.equal((await search(url, { ...PAGE, cookie })).status, 200, 'the session is as before');
  });
});

describe('the cookie of a session', () => {
  it('is signed: it expires, and cannot be changed or made without the secret', (t) => {
    const folder = temporary(t);
    const signer = new SessionSigner(folder);
    const now = Date.now();
    const { session, token } = signer.begin({ account: 'acc_Xy12abcdef34', kind: 'account', epoch: 7 }, now);
    assert.deepEqual(signer.read(token, now), session);
    assert.deepEqual(new SessionSigner(folder).read(token, now), session, 'another server on the folder');
    assert.equal(session.expires, now + ACCOUNT_SESSION_S * 1000);
    assert.equal(signer.read(token, session.expires), undefined);
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === '1' ? '2' : '1'}${token.slice(i + 1)}`;
      assert.equal(signer.read(changed, now), undefined, changed);
    }
    for (const wrong of ['', '.', token.slice(1), `${token} `, token.slice(0, token.lastIndexOf('.'))])
      assert.equal(signer.read(wrong, now), undefined);
    assert.equal(new SessionSigner(temporary(t)).read(token, now), undefined, 'another folder');
  });

  it('reading it creates nothing, also if the folder was moved', (t) => {
    const folder = join(temporary(t), 'access');
    mkdirSync(folder);
    const { token } = new SessionSigner(folder).begin({
      account: 'acc_Xy12abcdef34',
      kind: 'account',
      epoch: 0,
    });
    const signer = new SessionSigner(folder);
    rmSync(join(folder, 'session-secret'));
    assert.equal(signer.read(token), undefined);
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
    assert.equal(signer.read(token), undefined);
    assert.throws(
      () => signer.begin({ account: 'acc_Xy12abcdef34', kind: 'account', epoch: 0 }),
      (error) => error instanceof PriorartError && error.code === 'unavailable',
    );
    assert.ok(!existsSync(folder));
  });
});

describe('sessions that were signed out', () => {
  it('their number is bounded for each account; beyond it, all sessions of this account end', async (t) => {
    const store = AccessStore.open(temporary(t));
    t.after(() => store.close());
    const [one, two] = [
      await store.createAccount({ name: 'One', plan: 'free' }),
      await store.createAccount({ name: 'Two', plan: 'free' }),
    ];
    const session = (n: number, account = one.id, expires = Date.now() + 60_000) =>
      ({ id: `session-${n}`, account, kind: 'account', epoch: 0, expires }) as const;
    for (let n = 0; n < ACCOUNT_ENDED_SESSIONS_MAX; n++)
      await store.passwords.endAccountSession(session(n, one.id, n < 10 ? Date.now() - 1 : undefined));
    assert.equal(store.passwords.isAccountSessionEnded(session(500)), true);
    for (let n = 0; n < 9; n++) await store.passwords.endAccountSession(session(10_000 + n));
    assert.equal(store.passwords.isAccountSessionEnded(session(20_000)), false, 'expired ones made room');
    await store.passwords.endAccountSession(session(30_000));
    await store.passwords.endAccountSession(session(30_001));
    assert.equal(store.passwords.isAccountSessionEnded(session(20_000)), true);
    assert.equal(store.passwords.sessionEpoch(one.id), 1);
    assert.equal(
      store.passwords.isAccountSessionEnded(session(1, two.id)),
      false,
      'other accounts are not concerned',
    );
  });
});
