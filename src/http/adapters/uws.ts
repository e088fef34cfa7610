/**
 * The adapter on uWebSockets.js. Its rules are enforced with std::terminate(), which no JavaScript can catch:
 *   - a response may not be touched after it was aborted or ended;
 *   - a handler that does not answer at once must have registered onAborted;
 *   - the request object may only be read before the handler returns, a chunk only before its callback does.
 * So only the files uws*.ts see these objects. The handler here registers onAborted and onData before anything else,
 * copies what the request holds, and every write goes through Exchange, which knows whether it is still open.
 *
 * What its parser answers, or leaves unanswered, before any handler runs is not as with node:http. All of it is a
 * refusal:
 *   - HTTP/1.0, and a request line that comes in two TCP segments: 505;
 *   - a request without Host, chunk extensions, and other errors of form: 400;
 *   - the body of these answers is HTML, they have no request id, and they are not logged;
 *   - a header name with another character than a letter, a digit or a hyphen (RFC 9110 allows `!#$%&'*+.^_|~`, too), a
 *     control character in a header's value, and more than 98 header fields: taken for a head that is not finished; the
 *     connection ends after 10 s;
 *   - a second request in the same TCP segment as one that is worked on for more than an instant (two POSTs that are
 *     pipelined): the connection ends without an answer to either. One that comes later waits for its turn;
 *   - an answer larger than the socket's buffer, to a client that has ended its side: its end is missing.
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
  type TlsIdentity,
} from './adapter.js';
import { Running } from './running.js';
import { Exchange } from './uws-exchange.js';
import { copyHeaders, copyRequest, hasAmbiguousLength, peerAddress } from './uws-request.js';
import type { ListenSocket, UwsApp, UwsModule, UwsRequest, UwsResponse } from './uws-types.js';

/** @throws Error where the binary does not load on this system */
export function createUwsAdapter(options: AdapterOptions): HttpAdapter {
  return new UwsAdapter(loadUws(), options);
}

function loadUws(): UwsModule {
  // Read by the binary when it is loaded; its own default, 4 KiB, is less than proxies and node:http let pass.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(HEAD_MAX_BYTES);
  return createRequire(import.meta.url)('uWebSockets.js') as UwsModule;
}

class UwsAdapter implements HttpAdapter {
  readonly name = 'uws';
  readonly #uws: UwsModule;
  readonly #options: AdapterOptions;
  readonly #running = new Running();
  /** The last one takes new connections; those before it had other certificates. */
  readonly #apps: UwsApp[];
  #listening: ListenSocket | undefined;
  #address: { host: string; port: number } | undefined;
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
    this.#listenOn(host, port);
    const taken = this.#uws.us_socket_local_port(this.#listening!);
    this.#address = { host, port: taken };
    // A port that was asked for by its number can be taken again while its connections are open, and only such a one.
    if (port === 0 && this.#options.tls) this.#listenAgain();
    return taken;
  }

  #listenOn(host: string, port: number): void {
    // Without the exclusive option two servers would share the port, each getting some of the connections.
    this.#apps.at(-1)!.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) this.#listening = socket;
    });
    if (!this.#listening) throw cannotListen(host, port);
  }

  /** An app has one identity for good: another one takes its place at the port, and it keeps its connections. */
  replaceTls(tls: TlsIdentity): void {
    const app = this.#appFor(tls);
    if (!this.#listening) return;
    this.#apps.push(app);
    this.#listenAgain();
  }

  #listenAgain(): void {
    const { host, port } = this.#address!;
    this.#uws.us_listen_socket_close(this.#listening!);
    this.#listening = undefined;
    this.#listenOn(host, port);
  }

  async close(graceMs: number): Promise<void> {
    if (!this.#listening) return;
    this.#uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
    await this.#running.none(graceMs);
    for (const app of this.#apps) app.close();
  }

  #serve(res: UwsResponse, req: UwsRequest): void {
    const exchange = new Exchange(res, this.#running, this.#options);
    res.onAborted(() => exchange.abort());
    try {
      const { headers, bytes } = copyHeaders(req);
      if (hasAmbiguousLength(headers)) {
        // An answer would leave the connection to the parser, which goes on with what follows.
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

  #answer(exchange: Exchange, reply: HttpReply | undefined): void {
    try {
      if (!reply && exchange.isOpen) throw new Error('no reply for a client that is still there');
      if (!reply) return;
      checkReplyHeaders(reply.headers);
      exchange.write(reply, this.#listening === undefined);
    } catch (error) {
      this.#answerError(exchange, error);
    }
  }

  #answerError(exchange: Exchange, error: unknown): void {
    exchange.write(BARE_ERROR, this.#listening === undefined);
    this.#options.onError(error);
  }
}
