/** The adapter on node:http: always there, used where uWebSockets.js does not load. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import {
  type AdapterOptions,
  BARE_ERROR,
  cannotListen,
  checkReplyHeaders,
  HEAD_MAX_BYTES,
  type HttpAdapter,
  type HttpReply,
  type HttpRequest,
  hasRequestBody,
  IDLE_TIMEOUT_MS,
  isBodiless,
  LARGE_BODY_BYTES,
  statusLine,
  type TlsIdentity,
} from './adapter.js';
import { RequestBody } from './body.js';
import { Departure } from './departure.js';
import { Running } from './running.js';

export function createNodeAdapter(options: AdapterOptions): HttpAdapter {
  return new NodeAdapter(options);
}

class NodeAdapter implements HttpAdapter {
  readonly name = 'node';
  readonly #options: AdapterOptions;
  readonly #server: Server | SecureServer;
  /** Also those that have not come to speak HTTP yet, which http.Server does not know. */
  readonly #sockets = new Set<Socket>();
  readonly #running = new Running();
  #draining = false;

  constructor(options: AdapterOptions) {
    this.#options = options;
    const limits = {
      maxHeaderSize: HEAD_MAX_BYTES,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: IDLE_TIMEOUT_MS,
      // Bodies that a handler reads have a time-out of their own; this one ends those that nobody reads.
      requestTimeout: 6 * IDLE_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
    };
    const serve = (message: IncomingMessage, response: ServerResponse) => void this.#serve(message, response);
    this.#server = options.tls
      ? createSecureServer({ ...limits, ...read(options.tls), handshakeTimeout: IDLE_TIMEOUT_MS }, serve)
      : createServer(limits, serve);
    this.#server.on('clientError', answerUnparsable);
    this.#server.maxConnections = options.connectionsMax;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
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
      this.#server.listen(port, host, () => {
        this.#server.off('error', refuse);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(graceMs: number): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    // http.Server's own close hangs up on answers that are written but still on their way to the client, so
    // listening is ended with net.Server's, and the rest is done here.
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    );
    await this.#running.none(graceMs);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server.close();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const departure = new Departure();
    const request = new NodeRequest(message, departure, this.#options);
    this.#running.begin();
    response.on('close', () => {
      this.#running.end();
      // What comes of a body that nobody has read is not kept: its client may never send the end.
      request.requestBody.clientGone();
      if (!response.writableFinished) departure.announce();
    });
    // A failing socket shows as 'close'; without a listener the error itself would end the process.
    response.on('error', () => {});
    let reply: HttpReply | undefined = BARE_ERROR;
    try {
      reply = await this.#options.handler(request);
      if (reply) checkReplyHeaders(reply.headers);
      else if (!departure.isGone) throw new Error('no reply for a client that is still there');
    } catch (error) {
      reply = BARE_ERROR;
      this.#options.onError(error);
    }
    if (!reply || departure.isGone) return;
    this.#write(message, response, reply, this.#draining || request.requestBody.isAbandoned);
  }

  #write(message: IncomingMessage, response: ServerResponse, reply: HttpReply, close: boolean): void {
    const headers: Record<string, string | number> = { ...reply.headers };
    if (close) headers['connection'] = 'close';
    if (isBodiless(reply.status)) {
      response.writeHead(reply.status, headers).end();
      return;
    }
    headers['content-length'] = Buffer.byteLength(reply.body);
    response.writeHead(reply.status, headers);
    if (message.method === 'HEAD') response.end();
    else response.end(reply.body);
    if (reply.body.length > LARGE_BODY_BYTES || message.socket.writableLength > 0) this.#watch(response);
  }

  /** Hangs up on a client that does not take its answer in time. */
  #watch(response: ServerResponse): void {
    if (response.writableFinished) return;
    const timer = setTimeout(() => response.destroy(), this.#options.writeTimeoutMs);
    response.once('close', () => clearTimeout(timer));
  }
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
  readonly #departure: Departure;
  readonly #socket: Socket;
  readonly #clientAddress: AdapterOptions['clientAddress'];

  constructor(message: IncomingMessage, departure: Departure, options: AdapterOptions) {
    this.method = message.method!;
    const target = message.url!;
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    // message.headers drops the second of some fields and joins others; here all are treated alike.
    const raw = message.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i]!.toLowerCase();
      const before = this.headers[name];
      this.headers[name] = before === undefined ? raw[i + 1]! : `${before}, ${raw[i + 1]}`;
    }
    this.#departure = departure;
    this.#socket = message.socket;
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
    const peer = (this.#socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    return this.#clientAddress?.(peer, this.headers) ?? peer;
  }

  get isGone(): boolean {
    return this.#departure.isGone;
  }

  onGone(listener: (() => void) | undefined): void {
    this.#departure.onGone(listener);
  }

  body(): Promise<Uint8Array> {
    return this.requestBody.read();
  }
}

/** Answers what node's parser refused, in the API's form of an error. */
function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  // Without TLS nothing can be said on a port of TLS.
  if (!socket.writable || /^(?:ECONNRESET$|ERR_(?:SSL|TLS)_)/.test(error.code ?? '')) {
    socket.destroy();
    return;
  }
  let [status, detail] = [400, 'the request is not valid HTTP/1.1'];
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    [status, detail] = [431, `the request head is too large; expected at most ${HEAD_MAX_BYTES} bytes`];
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    [status, detail] = [408, 'the request took too long to arrive'];
  }
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${statusLine(status)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
