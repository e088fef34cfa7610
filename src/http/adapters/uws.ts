/**
 * The adapter on uWebSockets.js. uWebSockets.js enforces its rules with std::terminate(), which JavaScript
 * cannot catch:
 * - a response must not be used after it was aborted or ended;
 * - a handler that does not answer immediately must have registered onAborted;
 * - the request object may only be read before the handler returns, a chunk only before its callback returns.
 *
 * So only the files uws*.ts see these objects. The handler in this file registers onAborted and onData first,
 * and copies the data of the request. Every write goes through UwsExchange, which knows whether the response is
 * open.
 *
 * The parser of uWebSockets.js answers some requests, or leaves them unanswered, before any handler runs. It
 * differs from node:http. All cases are refusals:
 * - HTTP/1.0, and a request line that arrives in two TCP segments: 505;
 * - a request without Host, chunk extensions, and other errors of form: 400;
 * - the body of these answers is HTML, the answers have no request id, and they are not logged;
 * - a header name with a character other than letters, digits and hyphens (RFC 9110 also allows
 *   `!#$%&'*+.^_|~`), a control character in a header's value, and more than 98 header fields: the parser
 *   treats the head as incomplete, and the connection ends after 10 s;
 * - a second request in the same TCP segment as a request that is not answered immediately (two pipelined
 *   POSTs): the connection ends without an answer to either request. A request in a later segment waits for
 *   its turn;
 * - an answer larger than the socket's buffer, to a client that has ended its side: the end of the answer is
 *   missing.
 */
import { createRequire } from 'node:module';
import {
  type AdapterOptions,
  BARE_ERROR,
  cannotListen,
  checkReplyHeaders,
  HEAD_MAX_BYTES,
  HEAD_TOO_LARGE,
  type HttpAdapter,
  type HttpReply,
  hasRequestBody,
  refusalOf,
  type TlsIdentity,
} from './adapter.js';
import { Running } from './running.js';
import { UwsExchange } from './uws-exchange.js';
import { copyHeaders, copyRequest, hasAmbiguousLength, peerAddress } from './uws-request.js';
import type { ListenSocket, UwsApp, UwsModule, UwsRequest, UwsResponse } from './uws-types.js';

/** Milliseconds between attempts to listen again. */
const LISTEN_EVERY_MS = 1_000;

/**
 * @param uws the loaded binary
 * @throws Error if the binary does not load on this system
 */
export function createUwsAdapter(options: AdapterOptions, uws: UwsModule = loadUws()): HttpAdapter {
  return new UwsAdapter(uws, options);
}

/** @throws Error if the binary does not load on this system */
export function loadUws(): UwsModule {
  // The binary reads this variable when it loads. Its default of 4 KiB is less than the limits of proxies and
  // node:http.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(HEAD_MAX_BYTES);
  return createRequire(import.meta.url)('uWebSockets.js') as UwsModule;
}

class UwsAdapter implements HttpAdapter {
  readonly name = 'uws';
  readonly #uws: UwsModule;
  readonly #options: AdapterOptions;
  readonly #running = new Running();
  /** The last app accepts new connections. The earlier apps have older certificates. */
  readonly #apps: UwsApp[];
  #listening: ListenSocket | undefined;
  #address: { host: string; port: number } | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #isClosed = false;
  connections = 0;

  constructor(uws: UwsModule, options: AdapterOptions) {
    this.#uws = uws;
    this.#options = options;
    this.#apps = [this.#appFor(options.tls)];
  }

