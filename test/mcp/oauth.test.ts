/** Tokens of an external authorization server: discovery, checks of tokens, and the keys that they stand for. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { OAuth } from '../../src/http/admission/oauth.js';
import { type Answer, onEachAdapter, Service } from '../api/service.js';
import { freePort } from '../http/free-port.js';
import { newClient } from './clients.js';

const ISSUER = 'https://login.example.com/';
const SCOPE = 'patents:read';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const SEARCH = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'search_patents', arguments: { query: 'fuel cell' } },
};

interface Changes {
  claims?: Record<string, unknown>;
  issuer?: string;
  audience?: string;
  expires?: string | undefined;
  kid?: string;
  key?: CryptoKey | Uint8Array;
  alg?: string;
}

onEachAdapter('OAuth at /mcp', (adapter) => {
  let service: Service;
  let jwks: Server;
  let fetches = 0;
  let keys: JWK[] = [];
  let isDown = false;
  let audience: string;
  let pair: { privateKey: CryptoKey; publicKey: CryptoKey };
  const settings = async () => {
    const { port } = jwks.address() as { port: number };
    const own = await freePort();
    audience = `http://127.0.0.1:${own}/mcp`;
    return {
      port: own,
      publicUrl: `http://127.0.0.1:${own}`,
      oauthIssuer: ISSUER,
      oauthJwks: `http://127.0.0.1:${port}/jwks`,
      oauthScope: SCOPE,
    };
  };
  before(async () => {
    pair = await generateKeyPair('RS256', { extractable: true });
    keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'first', alg: 'RS256', use: 'sig' }];
    jwks = createServer((_, response) => {
      fetches++;
      response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys }));
    }).listen(0, '127.0.0.1');
    await once(jwks, 'listening');
    service = await Service.start(adapter, 10_000, {}, await settings());
  });
  after(async () => {
    await service.stop();
    jwks.close();
    jwks.closeAllConnections();
  });

  const token = (changes: Changes = {}): Promise<string> => {
    const claims = { priorart_key: service.keyId, scope: `openid ${SCOPE}`, sub: 'kim', ...changes.claims };
    const signed = new SignJWT(claims)
      .setProtectedHeader({ alg: changes.alg ?? 'RS256', kid: changes.kid ?? 'first' })
      .setIssuer(changes.issuer ?? ISSUER)
      .setAudience(changes.audience ?? audience)
      .setIssuedAt();
    if (!('expires' in changes)) signed.setExpirationTime('5m');
    else if (changes.expires !== undefined) signed.setExpirationTime(changes.expires);
    return signed.sign(changes.key ?? pair.privateKey);
  };

  const post = (authorization: string | undefined, body: unknown = LIST): Promise<Answer> =>
    service.post('/mcp', body, {
      accept: 'application/json, text/event-stream',
      'x-api-key': undefined,
      authorization,
    });

  it('a call without access says where tokens come from', async () => {
    const { status, headers } = await post(undefined);
    assert.equal(status, 401);
    const challenge = headers.get('www-authenticate') ?? '';
    assert.match(challenge, /^Bearer resource_metadata="(http:[^"]+)", scope="patents:read"$/);
    const metadata = await fetch(/"(http:[^"]+)"/.exec(challenge)![1]!);
    assert.equal(metadata.status, 200);
    assert.deepEqual(await metadata.json(), {
      resource: audience,
      resource_name: 'priorart',
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: [SCOPE],
    });
    assert.equal((await service.call('/.well-known/oauth-protected-resource')).status, 200);
    // The HTTP interface takes API keys only.
    const rest = await service.search(
      { query: 'x' },
      { 'x-api-key': undefined, authorization: `Bearer ${await token()}` },
    );
    assert.deepEqual([rest.status, rest.headers.get('www-authenticate')], [401, 'ApiKey header="X-API-Key"']);
  });

  it('a token stands for a key: its quota, its limits and its log', async () => {
    const account = await service.access.createAccount({ name: 'tokens', plan: 'free' });
    const key = await service.access.createKey({ account: account.id, environment: 'test', name: 'tokens' });
    const bearer = `Bearer ${await token({ claims: { priorart_key: key.id } })}`;
    for (let n = 0; n < 30; n++) {
      const half = n % 2 === 0;
      const answer = half
        ? await post(bearer, SEARCH)
        : await service.search({ query: 'x' }, { 'x-api-key': key.secret });
      assert.equal(answer.status, 200);
      if (half) assert.equal(answer.json.result.isError, undefined);
    }
    assert.match((await post(bearer, SEARCH)).json.result.content[0].text, /quota_exceeded/);
    const lines = service.logLines.filter((line) => line.includes(key.id));
    assert.equal(lines.length, 31);
    assert.ok(service.logLines.every((line) => !line.includes(bearer.slice(7))));
    await service.access.revoke(key.id);
    assert.equal((await post(bearer)).status, 403);
  });

  it('maintenance comes before the token: a client does not sign in again for it', async () => {
    await service.access.setMaintenance(true, 7);
    try {
      for (const given of [await token(), await token({ expires: '-1h' }), 'nonsense']) {
        const { status, headers } = await post(`Bearer ${given}`);
        assert.deepEqual([status, headers.get('retry-after')], [503, '7']);
        assert.equal(headers.get('www-authenticate'), null);
      }
    } finally {
      await service.access.setMaintenance(false);
    }
    assert.equal((await post(`Bearer ${await token()}`)).status, 200);
  });

  it('API keys still work beside tokens', async () => {
    assert.equal((await post(`Bearer ${service.key}`)).status, 200);
    const both = { accept: 'application/json, text/event-stream', authorization: 'Bearer nonsense' };
    assert.equal((await service.post('/mcp', LIST, both)).status, 200);
  });

  it('tokens that are not valid are refused, and the reason reveals nothing', async () => {
    const other = await generateKeyPair('RS256');
    const spki = Buffer.from(await exportSPKI(pair.publicKey));
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await token()).split('.')[1]}.`;
    const good = await token();
    const [head, body, signature] = good.split('.');
    const cases: [name: string, token: string, expected: RegExp][] = [
      ['expired', await token({ expires: '-1h' }), /expired/],
      ['without an expiry', await token({ expires: undefined }), /the claim exp is not valid/],
      ['another audience', await token({ audience: 'https://other.example.com/mcp' }), /another resource/],
      ['audience with a slash', await token({ audience: `${audience}/` }), /another resource/],
      ['another issuer', await token({ issuer: 'https://evil.example.com/' }), /another issuer/],
      ['issuer without its slash', await token({ issuer: ISSUER.slice(0, -1) }), /another issuer/],
      ['another key', await token({ key: other.privateKey }), /not valid/],
      ['an unknown key', await token({ kid: 'unknown' }), /not valid/],
      ['the public key as a secret', await token({ alg: 'HS256', key: spki }), /not valid/],
      ['no signature', none, /not valid/],
      [
        'changed claims',
        `${head}.${Buffer.from('{"sub":"a"}').toString('base64url')}.${signature}`,
        /not valid/,
      ],
      ['a cut signature', `${head}.${body}.${signature!.slice(0, -8)}`, /not valid/],
      [
        'not yet valid',
        await token({ claims: { nbf: Math.floor(Date.now() / 1000) + 3_600 } }),
        /the claim nbf/,
      ],
      ['no token', 'abc', /not valid/],
      ['dots', '..', /not valid/],
      ['a long text', 'a'.repeat(12_001), /too long/],
      ['no key in it', await token({ claims: { priorart_key: undefined } }), /no API key/],
      ['a key of another type', await token({ claims: { priorart_key: 5 } }), /no API key/],
      ['an unknown key id', await token({ claims: { priorart_key: 'key_000000000000' } }), /no API key/],
    ];
    for (const [name, given, expected] of cases) {
      const answer = await post(`Bearer ${given}`);
      assert.equal(answer.status, 401, name);
      assert.match(answer.json.detail, expected, name);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata="/, name);
    }
    assert.equal((await post(`Bearer ${good}`)).status, 200);
    const used = await post('Bearer ');
    assert.equal(used.status, 401);
    // A token in the address is ignored.
    const inUrl = await service.post(`/mcp?access_token=${good}`, LIST, { 'x-api-key': undefined });
    assert.equal(inUrl.status, 401);
  });

  it('a token without the scope is refused with 403', async () => {
    for (const claims of [
      { scope: 'openid' },
      { scope: undefined },
      { scope: { a: 1 } },
      { scope: 'patents:reader' },
    ]) {
      const answer = await post(`Bearer ${await token({ claims })}`);
      assert.equal(answer.status, 403);
      assert.match(
        answer.headers.get('www-authenticate') ?? '',
        /scope="patents:read", error="insufficient_scope"/,
      );
    }
    const list = await post(
      `Bearer ${await token({ claims: { scope: undefined, scp: ['openid', SCOPE] } })}`,
    );
    assert.equal(list.status, 200);
  });

  it('calls with invalid tokens are limited by address', async () => {
    const own = await Service.start(adapter, 10_000, {}, { ...(await settings()), publicRateLimit: 3 });
    try {
      const call = async () =>
        (await own.post('/mcp', LIST, { 'x-api-key': undefined, authorization: 'Bearer x' })).status;
      assert.deepEqual([await call(), await call(), await call(), await call()], [401, 401, 401, 429]);
    } finally {
      await own.stop();
    }
  });

  it('unknown keys do not make this server ask again and again; without keys a call is 503', async () => {
    const before = fetches;
    for (let n = 0; n < 20; n++) await post(`Bearer ${await token({ kid: `kid ${n}` })}`);
    assert.ok(fetches - before <= 1, `${fetches - before} fetches`);
    const own = await Service.start(adapter, 10_000, {}, await settings());
    isDown = true;
    try {
      const given = await token();
      const answer = await own.post('/mcp', LIST, {
        'x-api-key': undefined,
        authorization: `Bearer ${given}`,
      });
      assert.equal(answer.status, 503);
      assert.doesNotMatch(answer.text, /jwks|127\.0\.0\.1/);
    } finally {
      isDown = false;
      await own.stop();
    }
  });

  it('tokens without the claim stand for the key of the settings', async () => {
    const account = await service.access.createAccount({ name: 'shared', plan: 'free' });
    const key = await service.access.createKey({ account: account.id, environment: 'test', name: 'shared' });
    const oauth = OAuth.of({ ...(await settings()), oauthKey: key.id })!;
    assert.equal(await oauth.keyOf(await token({ claims: { priorart_key: undefined } })), key.id);
    assert.equal(await oauth.keyOf(await token({ claims: { priorart_key: 'key_own' } })), 'key_own');
  });

  it('a real client calls with a token', async () => {
    audience = `${service.server.url}/mcp`;
    const headers = { authorization: `Bearer ${await token()}` };
    const client = await newClient({ transport: 'http', url: audience, headers }, 'auto');
    try {
      const { structuredContent } = await client.make({
        kind: 'call',
        name: 'search_patents',
        args: { query: 'x', top_k: 2 },
      });
      assert.equal(structuredContent.total, 2);
    } finally {
      await client.close();
    }
    // Without a token the client finds the authorization server by itself.
    let asked: string | undefined;
    const transport = new StreamableHTTPClientTransport(new URL(audience), {
      authProvider: {
        token: async () => undefined,
        onUnauthorized: async ({ response }) => {
          asked = response.headers.get('www-authenticate') ?? undefined;
        },
      },
    });
    await transport.start();
    await assert.rejects(transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    await transport.close();
    assert.match(asked ?? '', /resource_metadata/);
  });
});

describe('settings of OAuth', () => {
  const whole = {
    oauthIssuer: ISSUER,
    oauthJwks: 'https://login.example.com/jwks',
    publicUrl: 'https://patents.example.com',
  };

  it('are complete, and keys travel by TLS', () => {
    assert.ok(OAuth.of(whole));
    assert.equal(OAuth.of({}), undefined);
    for (const [changed, expected] of [
      [{ oauthJwks: undefined, oauthIssuer: 'our login' }, /expected an https address, or --oauth-jwks/],
      [{ oauthJwks: undefined, oauthIssuer: 'http://login.example.com/' }, /expected an https address/],
      [{ publicUrl: undefined }, /expected --public-url/],
      [{ oauthJwks: 'http://login.example.com/jwks' }, /expected https/],
      [{ oauthJwks: 'http://127.0.0.1.evil.example/jwks' }, /expected https/],
    ] as const) {
      const config = Object.fromEntries(
        Object.entries({ ...whole, ...changed }).filter(([, value]) => value),
      );
      assert.throws(() => OAuth.of(config), expected);
    }
  });
});
