/** The body of a request while it arrives, for both adapters. Size and time are bounded. */
import { PriorartError } from '../../errors.js';
import { clientGone } from './disconnect.js';

export interface BodyLimits {
  bodyMaxBytes: number;
  bodyDrainMaxBytes: number;
  bodyTimeoutMs: number;
}

export class RequestBody {
  readonly #limits: BodyLimits;
  readonly #hasLength: boolean;
  /** One buffer that doubles. A list of chunks of one byte each would take hundreds of times the memory. */
  #bytes = new Uint8Array(0);
  #received = 0;
  #complete = false;
  #error: PriorartError | undefined;
  #waiting: { resolve(bytes: Uint8Array): void; reject(error: PriorartError): void } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param contentLength the header, if the client sent it */
  constructor(limits: BodyLimits, contentLength?: string) {
    this.#limits = limits;
    this.#hasLength = contentLength !== undefined;
    // A much larger body is not read to its end.
    if (Number(contentLength) > limits.bodyDrainMaxBytes) this.fail(this.#tooLarge());
  }

  /** Copies a chunk. */
  push(chunk: Uint8Array): void {
    if (this.#error || this.#complete) return;
    const at = this.#received;
    this.#received += chunk.length;
    if (this.#received <= this.#limits.bodyMaxBytes) {
      this.#makeRoom(this.#received);
      this.#bytes.set(chunk, at);
      return;
    }
    // If the server answers and closes while the client still writes, the client sees a reset instead of the
    // answer. So the rest is read and discarded, up to a limit.
    this.#bytes = new Uint8Array(0);
    if (this.#received > this.#limits.bodyDrainMaxBytes) this.fail(this.#tooLarge());
  }

  /** Marks the end of the body. */
  end(): void {
    if (this.#error || this.#complete) return;
    if (this.#received > this.#limits.bodyMaxBytes) {
      this.fail(this.#tooLarge());
      // The body was read to its end, so the connection can be used again.
      this.#complete = true;
      return;
    }
    this.#complete = true;
    this.#settle();
  }

  fail(error: PriorartError): void {
    if (this.#error || this.#complete) return;
    this.#error = error;
    this.#bytes = new Uint8Array(0);
    this.#settle();
  }

  /**
   * The client has disconnected. An error with its stack is expensive, so it is created only for an
   * incomplete body.
   */
  clientGone(): void {
    if (!this.#error && !this.#complete) this.fail(clientGone());
  }

  /** Whether the rest of the body may be endless: the client sent no length. */
  get isEndless(): boolean {
    return !this.#hasLength && !this.#complete && this.#error === undefined;
  }

  /** Whether the rest of the body stays unread. The connection must then be closed. */
  get isAbandoned(): boolean {
    return this.#error !== undefined && !this.#complete;
  }

  read(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#complete || this.#error) {
        this.#settle();
        return;
      }
      const seconds = this.#limits.bodyTimeoutMs / 1000;
      this.#timer = setTimeout(() => {
        this.fail(
          new PriorartError('request_timeout', `the request body took longer than ${seconds} s to arrive`),
        );
      }, this.#limits.bodyTimeoutMs);
    });
  }

  #settle(): void {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#error) waiting?.reject(this.#error);
    else waiting?.resolve(this.#bytes.subarray(0, this.#received));
  }

  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const room = Math.min(Math.max(length, 2 * this.#bytes.length), this.#limits.bodyMaxBytes);
    const larger = new Uint8Array(room);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  #tooLarge(): PriorartError {
    const max = this.#limits.bodyMaxBytes.toLocaleString('en');
    return new PriorartError(
      'body_too_large',
      `the request body is too large; expected at most ${max} bytes`,
    );
  }
}
