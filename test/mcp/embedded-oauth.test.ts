/** The embedded authorization server with a real client: the whole flow, and what it refuses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { after, before, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { Account } from '../../src/access/records.js';
import { onEachAdapter, Service } from '../api/service.js';
import { freePort } from '../http/free-port.js';
import { Kept, Visitor } from './oauth-client.js';
import { callMcp, registered, tokensFor } from './oauth-flow-helper.js';

const PASSWORD = 'correct horse battery';
const PAGE = 'https://app.example.com';

onEachAdapter('the embedded authorization server', (adapter) => {
  let service: Service;
  let account: Account;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on', corsOrigins: PAGE });
    account = await service.access.createAccount({ name: 'Kim', plan: 'free' });
    await service.access.passwords.set(account.id, PASSWORD);
  });
  after(() => service.stop());

  const transport = (kept: Kept) =>
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: kept });
  const client = () => new Client({ name: 'test', version: '1' });
  const connected = async (kept: Kept) => {
    const made = client();
    await made.connect(transport(kept));
    return made;
  };
  const ping = (token: string) => callMcp(service, token, 'ping');

  it('discovery, registration, sign-in, consent, token, call, refresh, revocation, and 401', async () => {
    const kept = new Kept();
    const first = transport(kept);
    await assert.rejects(client().connect(first), UnauthorizedError);
    assert.match(kept.client?.client_id ?? '', /^client_/);
    assert.equal(kept.page?.searchParams.get('resource'), `${base}/mcp`);
    const back = await new Visitor().agree(kept.page!, 'Kim', PASSWORD);
    assert.equal(back.searchParams.get('iss'), base);
    await first.finishAuth(back.searchParams);
    const { access_token: token, refresh_token: refresh } = kept.kept!;

    const signedIn = await connected(kept);
    const found = await signedIn.callTool({ name: 'search_patents', arguments: { query: 'x', top_k: 2 } });
    assert.equal((found.structuredContent as { total: number }).total, 2);
    await signedIn.close();
    const key = service.access.list().find(({ account: of }) => of === account.id);
    assert.deepEqual([key?.name, key?.environment, key?.state], ['A test client', 'mcp', 'active']);
    assert.match(
      service.logLines.find((text) => text.includes('mcp.search_patents')) ?? '',
      new RegExp(key!.id),
    );
    assert.equal(service.access.quotaUsed(account).used, 1);

    kept.kept = { ...kept.kept!, access_token: `${token.slice(0, -8)}AAAAAAAA` };
    await (await connected(kept)).close();
    assert.notEqual(kept.kept!.access_token, token);
    assert.notEqual(kept.kept!.refresh_token, refresh);

    const revoked = await fetch(`${base}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: kept.kept!.refresh_token!, client_id: kept.client!.client_id }),
    });
    assert.equal(revoked.status, 200, service.logLines.filter((l) => l.includes('err')).join('\n'));
    assert.equal((await ping(kept.kept!.access_token)).status, 401);
    assert.equal((await ping(token)).status, 401);
    assert.equal(service.access.key(key!.id).state, 'deactivated');
    const log = service.logLines.join('\n');
    for (const secret of [token, refresh!, PASSWORD, back.searchParams.get('code')!])
      assert.ok(!log.includes(secret), 'no secret is in the log');
  });

  it('tokens have all scopes of --oauth-scope', async () => {
    const scopes = ['patents:read', 'patents:count'];
    const settings = { port: await freePort(), oauthEmbedded: 'on', oauthScope: scopes.join(' ') } as const;
    const own = await Service.start(adapter, 10_000, {}, settings);
    try {
      const { json } = await own.call('/.well-known/oauth-authorization-server');
      assert.deepEqual(json.scopes_supported, [...scopes, 'offline_access']);
      const made = await own.access.createAccount({ name: 'Kim', plan: 'free' });
      await own.access.passwords.set(made.id, PASSWORD);
      const id = await registered(own.server.url, 'A client');
      const tokens = await tokensFor(own.server.url, id, 'Kim', PASSWORD);
      assert.deepEqual(tokens.scope?.split(' ').toSorted(), scopes.toSorted());
      assert.equal((await callMcp(own, tokens.access_token, 'ping')).status, 200);
      const unknown = await own.post('/mcp', {}, { 'x-api-key': undefined });
      assert.match(unknown.headers.get('www-authenticate') ?? '', /scope="patents:read patents:count"$/);
    } finally {
      await own.stop();
    }
  });

  it('pages of --cors-origins may register and get tokens, but not read the sign-in', async () => {
    const preflight = async (path: string) => {
      const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
      const response = await fetch(base + path, { method: 'OPTIONS', headers });
      return response.headers.get('access-control-allow-origin');
    };
    for (const path of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server',
    ])
      assert.equal(await preflight(path), PAGE, path);
    for (const path of ['/oauth/authorize', '/oauth/sign-in/x'])
      assert.equal(await preflight(path), null, path);
  });

  it('works behind a proxy that serves this server below a path', async () => {
    const port = await freePort();
    const outside = await freePort();
    const publicUrl = `http://127.0.0.1:${outside}/patents`;
    const inside = await Service.start(adapter, 10_000, {}, { port, publicUrl, oauthEmbedded: 'on' });
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      seen.push(url);
      if (!url.startsWith('/patents/')) {
        response.writeHead(404).end();
        return;
      }
      const path = url.slice('/patents'.length);
      const passed = send({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    }).listen(outside, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const made = await inside.access.createAccount({ name: 'Kim', plan: 'free' });
      await inside.access.passwords.set(made.id, PASSWORD);
      const kept = new Kept();
      const through = () =>
        new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), { authProvider: kept });
      const first = through();
      await assert.rejects(client().connect(first), UnauthorizedError);
      const visitor = new Visitor();
      const back = await visitor.agree(kept.page!, 'Kim', PASSWORD);
      for (const { path } of visitor.cookies.values()) assert.match(path, /^\/patents\/oauth\//);
      await first.finishAuth(back.searchParams);
      const signedIn = client();
      await signedIn.connect(through());
      await signedIn.close();
      assert.ok(seen.includes('/patents/oauth/token'));
    } finally {
      proxy.close();
      proxy.closeAllConnections();
      await inside.stop();
    }
  });
});
