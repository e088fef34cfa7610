/** Starts the HTTP server: selects an adapter, listens, and shuts down in order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SignIns } from '../access/sign-in.js';
import type { AccessStore } from '../access/store.js';
import type { Config } from '../config.js';
import type { DrawingStore } from '../drawings/store.js';
import type { EnginePort } from '../engine-port.js';
import { PriorartError } from '../errors.js';
import {
  BODY_DRAIN_MAX_BYTES,
  BODY_MAX_BYTES,
  BODY_TIMEOUT_MS,
  CONNECTIONS_MAX,
  HOST_DEFAULT,
  WRITE_TIMEOUT_MS,
} from '../limits.js';
import { type Logger, lineWriter } from '../observe/log.js';
import { Metrics } from '../observe/metrics.js';
import type { AdapterOptions, HttpAdapter } from './adapters/adapter.js';
import { createNodeAdapter } from './adapters/node.js';
import { createUwsAdapter } from './adapters/uws.js';
import { type AccountSignIns, PageSessions } from './admission/page-session.js';
import { createApp, ROUTES } from './app.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { type MetricsPort, openMetricsPort } from './metrics-port.js';
import { type Middleware, type MiddlewareConfig, middlewareOf } from './middleware.js';
import type { DocumentFetch } from './oauth/document-fetch.js';
import type { EmbeddedOAuth } from './oauth/embedded.js';
import { packageVersion } from './package-version.js';
import { preflightAnswers, refusalReply } from './preflight.js';
import { logForKey, logRequest } from './request-line.js';
import type { RequestRecord } from './request-record.js';
import { openRequestServices, type RequestServicesConfig } from './request-services.js';
import type { Services } from './route.js';
import { livezReply } from './routes/health/livez.js';
import { readyzReply } from './routes/health/readyz.js';
import { tlsIdentity, validTo } from './tls.js';
import { TurnPacer } from './turn-pacer.js';

/** Settings; an absent setting has its default. */
type Optional = MiddlewareConfig &
  Partial<
    Pick<
      Config,
      | 'publicUrl'
      | 'page'
      | 'pageAccount'
      | 'mcp'
      | 'mcpHosts'
      | 'oauthEmbedded'
      | 'oauthIssuer'
      | 'oauthJwks'
      | 'oauthAudience'
      | 'oauthScope'
      | 'oauthClaim'
      | 'oauthKey'
      | 'tlsCert'
      | 'tlsKey'
      | 'connectionsMax'
      | 'metricsPort'
      | 'metricsHost'
      | 'shutdownDelayMs'
      | 'logLevel'
    >
  >;

export interface ServerParts {
  engine: EnginePort;
  access: AccessStore;
  /** The drawings that links point to. If absent, every drawing is answered 404. */
  drawings?: DrawingStore;
  log: Logger;
  config: Pick<Config, 'host' | 'port' | 'httpAdapter' | 'deadlineMs' | 'shutdownGraceMs'> &
    RequestServicesConfig &
    Optional;
  /** Fetches metadata documents of clients; absent: from the public internet. */
  fetchDocument?: DocumentFetch;
  /** The metrics of the engine; absent: new metrics. */
  metrics?: Metrics;
}

export interface Server {
  /** `http://127.0.0.1:8080` */
  url: string;
  port: number;
  adapter: 'uws' | 'node';
  /** The port of /metrics, if it is open. */
  metricsPort: number | undefined;
  /**
   * Applies the settings that can change while the server runs: level of the log, certificate (read again
   * even if its name is the same), trusted proxies, CORS, compression.
   * @throws PriorartError `usage`, `invalid_tls`; all settings stay unchanged
   */
  reload(config: Optional): void;
  /**
   * Turns /readyz to 503, stops accepting connections after `shutdownDelayMs`, lets running requests finish
   * within the grace time, and then closes the connections. The engine and the key store stay open: they
   * belong to the caller.
   */
  close(): Promise<void>;
}

/**
 * @throws PriorartError `cannot_listen`, `usage`, `invalid_tls`, or `addon_missing` if the setting is `uws`
 *   and uWebSockets.js does not load
 */
