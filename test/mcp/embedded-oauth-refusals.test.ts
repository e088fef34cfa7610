/** What the embedded authorization server refuses: with the right status, and without a way around. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Account } from '../../src/access/records.js';
import { startServer } from '../../src/http/server.js';
import { OAUTH_RECORDS_PER_GRANT, OAUTH_REFRESH_TOKENS_PER_GRANT } from '../../src/limits.js';
import { createLog } from '../../src/observe/log.js';
import { type Answer, LOCAL, onEachAdapter, Service } from '../api/service.js';
import { freePort } from '../http/free-port.js';
import { REDIRECT, Visitor } from './oauth-client.js';
import { callMcp } from './oauth-flow-helper.js';

const PASSWORD = 'correct horse battery';
const SCOPE = 'patents:read';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

onEachAdapter('refusals of the embedded authorization server', (adapter) => {
  let service: Service;
  let account: Account;
  let base: string;
  let addresses = 0;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on', trustProxy: '1' });
    account = await service.access.createAccount({ name: 'Kim', plan: 'free' });
    await service.access.passwords.set(account.id, PASSWORD);
  });
  after(() => service.stop());

  /** Each registration is from another address, because a few a minute are allowed to one. */
  const register = (metadata: object | string, address = `192.0.2.${++addresses}`): Promise<Answer> =>
    service.post('/oauth/register', metadata, { 'x-api-key': undefined, 'x-forwarded-for': address });
  const registered = async (metadata: object = {}): Promise<string> => {
    const { status, json, text } = await register({ redirect_uris: [REDIRECT], ...metadata });
    assert.equal(status, 201, text);
    return json.client_id;
  };

  interface Request {
    verifier: string;
    url: URL;
  }
  const requestOf = (clientId: string, changes: Record<string, string | undefined> = {}): Request => {
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL(`${base}/oauth/authorize`);
    const params = {
      ...{
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT,
        scope: SCOPE,
        state: 'of the client',
      },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...{ code_challenge_method: 'S256', resource: `${base}/mcp` },
      ...changes,
    };
    for (const [name, value] of Object.entries(params))
      if (value !== undefined) url.searchParams.set(name, value);
    return { url, verifier };
  };
  const agreed = async (clientId: string, changes?: Record<string, string>) => {
    const request = requestOf(clientId, changes);
    const back = await new Visitor().agree(request.url, 'Kim', PASSWORD);
    return { code: back.searchParams.get('code')!, verifier: request.verifier, back };
  };
  const exchange = async (fields: Record<string, string>) => {
    const response = await fetch(`${base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    return { status: response.status, json: (await response.json()) as Tokens & { error?: string } };
  };
  const redeem = (client_id: string, { code, verifier }: { code: string; verifier: string }, more = {}) =>
    exchange({
      ...{
        grant_type: 'authorization_code',
        client_id,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT,
      },
      ...more,
    });
  const ping = (token: string) => callMcp(service, token, 'ping');

  it('metadata is where clients look, and names this server', async () => {
    const { json: resource } = await service.call('/.well-known/oauth-protected-resource/mcp');
    assert.deepEqual([resource.resource, resource.authorization_servers], [`${base}/mcp`, [base]]);
    for (const path of ['', '/mcp']) {
      const { status, json } = await service.call(`/.well-known/oauth-authorization-server${path}`);
      assert.equal(status, 200);
      assert.equal(json.issuer, base);
      assert.equal(json.client_id_metadata_document_supported, true);
      assert.deepEqual(json.code_challenge_methods_supported, ['S256']);
    }
    assert.equal((await service.call('/.well-known/oauth-authorization-server/other')).status, 404);
    const { json: openid } = await service.call('/.well-known/openid-configuration');
    assert.deepEqual([openid.issuer, openid.jwks_uri], [base, `${base}/oauth/jwks`]);
    assert.deepEqual((await service.call('/oauth/jwks')).json, { keys: [] });
  });

  it('a server whose tokens would lack a scope does not start', async () => {
    for (const oauthScope of ['openid', 'patents:read offline_access']) {
      const settings = { ...LOCAL, httpAdapter: adapter, publicUrl: base, oauthScope } as const;
      const started = startServer({
        ...{ engine: service.engine, access: service.access, log: createLog('silent') },
        config: { ...settings, oauthEmbedded: 'on' },
      });
      await assert.rejects(started, /--oauth-scope: got "(?:openid|offline_access)"; expected/);
    }
  });

  it('a code works once; a second use ends the tokens of the first', async () => {
    const client = await registered();
    const given = await agreed(client);
    assert.equal(given.back.searchParams.get('state'), 'of the client');
    const first = await redeem(client, given);
    assert.equal(first.status, 200);
    assert.equal((await ping(first.json.access_token)).status, 200);
    const again = await redeem(client, given);
    assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant']);
    assert.equal((await ping(first.json.access_token)).status, 401);
    const refresh = {
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: first.json.refresh_token,
    };
    assert.equal((await exchange(refresh)).json.error, 'invalid_grant');
  });

  it('of two uses of a code at the same time, none leaves tokens that work', async () => {
    const client = await registered();
    const given = await agreed(client);
    const both = await Promise.all([redeem(client, given), redeem(client, given)]);
    assert.ok(both.some(({ status }) => status === 400));
    for (const { status, json } of both)
      if (status === 200) assert.equal((await ping(json.access_token)).status, 401);
  });

  it('a code needs its verifier, its client and its address, also if the guess before was wrong', async () => {
    const client = await registered();
    const given = await agreed(client);
    const wrong = { code: given.code, verifier: randomBytes(32).toString('base64url') };
    assert.equal((await redeem(client, wrong)).json.error, 'invalid_grant');
    assert.equal((await redeem(await registered(), given)).json.error, 'invalid_grant');
    const elsewhere = await redeem(client, given, { redirect_uri: `${REDIRECT}/elsewhere` });
    assert.equal(elsewhere.json.error, 'invalid_grant');
    assert.equal((await redeem(client, given)).status, 200);
  });

  it('a refresh token works once; a second use ends the grant', async () => {
    const client = await registered();
    const { json } = await redeem(client, await agreed(client));
    const refresh = { grant_type: 'refresh_token', client_id: client, refresh_token: json.refresh_token };
    const second = await exchange(refresh);
    assert.equal(second.status, 200);
    assert.equal((await exchange(refresh)).json.error, 'invalid_grant');
    assert.equal((await ping(second.json.access_token)).status, 401);
  });

  it('a copied refresh token is told by its second use, however often it was renewed; too many renewals end the grant', async () => {
    const client = await registered();
    const renew = (refresh_token: string) =>
      exchange({ grant_type: 'refresh_token', client_id: client, refresh_token });
    const first = (await redeem(client, await agreed(client))).json;
    let last = first;
    for (let n = 0; n < OAUTH_RECORDS_PER_GRANT + 5; n++) last = (await renew(last.refresh_token)).json;
    assert.equal((await ping(last.access_token)).status, 200);
    assert.equal((await renew(first.refresh_token)).json.error, 'invalid_grant');
    assert.equal((await ping(last.access_token)).status, 401);

    let tokens = (await redeem(client, await agreed(client))).json;
    let renewals = 0;
    for (; tokens.refresh_token !== undefined && renewals <= OAUTH_REFRESH_TOKENS_PER_GRANT; renewals++) {
      const next = (await renew(tokens.refresh_token)).json;
      if (next.error !== undefined) break;
      tokens = next;
    }
    assert.equal(renewals, OAUTH_REFRESH_TOKENS_PER_GRANT - 1);
    assert.equal((await ping(tokens.access_token)).status, 401);
  });

  it('a sign-in that has begun does not outlive the password', async () => {
    const client = await registered();
    const visitor = new Visitor();
    const { url } = await visitor.visit(requestOf(client).url);
    const consent = await visitor.visit(url, { step: 'sign-in', account: 'Kim', password: PASSWORD });
    assert.match(consent.html, /value="allow"/);
    await service.access.passwords.set(account.id, PASSWORD);
    const refused = await visitor.visit(url, { step: 'allow' });
    assert.match(refused.html, /<input id="password"/);
    await visitor.visit(url, { step: 'sign-in', account: 'Kim', password: PASSWORD });
    const allowed = await visitor.visit(url, { step: 'allow' });
    assert.ok(allowed.url.searchParams.get('code'));
  });

  it('tokens that are expired, of another resource or issuer, changed, or no tokens', async () => {
    const jwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"iss":"https://other"}').toString('base64url')}.`;
    for (const token of [
      jwt,
      'x',
      'é'.repeat(9),
      `${'a'.repeat(43)}`,
      '../../etc',
      `psk_live_${'0'.repeat(38)}`,
    ]) {
      const { status, headers } = await ping(encodeURIComponent(token));
      assert.equal(status, 401, token);
      assert.match(headers.get('www-authenticate') ?? '', /resource_metadata="/);
    }
    const client = await registered();
    const other = await new Visitor().visit(requestOf(client, { resource: `${base}/other` }).url);
    assert.match(other.url.href, /error=invalid_target/);
    for (const resource of [`${base}/mcp/`, base, 'https://other.example/mcp', 'not an address']) {
      const { url } = await new Visitor().visit(requestOf(client, { resource }).url);
      assert.equal(url.searchParams.get('error'), 'invalid_target', resource);
      assert.equal(url.searchParams.get('iss'), base);
    }
    const given = await agreed(client);
    const redeemed = await redeem(client, given, { resource: 'https://other.example/mcp' });
    assert.equal(redeemed.json.error, 'invalid_target');
    // A token of the REST interface there is not.
    const { json } = await redeem(client, await agreed(client));
    const rest = await service.search(
      { query: 'x' },
      { 'x-api-key': undefined, authorization: `Bearer ${json.access_token}` },
    );
    assert.equal(rest.status, 401);
  });

  it('requests without PKCE, or with the plain method', async () => {
    const client = await registered();
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    for (const changes of [without, { code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      const { url } = await new Visitor().visit(requestOf(client, changes).url);
      assert.equal(url.searchParams.get('error'), 'invalid_request');
    }
    for (const type of ['token', 'id_token', 'code token']) {
      const { url, status } = await new Visitor().visit(requestOf(client, { response_type: type }).url);
      assert.ok(status === 400 || url.href.includes('error='), type);
      assert.doesNotMatch(url.href, /access_token=/);
    }
  });

  it('redirect addresses that are not the registered one get no answer', async () => {
    const client = await registered({ redirect_uris: [REDIRECT, 'https://app.example.com/callback'] });
    for (const redirect_uri of [
      'https://app.example.com/callback/../evil',
      'https://app.example.com/callback?x=1',
      'https://app.example.com/Callback',
      'https://app.example.com.evil.example/callback',
      'https://app.example.com@evil.example/callback',
      'https://evil.example/',
      'http://127.0.0.1:9/callback2',
      'http://127.0.0.1.evil.example:9/callback',
      'http://127.0.0.1:9@evil.example/callback',
      'javascript:alert(1)',
      '//evil.example/callback',
    ]) {
      const { status, html, url } = await new Visitor('nowhere').visit(
        requestOf(client, { redirect_uri }).url,
      );
      assert.equal(status, 400, redirect_uri);
      assert.equal(url.origin, base);
      assert.doesNotMatch(html, /evil/);
    }
    // Programs on the person's machine choose a free port (RFC 8252).
    const loopback = await new Visitor().visit(
      requestOf(client, { redirect_uri: 'http://127.0.0.1:1234/callback' }).url,
    );
    assert.equal(loopback.status, 200);
  });

  it('registrations that are wrong, large or many', async () => {
    for (const redirect of [
      'http://app.example.com/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://user:secret@app.example.com/',
      'https://*.example.com/',
      'https:\\\\evil.example',
      'https:evil.example',
      'https://app.example.com/#fragment',
      'callback',
      7,
    ]) {
      const { status, json } = await register({ redirect_uris: [redirect] });
      assert.equal(status, 400, String(redirect));
      assert.match(json.error, /^invalid_/);
    }
    for (const body of [
      '',
      '[]',
      '{',
      'null',
      '{"redirect_uris":[]}',
      '{"redirect_uris":"x"}',
      '{"client_name":"x"}',
    ])
      assert.equal((await register(body)).status, 400, body);
    assert.equal((await register({ redirect_uris: [REDIRECT], client_name: 7 })).status, 400);
    assert.equal((await register({ redirect_uris: Array(21).fill(REDIRECT) })).status, 400);
    assert.equal((await register({ redirect_uris: [REDIRECT], x: 'x'.repeat(40_000) })).status, 413);
    // Addresses that a server could be made to fetch are left out.
    const { json } = await register({
      redirect_uris: [REDIRECT],
      jwks_uri: 'http://169.254.169.254/',
      sector_identifier_uri: 'https://127.0.0.1/',
      logo_uri: 'http://127.0.0.1/',
    });
    for (const field of ['jwks_uri', 'sector_identifier_uri', 'logo_uri', 'client_secret'])
      assert.equal(json[field], undefined, field);
    const many = [];
    for (let n = 0; n < 12; n++)
      many.push((await register({ redirect_uris: [REDIRECT] }, '198.51.100.1')).status);
    assert.deepEqual(many.slice(0, 10), Array(10).fill(201));
    assert.deepEqual(many.slice(10), [429, 429]);
  });

  it('a client with a secret needs it', async () => {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_post' };
    const { json: client } = await register(metadata);
    assert.ok(client.client_secret.length > 40);
    const given = await agreed(client.client_id);
    assert.equal((await redeem(client.client_id, given)).status, 401);
    assert.equal((await redeem(client.client_id, given, { client_secret: 'wrong' })).status, 401);
    const { status } = await redeem(client.client_id, given, { client_secret: client.client_secret });
    assert.equal(status, 200);
  });

  it('wrong passwords, and unknown accounts, look the same; the password is not repeated', async () => {
    const client = await registered();
    const visitor = new Visitor();
    const { url } = await visitor.visit(requestOf(client).url);
    const seen = [];
    for (const name of ['Kim', account.id, 'Stranger']) {
      const { status, html } = await visitor.visit(url, {
        step: 'sign-in',
        account: name,
        password: 'wrong password 1',
      });
      assert.equal(status, 401);
      assert.doesNotMatch(html, /wrong password 1/);
      seen.push(html.replaceAll(name, 'NAME'));
    }
    assert.equal(new Set(seen).size, 1);
    // Without a right password there is no consent.
    const skipped = await visitor.visit(url, { step: 'allow' });
    assert.match(skipped.html, /<input id="password"/);
    const refused = await visitor.visit(url, { step: 'deny' });
    assert.equal(refused.url.searchParams.get('error'), 'access_denied');
    assert.equal(refused.url.searchParams.get('iss'), base);
  });

  it('forms of other sites, and sign-ins of other browsers', async () => {
    const client = await registered();
    const visitor = new Visitor();
    const { url } = await visitor.visit(requestOf(client).url);
    const form = { step: 'sign-in', account: 'Kim', password: PASSWORD };
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const { status, html } = await visitor.visit(url, form, headers);
      assert.equal(status, 403, JSON.stringify(headers));
      assert.match(html, /another site/);
    }
    const own = await visitor.visit(url, form, { origin: base, 'sec-fetch-site': 'same-origin' });
    assert.match(own.html, /value="allow"/);
    // Without the cookie of the sign-in, its address is worth nothing.
    assert.equal((await new Visitor().visit(url, { step: 'allow' })).status, 400);
    assert.equal((await new Visitor().visit(url)).status, 400);
    const other = await new Visitor().visit(`${base}/oauth/sign-in/unknown`);
    assert.equal(other.status, 400);
    // A changed cookie has a wrong signature.
    for (const cookie of visitor.cookies.values()) cookie.value = `${cookie.value.slice(0, -1)}_`;
    assert.equal((await visitor.visit(url)).status, 400);
    const named = await service.call('/oauth/authorize', { headers: { host: 'evil.example' } });
    assert.ok(named.status === 403 || named.status === 400, `${named.status}`);
  });

  it('markup and hidden characters in the name of a client are shown as text', async () => {
    const name = '<script>alert(1)</script>\u202e"onload=x\u0000 & Co';
    const client = await registered({ client_name: name });
    const visitor = new Visitor();
    const signIn = await visitor.visit(requestOf(client, { state: '"><script>' }).url);
    const consent = await visitor.visit(signIn.url, { step: 'sign-in', account: 'Kim', password: PASSWORD });
    for (const { html, headers } of [signIn, consent]) {
      for (const raw of ['<script', '\u202e', '\u0000', '"onload']) assert.ok(!html.includes(raw), raw);
      assert.match(html, /&#60;script&#62;alert\(1\)/);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
      assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:9; /);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    const shown = await visitor.visit(signIn.url, { step: 'sign-in', account: '"><b>', password: '' });
    assert.doesNotMatch(shown.html, /<b>/);
    const unknown = await new Visitor().visit(requestOf('<b>client</b>').url);
    assert.equal(unknown.status, 400);
    assert.doesNotMatch(unknown.html, /<b>/);
  });

  it('an ended grant, a revoked key, and a revoked token end access with the next call', async () => {
    const client = await registered();
    const first = await redeem(client, await agreed(client));
    const second = await redeem(client, await agreed(client));
    const own = service.access
      .list()
      .filter(({ state, account: of }) => state === 'active' && of === account.id);
    assert.ok(own.length >= 1);
    const revoked = await fetch(`${base}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: first.json.access_token, client_id: await registered() }),
    });
    assert.equal(revoked.status, 200, 'the token of another client is like an unknown one');
    assert.equal((await ping(first.json.access_token)).status, 200);
    await fetch(`${base}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: first.json.access_token, client_id: client }),
    });
    assert.equal((await ping(first.json.access_token)).status, 401);
    assert.equal((await ping(second.json.access_token)).status, 200, 'another grant goes on');
    for (const key of own) await service.access.revoke(key.id);
    const { status, headers } = await ping(second.json.access_token);
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /error="invalid_token"/);
  });

  it('nothing that a client presents is in the folder or in the log', async () => {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_post' };
    const { json: client } = await register(metadata);
    const given = await agreed(client.client_id);
    const { json } = await redeem(client.client_id, given, { client_secret: client.client_secret });
    const folder = join(service.accessFolder, 'oauth');
    const files = readdirSync(folder).map((name) => join(folder, name));
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
    const log = service.logLines.join('\n');
    assert.ok(bytes.includes(client.client_id), 'the records are there');
    const secrets = [
      json.access_token,
      json.refresh_token,
      given.code,
      client.client_secret,
      PASSWORD,
      given.verifier,
    ];
    for (const [n, secret] of secrets.entries()) {
      assert.ok(!bytes.includes(secret), `secret ${n} is not in the folder`);
      assert.ok(!log.includes(secret), `secret ${n} is not in the log`);
    }
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'cookie-keys.json')).mode & 0o777, 0o600);
    assert.deepEqual(
      service.logLines.filter((line) => line.includes('"level":"error"')),
      [],
      'no request was a fault of the server',
    );
  });
});
