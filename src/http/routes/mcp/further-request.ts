/** A request that a tool makes within the server. */
import { PriorartError } from '../../../errors.js';
import { MCP_IMAGE_MAX_BYTES } from '../../../limits.js';
import {
  type HttpReply,
  type HttpRequest,
  isEvents,
  isSource,
  SOURCE_CHUNK_BYTES,
} from '../../adapters/adapter.js';

export class FurtherRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HttpRequest['headers'];
  readonly remoteAddress: string;
  readonly #body: Uint8Array;
  readonly #signal: AbortSignal;
  #listener: (() => void) | undefined;

  /** @param outer the request of the client */
  constructor(
    outer: HttpRequest,
    given: { method: string; path: string; body: string | undefined; signal: AbortSignal },
  ) {
    const [path = '', query = ''] = given.path.split('?', 2);
    this.method = given.method;
    this.path = path;
    this.query = query;
    const type = given.body === undefined ? {} : { 'content-type': 'application/json' };
    this.headers = Object.assign(Object.create(null), type);
    this.remoteAddress = outer.remoteAddress;
    this.#body = Buffer.from(given.body ?? '');
    this.#signal = given.signal;
  }

  get isGone(): boolean {
    return this.#signal.aborted;
  }

  onGone(listener: (() => void) | undefined): void {
    if (this.#listener) this.#signal.removeEventListener('abort', this.#listener);
    this.#listener = listener;
    if (listener) this.#signal.addEventListener('abort', listener, { once: true });
  }

  async body(): Promise<Uint8Array> {
    return this.#body;
  }
}

/** All bytes of an answer. @throws PriorartError `body_too_large` for an image that no tool shows */
export async function wholeBody(body: HttpReply['body']): Promise<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body);
  if (isEvents(body)) throw new Error('a tool cannot read events');
  if (!isSource(body)) return body;
  try {
    if (body.length > MCP_IMAGE_MAX_BYTES) {
      throw new PriorartError('body_too_large', `the answer has more than ${MCP_IMAGE_MAX_BYTES} bytes`);
    }
    const parts: Uint8Array[] = [];
    for (let bytes = 0; bytes < body.length; ) {
      const part = await body.read(SOURCE_CHUNK_BYTES);
      bytes += part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    body.close();
  }
}
