/** A request on uWebSockets.js and its answer. */

import { giveBack } from '../../give-back.js';
import { HALF_CLOSED_MS, STREAM_WAITING_MAX_BYTES } from '../../limits.js';
import {
  type AdapterOptions,
  BARE_ERROR,
  type BodySource,
  type EventBody,
  type HttpReply,
  isBodiless,
  isEvents,
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

const NOTHING = new Uint8Array(0);

/**
 * A body that is written as a whole, in UTF-8. The binary for Node 24 writes a string as Latin-1 if all of its characters
 * are in Latin-1, so none is passed on.
 */
function bytesOf(body: HttpReply['body']): Uint8Array | undefined {
  if (typeof body === 'string') return Buffer.from(body);
  return isSource(body) || isEvents(body) ? undefined : body;
}

/** The only code that uses a response, and only while the response is open. */
export class UwsExchange {
  readonly #res: UwsResponse;
  readonly #running: Running;
  readonly #options: ExchangeOptions;
  readonly #hold: Hold;
  #writeTimer: NodeJS.Timeout | undefined;
  #state: 'open' | 'writing' | 'finished' = 'open';
  #source: BodySource | undefined;
  #events: EventBody | undefined;
  /** The body, if it is of this answer alone. */
  #own: Uint8Array | undefined;
  /** Ends the wait for the socket to accept a part. */
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

  /** The request is complete. Nothing more is read until it is answered. */
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
      if (isEvents(reply.body)) reply.body.ended();
      return;
    }
    if (this.body?.isEndless) {
      // After the answer, an endless body could not be ended. So the body is read first, up to its limits.
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
    if (isEvents(body)) {
      this.#events = body;
      if (!this.isHead) {
        this.#writeEvents(reply, body);
        return;
      }
    }
    const bytes = bytesOf(body);
    const length = bytes?.length ?? lengthOf(body);
    if (reply.ownsBody && body instanceof Uint8Array) this.#own = body;
    this.#res.cork(() => {
      this.#writeHead(reply);
      if (isBodiless(reply.status) || this.isHead) {
        // endWithoutBody with a length leaves the response pending, and the next request loses its
        // connection.
        if (!isBodiless(reply.status) && !isEvents(body))
          this.#res.writeHeader('Content-Length', String(length));
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#res.endWithoutBody();
      } else if (bytes === undefined) {
        throw new Error('this body is written elsewhere');
      } else if (close && length <= LARGE_BODY_BYTES) {
        this.#res.end(bytes, true);
      } else {
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#stream(bytes);
        return;
      }
      this.#finish();
    });
  }

  #writeEvents(reply: HttpReply, events: EventBody): void {
    let waiting = 0;
    this.#res.onWritable(() => {
      waiting = 0;
      return true;
    });
    const write = (text: string) => {
      if (this.#state !== 'writing') return;
      const bytes = Buffer.from(text);
      if (!this.#res.write(bytes)) waiting += bytes.length;
      if (waiting > STREAM_WAITING_MAX_BYTES) this.#res.close();
    };
    const end = () => {
      if (this.#state !== 'writing') return;
      this.#res.end(NOTHING, false);
      this.#finish();
    };
    this.#res.cork(() => {
      this.#writeHead(reply);
      events.begin({
        write: (text) => {
          if (this.#state === 'writing') this.#res.cork(() => write(text));
        },
        end: () => {
          if (this.#state === 'writing') this.#res.cork(end);
        },
      });
    });
  }

  #writeHead({ status, headers, cookies = [] }: HttpReply): void {
    this.#res.writeStatus(statusLine(status));
    for (const name in headers) this.#res.writeHeader(name, headers[name]!);
    for (const cookie of cookies) this.#res.writeHeader('set-cookie', cookie);
  }

  /**
   * Reads more as the client accepts the bytes. A source that fails after the first bytes ends the
   * connection.
   */
  async #writeSource(reply: HttpReply, source: BodySource, close: boolean): Promise<void> {
    let sent = 0;
    try {
      this.#limitTime();
      while (sent < source.length) {
        const chunk = await source.read(SOURCE_CHUNK_BYTES);
        // The client may have disconnected during the read. The response is then invalid.
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
      // A client that has left closes the source, which is no fault.
      if (this.#state !== 'writing') return;
      this.#options.onError(error);
      if (sent > 0) {
        this.#res.close();
        return;
      }
      clearTimeout(this.#writeTimer);
      this.#state = 'open';
      this.write(BARE_ERROR, close);
    }
  }

  /**
   * Writes a part of a body. Resolves when the socket has accepted the part, or the client has disconnected.
   */
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

  /**
   * uWebSockets.js closes connections that accept nothing for 10 s. A client that accepts single bytes at
   * intervals needs this limit.
   */
  #limitTime(): void {
    this.#writeTimer = setTimeout(() => {
      if (this.#state === 'writing') this.#res.close();
    }, this.#options.writeTimeoutMs);
  }

  /**
   * Writes the bytes that the socket accepts, and the rest as the socket accepts it. end() would copy the
   * rest into a buffer without a limit. A client that sends requests and never reads could fill this buffer.
   */
  #stream(body: Uint8Array): void {
    const [, done] = this.#res.tryEnd(body, body.length);
    if (done) {
      this.#finish();
      return;
    }
    this.#limitTime();
    this.#res.onWritable((offset) => {
      const [ok, doneNow] = this.#res.tryEnd(body.subarray(offset), body.length);
      if (doneNow) this.#finish();
      return ok;
    });
  }

  #finish(): void {
    this.#state = 'finished';
    // An unread body is discarded: its client may never send the end.
    this.body?.clientGone();
    this.#source?.close();
    this.#events?.ended();
    if (this.#own) giveBack(this.#own);
    this.#whenGiven?.();
    this.#hold.forget();
    clearTimeout(this.#writeTimer);
    this.#running.end();
  }
}
