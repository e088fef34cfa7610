/** Keys of an external authorization server that are found by its metadata. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { keysOfIssuer, metadataAddresses } from '../../src/http/admission/jwks-discovery.js';
import { OAuth } from '../../src/http/admission/oauth.js';
import { OAUTH_JWKS } from '../../src/limits.js';

const PUBLIC_URL = 'https://patents.example.com';

describe('discovery of keys', () => {
  let server: Server;
  let origin: string;
  let privateKey: CryptoKey;
  /** Answers by path: a value as JSON, or a status with a redirect. */
  let answers: Record<string, unknown>;
  const asked: string[] = [];
  let keys: object;

  before(async () => {
    const pair = await generateKeyPair('ES256');
    privateKey = pair.privateKey;
    keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }] };
    server = createServer((request, response) => {
      const path = request.url!;
      asked.push(path);
      const answer = answers[path];
      if (typeof answer === 'string') response.writeHead(302, { location: answer }).end();
      else if (answer === undefined) response.writeHead(404).end();
      else response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    asked.length = 0;
    answers = { '/jwks': keys };
  });

  const token = (issuer: string) =>
    new SignJWT({ priorart_key: 'key_1' })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(`${PUBLIC_URL}/mcp`)
      .setExpirationTime('5m')
      .sign(privateKey);
  const keyOf = async (issuer: string) =>
    OAuth.of({ oauthIssuer: issuer, publicUrl: PUBLIC_URL })!.keyOf(await token(issuer));

  it('tries the addresses of RFC 8414 and of OpenID Connect', () => {
    assert.deepEqual(metadataAddresses('https://login.example.com/'), [
      'https://login.example.com/.well-known/oauth-authorization-server',
      'https://login.example.com/.well-known/openid-configuration',
    ]);
    assert.deepEqual(metadataAddresses('https://login.example.com/tenant'), [
      'https://login.example.com/.well-known/oauth-authorization-server/tenant',
      'https://login.example.com/.well-known/openid-configuration/tenant',
      'https://login.example.com/tenant/.well-known/openid-configuration',
    ]);
  });

  it('finds the keys by either, also for an issuer with a path or a slash', async () => {
    for (const [issuer, path] of [
      [origin, '/.well-known/oauth-authorization-server'],
      [`${origin}/`, '/.well-known/openid-configuration'],
      [`${origin}/tenant`, '/.well-known/oauth-authorization-server/tenant'],
      [`${origin}/tenant`, '/tenant/.well-known/openid-configuration'],
    ] as const) {
      answers = { '/jwks': keys, [path]: { issuer, jwks_uri: `${origin}/jwks` } };
      assert.equal(await keyOf(issuer), 'key_1', path);
    }
  });

  it('the metadata is fetched once for many tokens', async () => {
    answers['/.well-known/oauth-authorization-server'] = { issuer: origin, jwks_uri: `${origin}/jwks` };
    const oauth = OAuth.of({ oauthIssuer: origin, publicUrl: PUBLIC_URL })!;
    const tokens = await Promise.all(Array.from({ length: 5 }, () => token(origin)));
    await Promise.all(tokens.map((one) => oauth.keyOf(one)));
    await oauth.keyOf(tokens[0]!);
    assert.deepEqual(asked, ['/.well-known/oauth-authorization-server', '/jwks']);
  });

  it('metadata of another issuer, without TLS, that is redirected or too large is not used', async () => {
    for (const answer of [
      { issuer: 'https://evil.example', jwks_uri: `${origin}/jwks` },
      { issuer: `${origin}/`, jwks_uri: `${origin}/jwks` },
      { jwks_uri: `${origin}/jwks` },
      { issuer: origin, jwks_uri: 'http://login.example.com/jwks' },
      { issuer: origin },
      { issuer: origin, jwks_uri: `${origin}/jwks`, more: 'x'.repeat(OAUTH_JWKS.metadataBytes) },
      '/elsewhere',
      [],
      null,
    ]) {
      answers = {
        ...{ '/jwks': keys, '/elsewhere': { issuer: origin, jwks_uri: `${origin}/jwks` } },
        '/.well-known/oauth-authorization-server': answer,
      };
      await assert.rejects(keyOf(origin), { code: 'unavailable' }, JSON.stringify(answer)?.slice(0, 100));
    }
  });

  it('a failure holds for some time, and is then tried again', async () => {
    let now = 0;
    const find = keysOfIssuer(origin, () => now);
    const header = { alg: 'ES256', kid: 'one' };
    const call = () => find(header, { payload: '', signature: '' });
    await assert.rejects(Promise.resolve(call()), /are not found: .*status 404/);
    const { length } = asked;
    now = OAUTH_JWKS.cooldownMs - 1;
    await assert.rejects(Promise.resolve(call()));
    assert.equal(asked.length, length);
    now = OAUTH_JWKS.cooldownMs;
    answers['/.well-known/oauth-authorization-server'] = { issuer: origin, jwks_uri: `${origin}/jwks` };
    assert.ok(await call());
  });
});
