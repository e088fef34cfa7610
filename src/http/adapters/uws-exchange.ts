/** One request on uWebSockets.js and its answer. */
import { type HttpReply, isBodiless, LARGE_BODY_BYTES, statusLine } from './adapter.js';
import type { RequestBody } from './body.js';
import { Departure } from './departure.js';
import type { Running } from './running.js';
import type { UwsResponse } from './uws-types.js';

/** The only thing that touches a response, and only while it is open. */
export class Exchange {
  readonly #res: UwsResponse;
  readonly #running: Running;
  readonly #writeTimeoutMs: number;
  #writeTimer: NodeJS.Timeout | undefined;
  #state: 'open' | 'writing' | 'finished' = 'open';
  readonly departure = new Departure();
  body: RequestBody | undefined;
  isHead = false;

  constructor(res: UwsResponse, running: Running, writeTimeoutMs: number) {
    this.#res = res;
    this.#running = running;
    this.#writeTimeoutMs = writeTimeoutMs;
    running.begin();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.departure.announce();
    this.body?.clientGone();
  }

  /** @param mustClose whether the connection ends with this answer */
  write(reply: HttpReply, mustClose: boolean): void {
    if (!this.isOpen) return;
    const length = Buffer.byteLength(reply.body);
    const close = mustClose || this.body?.isAbandoned === true;
    this.#state = 'writing';
    this.#res.cork(() => {
      this.#res.writeStatus(statusLine(reply.status));
      for (const name in reply.headers) this.#res.writeHeader(name, reply.headers[name]!);
      if (isBodiless(reply.status) || this.isHead) {
        // endWithoutBody with a length leaves the response pending, and the next request is hung up on.
        if (!isBodiless(reply.status)) this.#res.writeHeader('Content-Length', String(length));
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#res.endWithoutBody();
      } else if (close && length <= LARGE_BODY_BYTES) {
        this.#res.end(reply.body, true);
      } else {
        if (close) this.#res.writeHeader('Connection', 'close');
        this.#stream(reply.body, length);
        return;
      }
      this.#finish();
    });
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
    // uWebSockets.js ends connections that take nothing for 10 s, but not those that take a byte now and then.
    this.#writeTimer = setTimeout(() => {
      if (this.#state === 'writing') this.#res.close();
    }, this.#writeTimeoutMs);
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
    clearTimeout(this.#writeTimer);
    this.#running.end();
  }
}
