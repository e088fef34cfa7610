/**
 * Pauses reading while a request is processed. uWebSockets.js closes the connection, without an answer, if a
 * client ends its side or sends its next request. It notices both only while it reads. At intervals, reading
 * resumes for a moment to detect a client that has disconnected. A client that has ended its side by then
 * looks the same: it counts as disconnected, and its work is cancelled.
 */
import type { UwsResponse } from './uws-types.js';

/** Length of the moment, ms: a few turns of the event loop. */
const LOOK_MS = 20;

export class Hold {
  readonly #res: Pick<UwsResponse, 'pause' | 'resume'>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;

  /** @param everyMs time between two moments of reading, ms */
  constructor(res: Pick<UwsResponse, 'pause' | 'resume'>, everyMs: number) {
    this.#res = res;
    this.#everyMs = everyMs;
  }

  /** Pauses reading, except for a moment after each interval. */
  begin(): void {
    this.#isPaused = true;
    this.#res.pause();
    this.#timer = setTimeout(() => {
      this.#resume();
      // No longer than this: reading starts a time limit of 10 s, after which uWebSockets.js closes the
      // connection.
      this.#timer = setTimeout(() => this.begin(), LOOK_MS);
    }, this.#everyMs);
  }

  /** Resumes reading. Call this before the answer, because its last part ends the response. */
  end(): void {
    clearTimeout(this.#timer);
    this.#resume();
  }

  /** The response is invalid and must not be used any more. */
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
