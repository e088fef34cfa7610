/**
 * Work that needs a lock which another process may hold. It is tried at once; where the lock is held it is tried again
 * from a timer, in the order in which it came and never longer than LOCK_WAIT_MS, so that no event loop waits.
 */
import { LOCK_RETRY_MS, LOCK_WAIT_MS } from '../limits.js';
import { LockHeld } from './sqlite.js';

interface Waiting {
  /** Tries the work. @throws LockHeld where it is to be tried again */
  attempt(): void;
  reject(error: unknown): void;
  /** When it is given up, by performance.now(). */
  until: number;
}

export class LockQueue {
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * Runs work that changes nothing where it throws LockHeld.
   * @returns what the work returns, in a promise where it had to wait
   * @throws whatever the work throws; LockHeld only by the promise, when the wait is over
   */
  run<T>(work: () => T): T | Promise<T> {
    if (this.#waiting.length === 0) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof LockHeld)) throw error;
      }
    }
    return new Promise<T>((resolve, reject) => {
      const attempt = () => resolve(work());
      this.#waiting.push({ attempt, reject, until: performance.now() + LOCK_WAIT_MS });
      this.#retrySoon();
    });
  }

  #retrySoon(): void {
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#retry(), LOCK_RETRY_MS);
  }

  #retry(): void {
    this.#timer = undefined;
    let done = 0;
    for (const { attempt, reject, until } of this.#waiting) {
      try {
        attempt();
      } catch (error) {
        // Those behind it came later and may wait longer.
        if (error instanceof LockHeld && performance.now() < until) break;
        reject(error);
      }
      done++;
    }
    this.#waiting = this.#waiting.slice(done);
    this.#retrySoon();
  }
}
