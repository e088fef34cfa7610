/** The adapter on node:http. It is always available, and is used if uWebSockets.js does not load. */
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { giveBack } from '../../give-back.js';
import { HALF_CLOSED_MS, STREAM_WAITING_MAX_BYTES } from '../../limits.js';
import {
  type AdapterOptions,
  BARE_ERROR,
  type BodySource,
  cannotListen,
  checkReplyHeaders,
  type EventBody,
  HEAD_MAX_BYTES,
  HEAD_TOO_LARGE,
  type HttpAdapter,
  type HttpReply,
  type HttpRequest,
  hasRequestBody,
  IDLE_TIMEOUT_MS,
  isBodiless,
  isEvents,
  isSource,
  LARGE_BODY_BYTES,
  lengthOf,
  type Refusal,
  SOURCE_CHUNK_BYTES,
  statusLine,
  type TlsIdentity,
  UNKNOWN_METHOD,
  withoutEmptySource,
} from './adapter.js';
import { RequestBody } from './body.js';
import { Disconnect } from './disconnect.js';
import { Running } from './running.js';

export function createNodeAdapter(options: AdapterOptions): HttpAdapter {
  return new NodeAdapter(options);
}

/**
 * Connections that may wait for acceptance, up to the limit of the system. Node's default of 511 fills up if
 * thousands of clients connect at the same time. A client whose connection is dropped retries after 1, 3 or 7
 * seconds.
 */
const ACCEPT_BACKLOG = 4_096;

/**
 * Requests of a connection that wait for their answers, at most. Node parses pipelined requests as fast as they come, so a client
 * that sends without a pause would fill the memory. Clients that pipeline at all send some ten.
 */
const PIPELINED_MAX = 64;

class NodeAdapter implements HttpAdapter {
  readonly name = 'node';
  readonly #options: AdapterOptions;
  readonly #server: Server | SecureServer;
  /** All sockets. http.Server does not know sockets that have not sent HTTP yet. */
  readonly #sockets = new Set<Socket>();
  readonly #running = new Running();
  /** Answers of each connection that are not complete. */
  readonly #unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  /** Connections on which something came that is not HTTP. */
  readonly #unparsable = new WeakSet<Socket>();
  #draining = false;

