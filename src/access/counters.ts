/**
 * What is counted while calls run, shared by all processes on a data folder: the sliding minute of each key, and how
 * much of its quota each account has used and reserved, by billing cycle. In counters.db. A commit does not wait for the
 * disk; each server syncs what it has committed four times a second (CountersKeeper).
 */
import { readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTERS_WAL_FRAMES, LOCK_WAIT_MS, QUOTA_LEASE_MS } from '../limits.js';
import type { Cycle } from './billing.js';
import { randomBase62 } from './key.js';
import { type Layout, type OpenOptions, Sqlite } from './sqlite.js';
import { type Allowance, monotonicMs, SlidingWindow, WINDOW_MS } from './window.js';

export const COUNTERS_FILE = 'counters.db';

const LAYOUT: Layout = {
  format: 1,
  tables: [
    // A SlidingWindow, and when it is over by the machine's monotonic clock, ms.
    `CREATE TABLE windows (key TEXT PRIMARY KEY, calls BLOB NOT NULL, over REAL NOT NULL)
     STRICT, WITHOUT ROWID`,
    // Start of a billing cycle in ms since 1970; searches answered 200; searches that run, a JSON object by lease.
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
 * `held`: searches that are running now, by lease. At every instant used + held <= quota, and only what is held
 * becomes used; that is why a quota cannot be overrun, whoever is killed when.
 */
interface QuotaRecord {
  used: number;
  held: Record<string, number>;
}

/**
 * A process that may hold reservations. One that was killed does not renew it any more; what it holds is then free
 * again. Should that ever hit a process that is alive (stopped for a while, say), it finds its reservation gone
 * when it settles, and has to win a new one before it may answer 200.
 */
type Lease = [renewed: number, pid: number, pidSpace: string];

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

export interface CountersOptions extends Partial<OpenOptions> {
  /** ms of a clock that all processes share and that never goes back. */
  clock?: () => number;
}

/** Each method that changes something throws LockHeld, and has changed nothing, where another process has the lock. */
export class Counters {
  readonly #file: Sqlite;
  readonly #leaseId = randomBase62(12);
  readonly #pidSpace = pidSpace();
  readonly #clock: () => number;
  #hasLease = false;

  /**
   * @param folder the access store's
   * @throws LockHeld
   * @throws PriorartError `disk_full`
   * @throws Error that says what is wrong where the file is damaged
   */
  constructor(folder: string, { create = true, waitMs = 0, clock = monotonicMs }: CountersOptions = {}) {
    this.#clock = clock;
    this.#file = new Sqlite(join(folder, COUNTERS_FILE), LAYOUT, { create, waitMs });
  }

  /** Counts a call of a key in its sliding minute. */
  takeCall(key: string, limit: number): Allowance {
    return this.#file.write(() => {
      // Read within the transaction, times are in the order in which they are written.
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

  /** Takes one search out of what is left of a quota. */
  reserve(account: string, cycle: Cycle, quota: number): ReserveResult {
    return this.#file.write(() => {
      if (!this.#hasLease) this.#putLease();
      const record = this.#record(account, cycle);
      if (record.used + heldBy(record) >= quota) this.#dropDead(record);
      if (record.used + heldBy(record) >= quota) return { reserved: false, running: record.used < quota };
      record.held[this.#leaseId] = (record.held[this.#leaseId] ?? 0) + 1;
      this.#put(account, cycle, record);
      return { reserved: true, reservation: { account, cycle, quota } };
    });
  }

  /** Ends a reservation: the search counts in the cycle in which it was let in, or its place is given back. */
  settle({ account, cycle, quota }: Reservation, counts: boolean): Settled {
    return this.#file.write(() => {
      const record = this.#record(account, cycle);
      const answerable = this.#settled(record, quota, counts);
      this.#put(account, cycle, record);
      return { answerable, state: stateOf(record, cycle, quota) };
    });
  }

  #settled(record: QuotaRecord, quota: number, counts: boolean): boolean {
    const held = record.held[this.#leaseId] ?? 0;
    if (held === 0) {
      if (!counts) return true;
      if (record.used + heldBy(record) >= quota) return false;
    } else if (held === 1) delete record.held[this.#leaseId];
    else record.held[this.#leaseId] = held - 1;
    if (counts) record.used++;
    return true;
  }

  /** What is left of a quota. */
  quotaState(account: string, cycle: Cycle, quota: number): QuotaState {
    return stateOf(this.#record(account, cycle), cycle, quota);
  }

  /** Searches of an account that were answered 200 in a cycle. */
  used(account: string, cycle: Cycle): number {
    return this.#record(account, cycle).used;
  }

  /** Throws what counting a call would throw. */
  check(): void {
    if (this.isMoved()) throw new Error(`${this.#file.file} was removed or replaced`);
    this.#file.write(() => {});
  }

  /** To be called several times within QUOTA_LEASE_MS: renews the lease, and removes those of processes that are gone. */
  tend(): void {
    if (this.isMoved()) throw new Error(`${this.#file.file} was removed or replaced`);
    this.#file.write(() => {
      this.#putLease();
      for (const [id, ...lease] of this.#file.rows<[string, ...Lease]>(
        'SELECT id, renewed, pid, pid_space FROM leases',
      ))
        if (this.#isDead(lease)) this.#file.rows('DELETE FROM leases WHERE id = ?', id);
    });
  }

  /** Whether others count in another file by now. */
  isMoved(): boolean {
    return this.#file.isMoved();
  }

  /** Copies the counters, as they are at this moment, into a file that is not there. */
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

  #put(account: string, cycle: Cycle, { used, held }: QuotaRecord): void {
    const sql = 'INSERT OR REPLACE INTO quotas (account, cycle, used, held) VALUES (?, ?, ?, ?)';
    this.#file.rows(sql, account, cycle.start, used, JSON.stringify(held));
  }

  #dropDead(record: QuotaRecord): void {
    for (const id of Object.keys(record.held)) {
      if (id === this.#leaseId) continue;
      const lease = this.#file.row<Lease>('SELECT renewed, pid, pid_space FROM leases WHERE id = ?', id);
      if (lease === undefined || this.#isDead(lease)) delete record.held[id];
    }
  }

  #isDead([renewed, pid, space]: Lease): boolean {
    const now = this.#clock();
    // A time in the future is of an earlier boot: the clock starts at zero with each boot.
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

/** How often windows that are over are removed, ms. */
const CLEAN_MS = 60_000;

/** What waits for the disk, done several times a second by a thread that may wait. */
export class CountersKeeper {
  readonly #file: Sqlite;
  #changed = 0;
  #unchanged = 0;
  #cleanedAt = 0;

  /** @param folder the access store's, whose counters are there already */
  constructor(folder: string) {
    this.#file = new Sqlite(
      join(folder, COUNTERS_FILE),
      { ...LAYOUT, checked: false },
      { create: false, waitMs: LOCK_WAIT_MS },
    );
  }

  /** Whether others count in another file by now. */
  isMoved(): boolean {
    return this.#file.isMoved();
  }

  tend(): void {
    const { mtimeMs } = statSync(`${this.#file.file}-wal`);
    this.#unchanged = mtimeMs === this.#changed ? this.#unchanged + 1 : 0;
    this.#changed = mtimeMs;
    // Not at the first time already: two changes within one tick of the file system's clock have the same time.
    if (this.#unchanged > 2) return;
    this.#file.sync();
    const [, frames] = this.#file.row<[number, number]>('PRAGMA wal_checkpoint(NOOP)')!;
    if (frames > COUNTERS_WAL_FRAMES) this.#shorten();
    if (monotonicMs() - this.#cleanedAt > CLEAN_MS) this.#clean();
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
    const now = monotonicMs();
    this.#cleanedAt = now;
    this.#file.rows('DELETE FROM windows WHERE over <= ? OR over > ?', now, now + WINDOW_MS);
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

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
