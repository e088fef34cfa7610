/**
 * Counts of running servers, in counters.db, shared by all processes on a data folder: the sliding minute of
 * each key, and the used and reserved quota of each account by billing cycle. A commit does not wait for the
 * disk. Each server syncs its commits four times per second (CountersKeeper).
 */
import { readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COUNTERS_WAL_FRAMES, LOCK_WAIT_MS, QUOTA_LEASE_MS } from '../limits.js';
import type { Cycle } from './billing.js';
import { randomBase62 } from './key.js';
import { KEYS_FILE, KEYS_LAYOUT } from './keys-file.js';
import {
  type QuotaRecord,
  type QuotaState,
  type Reservation,
  type Reserved,
  reserveIn,
  type Settled,
  settleIn,
  stateOf,
} from './quota-record.js';
import { FileMissing, type Layout, type OpenOptions, Sqlite } from './sqlite.js';
import { type Allowance, monotonicMs, SlidingWindow, WINDOW_MS } from './window.js';

export const COUNTERS_FILE = 'counters.db';

export const COUNTERS_LAYOUT: Layout = {
  format: 1,
  tables: [
    // `calls`: a SlidingWindow. `over`: end of the window on the machine's monotonic clock, ms.
    `CREATE TABLE windows (key TEXT PRIMARY KEY, calls BLOB NOT NULL, over REAL NOT NULL)
     STRICT, WITHOUT ROWID`,
    // Start of a billing cycle in ms since 1970; searches that were answered 200; running searches, a JSON
    // object by lease.
    `CREATE TABLE quotas (
       account TEXT, cycle INTEGER, used INTEGER NOT NULL, held TEXT NOT NULL, PRIMARY KEY (account, cycle)
     ) STRICT, WITHOUT ROWID`,
    'CREATE TABLE leases (id TEXT PRIMARY KEY, renewed REAL NOT NULL, pid INTEGER NOT NULL, pid_space TEXT NOT NULL) STRICT',
  ],
  synchronous: 'NORMAL',
  pageBytes: 1024,
  checkpoints: false,
  checked: true,
  remedy:
    'Stop the servers on this folder and put back a copy of the file, or delete it with those whose names begin with its ' +
    'name: sliding minutes and used quotas then begin at zero',
};

/**
 * A process that may hold reservations. A killed process stops renewing its lease, and its reservations
 * become free. If the lease of a live process expires (for example a stopped process), the process finds its
 * reservation gone when it settles. It then needs a new reservation before it may answer 200.
 */
type Lease = [renewed: number, pid: number, pidSpace: string];

export type ReserveResult =
  | { reserved: true; reservation: Reservation }
  | Extract<Reserved, { reserved: false }>;

export interface CountersOptions extends Partial<OpenOptions> {
  /** A monotonic clock that all processes share, ms. */
  clock?: () => number;
}

/** Every method that changes data throws LockHeld, before any change, if another process holds the lock. */
export class Counters {
  readonly #file: Sqlite;
  readonly #leaseId = randomBase62(12);
  readonly #pidSpace = pidSpace();
  readonly #clock: () => number;
  #hasLease = false;
  /** Whether reservations of ended processes have been released since this object was made. */
  #hasReleased = false;

  /**
   * @param folder folder of the access store
   * @throws LockHeld
   * @throws PriorartError `disk_full`
   * @throws Error with the damage if the file is damaged
   */
  constructor(folder: string, { create = true, waitMs = 0, clock = monotonicMs }: CountersOptions = {}) {
    this.#clock = clock;
    this.#file = new Sqlite(join(folder, COUNTERS_FILE), COUNTERS_LAYOUT, { create, waitMs });
  }

