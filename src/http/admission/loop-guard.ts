/**
 * Refuses calls while the event loop is overloaded. The queue before the workers refuses overload, after all
 * other checks. But each refusal of the queue costs the read and validation of a body, and the reservation
 * and release of a quota. If the load is many times too high, this work alone makes every turn of the event
 * loop long, and answers are late although the workers have finished. This guard protects the process before
 * that work.
 *
 * Key and rate limit are checked first. A deactivated key is answered 403 and the calls of a key are counted
 * exactly at any load. Calls that would not be admitted cannot cause refusals. The later checks (content
 * type, size, JSON, fields, quota) are skipped: a refused call receives 503 instead of 400, 413, 415, 422, or
 * 429 for its quota.
 *
 * A turn is the work for ready sockets between two polls. A single long turn is a burst, or the garbage
 * collector. A long turn with few calls means that the machine is busy with other work. If no turn has been
 * short for a while, each turn processes calls for the length of a short turn and refuses the others. The
 * refusals end when no call was refused for a while.
 */

/** Longest short turn, ms. During refusals, also the time per turn for calls. */
const SHORT_MS = 8;
/** A turn with fewer calls counts as short, at any length. */
const MANY = 64;
/**
 * Refusals start after this time without a short turn, and end after this time without a refused call, ms.
 */
const INTERVAL_MS = 500;

export class LoopGuard {
  readonly #now: () => number;
  readonly #afterTurn: (then: () => void) => void;
  /** Time of the first call of this turn; undefined before the call. */
  #begun: number | undefined;
  #calls = 0;
  /**
   * Start of the time without a short turn. `#refusedAt`: time of the last refusal; undefined while calls are
   * accepted.
   */
  #longSince: number | undefined;
  #refusedAt: number | undefined;

  /**
   * @param now a clock in ms
   * @param afterTurn calls back after the turn
   */
  constructor(
    now: () => number = () => performance.now(),
    afterTurn: (then: () => void) => void = setImmediate,
  ) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  /** Whether a call that arrives now must be refused. */
  refuses(): boolean {
    const now = this.#now();
    if (this.#begun === undefined) {
      this.#begun = now;
      this.#afterTurn(() => this.#ended());
    }
    this.#calls++;
    if (this.#refusedAt === undefined || now - this.#begun < SHORT_MS) return false;
    this.#refusedAt = now;
    return true;
  }

  #ended(): void {
    const now = this.#now();
    const wasShort = this.#calls < MANY || now - this.#begun! < SHORT_MS;
    this.#begun = undefined;
    this.#calls = 0;
    if (this.#refusedAt !== undefined) {
      if (now - this.#refusedAt > INTERVAL_MS) this.#refusedAt = undefined;
    } else if (wasShort) this.#longSince = undefined;
    else {
      this.#longSince ??= now;
      if (now - this.#longSince <= INTERVAL_MS) return;
      this.#longSince = undefined;
      this.#refusedAt = now;
    }
  }
}