export async function startServer(parts: ServerParts): Promise<Server> {
  const { engine, access, drawings, log, config, metrics = new Metrics() } = parts;
  const tls = tlsIdentity(config);
  const external = await oauthOf(config);
  const signIns = new SignIns({
    accountWithPassword: (asked) => access.passwords.accountWithPassword(asked),
    check: (asked, password) => access.passwords.signIn(asked, password),
  });
  const authorization = await authorizationOf(parts, signIns);
  const lifecycle = { draining: false };
  const requestServices = openRequestServices(access, config, log, () => engine.ready().ready);
  const writeLine = lineWriter(log);
  const observe = (record: RequestRecord) => {
    logRequest(writeLine, record);
    logForKey(requestServices.requests, record);
    metrics.requestFinished(record);
  };
  const onFault = (error: unknown) => log.error({ err: error }, 'a call by MCP failed');
  const mcp =
    config.mcp === 'off'
      ? undefined
      : new McpEndpoint({ version: packageVersion(), onFault }, config, access);
  await mcp?.load();
  const page = config.page === 'off' ? undefined : new PageSessions(access, config, signIns);
  const missing = access.isAvailable() ? page?.missingAccount() : undefined;
  if (missing !== undefined) {
    const message =
      'visitors have to sign in: no account, or more than one, has the name of --page-account; make it with ' +
      '`priorart accounts create`, or restart with the name of another account';
    log.warn({ account: missing }, message);
  }
  const services = {
    engine,
    access,
    limits: requestServices.limits,
    admin: requestServices.admin,
    drawings,
    log,
    mcp,
    oauth: external ?? authorization,
    authorization,
    page,
    publicUrl: config.publicUrl,
    deadlineMs: config.deadlineMs,
    figures: () => metrics.figures(),
    lifecycle,
    observe,
  };
  const pacer = new TurnPacer();
  const app = createApp(services, ROUTES, pacer);
  const preflight = preflightAnswers(observe);
  let middleware: Middleware;
  let adapter: HttpAdapter;
  let metricsPort: MetricsPort | undefined;
  let port: number;
  try {
    middleware = middlewareOf(app, config, preflight);
    adapter = chooseAdapter(config.httpAdapter, log, {
      handler: (request) => middleware.handler(request),
      clientAddress: (peer, headers) => middleware.clientAddress?.(peer, headers) ?? peer,
      tls,
      bodyMaxBytes: BODY_MAX_BYTES,
      bodyDrainMaxBytes: BODY_DRAIN_MAX_BYTES,
      bodyTimeoutMs: BODY_TIMEOUT_MS,
      writeTimeoutMs: WRITE_TIMEOUT_MS,
      connectionsMax: config.connectionsMax ?? CONNECTIONS_MAX.default,
      onAccept: () => pacer.connectionAccepted(),
      refuse: (refusal) => refusalReply(preflight, refusal),
      onError: (error) => log.error({ err: error }, 'a request could not be answered'),
    });
    metricsPort = await openMetrics(config, metrics, services);
    port = await adapter.listen(config.host, config.port);
  } catch (error) {
    metricsPort?.close();
    await authorization?.close();
    await requestServices.close();
    throw error;
  }
  metrics.watch({
    connections: () => adapter.connections,
    activeRequests: () => adapter.activeRequests,
    pool: () => engine.poolState?.(),
    index: () => engine.indexState?.(),
  });
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `${tls ? 'https' : 'http'}://${host}:${port}`;
  log.info(
    {
      url,
      adapter: adapter.name,
      ...(metricsPort ? { metrics_port: metricsPort.port } : {}),
      ...(tls ? { certificate_valid_to: validTo(tls) } : {}),
    },
    'listening',
  );
  return {
    url,
    port,
    adapter: adapter.name,
    metricsPort: metricsPort?.port,
    reload(changed) {
      const [newMiddleware, newTls] = [middlewareOf(app, changed, preflight), tlsIdentity(changed)];
      if (!newTls !== !tls)
        throw new PriorartError('usage', 'TLS cannot be turned on or off without a restart');
      if (newTls) adapter.replaceTls(newTls);
      middleware = newMiddleware;
      mcp?.reload(changed);
      page?.reload(changed);
      if (changed.logLevel !== undefined) log.level = changed.logLevel;
      log.info(newTls ? { certificate_valid_to: validTo(newTls) } : {}, 'settings read again');
    },
    async close() {
      lifecycle.draining = true;
      log.info({ active_requests: adapter.activeRequests }, 'shutting down');
      await sleep(config.shutdownDelayMs ?? 0);
      await mcp?.close();
      await adapter.close(config.shutdownGraceMs);
      metricsPort?.close();
      await authorization?.close();
      await requestServices.close();
      log.info('closed');
    },
  };
}

/** The libraries of OAuth are loaded only if they are needed. */
async function oauthOf(config: ServerParts['config']): Promise<Services['oauth']> {
  if (config.oauthIssuer === undefined) return undefined;
  const { OAuth } = await import('./admission/oauth.js');
  return OAuth.of(config);
}

