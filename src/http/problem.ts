/** The answer to a request that failed: exactly `{detail}` and a code, with nothing of the server's inside in it. */
import { type ErrorCode, isPriorartError, type PriorartError } from '../errors.js';
import type { HttpReply } from './adapters/adapter.js';
import { type ShownCode, shownCode, statusOf } from './error-codes.js';

/** Seconds after which a 503 that names no time may be tried again. */
const RETRY_AFTER_DEFAULT = 5;

/**
 * What clients are told of faults on the server's side. The error's own message may name folders and is
 * for the operator: it goes to the log.
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
  /** Whether it is the server's fault, and worth more than a line in the log. */
  isFault: boolean;
}

/** What a 401 says of how to authenticate: to callers of the API, and in the administration. */
const CHALLENGE = { key: 'ApiKey header="X-API-Key"', admin: 'Bearer realm="administration"' } as const;

/** Makes the answer for whatever a handler threw. @param access what the route asks for */
export function problemOf(
  error: unknown,
  requestId: string,
  access: keyof typeof CHALLENGE = 'key',
): Problem {
  if (!isPriorartError(error)) return fault('internal', 'internal error', requestId);
  const code = shownCode(error.code);
  const status = statusOf(code);
  if (status >= 500) {
    const problem = fault(code, PUBLIC_DETAIL[error.code] ?? 'internal error', requestId);
    // The line of the request says it all; under overload a second one, with a stack, would be work for nothing.
    if (error.code === 'overloaded') problem.isFault = false;
    if (status === 503) problem.reply.headers = { ...problem.reply.headers, ...retryAfter(error) };
    // The operator turned it on: nothing is wrong.
    if (error.code === 'maintenance') problem.isFault = false;
    return problem;
  }
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = CHALLENGE[access];
  if (status === 429) Object.assign(headers, retryAfter(error));
  return { reply: detailReply(code, error.message, headers), isFault: false };
}

/** An error answer, the only form there is. */
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
