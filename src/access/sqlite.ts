/**
 * The SQLite files of the access store, in WAL mode: any number of processes read and one process at a time
 * writes. A killed process leaves the last commit. The kernel holds SQLite's locks, so they end with their
 * process. A stopped process keeps its locks, so no event loop waits for a lock (lock-queue.ts).
 */
import { chmodSync, closeSync, existsSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { type NativeSqlite, native, type SqliteValue } from '../index/native.js';
import { diskFull, diskFullIn } from '../store/faults.js';
import { makeFolderWithin, syncFolder, tryRoom } from '../store/room.js';

/** Contents and write mode of a file. */
export interface Layout {
  /** Version of the format, stored as `user_version`. */
  format: number;
  /** Statements that create the tables. */
  tables: readonly string[];
  /**
   * Statements that turn an older format into the next one, by the older format. They only add, so that a
   * process of an older version that has the file open continues to work.
   */
  upgrades?: Readonly<Record<number, readonly string[]>>;
  /**
   * `FULL`: a commit is on the disk when it returns. `NORMAL`: a commit does not wait for the disk. It
   * survives the end of its process immediately, and a power failure after the sync of the WAL. The file is
   * consistent in both modes.
   */
  synchronous: 'FULL' | 'NORMAL';
  /** Bytes of a page: the smallest write for a change of one row. */
  pageBytes: number;
  /** Whether a commit copies a long WAL into the file; otherwise the caller does. */
  checkpoints: boolean;
  /** Whether the whole file is checked for damage when it is opened. */
  checked: boolean;
  /** What to do if the file is damaged. */
  remedy: string;
}

export interface OpenOptions {
  /** Create the file if it does not exist. */
  create: boolean;
  /** Time that a statement may block for a lock, ms. On an event loop 0: LockHeld is thrown immediately. */
  waitMs: number;
  /** Leave the file as it is: its format, its tables and its journal are not brought up to date. */
  isOnlyRead?: boolean;
}

/**
 * A different process holds the lock. A caller that has waited long enough receives 503. Nothing was changed.
 */
export class LockHeld extends PriorartError {
  constructor(file: string) {
    super('unavailable', `another process holds the lock of ${file}`, { retryAfter: 1 });
  }
}

/** The file does not exist or is empty. */
export class FileMissing extends Error {}

/** The file is damaged. */
export class FileDamaged extends Error {
  /** What is damaged, and what to do. Without the name of the file. */
  readonly reason: string;

  constructor(file: string, reason: string) {
    super(`${file} is damaged: ${reason}`);
    this.reason = reason;
  }
}

/**
 * SQLite's message if it cannot open or create a file. The message has no reason; one reason is a full disk.
 */
const CANNOT_OPEN = 'unable to open database file';

/** One connection to a file. Threads must not share it. */
export class Sqlite {
  readonly file: string;
  readonly #connection: NativeSqlite;
  readonly #inode: number;
  readonly #remedy: string;

  /**
   * Opens a file. If `create` is set, creates the file and its folder; only their owner can read them.
   * @throws LockHeld, FileMissing
   * @throws PriorartError `disk_full`
   * @throws FileDamaged
   * @throws Error with the reason if the file has a different format or cannot be read
   */
  constructor(file: string, layout: Layout, { create, waitMs, isOnlyRead = false }: OpenOptions) {
    this.file = resolve(file);
    this.#remedy = layout.remedy;
    const isThere = existsSync(this.file);
    if (!isThere && !create) throw new FileMissing(`${this.file} is missing`);
    if (!isThere) {
      makeFolderWithin(dirname(this.file), 0o700);
      syncFolder(dirname(dirname(this.file)));
    }
    this.#connection = this.#calling(() => new native.Sqlite(this.file, create, waitMs));
    try {
      if (isOnlyRead) this.rows('PRAGMA query_only = ON');
      else this.#prepare(layout, create);
      this.#inode = statSync(this.file).ino;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The rows of a statement. */
  rows<Row extends readonly SqliteValue[]>(sql: string, ...parameters: readonly SqliteValue[]): Row[] {
    return this.#calling(() => this.#connection.rows(sql, parameters) as unknown as Row[]);
  }

  /** The first row; undefined without a row. */
  row<Row extends readonly SqliteValue[]>(
    sql: string,
    ...parameters: readonly SqliteValue[]
  ): Row | undefined {
    return this.rows<Row>(sql, ...parameters)[0];
  }

  /** Runs work as one transaction that holds the lock from the start. All changes are kept, or none. */
  write<T>(work: () => T): T {
    this.rows('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.rows('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs work as a transaction of which nothing is kept. */
  tried<T>(work: () => T): T {
    this.rows('BEGIN IMMEDIATE');
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** Whether the file was removed or replaced. Other processes would not see writes to it. */
  isMoved(): boolean {
    return statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  /** Copies a snapshot of the database into a new file. The copy is on the disk when this returns. */
  copyTo(file: string): void {
    this.rows('VACUUM INTO ?', file);
    chmodSync(file, 0o600);
    syncFile(file);
  }

  /** Makes earlier commits survive a power failure. Takes no lock. */
  sync(): void {
    syncFile(`${this.file}-wal`);
  }

  /** Whether the file has no tables yet, or was emptied. */
  isEmpty(): boolean {
    return this.#format() === 0;
  }

  /**
   * Reads the whole file: pages, tables, and whether indexes agree with their tables.
   * @throws FileDamaged
   */
  requireWhole(): void {
    this.rows('PRAGMA cell_size_check = ON');
    this.#requireOk('PRAGMA integrity_check(1)');
  }

  close(): void {
    this.#calling(() => this.#connection.close());
  }

  #prepare(layout: Layout, create: boolean): void {
    const { format, tables, synchronous, pageBytes, checkpoints, checked } = layout;
    if (create && statSync(this.file).size === 0) {
      // SQLite gives the WAL files the same mode.
      chmodSync(this.file, 0o600);
      this.rows(`PRAGMA page_size = ${pageBytes}`);
    }
    this.rows('PRAGMA journal_mode = WAL');
    this.rows(`PRAGMA synchronous = ${synchronous}`);
    this.rows('PRAGMA cell_size_check = ON');
    if (!checkpoints) this.rows('PRAGMA wal_autocheckpoint = 0');
    if (this.#format() === 0 && create) {
      this.write(() => {
        // A different process may have created the tables meanwhile.
        if (this.#format() !== 0) return;
        for (const table of tables) this.rows(table);
        this.rows(`PRAGMA user_version = ${format}`);
      });
      syncFolder(dirname(this.file));
    }
    const found = this.#format();
    if (found === 0) throw new FileMissing(`${this.file} is empty`);
    const upgrades = upgradesFrom(found, layout);
    if (!upgrades) throw new Error(`${this.file} has format ${found}; expected ${format}`);
    if (checked) this.#requireOk('PRAGMA quick_check(1)');
    if (upgrades.length > 0) this.#upgrade(layout);
  }

  /** One transaction: the file has the old format or the new one. */
  #upgrade(layout: Layout): void {
    this.write(() => {
      // A different process may have upgraded the file meanwhile.
      for (const statement of upgradesFrom(this.#format(), layout) ?? []) this.rows(statement);
      this.rows(`PRAGMA user_version = ${layout.format}`);
    });
  }

  /** @throws FileDamaged */
  #requireOk(check: string): void {
    const fault = this.row<[string]>(check)?.[0];
    if (fault !== 'ok') throw this.#damaged(`${fault}`);
  }

  #format(): number {
    return this.row<[number]>('PRAGMA user_version')![0];
  }

  #rollBack(): void {
    try {
      this.rows('ROLLBACK');
    } catch {
      // SQLite has already rolled back if the disk is full or the file is damaged.
    }
  }

  #calling<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      const [, code, message] = /^sqlite_([a-z]+): ([\s\S]*)$/.exec((error as Error).message) ?? [];
      if (code === undefined) throw error;
      if (code === 'busy') throw new LockHeld(this.file);
      if (code === 'full') throw diskFull(dirname(this.file), error);
      if (code === 'damaged') throw this.#damaged(message!);
      if (message!.startsWith(CANNOT_OPEN)) this.#requireRoom();
      throw new Error(`${this.file} cannot be used: ${message}`, { cause: error });
    }
  }

  /** @throws PriorartError `disk_full` if the disk has no room for a new file */
  #requireRoom(): void {
    const folder = dirname(this.file);
    try {
      tryRoom(folder);
    } catch (error) {
      const found = diskFullIn(folder, error);
      if (isPriorartError(found)) throw found;
    }
  }

  #damaged(fault: string): FileDamaged {
    return new FileDamaged(this.file, `${fault}. ${this.#remedy}`);
  }
}

/** The statements from a format to that of the layout; undefined if there is no way. */
function upgradesFrom(found: number, { format, upgrades = {} }: Layout): string[] | undefined {
  if (found > format) return undefined;
  const statements: string[] = [];
  for (let step = found; step < format; step++) {
    const next = upgrades[step];
    if (!next) return undefined;
    statements.push(...next);
  }
  return statements;
}

/**
 * Must not be called for a database that this process has open: closing a file releases the locks that the
 * process holds on it.
 */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
