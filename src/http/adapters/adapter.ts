/**
 * The interface of an HTTP server. Both adapters implement the interface and pass one conformance suite. Only
 * the adapters see a socket, a node:http object or a uWebSockets.js object.
 */
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { PriorartError } from '../../errors.js';

export interface HttpRequest {
  /** The method as sent: `POST`. */
  readonly method: string;
  /** The path as sent, not decoded, without the query string. */
  readonly path: string;
  /** The text after the first `?`, not decoded; empty without a query string. */
  readonly query: string;
  /** Fields by lower-case name. Several fields of one name are joined with `, `. Has no prototype. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Address of the client: the peer of the connection, or the address that a trusted proxy reports. An IPv4
   * address on an IPv6 socket has the IPv4 form.
   */
  readonly remoteAddress: string;
  /** Whether the client disconnected before the answer was written. */
  readonly isGone: boolean;
  /**
   * Sets the listener for the disconnection of the client, in place of the previous listener; `undefined`
   * removes it. Call this while the client is connected.
   */
  onGone(listener: (() => void) | undefined): void;
  /**
   * The whole body; empty for GET and HEAD. Rejects with PriorartError `body_too_large`, `request_timeout`,
   * `cancelled` or `bad_request`.
   */
  body(): Promise<Uint8Array>;
}

/**
 * A body that is read at the speed of its client. It is for bodies that are too large to hold in memory for
 * each request.
 */
export interface BodySource {
  /** Bytes in total. */
  readonly length: number;
  /** The next bytes, at least one and at most `max`. Rejects if the bytes cannot be read. */
  read(max: number): Promise<Uint8Array>;
  /** Ends the reading. Called once. Does not throw. */
  close(): void;
}

/** Where the events of a body go. Calls after the end are ignored. */
export interface EventSink {
  /** Sends a text at once. A client that leaves too much unread loses its connection. */
  write(text: string): void;
  end(): void;
}

/** A body that is written as its events happen, without a length. The answer to HEAD does not begin it. */
export interface EventBody {
  /** Called once, when the head is written. It writes at least one event. */
  begin(sink: EventSink): void;
  /** The answer is over: it was ended, or the client has disconnected. Called once. Does not throw. */
  ended(): void;
}

export interface HttpReply {
  status: number;
  /** Without Content-Length, Connection and Date: the adapter sets them. */
  headers: Readonly<Record<string, string>>;
  /** Values of Set-Cookie, one header each. */
  cookies?: readonly string[];
  body: Uint8Array | string | BodySource | EventBody;
  /** The bytes of the body are of this answer alone: they are freed when they are sent. */
  ownsBody?: boolean;
  /** Number of results in the body, for the request log. */
  resultCount?: number;
}

/**
 * Answers a request. `undefined` means that the request needs no answer; it is valid only if the client has
 * disconnected.
 */
export type HttpHandler = (request: HttpRequest) => HttpReply | Promise<HttpReply | undefined>;

/** A request with an unreadable head. No handler is called for it. */
export interface Refusal {
  status: 400 | 408 | 431;
  detail: string;
  /** The parts of the head that were understood, and the address of the peer. */
  method?: string;
  headers?: HttpRequest['headers'];
  remoteAddress: string;
}

export type ClientAddress = (peer: string, headers: HttpRequest['headers']) => string;

/** Files in PEM format; uWebSockets.js accepts no other format. */
export interface TlsIdentity {
  certFile: string;
  keyFile: string;
}

export interface AdapterOptions {
  handler: HttpHandler;
  bodyMaxBytes: number;
  bodyDrainMaxBytes: number;
  bodyTimeoutMs: number;
  /** Longest time that a client may take to receive an answer, ms. */
  writeTimeoutMs: number;
  /**
   * Time that a client may wait for the answer after it sent its request and ended its side, ms. Default:
   * `HALF_CLOSED_MS`.
   */
  halfClosedMs?: number;
  /** Limit of open connections. Further connections are closed immediately. */
  connectionsMax: number;
  /** Serves HTTPS; absent: plain HTTP. */
  tls?: TlsIdentity | undefined;
  /**
   * Derives the client's address from the peer and the headers of proxies. Absent: the address of the peer.
   */
  clientAddress?: ClientAddress | undefined;
  /**
   * Called for a new connection if the event loop accepts one connection per turn, so that others may wait
   * until the next turns.
   */
  onAccept?(): void;
  /** The answer to a request that is not valid HTTP. */
  refuse(refusal: Refusal): HttpReply;
  /** Receives the errors of a handler. The client receives a bare 500. */
  onError(error: unknown): void;
}

