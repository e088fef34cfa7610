/** One request on uWebSockets.js and its answer. */

import { HALF_CLOSED_MS } from '../../limits.js';
import {
  type AdapterOptions,
  BARE_ERROR,
  type BodySource,
  type HttpReply,
  isBodiless,
  isSource,
  LARGE_BODY_BYTES,
  lengthOf,
  SOURCE_CHUNK_BYTES,
  statusLine,
  withoutEmptySource,
} from './adapter.js';
import type { RequestBody } from './body.js';
import { Disconnect } from './disconnect.js';
import type { Running } from './running.js';
import { Hold } from './uws-hold.js';
import type { UwsResponse } from './uws-types.js';

type ExchangeOptions = Pick<AdapterOptions, 'writeTimeoutMs' | 'halfClosedMs' | 'onError'>;

/** The only thing that touches a response, and only while it is open. */
export class Exchange {
  readonly #res: UwsResponse;
  readonly #running: Running;
  readonly #options: ExchangeOptions;
  readonly #hold: Hold;
  #writeTimer: NodeJS.Timeout | undefined;
  #state: 'open' | 'writing' | 'finished' = 'open';
  #source: BodySource | undefined;
  /** Ends the waiting for the socket to take a part. */
  #whenGiven: (() => void) | undefined;
  readonly disconnect = new Disconnect();
  body: RequestBody | undefined;
  isHead = false;

  constructor(res: UwsResponse, running: Running, options: ExchangeOptions) {
    this.#res = res;
    this.#running = running;
    this.#options = options;
    this.#hold = new Hold(res, options.halfClosedMs ?? HALF_CLOSED_MS);
    running.begin();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** The request has come whole: until it is answered nothing more is read. */
  requestIsWhole(): void {
    if (this.isOpen) this.#hold.begin();
  }

  abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.disconnect.announce();
    this.body?.clientGone();
  }

  /** @param mustClose whether the connection ends with this answer */
  write(given: HttpReply, mustClose: boolean): void {
    const reply = withoutEmptySource(given);
    if (!this.isOpen) {
      if (isSource(reply.body)) reply.body.close();
      return;
    }
    if (this.body?.isEndless) {
      // Once it is answered nothing could end it any more: it is read first, as far as it may go on.
      const answer = () => this.write(reply, mustClose);
      this.body.read().then(answer, answer);
      return;
    }
    const close = mustClose || this.body?.isAbandoned === true;
    const { body } = reply;
    this.#state = 'writing';
    this.#hold.end();
    if (isSource(body)) {
      this.#source = body;
      if (!this.isHead) {
        void this.#writeSource(reply, body, close);
        return;
      }
    }
    const length = lengthOf(body);
    this.#res.cork(() => {
      this.#writeHead(reply);
      if (isBodiless(reply.status) || this.isHead) {
        // endWithoutBody with a length leaves the response pending, and the next request is hung up on.
        if (!isBodiless(reply.status)) this.#res.writeHeader('Content-Length', String(length));
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#res.endWithoutBody();
      } else if (isSource(body)) {
        throw new Error('a source is written elsewhere');
      } else if (close && length <= LARGE_BODY_BYTES) {
        this.#res.end(body, true);
      } else {
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#stream(body, length);
        return;
      }
      this.#finish();
    });
  }

  #writeHead({ status, headers }: HttpReply): void {
    this.#res.writeStatus(statusLine(status));
    for (const name in headers) this.#res.writeHeader(name, headers[name]!);
  }

  /** Reads on as the client takes what was read; a source that fails half-way ends the connection. */
  async #writeSource(reply: HttpReply, source: BodySource, close: boolean): Promise<void> {
    let sent = 0;
    try {
      this.#limitTime();
      while (sent < source.length) {
        const chunk = await source.read(SOURCE_CHUNK_BYTES);
        // The client may have gone while it was read, and the response with it.
        if (this.#state !== 'writing') return;
        await this.#give(chunk, sent, source.length, () => {
          if (sent > 0) return;
          this.#writeHead(reply);
          if (close) this.#res.writeHeader('Connection', 'close');
        });
        if (this.#state !== 'writing') return;
        sent += chunk.length;
      }
    } catch (error) {
      this.#options.onError(error);
      if (this.#state !== 'writing') return;
      if (sent > 0) {
        this.#res.close();
        return;
      }
      clearTimeout(this.#writeTimer);
      this.#state = 'open';
      this.write(BARE_ERROR, close);
    }
  }

  /** Hands over a part of a body; resolves when the socket has taken it, or the client is gone. */
  #give(chunk: Uint8Array, offset: number, total: number, before: () => void): Promise<void> {
    return new Promise((resolve) => {
      const take = (from: number): boolean => {
        if (from - offset >= chunk.length) return true;
        const [taken, done] = this.#res.tryEnd(chunk.subarray(from - offset), total);
        if (done) this.#finish();
        if (done || taken) {
          this.#whenGiven = undefined;
          resolve();
        }
        return taken;
      };
      this.#whenGiven = resolve;
      this.#res.cork(() => {
        before();
        if (!take(offset)) this.#res.onWritable(take);
      });
    });
  }

  /** uWebSockets.js ends connections that take nothing for 10 s, but not those that take a byte now and then. */
  #limitTime(): void {
    this.#writeTimer = setTimeout(() => {
      if (this.#state === 'writing') this.#res.close();
    }, this.#options.writeTimeoutMs);
  }

  /**
   * Hands over what the socket takes, and the rest as it takes it: end() would copy all of it into a buffer without a
   * bound, which a client could fill that asks on and on and never reads.
   */
  #stream(text: Uint8Array | string, length: number): void {
    const [, done] = this.#res.tryEnd(text, length);
    if (done) {
      this.#finish();
      return;
    }
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    this.#limitTime();
    this.#res.onWritable((offset) => {
      const [ok, doneNow] = this.#res.tryEnd(body.subarray(offset), body.length);
      if (doneNow) this.#finish();
      return ok;
    });
  }

  #finish(): void {
    this.#state = 'finished';
    // What comes of a body that nobody has read is not kept: its client may never send the end.
    this.body?.clientGone();
    this.#source?.close();
    this.#whenGiven?.();
    this.#hold.forget();
    clearTimeout(this.#writeTimer);
    this.#running.end();
  }
}