  constructor(options: AdapterOptions) {
    this.#options = options;
    const limits = {
      maxHeaderSize: HEAD_MAX_BYTES,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: IDLE_TIMEOUT_MS,
      // A body that a handler reads has a separate time limit. This limit is for unread bodies.
      requestTimeout: 6 * IDLE_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
    };
    const serve = (message: IncomingMessage, response: ServerResponse) => void this.#serve(message, response);
    this.#server = options.tls
      ? createSecureServer({ ...limits, ...read(options.tls), handshakeTimeout: IDLE_TIMEOUT_MS }, serve)
      : createServer(limits, serve);
    this.#server.on('clientError', (error: Error, socket: Socket) => this.#answerUnparsable(error, socket));
    this.#server.on('connect', (_: IncomingMessage, socket: Socket) => {
      // Node has removed its own listeners from the socket. Without this one, a client that resets it would end the process.
      socket.on('error', () => {});
      // Node has also removed the listener that continues an answer, so a running answer would not end.
      if (this.#unanswered.get(socket)?.size) socket.destroy();
      else this.#refuse(Object.assign(new Error(UNKNOWN_METHOD), { code: 'HPE_INVALID_METHOD' }), socket);
    });
    this.#server.maxConnections = options.connectionsMax;
    // Otherwise node ends its side when a client ends its side, even before the answer.
    (this.#server as unknown as { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    this.#server.on('connection', (socket: Socket) => {
      this.#options.onAccept?.();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.once('end', () => this.#endHalfClosed(socket));
    });
  }

  replaceTls(tls: TlsIdentity): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(read(tls));
  }

  get connections(): number {
    return this.#sockets.size;
  }

  get activeRequests(): number {
    return this.#running.count;
  }

  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => reject(cannotListen(host, port, error));
      this.#server.once('error', refuse);
      this.#server.listen({ host, port, backlog: ACCEPT_BACKLOG }, () => {
        this.#server.off('error', refuse);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(graceMs: number): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    // http.Server's close destroys connections whose answers are written but not yet sent. So net.Server's
    // close ends the listening, and this method closes the connections.
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    );
    await this.#running.none(graceMs);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server.close();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const unanswered = this.#unansweredOf(message.socket);
    if (unanswered.size >= PIPELINED_MAX) {
      message.socket.destroy();
      return;
    }
    const disconnect = new Disconnect();
    const request = new NodeRequest(message, disconnect, this.#options);
    this.#running.begin();
    unanswered.add(response);
    response.once('close', () => {
      unanswered.delete(response);
      this.#running.end();
      // An unread body is discarded: its client may never send the end.
      request.requestBody.clientGone();
      if (!response.writableFinished) disconnect.announce();
    });
    // A failing socket emits 'close'. Without a listener, the 'error' event would end the process.
    response.on('error', () => {});
    let reply: HttpReply | undefined = BARE_ERROR;
    try {
      reply = await this.#options.handler(request);
      if (reply) checkReplyHeaders(reply);
      else if (!disconnect.isGone) throw new Error('no reply for a client that is still there');
    } catch (error) {
      reply = BARE_ERROR;
      this.#options.onError(error);
    }
    if (reply) reply = withoutEmptySource(reply);
    if (reply && (disconnect.isGone || message.method === 'HEAD')) {
      if (isSource(reply.body)) reply.body.close();
      else if (isEvents(reply.body)) reply.body.ended();
    }
    if (!reply || disconnect.isGone) return;
    const close = this.#draining || request.requestBody.isAbandoned;
    if (isSource(reply.body) && message.method !== 'HEAD') {
      await this.#writeSource(response, reply, reply.body, close);
    } else if (isEvents(reply.body) && message.method !== 'HEAD') {
      this.#writeEvents(response, reply, reply.body);
    } else this.#write(message, response, reply, close);
  }

  /**
   * The incomplete answers of a connection. If it closes, node emits 'close' for the answer that is being sent alone, not for
   * those of pipelined requests behind it.
   */
  #unansweredOf(socket: Socket): Set<ServerResponse> {
    const known = this.#unanswered.get(socket);
    if (known) return known;
    const unanswered = new Set<ServerResponse>();
    this.#unanswered.set(socket, unanswered);
    socket.once('close', () => {
      for (const response of unanswered) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return unanswered;
  }

  /**
   * A client that has ended its side may wait for its answer, or may have disconnected. After some time
   * without an answer it counts as disconnected.
   */
  #endHalfClosed(socket: Socket): void {
    const written = socket.bytesWritten;
    const timer = setTimeout(() => {
      // An answer that is being sent has a separate time limit.
      if (socket.bytesWritten === written) socket.destroy();
    }, this.#options.halfClosedMs ?? HALF_CLOSED_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Answers a request that node's parser refused, as an API error, after the answers to those before it. */
  #answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
    // After a failed TLS handshake, no answer can be sent.
    if (!socket.writable || /^(?:ECONNRESET$|ERR_(?:SSL|TLS)_)/.test(error.code ?? '')) {
      socket.destroy();
      return;
    }
    // The parser refuses whatever follows, too.
    if (this.#unparsable.has(socket)) return;
    this.#unparsable.add(socket);
    const unanswered = [...(this.#unanswered.get(socket) ?? [])];
    // If the body of a request is what cannot be parsed, the refusal is its answer.
    const before = unanswered.filter(({ req, headersSent }) => req.complete || headersSent);
    let waiting = before.length;
    if (waiting === 0) this.#refuse(error, socket);
    const ended = () => {
      waiting -= 1;
      if (waiting === 0 && socket.writable) this.#refuse(error, socket);
    };
    for (const response of before) response.once('close', ended);
  }

  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const { status, headers, body } = this.#options.refuse({
      ...refusalOf(error),
      remoteAddress: addressOf(socket),
    });
    checkReplyHeaders({ headers });
    const all = Object.entries({ ...headers, 'content-length': lengthOf(body), connection: 'close' });
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${statusLine(status)}\r\n${lines.join('')}\r\n${body}`);
  }

  #write(message: IncomingMessage, response: ServerResponse, reply: HttpReply, close: boolean): void {
    const headers: OutgoingHttpHeaders = { ...reply.headers };
    if (reply.cookies) headers['set-cookie'] = [...reply.cookies];
    if (close) headers['connection'] = 'close';
    if (isBodiless(reply.status)) {
      response.writeHead(reply.status, headers).end();
      return;
    }
    if (!isEvents(reply.body)) headers['content-length'] = lengthOf(reply.body);
    response.writeHead(reply.status, headers);
    if (message.method === 'HEAD' || isSource(reply.body) || isEvents(reply.body)) {
      response.end();
      return;
    }
    const { body } = reply;
    if (reply.ownsBody && typeof body !== 'string') response.once('finish', () => giveBack(body));
    response.end(reply.body);
    if (reply.body.length > LARGE_BODY_BYTES || message.socket.writableLength > 0) this.#watch(response);
  }

  #writeEvents(response: ServerResponse, { status, headers }: HttpReply, events: EventBody): void {
    response.on('close', () => events.ended());
    response.writeHead(status, headers);
    events.begin({
      write: (text) => {
        if (response.destroyed || response.writableEnded) return;
        response.write(text);
        if (response.writableLength > STREAM_WAITING_MAX_BYTES) response.destroy();
      },
      end: () => response.end(),
    });
  }

  /**
   * Reads more as the client accepts the bytes. A source that fails after the first bytes ends the
   * connection.
   */
  async #writeSource(
    response: ServerResponse,
    { status, headers }: HttpReply,
    source: BodySource,
    close: boolean,
  ): Promise<void> {
    const head = { ...headers, 'content-length': source.length, ...(close ? { connection: 'close' } : {}) };
    this.#watch(response);
    try {
      for (let sent = 0; sent < source.length && !response.destroyed; ) {
        const chunk = await source.read(SOURCE_CHUNK_BYTES);
        if (!response.headersSent) response.writeHead(status, head);
        sent += chunk.length;
        if (!response.write(chunk)) await drained(response);
      }
      response.end();
    } catch (error) {
      this.#options.onError(error);
      if (response.headersSent) response.destroy();
      else {
        const bare = { ...BARE_ERROR.headers, 'content-length': lengthOf(BARE_ERROR.body) };
        response.writeHead(BARE_ERROR.status, bare).end(BARE_ERROR.body);
      }
    } finally {
      source.close();
    }
  }

  /** Closes the connection of a client that does not accept its answer in time. */
  #watch(response: ServerResponse): void {
    if (response.writableFinished) return;
    const timer = setTimeout(() => response.destroy(), this.#options.writeTimeoutMs);
    response.once('close', () => clearTimeout(timer));
  }
}

/** Address of the peer. An IPv4 address on an IPv6 socket has the IPv4 form. */
function addressOf(socket: Socket): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

function read({ certFile, keyFile }: TlsIdentity): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string | undefined> = Object.create(null);
  readonly requestBody: RequestBody;
  readonly #disconnect: Disconnect;
  /** Read at once: a connection that has ended has no address. */
  readonly #peer: string;
  readonly #clientAddress: AdapterOptions['clientAddress'];

  constructor(message: IncomingMessage, disconnect: Disconnect, options: AdapterOptions) {
    this.method = message.method!;
    const target = message.url!;
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    // message.headers drops duplicates of some fields and joins others. This treats all fields alike.
    const raw = message.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i]!.toLowerCase();
      const before = this.headers[name];
      this.headers[name] = before === undefined ? raw[i + 1]! : `${before}, ${raw[i + 1]}`;
    }
    this.#disconnect = disconnect;
    this.#peer = addressOf(message.socket);
    this.#clientAddress = options.clientAddress;
    this.requestBody = new RequestBody(options, this.headers['content-length']);
    if (hasRequestBody(this.method)) {
      message.on('data', (chunk: Buffer) => this.requestBody.push(chunk));
      message.on('end', () => this.requestBody.end());
      message.on('error', () => this.requestBody.clientGone());
    } else {
      message.resume();
      this.requestBody.end();
    }
  }

  get remoteAddress(): string {
    return this.#clientAddress?.(this.#peer, this.headers) ?? this.#peer;
  }

  get isGone(): boolean {
    return this.#disconnect.isGone;
  }

  onGone(listener: (() => void) | undefined): void {
    this.#disconnect.onGone(listener);
  }

  body(): Promise<Uint8Array> {
    return this.requestBody.read();
  }
}

/** Resolves when the client has accepted the waiting bytes, or has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve();
      return;
    }
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** Status and detail for a request that node's parser refused. */
function refusalOf({ code }: NodeJS.ErrnoException): Pick<Refusal, 'status' | 'detail'> {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, detail: HEAD_TOO_LARGE };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'the request took too long to arrive' };
  if (code === 'HPE_INVALID_METHOD') return { status: 400, detail: UNKNOWN_METHOD };
  return { status: 400, detail: 'the request is not valid HTTP/1.1' };
}
