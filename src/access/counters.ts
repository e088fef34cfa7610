/**
 * What is counted while calls run, shared by all processes on a data folder: the sliding minute of each key, and
 * how much of its monthly quota each account has used and reserved.
 *
 * An LMDB environment that is never forced to the disk: a transaction costs microseconds, is seen whole or not at
 * all by the other processes, and outlives kill -9 of any of them at any instant (the pages are the kernel's, the
 * lock is given up by the kernel). It does not outlive the machine. So its folder bears the name of this boot; the
 * next one starts from what the access store was given of it once a second (AccessStore.keepQuotas).
 *
 *   rate      key id      → the key's SlidingWindow
 *   quota     account id  → QuotaRecord
 *   leases    lease id    → Lease
 */
import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { QUOTA_LEASE_MS } from '../limits.js';
import { faultOfLmdbFile } from '../store/lmdb-file.js';
import { lastPageOf, openLmdb } from '../store/lmdb-open.js';
import { damageBeforeOpening } from '../store/pages.js';
import { makeFolderWithin, makeMappedRoom } from '../store/room.js';
import type { Cycle } from './billing.js';
import { bootId } from './boot.js';
import { dataFile } from './environment.js';
import { randomBase62 } from './key.js';
import { type Allowance, monotonicMs, SlidingWindow } from './window.js';

/** What an account has used of its quota. */
export interface UsedQuota {
  /** Start of the billing cycle that it is about, ms since 1970. */
  cycle: number;
  /** Searches answered with 200. */
  used: number;
}

/**
 * `held`: searches that are running now, by lease. At every instant used + held <= quota, and only what is held
 * becomes used; that is why a quota cannot be overrun, whoever is killed when.
 */
interface QuotaRecord extends UsedQuota {
  held: Record<string, number>;
}

/**
 * A process that may hold reservations. One that was killed does not renew it any more; what it holds is then free
 * again. Should that ever hit a process that is alive (stopped for a while, say), it finds its reservation gone
 * when it settles, and has to win a new one before it may answer 200.
 */
interface Lease {
  renewed: number;
  pid: number;
  /** Process ids mean the same only within one of these. */
  pidSpace: string;
}

export interface QuotaState {
  quota: number;
  /** Neither used nor held. */
  remaining: number;
  cycle: Cycle;
}

/** A search that runs. */
export interface Reservation {
  account: string;
  cycle: Cycle;
  quota: number;
}

/** `answerable` is false where a search must not be answered: its place was taken away, and there is no other one left. */
export interface Settled {
  answerable: boolean;
  state: QuotaState;
}

export type ReserveResult =
  | { reserved: true; reservation: Reservation }
  /** `running`: the quota is not used up yet, but what is left of it is held by searches that run. */
  | { reserved: false; running: boolean };

/** A record per key that was used within the last minute, and per account: this is room for some 100,000; LMDB grows it. */
const MAP_BYTES = 64 << 20;
/** Pages that a transaction may take: those on the way to an entry, of its table, of the free pages, and of splits. */
const PAGES_TAKEN = 64;
/** Of one more entry that it removes. */
const PAGES_OF_AN_ENTRY = 4;
/** Pages made ready at once. */
const PAGES_AHEAD = 1_024;
/**
 * With so many pages ready, nobody looks for a while: a transaction takes 5 µs with the lock in its hand and 7 pages, so
 * all processes together do not come to the end of them meanwhile. A look costs 2 µs.
 */
const AMPLE_PAGES = 768;
const UNLOOKED_MS = 0.5;
const FULL_MS = 1_000;

export class Counters {
  readonly #root: RootDatabase;
  readonly #rate: Database<Uint8Array, string>;
  readonly #quota: Database<QuotaRecord, string>;
  readonly #leases: Database<Lease, string>;
  readonly #file: string;
  readonly #inode: number;
  readonly #leaseId = randomBase62(12);
  readonly #pidSpace = pidSpace();
  readonly #clock: () => number;
  /** The last page that has its blocks on the disk, as far as this process knows. */
  #room = 0;
  #isAmple = false;
  #lookedAt = 0;
  /** When the disk is tried again that has no room for more than the next transaction. */
  #fullUntil = 0;
  /** Keys that this process has counted a call of, by their last call. */
  readonly #keys = new Map<string, number>();
  #accounts = new Set<string>();

