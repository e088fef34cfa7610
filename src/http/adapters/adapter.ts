/**
 * What an HTTP server is to the rest of the program. Both adapters implement this and pass one conformance
 * suite; nothing outside them sees a socket, a node:http object or a uWebSockets.js object.
 */
import { STATUS_CODES } from 'node:http';
import { PriorartError } from '../../errors.js';

export interface HttpRequest {
  /** As sent: `POST`. */
  readonly method: string;
  /** As sent, not decoded, without the query string. */
  readonly path: string;
  /** What follows the first `?`, not decoded; empty where there is none. */
  readonly query: string;
  /** By lower-case name; several fields of one name are joined with `, `. Has no prototype. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The client's: of the peer of the connection, or what a trusted proxy says of it. An IPv4 address also where it
   * came over an IPv6 socket.
   */
  readonly remoteAddress: string;
  /** Whether the client has gone away before the answer was written. */
  readonly isGone: boolean;
  /** Sets what is called when that happens, in place of what was set before; `undefined`: nothing. To be set while the client is there. */
  onGone(listener: (() => void) | undefined): void;
  /**
   * The whole body; empty for GET and HEAD.
   * Rejects with PriorartError `body_too_large`, `request_timeout`, `cancelled` or `bad_request`.
   */
  body(): Promise<Uint8Array>;
}

/** A body that is read as its client takes it: what is too large to lie in memory once for each that asks. */
export interface BodySource {
  /** Bytes in all. */
  readonly length: number;
  /** The next bytes, at least one and at most `max`. Rejects where they are not to be had. */
  read(max: number): Promise<Uint8Array>;
  /** Nothing more will be read. Called once; does not throw. */
  close(): void;
}

export interface HttpReply {
  status: number;
  /** Without Content-Length, Connection and Date, which are the adapter's. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string | BodySource;
  /** Results in the body, for the request log. */
  resultCount?: number;
}

/**
 * Answers a request. `undefined` says that there is nobody to answer any more, and is right only where
 * the client has gone.
 */
export type HttpHandler = (request: HttpRequest) => HttpReply | Promise<HttpReply | undefined>;

/** A request whose head could not be read, so that no handler is asked. */
export interface Refusal {
  status: 400 | 408 | 431;
  detail: string;
  /** What was understood of it; the peer's address. */
  method?: string;
  headers?: HttpRequest['headers'];
  remoteAddress: string;
}

export type ClientAddress = (peer: string, headers: HttpRequest['headers']) => string;

/** Files in PEM form; uWebSockets.js takes no others. */
export interface TlsIdentity {
  certFile: string;
  keyFile: string;
}

export interface AdapterOptions {
  handler: HttpHandler;
  bodyMaxBytes: number;
  bodyDrainMaxBytes: number;
  bodyTimeoutMs: number;
  /** Longest that a client may take to receive an answer. */
  writeTimeoutMs: number;
  /** How long a client that has sent its request and ended its side may want the answer; `HALF_CLOSED_MS` where absent. */
  halfClosedMs?: number;
  /** Connections above these are closed as they come. */
  connectionsMax: number;
  /** Serves HTTPS; plain HTTP where absent. */
  tls?: TlsIdentity | undefined;
  /** The client's address, from the peer's and the headers that proxies send; the peer's where absent. */
  clientAddress?: ClientAddress | undefined;
  /** What a request is answered that is not HTTP as it should be. */
  refuse(refusal: Refusal): HttpReply;
  /** Told of what a handler threw; the client gets a bare 500. */
  onError(error: unknown): void;
}

export interface HttpAdapter {
  readonly name: 'uws' | 'node';
  /**
   * Starts to accept connections; resolves to the port.
   * @throws PriorartError `cannot_listen`
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * Stops accepting, lets running requests finish, and hangs up on all that remains after `graceMs`.
   * Resolves when no connection is left.
   */
  close(graceMs: number): Promise<void>;
  /** Connections that are open. */
  readonly connections: number;
  /** Requests whose answers are not out yet. */
  readonly activeRequests: number;
  /**
   * Takes another certificate for connections that come from now on.
   * @throws Error, with the old one still in force
   */
  replaceTls(tls: TlsIdentity): void;
}

/** The longest request head, bytes; above it the answer is 431. */
export const HEAD_MAX_BYTES = 16_384;
export const HEAD_TOO_LARGE = `the request head is too large; expected at most ${HEAD_MAX_BYTES} bytes`;
/** Said of a method that is not HTTP's, or is CONNECT. */
export const UNKNOWN_METHOD = 'the request method is unknown';
/** How long an idle connection is kept, and how long a request's head may take, ms: uWebSockets.js's own. */
export const IDLE_TIMEOUT_MS = 10_000;

/** Bodies above this are watched until the client has them, and handed to the socket as it takes them. */
export const LARGE_BODY_BYTES = 64 << 10;

/** Bytes of a source that are read at once. */
export const SOURCE_CHUNK_BYTES = 64 << 10;

/** The reply, with a source that has nothing as a body that is nothing. */
export function withoutEmptySource(reply: HttpReply): HttpReply {
  if (!isSource(reply.body) || reply.body.length > 0) return reply;
  reply.body.close();
  return { ...reply, body: '' };
}

export function isSource(body: HttpReply['body']): body is BodySource {
  return typeof body === 'object' && 'read' in body;
}

/** Bytes of a body. */
export function lengthOf(body: HttpReply['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** What a client gets whose handler failed. */
export const BARE_ERROR: HttpReply = {
  status: 500,
  headers: { 'content-type': 'application/json', 'x-error-code': 'internal' },
  body: '{"detail":"internal error"}',
};

/** Throws on a header that would let its value end the head early; the value may have come from a client. */
export function checkReplyHeaders(headers: HttpReply['headers']): void {
  for (const name in headers) {
    if (/[^\x20-\x7e\t]/.test(headers[name]!)) throw new Error(`response header ${name} is not plain ASCII`);
  }
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

export function cannotListen(host: string, port: number, cause?: unknown): PriorartError {
  const why = cause instanceof Error ? cause.message : 'the address is taken, unknown or not allowed';
  return new PriorartError(
    'cannot_listen',
    `cannot listen on ${host} port ${port}: ${why}; choose another, or end the program that uses it`,
    { cause },
  );
}
