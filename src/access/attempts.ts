/**
 * Wrong secrets delay the next attempts from the same network, or at the same account. Each attempt waits
 * before the check. The wait grows with the number of wrong secrets in the last minute. Their number refuses no attempt:
 * that would lock out the owner, since every client can name the account, and the address may be that of a proxy.
 * Turns bound how many attempts wait.
 * The number of networks or accounts is bounded. If the memory is full, it drops the one with the oldest last
 * mistake.
 */
import { ADMIN_ATTEMPT_ADDRESSES, ADMIN_PAUSE } from '../limits.js';
import { networkOf } from './address-limit.js';
import { monotonicMs } from './window.js';

const MINUTE_MS = 60_000;

export interface PauseLimits {
  /** Wrong secrets per minute without a delay, for typing errors. */
  free: number;
  /** The first pause, ms. Each further wrong secret doubles the pause, up to `longestMs`. */
  firstMs: number;
  longestMs: number;
}

export class Attempts {
  readonly #limits: PauseLimits;
  readonly #now: () => number;
  /**
   * Times of the wrong secrets by network or account, oldest first, bounded by `#counting`. They are in the
   * order of their last mistakes.
   */
  readonly #wrong = new Map<string, number[]>();
  readonly #counting: number;
  readonly #groupOf: (source: string) => string;

  /**
   * @param now monotonic clock, ms
   * @param groupOf what shares a pause: by default the network of an address
   */
  constructor(
    limits: PauseLimits = ADMIN_PAUSE,
    now: () => number = monotonicMs,
    groupOf: (source: string) => string = networkOf,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#groupOf = groupOf;
    this.#counting = limits.free + 1 + Math.ceil(Math.log2(limits.longestMs / limits.firstMs));
  }

  /**
   * Time that the next attempt of an address, or at an account, waits before the check, ms.
   * @param open attempts that are not checked yet, and count as wrong
   */
  pauseMs(source: string, open = 0): number {
    const { free, firstMs, longestMs } = this.#limits;
    const beyond = this.#recent(this.#groupOf(source)).length + open - free;
    return beyond <= 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (beyond - 1));
  }

  /** Records a wrong secret. */
  wrong(source: string): void {
    const from = this.#groupOf(source);
    const times = [...this.#recent(from), this.#now()].slice(-this.#counting);
    this.#wrong.delete(from);
    if (this.#wrong.size >= ADMIN_ATTEMPT_ADDRESSES) this.#wrong.delete(this.#wrong.keys().next().value!);
    this.#wrong.set(from, times);
  }

  /** Number of networks or accounts in memory. */
  get size(): number {
    return this.#wrong.size;
  }

  #recent(from: string): number[] {
    const now = this.#now();
    return (this.#wrong.get(from) ?? []).filter((time) => now - time < MINUTE_MS);
  }
}
