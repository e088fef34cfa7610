/**
 * The limits of calls as a server applies them: the sliding minute and the quota of keys, shared with the other
 * servers on the folder, and the limit of endpoints that need no key, of this process alone.
 */
import { PriorartError } from '../errors.js';
import { ACCESS_FLUSH_MS, PUBLIC_RATE_LIMIT_PER_MINUTE, RATE_LIMIT_PER_MINUTE } from '../limits.js';
import { AddressLimit } from './address-limit.js';
import { type Cycle, cycleAt } from './billing.js';
import { Counters, type QuotaState, type Reservation, type Settled, type UsedQuota } from './counters.js';
import type { Account } from './records.js';
import type { AccessStore } from './store.js';
import type { Allowance } from './window.js';

/** How long counters that are out of order are left alone before they are opened again, ms. */
const REOPEN_MS = 1_000;

export interface CallLimitsOptions {
  /** Calls a key may make in 60 seconds, and a client address without one. */
  perKey?: number;
  perAddress?: number;
  /** Keeps used quotas over the next start of the machine; the store on this thread where absent. */
  keepQuotas?(used: readonly [account: string, used: UsedQuota][]): Promise<void>;
  /** Whether the data folder is the one that was opened. While it is not, nothing is done in the background. */
  isInPlace?(): boolean;
  /** Told of what goes wrong in the background. */
  onError?(error: unknown): void;
}

export class CallLimits {
  readonly #store: AccessStore;
  readonly #perKey: number;
  readonly #perAddress: number;
  readonly #isInPlace: () => boolean;
  readonly #onError: (error: unknown) => void;
  readonly #keep: (used: readonly [account: string, used: UsedQuota][]) => Promise<void>;
  readonly #addresses = new AddressLimit();
  /** Apart from calls: a page of drawings makes one of each for every image. */
  readonly #files = new AddressLimit();
  /** Apart as well: whoever tries keys behind a proxy that is not told apart takes nobody's public calls away. */
  readonly #strangers = new AddressLimit();
  readonly #cycles = new WeakMap<Account, Cycle>();
  readonly #timer: NodeJS.Timeout;
  #counters: Counters | undefined;
  #fault: unknown;
  #failedAt = Number.NEGATIVE_INFINITY;
  #tending: Promise<void> | undefined;

  constructor(store: AccessStore, options: CallLimitsOptions = {}) {
    this.#store = store;
    this.#perKey = options.perKey ?? RATE_LIMIT_PER_MINUTE;
    this.#perAddress = options.perAddress ?? PUBLIC_RATE_LIMIT_PER_MINUTE;
    this.#isInPlace = options.isInPlace ?? (() => true);
    this.#onError = options.onError ?? (() => {});
    this.#keep = options.keepQuotas ?? (async (used) => store.keepQuotas(used));
    this.#timer = setInterval(() => this.#tend(), ACCESS_FLUSH_MS);
    this.#timer.unref();
  }

  /**
   * Counts a call of a key in its sliding minute.
   * @throws PriorartError `unavailable`
   */
  takeCall(key: string): Allowance {
    return this.#counting((counters) => counters.takeCall(key, this.#perKey));
  }

