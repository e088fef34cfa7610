/**
 * From a request to its answer, for all adapters: route → maintenance → key → rate limit → work of the route.
 * The work of a route checks content type, size, JSON and fields in this order, reserves quota and then
 * searches. An overloaded event loop refuses before the work of the route (see turn-pacer.ts).
 * Every error becomes one `{detail}` here.
 */
import { isPriorartError, PriorartError } from '../errors.js';
import { type HttpHandler, type HttpReply, type HttpRequest, lengthOf } from './adapters/adapter.js';
import { Admission } from './admission/admission.js';
import { problemOf } from './problem.js';
import { requestIdOf } from './request-id.js';
import type { RequestRecord } from './request-record.js';
import type { Call, FurtherOptions, Route, Services } from './route.js';
import { type Match, Router } from './router.js';
import { ACCOUNT_ROUTES } from './routes/account/index.js';
import { ADMIN_ROUTES } from './routes/admin/index.js';
import { coverage } from './routes/coverage/route.js';
import { details } from './routes/details/route.js';
import { drawingFile } from './routes/drawings/file.js';
import { drawings } from './routes/drawings/redirect.js';
import { livez } from './routes/health/livez.js';
import { healthz, readyz } from './routes/health/readyz.js';
import { MCP_ROUTES } from './routes/mcp/route.js';
import { OAUTH_ROUTES } from './routes/oauth/route.js';
import { PAGE_ROUTES } from './routes/page/route.js';
import { docs } from './routes/reference/docs.js';
import { openapi } from './routes/reference/openapi-json.js';
import { semantic } from './routes/semantic/route.js';
import { semanticAnalytics } from './routes/semantic-analytics/route.js';
import { pageSession, pageSignIn, pageSignOut } from './routes/session/route.js';
import { type TraceContext, traceFields, traceOf } from './trace-context.js';
import { TurnPacer } from './turn-pacer.js';

export const ROUTES: readonly Route[] = [
  semantic,
  semanticAnalytics,
  details,
  drawings,
  drawingFile,
  coverage,
  openapi(() => ROUTES),
  ...docs(() => ROUTES),
  ...PAGE_ROUTES,
  livez,
  readyz,
  healthz,
  pageSession,
  pageSignIn,
  pageSignOut,
  ...ACCOUNT_ROUTES,
  ...ADMIN_ROUTES,
  ...MCP_ROUTES,
  ...OAUTH_ROUTES,
];

/** Connects routes and services to a handler for an adapter. */
export function createApp(
  services: Services,
  routes: readonly Route[] = ROUTES,
  pacer: Pick<TurnPacer, 'begin'> = new TurnPacer(),
): HttpHandler {
  const router = new Router(routes);
  return (request) => {
    const exchange = new Exchange(request, services, router);
    try {
      const result = exchange.start(pacer);
      if (!(result instanceof Promise)) return exchange.finish(result);
      return result.then(
        (reply) => exchange.finish(reply),
        (error: unknown) => exchange.fail(error),
      );
    } catch (error) {
      return exchange.failNow(error);
    }
  };
}

/** A request in the app. */
class Exchange {
  readonly #request: HttpRequest;
  readonly #services: Services;
  readonly #requestId: string;
  readonly #trace: TraceContext | undefined;
  readonly #startedAt = performance.now();
  readonly #admission: Admission;
  readonly #router: Router;
  /** The exchange that this one belongs to, and how this one is logged. */
  readonly #outer: { exchange: Exchange; options: FurtherOptions } | undefined;
  #route: Route | undefined;
  #query: string | undefined;
  /** Whether a further request is in the log instead of this one. */
  #isLoggedFurther = false;

  constructor(
    request: HttpRequest,
    services: Services,
    router: Router,
    outer?: { exchange: Exchange; options: FurtherOptions },
  ) {
    this.#router = router;
    this.#request = request;
    this.#services = services;
    this.#outer = outer;
    this.#requestId = outer ? outer.exchange.#requestId : requestIdOf(request);
    this.#admission = outer ? outer.exchange.#admission.shared() : new Admission(services);
    this.#trace = outer ? outer.exchange.#trace : traceOf(request);
  }

