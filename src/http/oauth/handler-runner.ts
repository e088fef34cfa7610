/** Runs handlers of node:http, such as that of oidc-provider, for requests of an adapter. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply, HttpRequest } from '../adapters/adapter.js';
import { inject } from './library.js';
import { INTERACTION_COOKIE, RESUME_COOKIE } from './provider.js';

export type NodeHandler = (incoming: IncomingMessage, response: ServerResponse) => unknown;

export class HandlerRunner {
  readonly #address: URL;
  /** Errors that were reported, by the request that met them. */
  readonly #faults = new WeakMap<IncomingMessage, Error>();

  /** @param publicUrl address of this server for clients, without a slash at its end */
  constructor(publicUrl: string) {
    this.#address = new URL(publicUrl);
  }

  /** Reports an error that a library has met at a request and answered itself. */
  report(request: IncomingMessage, error: Error): void {
    this.#faults.set(request, error);
  }

  /**
   * Runs a handler for a request.
   * @param url path and query that the handler sees
   * @throws the error that the handler throws or reports, as a rejection
   */
  async run(
    request: HttpRequest,
    body: Uint8Array | undefined,
    url: string,
    handler: NodeHandler,
  ): Promise<HttpReply> {
    const { protocol, host, pathname } = this.#address;
    const baseUrl = pathname === '/' ? '' : pathname;
    let fault: unknown;
    const response = await inject(
      (incoming, answer) => {
        // The path below which a proxy serves this server.
        Object.assign(incoming, { baseUrl });
        const fail = (error: unknown) => {
          fault = error;
          answer.statusCode = 500;
          answer.end();
        };
        Promise.resolve(handler(incoming as IncomingMessage, answer as unknown as ServerResponse)).then(
          () => {
            fault ??= this.#faults.get(incoming as IncomingMessage);
          },
          fail,
        );
      },
      {
        method: body ? 'POST' : 'GET',
        url,
        remoteAddress: request.remoteAddress,
        headers: {
          ...passedHeaders(request),
          // Addresses in answers begin with the public address, whatever Host the client sent.
          ...{ host, 'x-forwarded-proto': protocol.slice(0, -1) },
        },
        ...(body ? { payload: Buffer.from(body) } : {}),
      },
    );
    fault ??= this.#faults.get(response.raw.req as unknown as IncomingMessage);
    if (fault !== undefined) throw fault;
    return replyOf(response);
  }
}

const PASSED = ['accept', 'authorization', 'content-type', 'origin', 'sec-fetch-site', 'user-agent'];
/** Cookies of the library, and their signatures. */
const COOKIES = new Set([INTERACTION_COOKIE, RESUME_COOKIE].flatMap((name) => [name, `${name}.sig`]));

function passedHeaders({ headers }: HttpRequest): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED) if (headers[name] !== undefined) passed[name] = headers[name];
  const cookies = (headers['cookie'] ?? '').split(';').map((part) => part.trim());
  const own = cookies.filter((part) => COOKIES.has(part.split('=', 1)[0]!));
  if (own.length > 0) passed['cookie'] = own.join('; ');
  return passed;
}

interface Injected {
  statusCode: number;
  headers: Record<string, unknown>;
  rawPayload: Uint8Array;
}

/** Headers that an adapter sets itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

function replyOf({ statusCode, headers, rawPayload }: Injected): HttpReply {
  const kept = Object.entries(headers).filter(
    ([name, value]) => !OF_CONNECTION.has(name) && value !== undefined,
  );
  const cookies = [headers['set-cookie'] ?? []].flat() as string[];
  const own = cookies.filter((cookie) => COOKIES.has(cookie.split('=', 1)[0]!));
  return {
    status: statusCode,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ...(own.length > 0 ? { cookies: own } : {}),
    body: rawPayload,
  };
}
