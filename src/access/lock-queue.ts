/**
 * Work that needs a lock which another process may hold. The first attempt is immediate. If the lock is held,
 * a timer retries the work, in order of arrival and for at most LOCK_WAIT_MS. No event loop blocks.
 */
import { LOCK_RETRY_MS, LOCK_WAIT_MS } from '../limits.js';
import { LockHeld } from './sqlite.js';

interface QueuedWork {
  /**
   * Tries the work.
   * @throws LockHeld if the work must be retried
   */
  attempt(): void;
  reject(error: unknown): void;
  /** Time of the last attempt, by performance.now(). */
  until: number;
}

export class LockQueue {
  #waiting: QueuedWork[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * Runs work that changes nothing if it throws LockHeld.
   * @returns the result of the work; a promise of it if the work has to wait
   * @throws the errors of the work. Only the promise rejects with LockHeld, after the wait.
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
        // The work after it arrived later and may wait longer.
        if (error instanceof LockHeld && performance.now() < until) break;
        reject(error);
      }
      done++;
    }
    this.#waiting = this.#waiting.slice(done);
    this.#retrySoon();
  }
}