  /** Whether calls of keys can be counted at this moment; counters that were out of order are tried again now and then. */
  canCount(): boolean {
    try {
      this.#counters ??= this.#open();
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** Counts a call without a key. */
  takePublic(address: string): Allowance {
    return this.#addresses.take(address, this.#perAddress);
  }

  /** Counts a call whose key is missing, unknown or deactivated. */
  takeStranger(address: string): Allowance {
    return this.#strangers.take(address, this.#perAddress);
  }

  /** Counts a file that is fetched under a signed link. */
  takeFile(address: string): Allowance {
    return this.#files.take(address, this.#perAddress);
  }

  /**
   * Takes a search out of an account's quota; to be settled when the answer is known.
   * @throws PriorartError `quota_exceeded`, `unavailable`
   */
  reserve(account: Account, now: number = Date.now()): Reservation {
    const cycle = this.#cycle(account, now);
    const result = this.#counting((counters) => counters.reserve(account.id, cycle, account.monthly_quota));
    if (result.reserved) return result.reservation;
    throw quotaExceeded(account.monthly_quota, cycle, now, result.running);
  }

  /**
   * Counts a search that was answered 200, or gives its place back.
   * @throws PriorartError `unavailable`
   */
  settle(reservation: Reservation, counts: boolean): Settled {
    return this.#counting((counters) => counters.settle(reservation, counts));
  }

  /** @throws PriorartError `unavailable` */
  quotaState(account: Account, now: number = Date.now()): QuotaState {
    const cycle = this.#cycle(account, now);
    return this.#counting((counters) => counters.quotaState(account.id, cycle, account.monthly_quota));
  }

  /**
   * What an account has used of its quota, to this moment, by whichever server it was; where the counters are out of
   * order, what was kept of it.
   * @throws PriorartError `unavailable`
   */
  quotaUsed(account: Account, now: number = Date.now()): { used: number; cycle: Cycle } {
    const kept = this.#store.quotaUsed(account, now);
    try {
      const counted = this.#counting((counters) => counters.used(account.id));
      if (counted === undefined || counted.cycle < kept.cycle.start) return kept;
      return { cycle: kept.cycle, used: Math.max(kept.used, counted.used) };
    } catch {
      return kept;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tending;
    // What another server had counted when it was killed is kept by whoever ends last, though nobody called it.
    this.#tend();
    await this.#tending;
    await this.#counters?.close().catch(this.#onError);
    this.#counters = undefined;
    this.#fault = new Error('the server is closed');
    this.#failedAt = Number.POSITIVE_INFINITY;
  }

  /** The cycle of the last call, mostly: the calendar is dear. */
  #cycle(account: Account, now: number): Cycle {
    const known = this.#cycles.get(account);
    if (known && known.start <= now && now < known.end) return known;
    const cycle = cycleAt(account.created_at, now);
    this.#cycles.set(account, cycle);
    return cycle;
  }

  #counting<T>(work: (counters: Counters) => T): T {
    try {
      this.#counters ??= this.#open();
      return work(this.#counters);
    } catch (error) {
      this.#fail(error);
      throw new PriorartError('unavailable', `calls cannot be counted: ${messageOf(error)}`, {
        cause: error,
        retryAfter: REOPEN_MS / 1000,
      });
    }
  }

  #open(): Counters {
    if (performance.now() - this.#failedAt < REOPEN_MS) throw this.#fault;
    return new Counters(this.#store.folder, () => this.#store.quotas());
  }

  #fail(error: unknown): void {
    if (error === this.#fault) return;
    this.#fault = error;
    this.#failedAt = performance.now();
    const broken = this.#counters;
    this.#counters = undefined;
    this.#onError(error);
    void broken?.abandon().catch(this.#onError);
  }

  #tend(): void {
    if (this.#tending || !this.#isInPlace()) return;
    try {
      if (!this.#counters && !this.#store.isAvailable()) return;
      this.#counters ??= this.#open();
      this.#counters.tend();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#tending = this.#keepQuotas()
      .catch(this.#onError)
      .finally(() => {
        this.#tending = undefined;
      });
  }

  async #keepQuotas(): Promise<void> {
    const counters = this.#counters;
    const changed = counters?.changedAccounts() ?? [];
    if (!counters || changed.length === 0) return;
    try {
      const used = changed.map((account) => [account, counters.used(account)] as const);
      await this.#keep(used.filter((each): each is [string, UsedQuota] => each[1] !== undefined));
    } catch (error) {
      counters.setChanged(changed);
      throw error;
    }
  }
}

export function quotaExceeded(quota: number, cycle: Cycle, now: number, running: boolean): PriorartError {
  const reset = new Date(cycle.end).toISOString();
  return running
    ? new PriorartError(
        'quota_exceeded',
        `what is left of the monthly quota of ${quota} searches is taken by searches that are running; try again when they have ended`,
        { retryAfter: 1 },
      )
    : new PriorartError(
        'quota_exceeded',
        `the monthly quota of ${quota} searches is used up; it begins anew at ${reset}`,
        { retryAfter: (cycle.end - now) / 1000 },
      );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
