/** The data of a request on uWebSockets.js, copied: its objects are valid only until the handler returns. */
import { type AdapterOptions, type HttpRequest, hasRequestBody } from './adapter.js';
import { RequestBody } from './body.js';
import type { UwsExchange } from './uws-exchange.js';
import type { UwsRequest, UwsResponse } from './uws-types.js';

export type Headers = Record<string, string | undefined>;

export function copyHeaders(req: UwsRequest): { headers: Headers; bytes: number } {
  const headers: Headers = Object.create(null);
  let bytes = req.getUrl().length + (req.getQuery()?.length ?? 0);
  req.forEach((name, value) => {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
    bytes += name.length + value.length + 4;
  });
  return { headers, bytes };
}

export function copyRequest(
  res: UwsResponse,
  req: UwsRequest,
  headers: Headers,
  exchange: UwsExchange,
  options: AdapterOptions,
): CopiedRequest {
  const method = req.getCaseSensitiveMethod();
  const body = new RequestBody(options, headers['content-length']);
  exchange.body = body;
  exchange.isHead = method === 'HEAD';
  if (hasRequestBody(method)) {
    res.onData((chunk, isLast) => {
      // uWebSockets.js reuses the memory when this returns. The body copies the chunk.
      if (chunk.byteLength > 0) body.push(new Uint8Array(chunk));
      if (!isLast) return;
      body.end();
      exchange.requestIsWhole();
    });
  } else {
    body.end();
  }
  const address = peerAddress(res);
  return new CopiedRequest(method, req.getUrl(), req.getQuery() ?? '', headers, {
    address,
    exchange,
    body,
    clientAddress: options.clientAddress,
  });
}

export function peerAddress(res: UwsResponse): string {
  // uWebSockets.js owns these bytes, so they are read immediately.
  return addressText(new Uint8Array(res.getRemoteAddress()));
}

/**
 * Whether a proxy before this server could derive a different request length than uWebSockets.js.
 * uWebSockets.js uses the first of several Content-Length fields, and treats any Transfer-Encoding as
 * `chunked`. With different lengths, one of them would read part of a body as a separate request.
 */
export function hasAmbiguousLength(headers: Headers): boolean {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  return (
    (coding !== undefined && coding.toLowerCase() !== 'chunked') ||
    (length !== undefined && !/^\d+$/.test(length))
  );
}

class CopiedRequest implements HttpRequest {
  readonly #address: string;
  readonly #clientAddress: AdapterOptions['clientAddress'];
  readonly #exchange: UwsExchange;
  readonly #body: RequestBody;

  constructor(
    readonly method: string,
    readonly path: string,
    readonly query: string,
    readonly headers: Readonly<Headers>,
    own: {
      address: string;
      exchange: UwsExchange;
      body: RequestBody;
      clientAddress: AdapterOptions['clientAddress'];
    },
  ) {
    this.#address = own.address;
    this.#clientAddress = own.clientAddress;
    this.#exchange = own.exchange;
    this.#body = own.body;
  }

  get remoteAddress(): string {
    return this.#clientAddress?.(this.#address, this.headers) ?? this.#address;
  }

  get isGone(): boolean {
    return this.#exchange.disconnect.isGone;
  }

  onGone(listener: (() => void) | undefined): void {
    this.#exchange.disconnect.onGone(listener);
  }

  body(): Promise<Uint8Array> {
    return this.#body.read();
  }
}

/** The text form of an address of 4 or 16 bytes. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes.length !== 16) return '';
  const mapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  // The URL parser shortens an address as in RFC 5952.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
