/**
 * Reading that is held back while a request is worked on. uWebSockets.js hangs up, without an answer, on a client that
 * ends its side of the connection, and on one that sends its next request; both are noticed by reading only. From time
 * to time it reads for a moment, since a client that has gone looks the same: one that has ended its side by then is
 * taken to be gone, and its work is cancelled.
 */
import type { UwsResponse } from './uws-types.js';

/** How long the moment is, ms: some turns of the event loop. */
const LOOK_MS = 20;

export class Hold {
  readonly #res: Pick<UwsResponse, 'pause' | 'resume'>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;

  /** @param everyMs how long nothing is read */
  constructor(res: Pick<UwsResponse, 'pause' | 'resume'>, everyMs: number) {
    this.#res = res;
    this.#everyMs = everyMs;
  }

  /** Holds back, but for a look now and then. */
  begin(): void {
    this.#isPaused = true;
    this.#res.pause();
    this.#timer = setTimeout(() => {
      this.#resume();
      // Never longer: reading starts a time-out of 10 s, after which uWebSockets.js hangs up.
      this.#timer = setTimeout(() => this.begin(), LOOK_MS);
    }, this.#everyMs);
  }

  /** Reads again. To be called before the answer, whose last part is the end of the response. */
  end(): void {
    clearTimeout(this.#timer);
    this.#resume();
  }

  /** The response is over and must not be touched any more. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#isPaused = false;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#res.resume();
  }
}
