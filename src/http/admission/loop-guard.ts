/**
 * Refuses calls while the event loop itself cannot keep up. Overload is refused by the queue before the workers, behind
 * all other checks. But each of those refusals costs a body read and validated and a quota reserved and given back, and
 * where many times too much comes, that alone makes every turn of the event loop long, and answers late that the workers
 * have long given. This protects the process where the queue comes too late.
 *
 * Key and rate limit are still checked before: a deactivated key is answered 403 and a key's calls are counted exactly
 * whatever the load, and nobody can make it refuse with calls that would not be let in anyhow. What comes after them
 * (content type, size, JSON, fields, quota) is not looked at any more: a refused call may be told 503 that would
 * otherwise have been told 400, 413, 415, 422, or 429 for its quota.
 *
 * A turn is what is done for sockets that are ready, between two looks at them. A single long one is a burst, or the
 * garbage collector; one that is long with few calls in it is a machine that is busy with something else. Where none
 * has been short for a while, each turn works for calls as long as a short one takes, and refuses the others, until
 * nothing had to be refused for a while.
 */

/** A turn is short up to this, ms; also what a turn may give to calls while others are refused. */
const SHORT_MS = 8;
/** A turn of fewer calls is short, however long it took. */
const MANY = 64;
/** For how long turns may not have been short, and for how long nothing was refused when it ends, ms. */
const INTERVAL_MS = 500;

export class LoopGuard {
  readonly #now: () => number;
  readonly #afterTurn: (then: () => void) => void;
  /** When the first call of this turn came; undefined before. */
  #begun: number | undefined;
  #calls = 0;
  /** Since when no turn was short; when something was last refused, undefined unless it refuses. */
  #longSince: number | undefined;
  #refusedAt: number | undefined;

  /**
   * @param now a clock in ms
   * @param afterTurn calls back when the turn is over
   */
  constructor(
    now: () => number = () => performance.now(),
    afterTurn: (then: () => void) => void = setImmediate,
  ) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  /** Whether a call that comes at this moment is to be refused. */
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