  #appFor(tls: TlsIdentity | undefined): UwsApp {
    const app = tls
      ? this.#uws.SSLApp({ key_file_name: tls.keyFile, cert_file_name: tls.certFile })
      : this.#uws.App();
    app.filter((res, change) => this.#count(res, change));
    return app.any('/*', (res, req) => this.#serve(res, req));
  }

  get activeRequests(): number {
    return this.#running.count;
  }

  #count(res: UwsResponse, change: number): void {
    this.connections += change;
    if (change > 0 && this.connections > this.#options.connectionsMax) res.close();
  }

  async listen(host: string, port: number): Promise<number> {
    // uWebSockets.js does not say why it cannot listen.
    if (!this.#listenOn(host, port)) throw cannotListen(host, port, await refusalOf(host, port));
    const taken = this.#uws.us_socket_local_port(this.#listening!);
    this.#address = { host, port: taken };
    // A port with a fixed number can be opened again while its connections are open. A port that the system
    // chose cannot.
    if (port === 0 && this.#options.tls) this.#listenAgain();
    return taken;
  }

  #listenOn(host: string, port: number): boolean {
    // Without the exclusive option, two servers would share the port, and each would receive some of the
    // connections.
    this.#apps.at(-1)!.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) this.#listening = socket;
    });
    return this.#listening !== undefined;
  }

  /**
   * The identity of an app cannot change. A new app takes over the port, and the old app keeps its
   * connections. If the new one cannot listen, the old one does, as soon as the address can be had.
   */
  replaceTls(tls: TlsIdentity): void {
    const app = this.#appFor(tls);
    if (!this.#address || this.#isClosed) return;
    this.#apps.push(app);
    try {
      this.#listenAgain();
    } catch (error) {
      this.#apps.pop();
      this.#retry();
      throw error;
    }
  }

  #listenAgain(): void {
    const { host, port } = this.#address!;
    this.#stopListening();
    if (!this.#listenOn(host, port)) throw cannotListen(host, port);
  }

  /** Listens again, now or later. The address may be that of another machine for a while. */
  #retry(): void {
    const { host, port } = this.#address!;
    if (!this.#listenOn(host, port)) this.#retrying = setTimeout(() => this.#retry(), LISTEN_EVERY_MS);
  }

  #stopListening(): void {
    clearTimeout(this.#retrying);
    if (this.#listening) this.#uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
  }

  async close(graceMs: number): Promise<void> {
    if (!this.#address || this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    await this.#running.none(graceMs);
    for (const app of this.#apps) app.close();
  }

  #serve(res: UwsResponse, req: UwsRequest): void {
    const exchange = new UwsExchange(res, this.#running, this.#options);
    res.onAborted(() => exchange.abort());
    try {
      const { headers, bytes } = copyHeaders(req);
      if (hasAmbiguousLength(headers)) {
        // After an answer, the parser would continue with the next bytes of the connection.
        res.close();
        return;
      }
      if (bytes > HEAD_MAX_BYTES) {
        const method = req.getCaseSensitiveMethod();
        const peer = peerAddress(res);
        const remoteAddress = this.#options.clientAddress?.(peer, headers) ?? peer;
        const refusal = { status: 431, detail: HEAD_TOO_LARGE, method, headers, remoteAddress } as const;
        exchange.write(this.#options.refuse(refusal), true);
        return;
      }
      const request = copyRequest(res, req, headers, exchange, this.#options);
      const result = this.#options.handler(request);
      if (result instanceof Promise) {
        if (!hasRequestBody(request.method)) exchange.requestIsWhole();
        result.then(
          (reply) => this.#answer(exchange, reply),
          (error: unknown) => this.#answerError(exchange, error),
        );
      } else {
        this.#answer(exchange, result);
      }
    } catch (error) {
      this.#answerError(exchange, error);
    }
  }

  #answer(exchange: UwsExchange, reply: HttpReply | undefined): void {
    try {
      if (!reply && exchange.isOpen) throw new Error('no reply for a client that is still there');
      if (!reply) return;
      checkReplyHeaders(reply);
      exchange.write(reply, this.#listening === undefined);
    } catch (error) {
      this.#answerError(exchange, error);
    }
  }

  #answerError(exchange: UwsExchange, error: unknown): void {
    exchange.write(BARE_ERROR, this.#listening === undefined);
    this.#options.onError(error);
  }
}
