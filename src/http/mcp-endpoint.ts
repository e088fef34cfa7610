/** The MCP front end in the server: its transports, the open streams, and who may connect. */
import { randomUUID } from 'node:crypto';
import type { ApiKey } from '../access/records.js';
import type { Config } from '../config.js';
import { PriorartError } from '../errors.js';
import { MCP_STREAM_COMMENT_MS, MCP_STREAMS } from '../limits.js';
import type { StreamableHttp } from '../mcp/http.js';
import type { ServerOptions } from '../mcp/server.js';
import type { Sink, StreamSession } from '../mcp/sse.js';
import type { HttpRequest } from './adapters/adapter.js';
import type { KeyCheck } from './admission/api-key.js';
import { RequestSource, type SourceConfig } from './request-source.js';

export type McpConfig = SourceConfig & Partial<Pick<Config, 'tlsCert'>>;

/** A client of the old SSE transport. */
export interface OpenStream {
  /** The key that opened it. Only this key may post to it. */
  key: string;
  /** The account of the key. */
  account: string;
  /** Absent until the head of its answer is written. */
  session?: StreamSession;
}

/** Path of the metadata of RFC 9728. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export class McpEndpoint {
  readonly options: ServerOptions;
  readonly streams = new Map<string, OpenStream>();
  readonly #config: McpConfig;
  readonly #source: RequestSource;
  readonly #access: Pick<KeyCheck, 'verifyId'>;
  /** Runs while streams are open. */
  #checks: NodeJS.Timeout | undefined;
  #http: StreamableHttp | undefined;
  /** Whether the server stops. Its kept-alive connections may still ask for streams. */
  #isClosed = false;

  /** @param access knows whether the keys of open streams are still active */
  constructor(options: ServerOptions, config: McpConfig, access: Pick<KeyCheck, 'verifyId'>) {
    this.options = options;
    this.#access = access;
    this.#config = config;
    this.#source = new RequestSource(config);
  }

  /** Changes the origins of pages. The other settings need a restart. */
  reload(config: Pick<McpConfig, 'corsOrigins'>): void {
    this.#source.reload(config);
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
    this.#source.check(request);
  }

  /**
   * Refuses names that are not of this server.
   * @throws PriorartError `forbidden`
   */
  checkHost(request: HttpRequest): void {
    this.#source.checkHost(request);
  }

  /** Address of this server for the client of a request, without a slash at its end. */
  baseOf({ headers }: HttpRequest): string {
    const { publicUrl, tlsCert } = this.#config;
    return publicUrl ?? `${tlsCert === undefined ? 'http' : 'https'}://${headers['host'] ?? 'localhost'}`;
  }

  /**
   * Takes the place of a stream. It is taken before the answer begins, so that calls at the same time share the limits.
   * @returns a name for the stream, which no client can guess
   * @throws PriorartError `rate_limited` if a key, its account, or the server, has too many; `unavailable` after `close`
   */
  reserve({ id: key, account }: Pick<ApiKey, 'id' | 'account'>): string {
    if (this.#isClosed) throw new PriorartError('unavailable', 'the server is shutting down');
    if (this.#fullest(key, account) !== undefined) this.endRevoked();
    const full = this.#fullest(key, account);
    if (full !== undefined) {
      throw new PriorartError('rate_limited', `too many open streams with ${full}; close some, or use /mcp`, {
        retryAfter: 60,
      });
    }
    const id = randomUUID();
    this.streams.set(id, { key, account });
    this.#checks ??= setInterval(() => this.endRevoked(), MCP_STREAM_COMMENT_MS).unref();
    return id;
  }

  /** What has no room for another stream; undefined if there is room. */
  #fullest(key: string, account: string): string | undefined {
    let [ofKey, ofAccount] = [0, 0];
    for (const stream of this.streams.values()) {
      if (stream.key === key) ofKey++;
      if (stream.account === account) ofAccount++;
    }
    if (ofKey >= MCP_STREAMS.perKey) return 'this API key';
    if (ofAccount >= MCP_STREAMS.perAccount) return 'this account';
    return this.streams.size >= MCP_STREAMS.all ? 'this server' : undefined;
  }

  /** Ends the streams of keys that were revoked, or deleted with their account. */
  endRevoked(): void {
    const keys = new Set([...this.streams.values()].map(({ key }) => key));
    const ended = new Set([...keys].filter((key) => this.#isRevoked(key)));
    for (const [id, { key, session }] of this.streams) {
      // Without a session its answer is about to begin; it is ended the next time.
      if (!session || !ended.has(key)) continue;
      this.remove(id);
      void session.close();
    }
  }

  #isRevoked(key: string): boolean {
    try {
      return !this.#access.verifyId(key).ok;
    } catch {
      // Keys that cannot be read now end no stream. Its messages are answered 503.
      return false;
    }
  }

  /** Gives the place of a stream back. */
  remove(id: string): void {
    this.streams.delete(id);
    if (this.streams.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }

  /** A session of the old transport. Only after `load`. */
  stream(sink: Sink, address: string): StreamSession {
    return this.http.stream(sink, address);
  }

  /** Ends all streams, and begins no others. Calls to /mcp go on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.streams.values()].map(({ session }) => session?.close()));
    for (const id of [...this.streams.keys()]) this.remove(id);
  }
}
