/**
 * Calls of the server. The page has no key: the session's cookie says who the visitor is. The header proves that a call
 * comes from this page and not from a form of another site.
 */
import { answeredNormally, refusedInMaintenance } from './maintenance.js';

/** A call that failed. `message` is the server's `detail`; empty if the answer has none, such as one of a proxy. */
export class ApiError extends Error {
  readonly status: number;
  /** X-Error-Code; `unreachable` if no answer came. */
  readonly code: string;
  /** Seconds to wait; 0 if the server named none. */
  readonly retryAfter: number;
  /** X-Request-Id of the answer. */
  readonly requestId: string;

  constructor(detail: string, status: number, headers = new Headers()) {
    super(detail);
    this.status = status;
    this.code = headers.get('x-error-code') ?? (status === 0 ? 'unreachable' : 'unknown');
    this.retryAfter = Number(headers.get('retry-after') ?? 0);
    this.requestId = headers.get('x-request-id') ?? '';
  }
}

/** An error of `call`; any other error as one without an answer. */
export function failureOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(String(error), 0);
}

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * @param path relative to the page, so that a proxy may serve both below a path: `api/v1/stats/coverage`
 * @returns the answer's JSON; undefined for an answer without a body
 * @throws ApiError; DOMException `AbortError` if the signal was aborted
 */
export async function call<T>(method: string, path: string, { body, signal }: CallOptions = {}): Promise<T> {
  const answer = await fetch(path, {
    method,
    headers: {
      'X-Priorart-Page': '1',
      ...(path.startsWith('admin/') ? { 'X-Priorart-Admin': '1' } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(String(error), 0);
  });
  const text = await answer.text();
  if (!answer.ok) {
    const error = new ApiError(detailOf(text), answer.status, answer.headers);
    if (error.code === 'maintenance') refusedInMaintenance(error.retryAfter);
    throw error;
  }
  // The administration is answered during maintenance, too.
  if (!path.startsWith('admin/')) answeredNormally();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : '';
  } catch {
    return '';
  }
}