  /** Counts a call of a key in its sliding minute. */
  takeCall(key: string, limit: number): Allowance {
    return this.#file.write(() => {
      // Read inside the transaction: times are in the order of their commits.
      const now = this.#clock();
      const found = this.#file.row<[Uint8Array]>('SELECT calls FROM windows WHERE key = ?', key);
      const window = SlidingWindow.of(found?.[0]);
      const allowance = window.take(now, limit);
      if (allowance.admitted) {
        const sql = 'INSERT OR REPLACE INTO windows (key, calls, over) VALUES (?, ?, ?)';
        this.#file.rows(sql, key, window.toBytes(), now + WINDOW_MS);
      }
      return allowance;
    });
  }

  /** Reserves one search in the rest of a quota. */
  reserve(account: string, cycle: Cycle, quota: number): ReserveResult {
    return this.#file.write(() => {
      if (!this.#hasLease) this.#putLease();
      const record = this.#record(account, cycle);
      const reserved = reserveIn(record, this.#leaseId, quota, () => this.#dropDead(record));
      if (!reserved.reserved) return reserved;
      this.#put(account, cycle.start, record);
      return { reserved: true, reservation: { account, cycle, quota } };
    });
  }

  /** Ends a reservation: counts the search in the cycle of its reservation, or releases the reservation. */
  settle({ account, cycle, quota }: Reservation, counts: boolean): Settled {
    return this.#file.write(() => {
      const record = this.#record(account, cycle);
      const answerable = settleIn(record, this.#leaseId, quota, counts);
      this.#put(account, cycle.start, record);
      return { answerable, state: stateOf(record, cycle, quota) };
    });
  }

  /** The rest of a quota. */
  quotaState(account: string, cycle: Cycle, quota: number): QuotaState {
    return stateOf(this.#record(account, cycle), cycle, quota);
  }

  /** Searches of an account that were answered 200 in a cycle. */
  used(account: string, cycle: Cycle): number {
    return this.#record(account, cycle).used;
  }

  /** Throws the errors of counting a call. */
  check(): void {
    if (this.isMoved()) throw new Error(`${this.#file.file} was removed or replaced`);
    this.#file.write(() => {});
  }

  /**
   * Renews the lease, and removes the leases of ended processes with what they hold. Call it several times per
   * QUOTA_LEASE_MS.
   */
  tend(): void {
    if (this.isMoved()) throw new Error(`${this.#file.file} was removed or replaced`);
    this.#file.write(() => {
      this.#putLease();
      const sql = 'SELECT id, renewed, pid, pid_space FROM leases';
      const dead = this.#file.rows<[string, ...Lease]>(sql).filter(([, ...lease]) => this.#isDead(lease));
      for (const [id] of dead) this.#file.rows('DELETE FROM leases WHERE id = ?', id);
      // The first time, too: an earlier version removed leases without what they held.
      if (dead.length > 0 || !this.#hasReleased) this.#releaseDead();
    });
    this.#hasReleased = true;
  }

  /** Whether the file was replaced or removed, so other processes count in a different file. */
  isMoved(): boolean {
    return this.#file.isMoved();
  }

  /** Copies a snapshot of the counters into a new file. */
  copyTo(file: string): void {
    this.#file.copyTo(file);
  }

  close(): void {
    this.#file.close();
  }

  #record(account: string, cycle: Cycle): QuotaRecord {
    const sql = 'SELECT used, held FROM quotas WHERE account = ? AND cycle = ?';
    const [used = 0, held = '{}'] = this.#file.row<[number, string]>(sql, account, cycle.start) ?? [];
    return { used, held: JSON.parse(held) };
  }

  /** @param start of the billing cycle */
  #put(account: string, start: number, { used, held }: QuotaRecord): void {
    const sql = 'INSERT OR REPLACE INTO quotas (account, cycle, used, held) VALUES (?, ?, ?, ?)';
    this.#file.rows(sql, account, start, used, JSON.stringify(held));
  }

  /** Releases the reservations of ended processes, so that the rest of a quota that clients see is right. */
  #releaseDead(): void {
    const sql = "SELECT account, cycle, used, held FROM quotas WHERE held <> '{}'";
    for (const [account, start, used, text] of this.#file.rows<[string, number, number, string]>(sql)) {
      const record: QuotaRecord = { used, held: JSON.parse(text) };
      if (this.#dropDead(record)) this.#put(account, start, record);
    }
  }

  /** Removes what ended processes hold. @returns whether there was any */
  #dropDead(record: QuotaRecord): boolean {
    const isDead = (id: string) => {
      if (id === this.#leaseId) return false;
      const lease = this.#file.row<Lease>('SELECT renewed, pid, pid_space FROM leases WHERE id = ?', id);
      return lease === undefined || this.#isDead(lease);
    };
    const dead = Object.keys(record.held).filter(isDead);
    for (const id of dead) delete record.held[id];
    return dead.length > 0;
  }

  #isDead([renewed, pid, space]: Lease): boolean {
    const now = this.#clock();
    // A time in the future is from an earlier boot: the clock starts at zero with each boot.
    if (renewed < now - QUOTA_LEASE_MS || renewed > now) return true;
    if (space !== this.#pidSpace) return false;
    try {
      process.kill(pid, 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH';
    }
  }

  #putLease(): void {
    const sql = 'INSERT OR REPLACE INTO leases (id, renewed, pid, pid_space) VALUES (?, ?, ?, ?)';
    this.#file.rows(sql, this.#leaseId, this.#clock(), process.pid, this.#pidSpace);
    this.#hasLease = true;
  }
}