  /**
   * Opens the counters of this boot, and removes those of earlier ones.
   * @param folder the access store's
   * @param seed the quotas used as the access store has kept them
   * @throws Error that says what is wrong where they are damaged, or of code ENOSPC
   */
  constructor(folder: string, seed: () => Iterable<[string, UsedQuota]>, clock: () => number = monotonicMs) {
    this.#clock = clock;
    const boot = bootId();
    const dir = join(folder, 'counters', boot ?? 'synced');
    if (boot !== undefined) removeOthers(join(folder, 'counters'), boot);
    makeFolderWithin(join(folder, 'counters'), 0o700);
    makeFolderWithin(dir, 0o700);
    this.#file = dataFile(dir);
    if (existsSync(this.#file) && statSync(this.#file).size > 0) {
      const fault = faultOfLmdbFile(this.#file) ?? damageBeforeOpening(this.#file);
      if (fault !== undefined)
        throw new Error(
          `${this.#file} is damaged: ${fault}. Stop the servers on this folder and delete ${dir}: it is made anew from ` +
            'the used quotas beside the keys, which are at most a second old; the sliding minutes begin again',
        );
    }
    // Without a boot's name nobody can tell which counters to trust, so they are forced to the disk like the rest.
    const unsynced = { noSync: true, noMetaSync: true, overlappingSync: false, useWritemap: true };
    this.#root = openLmdb({
      path: dir,
      noSubdir: false,
      maxDbs: 8,
      mapSize: MAP_BYTES,
      ...(boot === undefined ? {} : unsynced),
    });
    try {
      this.#root.readerCheck();
      this.#writing(() => {});
      this.#rate = this.#root.openDB({ name: 'rate', encoding: 'binary' });
      this.#quota = this.#root.openDB({ name: 'quota' });
      this.#leases = this.#root.openDB({ name: 'leases' });
      this.#inode = statSync(this.#file).ino;
      const used = [...seed()];
      // Whatever is over is removed here, which may be all; of new records a page holds more than eight.
      const changed = lastPageOf(this.#root) + (used.length >> 3);
      this.#writing(() => {
        this.#removeStale();
        this.#putLease();
        // Within a cycle, what is used never falls: whatever became of the counters, no less is counted than was kept.
        for (const [account, kept] of used) this.#raise(account, kept);
        // Of a process that was killed, nobody has kept the last ones.
        this.#noteAllAccounts();
      }, changed);
    } catch (error) {
      void this.#root.close();
      throw error;
    }
  }

  /** @param more pages that the transaction may change besides the usual */
  #writing<T>(body: () => T, more = 0): T {
    return this.#root.transactionSync(() => {
      this.#seeToRoom(more);
      return body();
    });
  }

  /** @throws Error of code ENOSPC */
  #seeToRoom(more: number): void {
    const now = performance.now();
    if (more === 0 && this.#isAmple && now - this.#lookedAt < UNLOOKED_MS) return;
    this.#lookedAt = now;
    const last = lastPageOf(this.#root);
    const wanted = PAGES_TAKEN + more;
    if (last + Math.max(wanted, AMPLE_PAGES) > this.#room && now >= this.#fullUntil) {
      try {
        this.#room = makeMappedRoom(this.#file, wanted + PAGES_AHEAD);
      } catch {
        this.#fullUntil = now + FULL_MS;
      }
    }
    // As long as there is room for this one, the disk may be full.
    if (last + wanted > this.#room) this.#room = makeMappedRoom(this.#file, wanted);
    this.#isAmple = this.#room - last >= AMPLE_PAGES;
  }

  #noteAllAccounts(): void {
    for (const account of this.#quota.getKeys()) this.#accounts.add(account);
  }

  #raise(account: string, kept: UsedQuota): void {
    const record = this.#quota.get(account);
    if (record && (record.cycle > kept.cycle || (record.cycle === kept.cycle && record.used >= kept.used)))
      return;
    const held = record?.cycle === kept.cycle ? record.held : {};
    this.#quota.putSync(account, { cycle: kept.cycle, used: kept.used, held });
  }

  /** Counts a call of a key in its sliding minute. */
  takeCall(key: string, limit: number): Allowance {
    return this.#writing(() => {
      // Read within the transaction, times are in the order in which they are written.
      const now = this.#clock();
      const window = SlidingWindow.of(this.#rate.getBinaryFast(key));
      const allowance = window.take(now, limit);
      if (allowance.admitted) this.#rate.putSync(key, window.toBytes());
      this.#keys.set(key, now);
      return allowance;
    });
  }

  /** Takes one search out of what is left of a quota. */
  reserve(account: string, cycle: Cycle, quota: number): ReserveResult {
    return this.#writing(() => {
      const record = this.#record(account, cycle);
      if (record.used + heldBy(record) >= quota) this.#dropDead(record);
      if (record.used + heldBy(record) >= quota) return { reserved: false, running: record.used < quota };
      record.held[this.#leaseId] = (record.held[this.#leaseId] ?? 0) + 1;
      this.#quota.putSync(account, record);
      this.#accounts.add(account);
      return { reserved: true, reservation: { account, cycle, quota } };
    });
  }

  /**
   * Ends a reservation: the search counts, or its place is given back.
   */
  settle({ account, cycle, quota }: Reservation, counts: boolean): Settled {
    return this.#writing(() => {
      const record = this.#record(account, cycle);
      const answerable = this.#settled(account, record, cycle, quota, counts);
      return { answerable, state: stateOf(record, cycle, quota) };
    });
  }

  #settled(account: string, record: QuotaRecord, cycle: Cycle, quota: number, counts: boolean): boolean {
    // A new month has begun meanwhile. The old one, in which the search was let in, is not counted on.
    if (record.cycle !== cycle.start) return true;
    const held = record.held[this.#leaseId] ?? 0;
    if (held === 0) {
      if (!counts) return true;
      if (record.used + heldBy(record) >= quota) return false;
    } else if (held === 1) delete record.held[this.#leaseId];
    else record.held[this.#leaseId] = held - 1;
    if (counts) record.used++;
    this.#quota.putSync(account, record);
    this.#accounts.add(account);
    return true;
  }

  /** What is left of a quota. */
  quotaState(account: string, cycle: Cycle, quota: number): QuotaState {
    this.#root.resetReadTxn();
    return stateOf(this.#record(account, cycle), cycle, quota);
  }

  /** What an account has used, for the access store to keep. */
  used(account: string): UsedQuota | undefined {
    this.#root.resetReadTxn();
    const record = this.#quota.get(account);
    return record && { cycle: record.cycle, used: record.used };
  }

  /** Accounts whose used quota has changed since the last call of this. */
  changedAccounts(): string[] {
    const changed = [...this.#accounts];
    this.#accounts = new Set();
    return changed;
  }

  /** Puts accounts back whose used quota could not be kept. */
  setChanged(accounts: readonly string[]): void {
    for (const account of accounts) this.#accounts.add(account);
  }

  /**
   * To be called about once a second: renews the lease, and removes windows that are over.
   * @throws Error where the file was taken away or replaced: others would count in another one
   */
  tend(): void {
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (found?.ino !== this.#inode) throw new Error(`${this.#file} was removed or replaced`);
    const then = this.#clock();
    const over = [...this.#keys].filter(([, last]) => last <= then - 60_000).map(([key]) => key);
    this.#writing(() => {
      this.#putLease();
      if (this.#removeDeadLeases()) this.#noteAllAccounts();
      const now = this.#clock();
      for (const key of over)
        if (SlidingWindow.of(this.#rate.get(key)).isOver(now)) this.#rate.removeSync(key);
    }, over.length * PAGES_OF_AN_ENTRY);
    for (const key of over) this.#keys.delete(key);
  }

  async close(): Promise<void> {
    this.#writing(() => this.#leases.removeSync(this.#leaseId));
    await this.#root.close();
  }

  /** Leaves the environment without writing to it: for one that is out of order. */
  async abandon(): Promise<void> {
    await this.#root.close();
  }

  /** The record of the cycle; of a later one where there is one, so that a clock set back frees nothing. */
  #record(account: string, cycle: Cycle): QuotaRecord {
    const record = this.#quota.get(account);
    if (record && record.cycle >= cycle.start) return record;
    return { cycle: cycle.start, used: 0, held: {} };
  }

  #dropDead(record: QuotaRecord): void {
    for (const id of Object.keys(record.held)) {
      if (id !== this.#leaseId && this.#isDead(this.#leases.get(id))) delete record.held[id];
    }
  }

  #isDead(lease: Lease | undefined): boolean {
    if (lease === undefined) return true;
    if (lease.renewed < this.#clock() - QUOTA_LEASE_MS) return true;
    if (lease.pidSpace !== this.#pidSpace) return false;
    try {
      process.kill(lease.pid, 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH';
    }
  }

  #putLease(): void {
    const lease = { renewed: this.#clock(), pid: process.pid, pidSpace: this.#pidSpace };
    this.#leases.putSync(this.#leaseId, lease);
  }

  /** Whether there were any. */
  #removeDeadLeases(): boolean {
    const dead = [...this.#leases.getRange()].filter(({ value }) => this.#isDead(value));
    for (const { key } of dead) this.#leases.removeSync(key);
    return dead.length > 0;
  }

  #removeStale(): void {
    this.#removeDeadLeases();
    const now = this.#clock();
    for (const { key, value } of [...this.#rate.getRange()])
      if (SlidingWindow.of(value).isOver(now)) this.#rate.removeSync(key);
  }
}

function stateOf(record: QuotaRecord, cycle: Cycle, quota: number): QuotaState {
  return { quota, remaining: Math.max(0, quota - record.used - heldBy(record)), cycle };
}

function heldBy({ held }: QuotaRecord): number {
  let sum = 0;
  for (const id in held) sum += held[id]!;
  return sum;
}

function removeOthers(folder: string, boot: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name !== boot) rmSync(join(folder, name), { recursive: true, force: true });
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
