/**
 * What the tools need of the service: five calls. `RestApi` makes them over HTTP or within the server, `EngineApi` on an
 * engine.
 */
import { type ErrorCode, isPriorartError, PriorartError } from '../errors.js';
import { MCP_IMAGE_MAX_BYTES } from '../limits.js';
import type { AnalyticsResponse, Coverage, DetailsResponse, SearchResponse } from '../search/types.js';

export interface CallOptions {
  /** Fires when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Name of the call in the request log, such as `mcp.search_patents`. */
  label: string;
  /** Whether another call of the same tool came before it, which is the one that is logged. */
  continues?: true;
}

/** A stored drawing. */
export interface Drawing {
  /** Address at which anyone can read the image; undefined without a server. */
  link?: string;
  /** Reads the image, WebP. @throws PriorartError `unavailable`, `body_too_large` */
  image(): Promise<Uint8Array>;
}

/**
 * The calls of the tools. Requests are checked by the service, as bodies of HTTP requests are. Each call rejects with
 * a PriorartError that has the code and the detail of the HTTP answer.
 */
export interface PatentApi {
  search(request: object, options: CallOptions): Promise<SearchResponse>;
  analyze(request: object, options: CallOptions): Promise<AnalyticsResponse>;
  details(request: object, options: CallOptions): Promise<DetailsResponse>;
  coverage(options: CallOptions): Promise<Coverage>;
  drawing(publication: string, file: string, options: CallOptions): Promise<Drawing>;
}

export interface RestCall {
  method: 'GET' | 'POST';
  /** Path with its query string, below the base URL. */
  path: string;
  /** JSON; absent for GET. */
  body?: string;
  /** Whether this call belongs to the call before it, so that the log has one line for both. */
  continues?: true;
}

export interface RestReply {
  status: number;
  header(name: string): string | undefined;
  body: Uint8Array;
}

/** Makes a call of the REST interface. Follows no redirects. Rejects with PriorartError `unavailable`, `cancelled`. */
export type Send = (call: RestCall, options: CallOptions) => Promise<RestReply>;

const REDIRECT = 302;
const DRAWINGS = '/api/v1/drawings';

/** Calls of the REST interface. */
export class RestApi implements PatentApi {
  readonly #send: Send;
  readonly #base: string;

  /** @param base address of the server for clients, without a slash at its end */
  constructor(send: Send, base: string) {
    this.#send = send;
    this.#base = base;
  }

  search(request: object, options: CallOptions): Promise<SearchResponse> {
    return this.#post('/api/v1/search/semantic', request, options);
  }

  analyze(request: object, options: CallOptions): Promise<AnalyticsResponse> {
    return this.#post('/api/v1/search/semantic-analytics', request, options);
  }

  details(request: object, options: CallOptions): Promise<DetailsResponse> {
    return this.#post('/api/v1/patents/details', request, options);
  }

  async coverage(options: CallOptions): Promise<Coverage> {
    return parsed(await this.#send({ method: 'GET', path: '/api/v1/stats/coverage' }, options));
  }

  async drawing(publication: string, file: string, options: CallOptions): Promise<Drawing> {
    const path = `${DRAWINGS}/${encodeURIComponent(publication)}/${encodeURIComponent(file)}`;
    const { continues } = options;
    const reply = await this.#send({ method: 'GET', path, ...(continues && { continues }) }, options);
    const location = reply.header('location');
    if (reply.status !== REDIRECT || location === undefined) throw errorOf(reply);
    return { link: this.#base + path, image: () => this.#image(path, location, options) };
  }

  /** Reads the image behind a redirect: from this server, or from the bucket that it names. */
  async #image(path: string, location: string, options: CallOptions): Promise<Uint8Array> {
    const here = new URL(path, 'http://server.invalid');
    const target = new URL(location, here);
    if (target.origin !== here.origin) return download(target, options.signal);
    const call = { method: 'GET', path: target.pathname + target.search, continues: true } as const;
    const reply = await this.#send(call, options);
    if (reply.status !== 200) throw errorOf(reply);
    return reply.body;
  }

  async #post<T>(path: string, request: object, options: CallOptions): Promise<T> {
    return parsed(await this.#send({ method: 'POST', path, body: JSON.stringify(request) }, options));
  }
}

/** UTF-8 as text. A Buffer decodes several times faster than a TextDecoder. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function parsed<T>(reply: RestReply): T {
  if (reply.status !== 200) throw errorOf(reply);
  try {
    return JSON.parse(textOf(reply.body)) as T;
  } catch (cause) {
    throw new PriorartError('unavailable', 'the answer of the server is not JSON; check the base URL', {
      cause,
    });
  }
}

/** The error of an answer: `{detail}`, and the code in X-Error-Code. */
function errorOf({ status, header, body }: RestReply): PriorartError {
  const code = header('x-error-code') as ErrorCode | undefined;
  const after = Number(header('retry-after'));
  const retryAfter = after > 0 ? { retryAfter: after } : {};
  if (code === undefined) {
    const message = `the server answered ${status} in a form that is not its own; check the base URL`;
    return new PriorartError('unavailable', message, retryAfter);
  }
  return new PriorartError(code, detailOf(body), retryAfter);
}

function detailOf(body: Uint8Array): string {
  try {
    const { detail } = JSON.parse(textOf(body)) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // The code says enough.
  }
  return 'the server gave no detail';
}

/**
 * A step of a call over HTTP.
 * @param failure the message if it fails. It gets the reason as the end of a sentence, or an empty text
 * @throws PriorartError `cancelled` if the signal fired, else `unavailable`; those of the step
 */
export async function overHttp<T>(
  step: Promise<T>,
  signal: AbortSignal,
  failure: (why: string) => string,
): Promise<T> {
  try {
    return await step;
  } catch (cause) {
    if (isPriorartError(cause)) throw cause;
    if (signal.aborted) throw new PriorartError('cancelled', 'the call was cancelled', { cause });
    const reason = (cause as Error).cause;
    const why = reason instanceof Error ? `: ${reason.message}` : '';
    throw new PriorartError('unavailable', failure(why), { cause });
  }
}

/** Reads an image from an address that the server gave. The reason of a failure may name addresses: it is not told. */
async function download(url: URL, signal: AbortSignal): Promise<Uint8Array> {
  const storage = 'the storage of drawings';
  const response = await overHttp(fetch(url, { signal }), signal, () => `${storage} cannot be reached`);
  if (!response.ok || response.body === null) {
    throw new PriorartError('unavailable', `${storage} answered ${response.status}`);
  }
  const image = boundedBody(response.body, MCP_IMAGE_MAX_BYTES);
  return overHttp(image, signal, () => `${storage} ended its answer early`);
}

/** All bytes of a stream. @throws PriorartError `body_too_large` */
export async function boundedBody(stream: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > most) throw new PriorartError('body_too_large', `the answer has more than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
