/** The layers between the adapter and the app, by the settings. They do not know endpoints. */
import { METHODS } from 'node:http';
import type { Config } from '../config.js';
import { PriorartError } from '../errors.js';
import { URL_MAX_CHARS } from '../limits.js';
import { type ClientAddress, type HttpHandler, UNKNOWN_METHOD } from './adapters/adapter.js';
import { trustingProxies } from './admission/client-address.js';
import { withCompression } from './compression.js';
import { withCors } from './cors.js';
import type { PreflightAnswer } from './preflight.js';
import { problemOf } from './problem.js';

/** Settings that can change while the server runs. */
export type MiddlewareConfig = Partial<
  Pick<Config, 'trustProxy' | 'trustProxyHeader' | 'corsOrigins' | 'compression'>
>;

export interface Middleware {
  handler: HttpHandler;
  /** Undefined if no proxy is trusted. */
  clientAddress: ClientAddress | undefined;
}

/**
 * @param preflight completes the answers of this layer
 * @throws PriorartError `usage`
 */
export function middlewareOf(
  app: HttpHandler,
  config: MiddlewareConfig,
  preflight: PreflightAnswer,
): Middleware {
  let handler = withKnownMethods(withUrlLimit(app, preflight), preflight);
  if (config.corsOrigins !== undefined) handler = withCors(handler, config.corsOrigins, preflight);
  if (config.compression !== 'off') handler = withCompression(handler);
  const { trustProxy, trustProxyHeader = 'x-forwarded-for' } = config;
  return {
    handler,
    clientAddress: trustProxy === undefined ? undefined : trustingProxies(trustProxy, trustProxyHeader),
  };
}

/**
 * The methods that node:http parses. Its parser refuses other methods; uWebSockets.js passes them to the
 * handler. CONNECT is for proxies.
 */
const KNOWN_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'));

function withKnownMethods(handler: HttpHandler, preflight: PreflightAnswer): HttpHandler {
  return (request) =>
    KNOWN_METHODS.has(request.method)
      ? handler(request)
      : preflight(request, 'none', problemOf(new PriorartError('bad_request', UNKNOWN_METHOD), '').reply);
}

function withUrlLimit(app: HttpHandler, preflight: PreflightAnswer): HttpHandler {
  return (request) => {
    const chars = request.path.length + request.query.length;
    if (chars <= URL_MAX_CHARS) return app(request);
    const message = `the URL is too long: ${chars} characters; expected at most ${URL_MAX_CHARS}`;
    return preflight(request, 'none', problemOf(new PriorartError('uri_too_long', message), '').reply);
  };
}
