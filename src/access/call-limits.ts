/**
 * The limits of calls in a server. All servers on the folder share the sliding minute and the quota of keys; all servers on a
 * cluster share the quota. The limit of endpoints without a key is local to this process.
 */
import { PriorartError } from '../errors.js';
import { ACCESS_FLUSH_MS, PUBLIC_RATE_LIMIT_PER_MINUTE, RATE_LIMIT_PER_MINUTE } from '../limits.js';
import { AddressLimit } from './address-limit.js';
import { type Cycle, cycleAt } from './billing.js';
import { Counters } from './counters.js';
import { LockQueue } from './lock-queue.js';
import type { QuotaState, Reservation, Reserved, Settled } from './quota-record.js';
import type { Account } from './records.js';
import type { SharedQuotas } from './shared-quotas.js';
import { LockHeld } from './sqlite.js';
import type { AccessStore } from './store.js';
import type { Allowance } from './window.js';

/** Time between attempts to reopen failed counters, ms. */
const REOPEN_MS = 1_000;

export interface CallLimitsOptions {
  /** Calls in 60 seconds of a key, and of a client address without a key. */
  perKey?: number;
  perAddress?: number;
  /** Makes the counts survive a power failure. Called several times per second. */
  keepCounters?(): Promise<void>;
  /** Whether the data folder is still the folder that was opened. If not, background work pauses. */
  isInPlace?(): boolean;
  /** Receives the errors of background work. */
  onError?(error: unknown): void;
}

export class CallLimits {
  readonly #folder: string;
  readonly #perKey: number;
  readonly #perAddress: number;
  readonly #isInPlace: () => boolean;
  readonly #onError: (error: unknown) => void;
  readonly #keep: () => Promise<void>;
  readonly #addresses = new AddressLimit();
  /** Separate from other calls: a page with drawings makes one call and one file request per image. */
  readonly #files = new AddressLimit();
  /**
   * Separate from public calls: behind an untrusted proxy, attempts with wrong keys must not use up the
   * public calls of other clients.
   */
  readonly #strangers = new AddressLimit();
  readonly #queue = new LockQueue();
  /** Quotas that servers on other folders share. */
  readonly #shared: SharedQuotas | undefined;
  /** Reservations that are not settled because another process held the lock too long. */
  readonly #unsettled: Reservation[] = [];
  readonly #timer: NodeJS.Timeout;
  #counters: Counters | undefined;
  #fault: unknown;
  #failedAt = Number.NEGATIVE_INFINITY;
  #tending: Promise<void> | undefined;

  constructor(store: AccessStore, options: CallLimitsOptions = {}) {
    this.#folder = store.folder;
    this.#shared = store.sharedQuotas;
    this.#perKey = options.perKey ?? RATE_LIMIT_PER_MINUTE;
    this.#perAddress = options.perAddress ?? PUBLIC_RATE_LIMIT_PER_MINUTE;
    this.#isInPlace = options.isInPlace ?? (() => true);
    this.#onError = options.onError ?? (() => {});
    this.#keep = options.keepCounters ?? (async () => {});
    this.#timer = setInterval(() => this.#tend(), ACCESS_FLUSH_MS);
    this.#timer.unref();
  }

  /**
   * Runs work that counts. Retries for at most LOCK_WAIT_MS while another process holds the lock.
   * @param work throws LockHeld only before its first change
   * @returns the result of the work; a promise of it if the work has to wait
   * @throws PriorartError `unavailable` if the lock is held too long; and the errors of the work
   */
  whenUnlocked<T>(work: () => T): T | Promise<T> {
    return this.#queue.run(work);
  }

  /**
   * Counts a call of a key in its sliding minute.
   * @throws LockHeld
   * @throws PriorartError `unavailable`
   */
  takeCall(key: string): Allowance {
    return this.#counting((counters) => counters.takeCall(key, this.#perKey));
  }