  /** Steps that do not wait are synchronous, so cheap routes are answered in the same turn. */
  start(pacer: Pick<TurnPacer, 'begin'>): HttpReply | Promise<HttpReply> {
    const request = this.#request;
    const match = this.#router.find(request.method, request.path);
    if ('error' in match) {
      const { reply } = problemOf(match.error, this.#requestId);
      return match.allow === undefined
        ? reply
        : { ...reply, headers: { ...reply.headers, allow: match.allow } };
    }
    this.#route = match.route;
    const isPaced = match.route.access === 'key';
    return isPaced ? pacer.begin((isLate) => this.#admit(match, isLate)) : this.#admit(match, false);
  }

  /** Answers a further request of an admitted caller. */
  async #further(request: HttpRequest, options: FurtherOptions): Promise<HttpReply> {
    // It is in the log for every outcome, also if this request ends before it.
    if (options.isLogged) this.#isLoggedFurther = true;
    const exchange = new Exchange(request, this.#services, this.#router, {
      exchange: this,
      options,
    });
    const reply = await exchange.#runFurther().then(
      (given) => exchange.finish(given),
      (error: unknown) => exchange.fail(error),
    );
    // Without a client that waits, no answer is made.
    if (!reply) throw new PriorartError('cancelled', 'the call was cancelled');
    return reply;
  }

  /** The caller is admitted and counted. Only the work of the route is left. */
  async #runFurther(): Promise<HttpReply> {
    const match = this.#router.find(this.#request.method, this.#request.path);
    if ('error' in match) throw match.error;
    this.#route = match.route;
    const { access } = match.route;
    if (access === 'admin' || access === 'account' || access === 'health') {
      throw new PriorartError('not_found', 'there is no such endpoint');
    }
    return this.#handle(match, false);
  }

  #admit(match: Match, isLate: boolean): HttpReply | Promise<HttpReply> {
    const waiting = this.#admission.admit(this.#request, match.route);
    if (waiting) return waiting.then(() => this.#handle(match, isLate));
    return this.#handle(match, isLate);
  }

  #handle(match: Match, isLate: boolean): HttpReply | Promise<HttpReply> {
    const request = this.#request;
    if (isLate) throw new PriorartError('overloaded', 'overloaded: too many requests', { retryAfter: 1 });
    const call: Call = {
      request,
      requestId: this.#requestId,
      services: this.#services,
      parameters: match.parameters,
      account: this.#admission.account,
      key: this.#admission.caller?.key,
      checkSession: () => this.#admission.checkSession(request, match.route),
      reserveQuota: async (query) => {
        await this.#admission.reserveQuota();
        this.#query = query;
      },
      further: (further, options) => this.#further(further, options),
      countCalls: (more) => this.#admission.countCalls(more),
    };
    return match.route.handle(call);
  }

  finish(reply: HttpReply): HttpReply | Promise<HttpReply> {
    try {
      const settling = this.#settle(reply.status);
      if (!settling) return this.#complete(reply);
      return settling.then(
        () => this.#complete(reply),
        (error: unknown) => this.failNow(error),
      );
    } catch (error) {
      return this.failNow(error);
    }
  }

  #complete(reply: HttpReply): HttpReply {
    this.#observe(reply.status, reply);
    const headers: Record<string, string> = { ...reply.headers };
    this.#admission.addHeaders(headers);
    headers['x-request-id'] = this.#requestId;
    if (this.#trace) headers['traceparent'] = this.#trace.header;
    return { ...reply, headers };
  }

  async fail(error: unknown): Promise<HttpReply | undefined> {
    if (isPriorartError(error) && error.code === 'cancelled' && this.#request.isGone) {
      try {
        await this.#settle(error.status);
      } catch (fault) {
        this.#services.log.error({ request_id: this.#requestId, err: fault }, 'quota was not settled');
      }
      this.#observe(error.status);
      return undefined;
    }
    return this.failNow(error);
  }

  failNow(error: unknown): HttpReply | Promise<HttpReply> {
    const access = this.#route?.access === 'admin' ? 'admin' : 'key';
    const challenge = this.#route?.takesBearer ? this.#services.oauth?.challenge(error) : undefined;
    const { reply, isFault } = problemOf(error, this.#requestId, access, challenge);
    if (isFault) {
      const fields = { request_id: this.#requestId, ...traceFields(this.#trace), err: error };
      this.#services.log.error(fields, 'request failed');
    }
    return this.finish(reply);
  }

  /** A 200 to a disconnected client does not count. */
  #settle(status: number): Promise<void> | undefined {
    if (!this.#admission.hasReservation) return undefined;
    return this.#admission.settle(this.#request.isGone ? 499 : status);
  }

  #observe(status: number, reply?: HttpReply): void {
    const { options: further } = this.#outer ?? {};
    if (further?.isLogged === false) return;
    // 499: both ended because the client disconnected.
    if (this.#isLoggedFurther && (status < 400 || status === 499)) return;
    const record: RequestRecord = {
      endpoint: further?.endpoint ?? this.#route?.endpoint ?? 'none',
      method: this.#request.method,
      status,
      ms: performance.now() - this.#startedAt,
      requestId: this.#requestId,
      client: this.#request.remoteAddress,
      bytes: reply === undefined ? 0 : lengthOf(reply.body),
    };
    const key = this.#admission.key;
    if (key) record.key = key;
    if (this.#trace) record.trace = this.#trace;
    if (reply?.resultCount !== undefined) record.resultCount = reply.resultCount;
    const code = reply?.headers?.['x-error-code'];
    if (code !== undefined) record.code = code;
    if (status === 404) record.path = this.#request.path;
    if (this.#query !== undefined) record.query = this.#query;
    this.#services.observe(record);
  }
}