/** Interval between removals of expired windows and of the quotas of deleted accounts, ms. */
export const CLEAN_MS = 60_000;

/** Disk work of the counters, several times per second, on a thread that may block. */
export class CountersKeeper {
  readonly #file: Sqlite;
  readonly #clock: () => number;
  #changed = 0;
  #unchanged = 0;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param folder folder of the access store; the counters exist in it
   * @param clock that of `CountersOptions`
   */
  constructor(folder: string, clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.#file = new Sqlite(
      join(folder, COUNTERS_FILE),
      { ...COUNTERS_LAYOUT, checked: false },
      { create: false, waitMs: LOCK_WAIT_MS },
    );
  }

  /** Whether the file was replaced or removed, so other processes count in a different file. */
  isMoved(): boolean {
    return this.#file.isMoved();
  }

  tend(): void {
    const { mtimeMs } = statSync(`${this.#file.file}-wal`);
    this.#unchanged = mtimeMs === this.#changed ? this.#unchanged + 1 : 0;
    this.#changed = mtimeMs;
    // Not at the first match: two changes within one tick of the file system's clock have the same time.
    if (this.#unchanged > 2) return;
    this.#file.sync();
    const [, frames] = this.#file.row<[number, number]>('PRAGMA wal_checkpoint(NOOP)')!;
    if (frames > COUNTERS_WAL_FRAMES) this.#shorten();
    if (this.#clock() - this.#cleanedAt > CLEAN_MS) this.#clean();
  }

  close(): void {
    this.#file.close();
  }

  /** Copies the WAL into the file: most of it without a lock, the rest only if the lock is free. */
  #shorten(): void {
    this.#file.rows('PRAGMA wal_checkpoint(PASSIVE)');
    this.#file.rows('PRAGMA busy_timeout = 0');
    this.#file.rows('PRAGMA wal_checkpoint(RESTART)');
    this.#file.rows(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  }

  #clean(): void {
    this.#removeWindows();
    this.#removeQuotas();
  }

  #removeWindows(): void {
    this.#file.write(() => {
      // Read inside the transaction: a window that a call changes after this time would seem to be of an earlier boot.
      const now = this.#clock();
      this.#cleanedAt = now;
      this.#file.rows('DELETE FROM windows WHERE over <= ? OR over > ?', now, now + WINDOW_MS);
    });
  }

  /** Removes the quotas of deleted accounts. What their running searches hold stays until these are settled. */
  #removeQuotas(): void {
    const keys = this.#openKeys();
    try {
      if (keys === undefined || this.#deleted(keys).length === 0) return;
      this.#file.write(() => {
        // Accounts of a file that was put in its place would seem to be deleted.
        if (keys.isMoved()) return;
        // Read again, inside the transaction: an account is stored before its first search is counted.
        for (const account of this.#deleted(keys))
          this.#file.rows("DELETE FROM quotas WHERE account = ? AND held = '{}'", account);
      });
    } finally {
      keys?.close();
    }
  }

  #openKeys(): Sqlite | undefined {
    const options = { create: false, waitMs: LOCK_WAIT_MS, isOnlyRead: true };
    try {
      return new Sqlite(
        join(dirname(this.#file.file), KEYS_FILE),
        { ...KEYS_LAYOUT, checked: false },
        options,
      );
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }

  /** Accounts that are not in keys.db, and have quotas without running searches. */
  #deleted(keys: Sqlite): string[] {
    const counted = this.#file.rows<[string]>("SELECT DISTINCT account FROM quotas WHERE held = '{}'").flat();
    const known = new Set(keys.rows<[string]>('SELECT id FROM accounts').flat());
    return counted.filter((account) => !known.has(account));
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
