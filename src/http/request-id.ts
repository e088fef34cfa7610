/** X-Request-Id: the caller's id if it is valid, else a new id. */
import { randomUUID } from 'node:crypto';
import type { HttpRequest } from './adapters/adapter.js';

/** Excludes characters that could break a header, a log line or a shell command. */
const SANE = /^[A-Za-z0-9._:/+=-]{1,128}$/;

export function requestIdOf(request: Pick<HttpRequest, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return sent !== undefined && SANE.test(sent) ? sent : randomUUID();
}