export interface HttpAdapter {
  readonly name: 'uws' | 'node';
  /**
   * Starts to accept connections. Resolves to the port.
   * @throws PriorartError `cannot_listen`
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * Stops accepting connections, lets running requests finish, and closes the remaining connections after
   * `graceMs`. Resolves when no connection is left.
   */
  close(graceMs: number): Promise<void>;
  /** Number of open connections. */
  readonly connections: number;
  /** Number of requests without a complete answer. */
  readonly activeRequests: number;
  /**
   * Uses a new certificate for new connections.
   * @throws Error if the certificate is invalid; the old certificate stays in use
   */
  replaceTls(tls: TlsIdentity): void;
}

/** The longest request head, bytes. A longer head is answered 431. */
export const HEAD_MAX_BYTES = 16_384;
export const HEAD_TOO_LARGE = `the request head is too large; expected at most ${HEAD_MAX_BYTES} bytes`;
/** Detail for a method that is not an HTTP method, or is CONNECT. */
export const UNKNOWN_METHOD = 'the request method is unknown';
/**
 * Limits of an idle connection and of the arrival of a request head, ms. They equal those of uWebSockets.js.
 */
export const IDLE_TIMEOUT_MS = 10_000;

/**
 * A larger body is written as the socket accepts it, with a time limit until the client has received it.
 * Bytes.
 */
export const LARGE_BODY_BYTES = 64 << 10;

/** Bytes per read of a source. */
export const SOURCE_CHUNK_BYTES = 64 << 10;

/** The reply; an empty source becomes an empty body. */
export function withoutEmptySource(reply: HttpReply): HttpReply {
  if (!isSource(reply.body) || reply.body.length > 0) return reply;
  reply.body.close();
  return { ...reply, body: '' };
}

export function isSource(body: HttpReply['body']): body is BodySource {
  return typeof body === 'object' && 'read' in body;
}

export function isEvents(body: HttpReply['body']): body is EventBody {
  return typeof body === 'object' && 'begin' in body;
}

/** Length of a body, bytes; 0 if it is unknown. */
export function lengthOf(body: HttpReply['body']): number {
  if (isEvents(body)) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** The answer if a handler failed. */
export const BARE_ERROR: HttpReply = {
  status: 500,
  headers: { 'content-type': 'application/json', 'x-error-code': 'internal' },
  body: '{"detail":"internal error"}',
};

/** Throws if a value would end its header early. The value may come from a client. */
export function checkReplyHeaders({ headers, cookies = [] }: Pick<HttpReply, 'headers' | 'cookies'>): void {
  for (const name in headers) {
    if (/[^\x20-\x7e\t]/.test(headers[name]!)) throw new Error(`response header ${name} is not plain ASCII`);
  }
  for (const cookie of cookies)
    if (/[^\x20-\x7e]/.test(cookie)) throw new Error('response header set-cookie is not plain ASCII');
}

/** `200 OK` */
export function statusLine(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
}

/** Whether a response of this status never has a body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

export function hasRequestBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** What the system says when it refuses an address, in plain words, and whether another host is the remedy. */
const REFUSALS: Record<string, { why: string; ofHost?: boolean }> = {
  EADDRINUSE: { why: 'another program uses the port' },
  EACCES: { why: 'the system does not allow this port; it may keep ports below 1024 for administrators' },
  ENOTFOUND: { why: 'no host with this name is known', ofHost: true },
  EAI_AGAIN: { why: 'the name of the host could not be looked up', ofHost: true },
  EADDRNOTAVAIL: { why: 'the address does not belong to this machine', ofHost: true },
};

/**
 * The error of an address on which the system does not let a server listen.
 * @param cause error of the system, if it is known
 * @param option the option of the command line that chooses the port
 */
export function cannotListen(host: string, port: number, cause?: unknown, option = '--port'): PriorartError {
  const { code = '', message = 'the address is taken, unknown or not allowed' } =
    cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  const { why, ofHost = false } = REFUSALS[code] ?? { why: message };
  const what = `cannot listen on ${host} port ${port}: ${why}`;
  const [remedy, inCommand] = ofHost
    ? ['choose another host', 'choose another address with --host, such as 127.0.0.1 or 0.0.0.0']
    : [
        'choose another port, or end the program that uses it',
        `choose another port with ${option} (npm start -- ${option} NUMBER), or end the program that uses it`,
      ];
  return new PriorartError('cannot_listen', `${what}; ${remedy}`, {
    cause,
    inCommand: `${what}; ${inCommand}`,
  });
}

/** The error with which the system refuses an address; undefined if it allows it by now. */
export function refusalOf(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}
