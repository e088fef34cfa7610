/**
 * A real client and a real authorization server: discovery from the 401, registration, sign-in, consent, token, call,
 * refresh, and the end of the access.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { onEachAdapter, Service } from '../api/service.js';
import { freePort } from '../http/free-port.js';
import { Kept, REDIRECT } from './oauth-client.js';

const SCOPE = 'patents:read';

/** The library asks for consent again if a refresh token is wanted. */
class Asking extends Kept {
  override redirectToAuthorization(url: URL): void {
    url.searchParams.set('prompt', 'consent');
    super.redirectToAuthorization(url);
  }
}

/** Signs in and agrees, as a person does. Returns the address to which the client is sent back. */
async function signIn(page: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let [url, form] = [page, undefined as URLSearchParams | undefined];
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { body: form } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      [url, form] = [new URL(location, url), undefined];
      if (url.href.startsWith(REDIRECT)) return url;
      continue;
    }
    const html = await response.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1];
    assert.ok(action && prompt, html.slice(0, 2_000));
    [url, form] = [new URL(action, url), new URLSearchParams({ prompt, login: 'kim', password: 'x' })];
  }
  throw new Error('the sign-in does not end');
}

onEachAdapter('the flow of OAuth', (adapter) => {
  let service: Service;
  let issuer: string;
  let authorization: Server;
  let keyId = '';
  before(async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    issuer = `http://127.0.0.1:${await freePort()}`;
    const port = await freePort();
    const resource = `http://127.0.0.1:${port}/mcp`;
    const provider = new Provider(issuer, {
      jwks: { keys: [jwk] },
      cookies: { keys: ['not secret'] },
      scopes: ['openid', 'offline_access', SCOPE],
      issueRefreshToken: () => true,
      extraTokenClaims: () => ({ priorart_key: keyId }),
      features: {
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            ...{ scope: SCOPE, audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 600 },
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    authorization = createServer(provider.callback()).listen(Number(new URL(issuer).port), '127.0.0.1');
    await once(authorization, 'listening');
    const settings = { port, publicUrl: `http://127.0.0.1:${port}`, oauthScope: SCOPE };
    service = await Service.start(adapter, 10_000, {}, { ...settings, oauthIssuer: issuer });
    keyId = service.keyId;
  });
  after(async () => {
    await service.stop();
    authorization.close();
    authorization.closeAllConnections();
  });

  it('discovery, registration, sign-in, consent, token, call, refresh, and the end of the access', async () => {
    const kept = new Asking();
    const url = new URL(`${service.server.url}/mcp`);
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: kept });
    const client = () => new Client({ name: 'test', version: '1' });
    const first = transport();
    await assert.rejects(client().connect(first), UnauthorizedError);
    assert.ok(kept.client, 'the client is registered');
    assert.equal(kept.page?.origin, issuer);
    assert.equal(kept.page?.searchParams.get('resource'), url.href);
    assert.equal(kept.page?.searchParams.get('code_challenge_method'), 'S256');
    const back = await signIn(kept.page!);
    assert.equal(back.searchParams.get('iss'), issuer);
    await first.finishAuth(back.searchParams);
    const { access_token: token, refresh_token: refresh } = kept.kept!;

    const signedIn = client();
    await signedIn.connect(transport());
    const found = await signedIn.callTool({ name: 'search_patents', arguments: { query: 'x', top_k: 2 } });
    assert.equal((found.structuredContent as { total: number }).total, 2);
    await signedIn.close();
    const line = service.logLines.find((text) => text.includes('mcp.search_patents'));
    assert.match(line ?? '', new RegExp(keyId));

    // A code works once, and only with its verifier.
    const again = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code: back.searchParams.get('code')!, redirect_uri: REDIRECT },
        ...{ client_id: kept.client!.client_id, code_verifier: kept.verifier },
      }),
    });
    assert.equal(again.status, 400);

    // The client gets a new token by itself if the old one is refused. Using the code again has ended its refresh token.
    assert.ok(refresh);
    kept.kept = { ...kept.kept!, access_token: `${token.slice(0, -8)}AAAAAAAA` };
    await assert.rejects(client().connect(transport()), UnauthorizedError);
    const second = transport();
    await second.finishAuth((await signIn(kept.page!)).searchParams);
    const fresh = kept.kept!.access_token;
    kept.kept = { ...kept.kept!, access_token: `${fresh.slice(0, -8)}AAAAAAAA` };
    const refreshed = client();
    await refreshed.connect(transport());
    await refreshed.close();
    assert.notEqual(kept.kept!.access_token, fresh);

    await service.access.revoke(keyId);
    await assert.rejects(client().connect(transport()));
    const refused = await service.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'x-api-key': undefined, authorization: `Bearer ${kept.kept!.access_token}` },
    );
    assert.equal(refused.status, 403);
  });
});
