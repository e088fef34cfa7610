/**
 * Wrong secrets, of which only some may be tried a minute: by one client address, and by all of them together, so
 * that many addresses gain nothing. To be asked before a secret is compared, or a right guess would be let in however
 * many wrong ones came before it. Its memory is bounded: of more addresses than it keeps, the one that has been quiet
 * the longest is forgotten, which the limit of all together makes worth nothing.
 */
import { ADMIN_ATTEMPT_ADDRESSES, ADMIN_ATTEMPTS_PER_MINUTE, ADMIN_KNOWN_MS } from '../limits.js';
import { networkOf } from './address-limit.js';
import { monotonicMs } from './window.js';

const MINUTE_MS = 60_000;

export interface AttemptLimits {
  perAddress: number;
  /** Of all addresses together. */
  total: number;
}

export class Attempts {
  readonly #limits: AttemptLimits;
  readonly #now: () => number;
  /** When each address was wrong in the last minute, oldest first; in the order of their last mistakes. */
  readonly #wrong = new Map<string, number[]>();
  #all: number[] = [];
  /** Addresses that knew the secret, and when: whoever guesses from elsewhere does not lock them out. */
  readonly #known = new Map<string, number>();

  /** @param now a clock that never goes back, ms */
  constructor(limits: AttemptLimits = ADMIN_ATTEMPTS_PER_MINUTE, now: () => number = monotonicMs) {
    this.#limits = limits;
    this.#now = now;
  }

  /** How long this address must not try, ms; 0 where it may. */
  waitMs(address: string): number {
    const now = this.#now();
    const from = networkOf(address);
    const known = this.#known.get(from);
    this.#all = recent(this.#all, now);
    const waits = [untilFree(recent(this.#wrong.get(from) ?? [], now), this.#limits.perAddress, now)];
    if (known === undefined || now - known > ADMIN_KNOWN_MS)
      waits.push(untilFree(this.#all, this.#limits.total, now));
    return Math.max(...waits);
  }

  /** Takes note of a secret that was compared. */
  tried(address: string, wasRight: boolean): void {
    const now = this.#now();
    const from = networkOf(address);
    if (wasRight) {
      renew(this.#known, from, now);
      return;
    }
    this.#all.push(now);
    renew(this.#wrong, from, [...recent(this.#wrong.get(from) ?? [], now), now]);
  }

  /** Addresses that are kept. */
  get size(): number {
    return Math.max(this.#wrong.size, this.#known.size);
  }
}

function recent(times: readonly number[], now: number): number[] {
  return times.filter((time) => now - time < MINUTE_MS);
}

function untilFree(times: readonly number[], limit: number, now: number): number {
  return times.length < limit ? 0 : times[times.length - limit]! + MINUTE_MS - now;
}

/** Sets an entry and makes it the youngest. */
function renew<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= ADMIN_ATTEMPT_ADDRESSES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
