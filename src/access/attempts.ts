/**
 * Wrong secrets slow down what comes after them from the same network: each attempt waits before it is looked at, the
 * longer the more were wrong within a minute. Nobody is refused. The secret is long enough that guessing it is
 * hopeless at any speed, and a refusal would lock out its owner, whose requests a proxy may send from the same
 * address as everybody else's. The memory is bounded: of more networks than it keeps, the one that has been quiet the
 * longest is forgotten.
 */
import { ADMIN_ATTEMPT_ADDRESSES, ADMIN_PAUSE } from '../limits.js';
import { networkOf } from './address-limit.js';
import { monotonicMs } from './window.js';

const MINUTE_MS = 60_000;

export interface PauseLimits {
  /** Wrong secrets within a minute that cost nothing: people mistype. */
  free: number;
  /** The first pause; each further wrong secret doubles it, up to the longest. */
  firstMs: number;
  longestMs: number;
}

export class Attempts {
  readonly #limits: PauseLimits;
  readonly #now: () => number;
  /** When each network was wrong, oldest first, as many as count; in the order of their last mistakes. */
  readonly #wrong = new Map<string, number[]>();
  readonly #counting: number;

  /** @param now a clock that never goes back, ms */
  constructor(limits: PauseLimits = ADMIN_PAUSE, now: () => number = monotonicMs) {
    this.#limits = limits;
    this.#now = now;
    this.#counting = limits.free + 1 + Math.ceil(Math.log2(limits.longestMs / limits.firstMs));
  }

  /** How long the next attempt of an address waits before it is looked at, ms. */
  pauseMs(address: string): number {
    const { free, firstMs, longestMs } = this.#limits;
    const beyond = this.#recent(networkOf(address)).length - free;
    return beyond <= 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (beyond - 1));
  }

  /** Takes note of a wrong secret. */
  wrong(address: string): void {
    const from = networkOf(address);
    const times = [...this.#recent(from), this.#now()].slice(-this.#counting);
    this.#wrong.delete(from);
    if (this.#wrong.size >= ADMIN_ATTEMPT_ADDRESSES) this.#wrong.delete(this.#wrong.keys().next().value!);
    this.#wrong.set(from, times);
  }

  /** Networks that are kept. */
  get size(): number {
    return this.#wrong.size;
  }

  #recent(from: string): number[] {
    const now = this.#now();
    return (this.#wrong.get(from) ?? []).filter((time) => now - time < MINUTE_MS);
  }
}
