/**
 * CORS: the web pages that may read answers. Off unless an operator names origins, because keys belong on
 * servers.
 */
import { PriorartError } from '../errors.js';
import { CORS_MAX_AGE_S } from '../limits.js';
import type { HttpHandler, HttpReply } from './adapters/adapter.js';
import type { PreflightAnswer } from './preflight.js';

/** Only these paths. The administration is for pages of this server only. */
const SHARED_PATHS =
  /^\/(?:api\/|files\/|mcp(?:\/|$)|\.well-known\/(?:oauth-(?:protected-resource|authorization-server)|openid-configuration)(?:\/|$)|oauth\/(?:token|register|revoke)$|openapi\.json$|livez$|readyz$|healthz$)/;
const REQUEST_HEADERS =
  'Content-Type, Accept, X-API-Key, Authorization, X-Request-Id, If-None-Match, If-Range, Range, traceparent, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID';
const SHOWN_HEADERS =
  'X-Request-Id, X-Error-Code, RateLimit, RateLimit-Policy, Retry-After, ETag, Accept-Ranges, Content-Range, Deprecation, WWW-Authenticate, traceparent';

/**
 * Answers preflights, and marks answers that a page may read.
 * @param answer completes the answers to preflights
 * @param origins `https://a.example, https://b.example:8443`, or `*` for every page
 * @throws PriorartError `usage`
 */
export function withCors(handler: HttpHandler, origins: string, answer: PreflightAnswer): HttpHandler {
  const allowed = allowedOrigins(origins);
  return (request) => {
    if (!SHARED_PATHS.test(request.path)) return handler(request);
    const origin = request.headers['origin'];
    const granted = origin === undefined ? undefined : allowed(origin);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      return answer(request, 'preflight', preflight(granted));
    }
    const mark = (reply: HttpReply | undefined) => reply && marked(reply, granted);
    const result = handler(request);
    return result instanceof Promise ? result.then(mark) : marked(result, granted);
  };
}

/** Access-Control-Allow-Origin by origin; undefined if the origin may not read. */
function allowedOrigins(text: string): (origin: string) => string | undefined {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('*')) return () => '*';
  for (const part of parts) {
    const url = URL.canParse(part) ? new URL(part) : undefined;
    if (url?.origin === part) continue;
    throw new PriorartError(
      'usage',
      `--cors-origins: got ${JSON.stringify(part)}; expected * or origins such as https://app.example.com, without a path`,
    );
  }
  const known = new Set(parts);
  return (origin) => (known.has(origin) ? origin : undefined);
}

function preflight(granted: string | undefined): HttpReply {
  const headers: Record<string, string> = { vary: 'Origin' };
  if (granted !== undefined) {
    headers['access-control-allow-origin'] = granted;
    headers['access-control-allow-methods'] = 'GET, HEAD, POST';
    headers['access-control-allow-headers'] = REQUEST_HEADERS;
    headers['access-control-max-age'] = String(CORS_MAX_AGE_S);
  }
  return { status: 204, headers, body: '' };
}

function marked(reply: HttpReply, granted: string | undefined): HttpReply {
  const headers: Record<string, string> = { ...reply.headers, vary: varied(reply.headers['vary'], 'Origin') };
  if (granted !== undefined) {
    headers['access-control-allow-origin'] = granted;
    headers['access-control-expose-headers'] = SHOWN_HEADERS;
  }
  return { ...reply, headers };
}

/** A Vary header with one more name. */
export function varied(before: string | undefined, name: string): string {
  if (before === undefined || before === '') return name;
  const names = before.split(',').map((part) => part.trim().toLowerCase());
  return names.includes(name.toLowerCase()) || names.includes('*') ? before : `${before}, ${name}`;
}
