/** A request's body as it arrives, for both adapters: bounded in size and in time. */
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
  /** One buffer that doubles: a list of chunks of one byte each would take hundreds of times the bytes. */
  #bytes = new Uint8Array(0);
  #received = 0;
  #complete = false;
  #error: PriorartError | undefined;
  #waiting: { resolve(bytes: Uint8Array): void; reject(error: PriorartError): void } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param contentLength the header, where the client sent one */
  constructor(limits: BodyLimits, contentLength?: string) {
    this.#limits = limits;
    this.#hasLength = contentLength !== undefined;
    // Nobody waits for hundreds of megabytes just to be polite.
    if (Number(contentLength) > limits.bodyDrainMaxBytes) this.fail(this.#tooLarge());
  }

  /** Takes a copy of a chunk. */
  push(chunk: Uint8Array): void {
    if (this.#error || this.#complete) return;
    const at = this.#received;
    this.#received += chunk.length;
    if (this.#received <= this.#limits.bodyMaxBytes) {
      this.#makeRoom(this.#received);
      this.#bytes.set(chunk, at);
      return;
    }
    // A client that is answered and cut off while it still writes sees a reset, not the answer; so what is
    // too much is read on, to its end where that is near, and thrown away.
    this.#bytes = new Uint8Array(0);
    if (this.#received > this.#limits.bodyDrainMaxBytes) this.fail(this.#tooLarge());
  }

  /** The last chunk has been pushed. */
  end(): void {
    if (this.#error || this.#complete) return;
    if (this.#received > this.#limits.bodyMaxBytes) {
      this.fail(this.#tooLarge());
      // All of it was read: the connection can be used again.
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

  /** Nobody is there to send the rest. An error with its stack is dear, so one is made only where there is a rest. */
  clientGone(): void {
    if (!this.#error && !this.#complete) this.fail(clientGone());
  }

  /** Whether the rest of it may go on for ever: nobody has said how long it is. */
  get isEndless(): boolean {
    return !this.#hasLength && !this.#complete && this.#error === undefined;
  }

  /** Whether the rest of the body will never be read, so that the connection must be closed. */
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
