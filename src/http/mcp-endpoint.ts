/** The MCP front end in the server: its transports, the open streams, and who may connect. */
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Config } from '../config.js';
import { PriorartError } from '../errors.js';
import { MCP_STREAMS } from '../limits.js';
import type { StreamableHttp } from '../mcp/http.js';
import type { ServerOptions } from '../mcp/server.js';
import type { Sink, StreamSession } from '../mcp/sse.js';
import type { HttpRequest } from './adapters/adapter.js';

export type McpConfig = Pick<Config, 'host'> &
  Partial<Pick<Config, 'mcpHosts' | 'corsOrigins' | 'publicUrl' | 'tlsCert'>>;

/** A client of the old SSE transport. */
export interface OpenStream {
  /** The key that opened it. Only this key may post to it. */
  key: string;
  /** Absent until the head of its answer is written. */
  session?: StreamSession;
}

/** Path of the metadata of RFC 9728. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

export class McpEndpoint {
  readonly options: ServerOptions;
  readonly streams = new Map<string, OpenStream>();
  #config: McpConfig;
  #hosts: ReadonlySet<string> | undefined;
  #http: StreamableHttp | undefined;

  constructor(options: ServerOptions, config: McpConfig) {
    this.options = options;
    this.#config = config;
    this.#hosts = hostsOf(config);
  }

  /** Changes the origins of pages. The other settings need a restart. */
  reload({ corsOrigins }: Pick<McpConfig, 'corsOrigins'>): void {
    const { corsOrigins: _, ...config } = this.#config;
    this.#config = { ...config, ...(corsOrigins === undefined ? {} : { corsOrigins }) };
  }

  /**
   * Loads the library of the protocol, and makes the schemas that it makes at first use. That takes some tenths of a
   * second, in which no request would be answered.
   */
  async load(): Promise<void> {
    const { StreamableHttp } = await import('../mcp/http.js');
    this.#http = new StreamableHttp(this.options);
    await this.#http.warmUp();
  }

  /** The streamable transport. Only after `load`. */
  get http(): StreamableHttp {
    return this.#http!;
  }

  /**
   * Refuses pages of other sites, also if they reach this server by a name of their own (DNS rebinding).
   * @throws PriorartError `forbidden`
   */
  checkSource(request: HttpRequest): void {
    this.checkHost(request);
    const origin = request.headers['origin'];
    if (origin === undefined || this.#isOwnPage(origin)) return;
    throw new PriorartError(
      'forbidden',
      `Origin: got ${JSON.stringify(origin)}; expected an origin of --cors-origins, or none`,
    );
  }

  /**
   * Refuses names that are not of this server.
   * @throws PriorartError `forbidden`
   */
  checkHost({ headers }: HttpRequest): void {
    const host = hostName(headers['host'] ?? '');
    if (this.#hosts && (host === undefined || !this.#hosts.has(host))) {
      throw new PriorartError(
        'forbidden',
        `Host: got ${JSON.stringify(headers['host'] ?? '')}; expected a name of this server: set --mcp-hosts or --public-url`,
      );
    }
  }

  /** Whether a page is of this server, of the machine itself, or of an origin that the operator names. */
  #isOwnPage(origin: string): boolean {
    const { corsOrigins, publicUrl } = this.#config;
    if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return true;
    const page = URL.canParse(origin) ? new URL(origin) : undefined;
    if (page?.origin === origin && LOOPBACK.includes(page.hostname)) return true;
    const allowed = (corsOrigins ?? '').split(',').map((part) => part.trim());
    return allowed.includes('*') || allowed.includes(origin);
  }

  /** Address of this server for the client of a request, without a slash at its end. */
  baseOf({ headers }: HttpRequest): string {
    const { publicUrl, tlsCert } = this.#config;
    return publicUrl ?? `${tlsCert === undefined ? 'http' : 'https'}://${headers['host'] ?? 'localhost'}`;
  }

  /**
   * Takes the place of a stream. It is taken before the answer begins, so that calls at the same time share the limits.
   * @returns a name for the stream, which no client can guess
   * @throws PriorartError `rate_limited` if a key, or the server, has too many
   */
  reserve(key: string): string {
    let own = 0;
    for (const stream of this.streams.values()) if (stream.key === key) own++;
    if (own < MCP_STREAMS.perKey && this.streams.size < MCP_STREAMS.all) {
      const id = randomUUID();
      this.streams.set(id, { key });
      return id;
    }
    const which = own < MCP_STREAMS.perKey ? 'this server' : 'this API key';
    throw new PriorartError('rate_limited', `too many open streams with ${which}; close some, or use /mcp`, {
      retryAfter: 60,
    });
  }

  /** A session of the old transport. Only after `load`. */
  stream(sink: Sink, address: string): StreamSession {
    return this.http.stream(sink, address);
  }

  /** Ends all streams. Calls to /mcp go on. */
  async close(): Promise<void> {
    await Promise.all([...this.streams.values()].map(({ session }) => session?.close()));
    this.streams.clear();
  }
}

/** Names by which clients may reach the server; undefined if any name is possible. */
function hostsOf({ host, mcpHosts, publicUrl }: McpConfig): ReadonlySet<string> | undefined {
  const named = (mcpHosts ?? '').split(',').flatMap((part) => hostName(part.trim()) ?? []);
  if (mcpHosts === undefined && publicUrl === undefined && EVERY_ADDRESS.has(host)) return undefined;
  const own = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return new Set([...LOOPBACK, own, ...outside, ...named]);
}

/** The name in a Host header, without its port; undefined if it is no valid one. */
function hostName(header: string): string | undefined {
  return /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(header.toLowerCase())?.[1];
}
