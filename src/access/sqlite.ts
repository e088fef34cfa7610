/**
 * The SQLite files of the access store, in WAL mode: any number of processes read and one at a time writes, and whoever
 * is killed leaves the last commit. SQLite's own locks are the kernel's, so they end with their process; of a process
 * that is stopped they last, which is why nobody here waits for one on an event loop (lock-queue.ts).
 */
import { chmodSync, closeSync, existsSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { type NativeSqlite, native, type SqliteValue } from '../index/native.js';
import { diskFull, diskFullIn } from '../store/faults.js';
import { makeFolderWithin, syncFolder, tryRoom } from '../store/room.js';

/** What a file is to hold, and how it is written. */
export interface Layout {
  /** Number of the format, kept as `user_version`. */
  format: number;
  /** Statements that make the tables. */
  tables: readonly string[];
  /**
   * `FULL`: a commit is on the disk when it returns. `NORMAL`: a commit does not wait for the disk. It outlives its
   * process at once, and a power cut when the log of the file was synced; the file is whole either way.
   */
  synchronous: 'FULL' | 'NORMAL';
  /** Bytes of a page: what a change of one row writes. */
  pageBytes: number;
  /** Whether a commit copies the log into the file when it has grown long; somebody else does otherwise. */
  checkpoints: boolean;
  /** Whether all of it is looked at for damage when it is opened. */
  checked: boolean;
  /** What to do where it is damaged. */
  remedy: string;
}

export interface OpenOptions {
  /** Make the file where there is none. */
  create: boolean;
  /** How long a statement may sleep for a lock, ms. On an event loop 0: LockHeld is thrown at once. */
  waitMs: number;
}

/** Another process holds the lock: 503 to a caller who has waited long enough. Nothing was changed. */
export class LockHeld extends PriorartError {
  constructor(file: string) {
    super('unavailable', `another process holds the lock of ${file}`, { retryAfter: 1 });
  }
}

/** There is no file, or nothing in it yet. */
export class FileMissing extends Error {}

/** SQLite's message if it cannot open or create a file. It gives no reason: a full disk is one. */
const CANNOT_OPEN = 'unable to open database file';

/** One connection to a file. Not to be shared by threads. */
export class Sqlite {
  readonly file: string;
  readonly #connection: NativeSqlite;
  readonly #inode: number;
  readonly #remedy: string;

  /**
   * Opens a file and, where that is wanted, makes it and the folder it is in; both are for their owner only.
   * @throws LockHeld, FileMissing
   * @throws PriorartError `disk_full`
   * @throws Error that says what is wrong where the file is damaged or of another format
   */
  constructor(file: string, layout: Layout, { create, waitMs }: OpenOptions) {
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
      this.#prepare(layout, create);
      this.#inode = statSync(this.file).ino;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The rows that a statement gives. */
  rows<Row extends readonly SqliteValue[]>(sql: string, ...parameters: readonly SqliteValue[]): Row[] {
    return this.#calling(() => this.#connection.rows(sql, parameters) as unknown as Row[]);
  }

  /** The first row, where there is one. */
  row<Row extends readonly SqliteValue[]>(
    sql: string,
    ...parameters: readonly SqliteValue[]
  ): Row | undefined {
    return this.rows<Row>(sql, ...parameters)[0];
  }

  /** Runs work as one transaction, with the lock from its beginning: all of it is kept or nothing. */
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

  /** Whether the file was removed or another one put in its place: others would not see what is written to it. */
  isMoved(): boolean {
    return statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  /** Copies the database, as it is at this moment, into a file that is not there; on the disk when this returns. */
  copyTo(file: string): void {
    this.rows('VACUUM INTO ?', file);
    chmodSync(file, 0o600);
    syncFile(file);
  }

  /** Makes what was committed without waiting for the disk outlive a power cut, without a lock. */
  sync(): void {
    syncFile(`${this.file}-wal`);
  }

  close(): void {
    this.#calling(() => this.#connection.close());
  }

  #prepare({ format, tables, synchronous, pageBytes, checkpoints, checked }: Layout, create: boolean): void {
    if (create && statSync(this.file).size === 0) {
      // SQLite gives the files beside it the same mode.
      chmodSync(this.file, 0o600);
      this.rows(`PRAGMA page_size = ${pageBytes}`);
    }
    this.rows('PRAGMA journal_mode = WAL');
    this.rows(`PRAGMA synchronous = ${synchronous}`);
    this.rows('PRAGMA cell_size_check = ON');
    if (!checkpoints) this.rows('PRAGMA wal_autocheckpoint = 0');
    if (this.#format() === 0 && create) {
      this.write(() => {
        // Another process may have made them meanwhile.
        if (this.#format() !== 0) return;
        for (const table of tables) this.rows(table);
        this.rows(`PRAGMA user_version = ${format}`);
      });
      syncFolder(dirname(this.file));
    }
    const found = this.#format();
    if (found === 0) throw new FileMissing(`${this.file} is empty`);
    if (found !== format) throw new Error(`${this.file} has format ${found}; expected ${format}`);
    const fault = checked ? this.row<[string]>('PRAGMA quick_check(1)')?.[0] : 'ok';
    if (fault !== 'ok') throw this.#damaged(`${fault}`);
  }

  #format(): number {
    return this.row<[number]>('PRAGMA user_version')![0];
  }

  #rollBack(): void {
    try {
      this.rows('ROLLBACK');
    } catch {
      // SQLite has done so itself where the disk is full or the file damaged.
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

  /** @throws PriorartError `disk_full` if there is no room for a new file */
  #requireRoom(): void {
    const folder = dirname(this.file);
    try {
      tryRoom(folder);
    } catch (error) {
      const found = diskFullIn(folder, error);
      if (isPriorartError(found)) throw found;
    }
  }

  #damaged(fault: string): Error {
    return new Error(`${this.file} is damaged: ${fault}. ${this.#remedy}`);
  }
}

/** Not for a database that this process has open: closing a file gives up the locks that the process has on it. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