  /** Whether calls of keys can be counted. Reopens failed counters at intervals of REOPEN_MS. */
  async canCount(): Promise<boolean> {
    try {
      await this.whenUnlocked(() => this.#counting((counters) => counters.check()));
      return true;
    } catch {
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

  /** Counts a request for a file with a signed link. */
  takeFile(address: string): Allowance {
    return this.#files.take(address, this.#perAddress);
  }

  /**
   * Reserves a search in the quota of an account. The caller settles the reservation when the answer is
   * known.
   * @returns a promise if the work has to wait
   * @throws PriorartError `quota_exceeded`, `unavailable`; a promise rejects with the same errors
   */
  reserve(account: Account, now: number = Date.now()): Reservation | Promise<Reservation> {
    const { id, monthly_quota: quota, created_at: created } = account;
    const cycle = cycleAt(created, now);
    const admitted = (result: Reserved): Reservation => {
      if (result.reserved) return { account: id, cycle, quota };
      throw quotaExceeded(quota, cycle, now, result.running);
    };
    if (this.#shared) return this.#shared.reserve(id, cycle, quota).then(admitted);
    return this.whenUnlocked(() =>
      admitted(this.#counting((counters) => counters.reserve(id, cycle, quota))),
    );
  }

  /**
   * Counts a search that is answered 200, or releases its reservation. If another process holds the lock too
   * long, the reservation is released later, and the search must not be answered 200.
   * @returns a promise if the work has to wait
   * @throws PriorartError `unavailable`; a promise rejects with the same error
   */
  settle(reservation: Reservation, counts: boolean): Settled | Promise<Settled> {
    if (this.#shared) return this.#shared.settle(reservation, counts);
    const settled = this.whenUnlocked(() =>
      this.#counting((counters) => counters.settle(reservation, counts)),
    );
    if (!(settled instanceof Promise)) return settled;
    return settled.catch((error: unknown) => {
      this.#unsettled.push(reservation);
      throw error;
    });
  }

  /**
   * The rest of a quota. If it is shared, as this server saw it last.
   * @throws LockHeld
   * @throws PriorartError `unavailable`
   */
  quotaState(account: Account, now: number = Date.now()): QuotaState {
    const cycle = cycleAt(account.created_at, now);
    if (this.#shared) return this.#shared.seen(account.id, cycle, account.monthly_quota);
    return this.#counting((counters) => counters.quotaState(account.id, cycle, account.monthly_quota));
  }

  /**
   * Searches that accounts have used of their quotas in this cycle, on all servers, up to this moment.
   * @throws LockHeld, PriorartError `unavailable`, as a rejection
   */
  async quotasUsed(
    accounts: readonly Account[],
    now: number = Date.now(),
  ): Promise<{ used: number; cycle: Cycle }[]> {
    if (this.#shared) return this.#shared.usedBy(accounts, now);
    return accounts.map(({ id, created_at: created }) => {
      const cycle = cycleAt(created, now);
      return { used: this.#counting((counters) => counters.used(id, cycle)), cycle };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tending;
    this.#tend();
    await this.#tending;
    this.#counters?.close();
    this.#counters = undefined;
    this.#fault = new Error('the server is closed');
    this.#failedAt = Number.POSITIVE_INFINITY;
  }

  #counting<T>(work: (counters: Counters) => T): T {
    try {
      this.#counters ??= this.#open();
      return work(this.#counters);
    } catch (error) {
      if (error instanceof LockHeld) throw error;
      this.#fail(error);
      throw new PriorartError('unavailable', `calls cannot be counted: ${messageOf(error)}`, {
        cause: error,
        retryAfter: REOPEN_MS / 1000,
      });
    }
  }

  #open(): Counters {
    if (performance.now() - this.#failedAt < REOPEN_MS) throw this.#fault;
    return new Counters(this.#folder);
  }

  #fail(error: unknown): void {
    if (error === this.#fault) return;
    this.#fault = error;
    this.#failedAt = performance.now();
    const broken = this.#counters;
    this.#counters = undefined;
    this.#onError(error);
    broken?.close();
  }

  /** Renews the lease, releases unsettled reservations, and writes the counts to the disk. */
  #tend(): void {
    if (!this.#counters || !this.#isInPlace()) return;
    try {
      this.#counters.tend();
      for (; this.#unsettled.length > 0; this.#unsettled.pop())
        this.#counters.settle(this.#unsettled.at(-1)!, false);
    } catch (error) {
      // The lease outlasts many missed renewals.
      if (!(error instanceof LockHeld)) this.#fail(error);
      return;
    }
    // The lease is renewed also while the disk is slow.
    if (this.#tending) return;
    this.#tending = this.#keep()
      .catch(this.#onError)
      .finally(() => {
        this.#tending = undefined;
      });
  }
}

export function quotaExceeded(quota: number, cycle: Cycle, now: number, running: boolean): PriorartError {
  const reset = new Date(cycle.end).toISOString();
  const monthly = `the monthly quota of ${quota} ${quota === 1 ? 'search' : 'searches'}`;
  return running
    ? new PriorartError(
        'quota_exceeded',
        `what is left of ${monthly} is taken by searches that are running; try again when they have ended`,
        { retryAfter: 1 },
      )
    : new PriorartError('quota_exceeded', `${monthly} is used up; the next cycle starts at ${reset}`, {
        retryAfter: (cycle.end - now) / 1000,
      });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
