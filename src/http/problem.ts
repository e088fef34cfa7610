/**
 * The answer to a failed request: exactly `{detail}` and a code. It reveals nothing of the server's
 * internals.
 */
import { type ErrorCode, isPriorartError, type PriorartError } from '../errors.js';
import type { HttpReply } from './adapters/adapter.js';
import { type ShownCode, shownCode, statusOf } from './error-codes.js';

/** Retry-After of a 503 without a time, s. */
const RETRY_AFTER_DEFAULT = 5;

/**
 * Details for clients on faults of the server. The error's own message may contain folders and is for the
 * operator: it is logged.
 */
const PUBLIC_DETAIL: Partial<Record<ErrorCode, string>> = {
  overloaded: 'the server is overloaded; try again later',
  unavailable: 'the service is unavailable; try again later',
  maintenance: 'the service is down for maintenance; try again later',
  no_data: 'the service is unavailable: no patents are indexed',
  embedding_failed: 'the query could not be embedded',
  cancelled: 'the work was cancelled; try again later',
};

export interface Problem {
  reply: HttpReply;
  /** Whether the server is at fault. The log then has more than the line of the request. */
  isFault: boolean;
}

/** WWW-Authenticate of a 401: for the API, and for the administration. */
const CHALLENGE = { key: 'ApiKey header="X-API-Key"', admin: 'Bearer realm="administration"' } as const;

/**
 * The answer for an error of a handler.
 * @param access access of the route
 * @param challenge WWW-Authenticate, instead of that of the access
 */
export function problemOf(
  error: unknown,
  requestId: string,
  access: keyof typeof CHALLENGE = 'key',
  challenge?: string,
): Problem {
  if (!isPriorartError(error)) return fault('internal', 'internal error', requestId);
  const code = shownCode(error.code);
  const status = statusOf(code);
  if (status >= 500) {
    const problem = fault(code, PUBLIC_DETAIL[error.code] ?? 'internal error', requestId);
    // The line of the request is enough. Under overload, a second line with a stack would be wasted work.
    if (error.code === 'overloaded') problem.isFault = false;
    if (status === 503) problem.reply.headers = { ...problem.reply.headers, ...retryAfter(error) };
    // The operator turned it on: it is not a fault.
    if (error.code === 'maintenance') problem.isFault = false;
    return problem;
  }
  const headers: Record<string, string> = {};
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  else if (status === 401) headers['www-authenticate'] = CHALLENGE[access];
  if (status === 429) Object.assign(headers, retryAfter(error));
  return { reply: detailReply(code, error.message, headers), isFault: false };
}

/** An error answer. All error answers have this form. */
export function detailReply(
  code: ShownCode,
  detail: string,
  headers: Record<string, string> = {},
): HttpReply {
  return {
    status: statusOf(code),
    headers: { 'content-type': 'application/json', 'x-error-code': code, ...headers },
    body: JSON.stringify({ detail }),
  };
}

function fault(code: ShownCode, detail: string, requestId: string): Problem {
  const text = statusOf(code) === 500 ? `${detail}; the request id is ${requestId}` : detail;
  return { reply: detailReply(code, text), isFault: true };
}

function retryAfter(error: PriorartError): Record<string, string> {
  return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter ?? RETRY_AFTER_DEFAULT))) };
}
