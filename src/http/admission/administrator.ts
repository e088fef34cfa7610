/**
 * Authenticates administrators: a request has the secret (`Authorization: Bearer …`) or the cookie of a
 * session.
 *
 * A browser also sends cookies with requests that other sites cause. So the cookie is SameSite=Strict, and a
 * request that changes data needs a header that only a page of this server can add.
 */
import type { AdminSecret, Session } from '../../access/admin-secret.js';
import type { RequestLog } from '../../access/request-log.js';
import { SecretGuard } from '../../access/secret-guard.js';
import type { AccessStore } from '../../access/store.js';
import { PriorartError } from '../../errors.js';
import type { HttpRequest } from '../adapters/adapter.js';
import { bearerOf } from './api-key.js';
import type { CookieConfig } from './cookie.js';

/** The endpoint that checks the secret itself. */
export const LOGIN = 'admin.login';
export const SESSION_COOKIE = 'priorart_admin';
/** The header that a session needs for changes. Its value is ignored. */
export const SESSION_HEADER = 'x-priorart-admin';

/** State and settings of the administration. */
export interface Administration {
  store: AccessStore;
  requests: RequestLog;
  secret: AdminSecret;
  guard: SecretGuard;
  /** How browsers reach this server, for its cookies. */
  cookies: CookieConfig;
}

export function administration(
  store: AccessStore,
  requests: RequestLog,
  secret: AdminSecret,
  cookies: CookieConfig = {},
): Administration {
  return { store, requests, secret, guard: new SecretGuard(), cookies };
}

/**
 * Authenticates the request of an administrator.
 * @returns a promise if the request has to wait because of wrong secrets from its network
 * @throws PriorartError `unauthorized`, `forbidden`, `unavailable`; a promise rejects with the same errors, or with
 *   `rate_limited`
 */
export function requireAdministrator(request: HttpRequest, admin: Administration): Promise<void> | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined) {
    const check = () => checkSecret(bearer, request, admin);
    return admin.guard.check(request.remoteAddress, check) ?? undefined;
  }
  requireSession(request, admin);
  return undefined;
}

function requireSession(request: HttpRequest, admin: Administration): void {
  if (sessionOf(request, admin) === undefined) {
    throw new PriorartError(
      'unauthorized',
      'the administration needs the header Authorization: Bearer with its secret, or a session',
    );
  }
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const site = request.headers['sec-fetch-site'];
  if (request.headers[SESSION_HEADER] === undefined || (site !== undefined && site !== 'same-origin')) {
    throw new PriorartError(
      'forbidden',
      `a change by a session needs the header ${SESSION_HEADER} and a page of this server`,
    );
  }
}

/**
 * Checks a secret. The correct secret is accepted, even after wrong secrets.
 * @throws PriorartError `unauthorized`, `unavailable`
 */
export function checkSecret(text: string, request: HttpRequest, { secret, guard }: Administration): void {
  if (secret.matches(text)) return;
  guard.wrong(request.remoteAddress);
  throw new PriorartError('unauthorized', "that is not the administrator's secret");
}

/** The session of a request; undefined without a valid session. */
export function sessionOf(request: HttpRequest, { secret, store }: Administration): Session | undefined {
  for (const part of (request.headers['cookie'] ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name !== SESSION_COOKIE) continue;
    const session = secret.session(value);
    if (session !== undefined && !store.isSessionEnded(session)) return session;
  }
  return undefined;
}
