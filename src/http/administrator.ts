/**
 * Who may administer: whoever sends the secret (`Authorization: Bearer …`) or the cookie of a session.
 *
 * A browser sends cookies along with what other sites make it ask for. So the cookie is SameSite=Strict, and a
 * request that changes something must bear a header that only a page of this server can add.
 */
import { AddressLimit } from '../access/address-limit.js';
import type { AdminSecret } from '../access/admin-secret.js';
import type { RequestLog } from '../access/request-log.js';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { ADMIN_ATTEMPTS_PER_MINUTE } from '../limits.js';
import type { HttpRequest } from './adapters/adapter.js';

/** The endpoint that looks at the secret itself. */
export const LOGIN = 'admin.login';
export const SESSION_COOKIE = 'priorart_admin';
/** The header that changes by a session need; its value does not matter. */
export const SESSION_HEADER = 'x-priorart-admin';

/** What the administration works on. */
export interface Administration {
  store: AccessStore;
  requests: RequestLog;
  secret: AdminSecret;
  attempts: AddressLimit;
}

export function administration(
  store: AccessStore,
  requests: RequestLog,
  secret: AdminSecret,
): Administration {
  return { store, requests, secret, attempts: new AddressLimit(1_024) };
}

/** @throws PriorartError `unauthorized`, `forbidden`, `rate_limited`, `unavailable` */
export function requireAdministrator(request: HttpRequest, admin: Administration): void {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  if (bearer !== undefined) {
    checkSecret(bearer, request, admin);
    return;
  }
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
 * Compares a secret, of which a client address may try only some a minute.
 * @throws PriorartError `unauthorized`, `rate_limited`, `unavailable`
 */
export function checkSecret(text: string, request: HttpRequest, { secret, attempts }: Administration): void {
  if (secret.matches(text)) return;
  const { admitted, resetMs } = attempts.take(request.remoteAddress, ADMIN_ATTEMPTS_PER_MINUTE);
  if (admitted) throw new PriorartError('unauthorized', "that is not the administrator's secret");
  throw new PriorartError('rate_limited', 'too many wrong secrets; try again later', {
    retryAfter: resetMs / 1000,
  });
}

/** When the session of a request ends; undefined where it has none. */
export function sessionOf(request: HttpRequest, { secret }: Administration): number | undefined {
  for (const part of (request.headers['cookie'] ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name !== SESSION_COOKIE) continue;
    const end = secret.sessionEnd(value);
    if (end !== undefined) return end;
  }
  return undefined;
}