/**
 * The embedded authorization server, if it is on.
 * @throws PriorartError `usage` if clients could not reach it, or passwords would travel without TLS
 */
async function authorizationOf(
  { access, config, log, fetchDocument }: ServerParts,
  signIns: AccountSignIns,
): Promise<EmbeddedOAuth | undefined> {
  if (config.oauthEmbedded !== 'on') return undefined;
  if (config.oauthIssuer !== undefined) {
    throw new PriorartError(
      'usage',
      '--oauth-embedded on: expected no --oauth-issuer with it; choose one of them',
    );
  }
  if (config.mcp === 'off')
    throw new PriorartError('usage', '--oauth-embedded on: expected --mcp on with it');
  const publicUrl = config.publicUrl ?? loopbackUrl(config);
  if (publicUrl === undefined) {
    throw new PriorartError(
      'usage',
      '--oauth-embedded on: expected --public-url with it, the address of this server; a server on 127.0.0.1 with a fixed port needs none',
    );
  }
  if (!/^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/.test(publicUrl)) {
    throw new PriorartError(
      'usage',
      `--public-url: got ${JSON.stringify(publicUrl)}; expected https for --oauth-embedded`,
    );
  }
  const ofOpenId = config.oauthScope?.split(' ').find((scope) => OPENID_SCOPES.has(scope));
  if (ofOpenId !== undefined) {
    throw new PriorartError(
      'usage',
      `--oauth-scope: got ${JSON.stringify(ofOpenId)}; expected names of your own for --oauth-embedded, such as patents:read`,
    );
  }
  const { EmbeddedOAuth } = await import('./oauth/embedded.js');
  return new EmbeddedOAuth({
    ...{ access, publicUrl, fetchDocument, scope: config.oauthScope },
    checkPassword: (account, password, address) => signIns.check(account, password, address),
    onError: (error) => log.error({ err: error }, 'expired sign-ins could not be removed'),
  });
}

/** Scopes with a meaning of their own, which the embedded authorization server never puts into a token for /mcp. */
const OPENID_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The address of a server that only its own machine reaches; undefined for others, and if the port is not known. */
function loopbackUrl({ host, port, tlsCert }: ServerParts['config']): string | undefined {
  if (port === 0 || !['localhost', '127.0.0.1', '::1'].includes(host)) return undefined;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

async function openMetrics(
  { metricsPort, metricsHost = HOST_DEFAULT }: ServerParts['config'],
  metrics: Metrics,
  services: Services,
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  const readiness = () => readyzReply(services);
  const health = { '/livez': livezReply, '/readyz': readiness, '/healthz': readiness };
  return openMetricsPort({ host: metricsHost, port: metricsPort }, metrics, health);
}

function chooseAdapter(wanted: Config['httpAdapter'], log: Logger, options: AdapterOptions): HttpAdapter {
  if (wanted === 'node') return createNodeAdapter(options);
  try {
    return createUwsAdapter(options);
  } catch (cause) {
    const { reason, remedy } = refusalOf(cause);
    if (wanted === 'uws') {
      const message = `uWebSockets.js does not load: ${reason}; ${remedy}, or use the node adapter`;
      throw new PriorartError('addon_missing', message, { cause });
    }
    log.warn({ reason, remedy }, 'uWebSockets.js does not load; using node:http, which is slower');
    return createNodeAdapter(options);
  }
}

/** Why uWebSockets.js does not load, and what to do. */
function refusalOf(cause: unknown): { reason: string; remedy: string } {
  const reason = reasonOf(cause);
  if (reason.includes("'uWebSockets.js'")) return { reason, remedy: `add it with \`${ADD_UWS}\`` };
  const { version, platform, arch } = process;
  return {
    reason: reason.includes("'./uws_")
      ? `it has no binary for Node ${version} on ${platform} ${arch}`
      : reason,
    remedy: 'take a version of Node that it has a binary for (docs/http.md, "uWebSockets.js")',
  };
}

/**
 * The reason why uWebSockets.js does not load, as one line. The message begins with the supported versions of
 * Node.
 */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .map((line) => line.trim());
  const own = lines.find((line) => line.startsWith('Error: '))?.slice('Error: '.length);
  return (own ?? lines.find(Boolean) ?? 'without a reason').slice(0, REASON_MAX_CHARS);
}

const REASON_MAX_CHARS = 300;

/**
 * The command that adds the fast adapter to an app. The package does not include the adapter, which has 257
 * MB.
 */
const ADD_UWS = 'npm install uWebSockets.js@npm:uwebsockets@3.0.6';
