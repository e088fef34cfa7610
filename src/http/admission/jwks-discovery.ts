/** Finds the keys of an authorization server by its metadata (RFC 8414, or OpenID Connect Discovery). */
import { PriorartError } from '../../errors.js';
import { OAUTH_JWKS } from '../../limits.js';
import { createRemoteJWKSet, type JWTVerifyGetKey } from '../oauth/library.js';

/** Whether no network can change what is fetched: TLS, or this machine. */
export function isSafeAddress(address: string): boolean {
  return /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/.test(address);
}

/** The published keys at an address. */
export function keysAt(jwks: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwks), {
    timeoutDuration: OAUTH_JWKS.timeoutMs,
    cooldownDuration: OAUTH_JWKS.cooldownMs,
    cacheMaxAge: OAUTH_JWKS.maxAgeMs,
  });
}

/**
 * The keys of an issuer, found at the first token. A failure holds for a while, so that tokens of strangers cause few
 * fetches.
 * @param now monotonic clock, ms
 */
export function keysOfIssuer(issuer: string, now: () => number = () => performance.now()): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined;
  let failedAt: number | undefined;
  return async (header, token) => {
    if (failedAt !== undefined && now() - failedAt >= OAUTH_JWKS.cooldownMs) found = undefined;
    if (found === undefined) {
      failedAt = undefined;
      found = discovered(issuer).then(keysAt);
      found.catch(() => {
        failedAt = now();
      });
    }
    return (await found)(header, token);
  };
}

/** `jwks_uri` of an issuer. Rejects with the reasons of all attempts. */
async function discovered(issuer: string): Promise<string> {
  const reasons: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    try {
      return await jwksIn(address, issuer);
    } catch (error) {
      reasons.push(`${address}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new PriorartError('unavailable', `the keys of the issuer are not found: ${reasons.join('; ')}`);
}

/** Where the metadata of an issuer may be: the path of the issuer comes after the well-known path, or before it. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return [...new Set([`${origin}${oauth}${path}`, `${origin}${openid}${path}`, `${origin}${path}${openid}`])];
}

async function jwksIn(address: string, issuer: string): Promise<string> {
  const signal = AbortSignal.timeout(OAUTH_JWKS.timeoutMs);
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const metadata = JSON.parse(await bounded(response)) as { issuer?: unknown; jwks_uri?: unknown };
  // Otherwise another party could publish keys for this issuer.
  if (metadata.issuer !== issuer) throw new Error(`it is of the issuer ${JSON.stringify(metadata.issuer)}`);
  if (typeof metadata.jwks_uri !== 'string' || !isSafeAddress(metadata.jwks_uri))
    throw new Error('it names no jwks_uri with https');
  return metadata.jwks_uri;
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > OAUTH_JWKS.metadataBytes) throw new Error(`more than ${OAUTH_JWKS.metadataBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
