/**
 * The connection of a process to keys.db, for servers and the command line at the same time. It opens the file again
 * after a failure, notices that the file was removed or replaced, and remembers what it read until the file changes. It
 * opens no file of another folder in the place of its own: SQLite would change files there.
 */
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { RECORDS_REMEMBERED_MAX } from '../limits.js';
import { fileId } from '../store/file-id.js';
import { KEYS_FILE, openKeys } from './keys-file.js';
import { LockQueue } from './lock-queue.js';
import { FileMissing, LockHeld, type Sqlite } from './sqlite.js';

/** Time between checks that the file is in its place, and between attempts to open a damaged file, ms. */
const INSPECT_MS = 1_000;

/** Reads and changes of the accounts and keys that a server knows. */
export type KeysSource = Pick<
  KeysConnection,
  'isOpen' | 'isMissing' | 'require' | 'read' | 'remembered' | 'write' | 'copyTo' | 'close'
>;

export class KeysConnection {
  readonly #folder: string;
  readonly #waitMs: number;
  readonly #queue = new LockQueue();
  /**
   * Results of reads since the last change of the file, by name. All callers share these objects and must not
   * change them.
   */
  readonly #known = new Map<string, object>();
  /** SQLite's number of the last change by a different connection. `#known` has this state. */
  #version = 0;
  #file: Sqlite | undefined;
  /** `fileId` of the folder, since a file was opened in it. */
  #place: string | undefined;
  #fault: unknown;
  #inspectedAt = 0;
  #closed = false;

  /**
   * @param create create the file if it does not exist, and throw if it is damaged. Otherwise a missing or damaged
   *   file is tried again later
   * @param waitMs time that a statement may block for a lock, ms; 0 on an event loop
   * @throws PriorartError `unavailable` if the file is damaged, `disk_full`; only with `create`
   */
  constructor(folder: string, { create, waitMs }: { create: boolean; waitMs: number }) {
    this.#folder = folder;
    this.#waitMs = waitMs;
    this.#open(create);
    if (!create) return;
    // For a server, a full disk is one reason why keys cannot be checked. The creator of a store has to free
    // space.
    if (isPriorartError(this.#fault)) throw this.#fault;
    this.require();
  }

  /** Whether the file can be read now. */
  isOpen(): boolean {
    this.#inspect();
    return this.#file !== undefined;
  }

  /** Whether the folder has no file yet. */
  isMissing(): boolean {
    this.#inspect();
    return this.#file === undefined && this.#fault instanceof FileMissing;
  }

  /** @throws PriorartError `unavailable` while the file cannot be read */
  require(): void {
    this.#current();
  }

  /**
   * Runs a read. If the read fails, the file is closed until it opens without an error.
   * @throws LockHeld
   * @throws PriorartError `unavailable`, and the errors of the read
   */
  read<T>(read: (file: Sqlite) => T): T {
    return this.#guarded(this.#current(), read);
  }

  /**
   * The result of a read. If the file has not changed since the last read of this name, returns the stored result.
   * @throws the errors of `read`
   */
  remembered<T extends object | undefined>(name: string, read: (file: Sqlite) => T): T {
    return this.read((file) => {
      const [version] = file.row<[number]>('PRAGMA data_version')!;
      if (version !== this.#version || this.#known.size >= RECORDS_REMEMBERED_MAX) this.#known.clear();
      this.#version = version;
      const known = this.#known.get(name) as T;
      if (known !== undefined) return known;
      const found = read(file);
      // Missing names are not stored: clients without an account can ask for an unlimited number of them.
      if (found !== undefined) this.#known.set(name, Object.freeze(found));
      return found;
    });
  }

  /**
   * Runs a change as one transaction, when no other process holds the lock. Resolves when the change is on
   * the disk.
   * @throws PriorartError `unavailable`, `disk_full`, and the errors of the change, as a rejection
   */
  async write<T>(change: (file: Sqlite) => T): Promise<T> {
    return this.#queue.run(() => {
      const file = this.#current();
      this.#known.clear();
      return this.#guarded(file, () => file.write(() => change(file)));
    });
  }

  /**
   * Runs a change of which nothing is kept, and returns its result.
   * @throws the errors of `write`
   */
  async tried<T>(change: (file: Sqlite) => T): Promise<T> {
    return this.#queue.run(() => {
      const file = this.#current();
      return this.#guarded(file, () => file.tried(() => change(file)));
    });
  }

  /** Copies a snapshot of the file into a folder. */
  copyTo(folder: string): void {
    this.#current().copyTo(join(folder, KEYS_FILE));
  }

  close(): void {
    this.#closed = true;
    const file = this.#file;
    this.#file = undefined;
    file?.close();
  }

  #guarded<T>(file: Sqlite, read: (file: Sqlite) => T): T {
    try {
      return read(file);
    } catch (error) {
      if (isPriorartError(error)) throw error;
      this.#fail(error);
      throw this.#unavailable();
    }
  }

  #current(): Sqlite {
    this.#inspect();
    if (this.#file) return this.#file;
    throw this.#unavailable();
  }

  #unavailable(): PriorartError {
    const reason = this.#fault instanceof Error ? this.#fault.message : 'it is closed';
    return new PriorartError('unavailable', `the key store in ${this.#folder} cannot be read: ${reason}`, {
      cause: this.#fault,
      retryAfter: Math.ceil(INSPECT_MS / 1000),
    });
  }

  #inspect(): void {
    if (this.#closed) return;
    const now = performance.now();
    // A key works from the next call on, the first one of a folder too. Its maker may have the file locked.
    const isAwaited = this.#fault instanceof FileMissing || this.#fault instanceof LockHeld;
    if (!isAwaited && now - this.#inspectedAt < INSPECT_MS) return;
    this.#inspectedAt = now;
    if (this.#file) {
      // SQLite continues to serve a deleted or replaced file, and would not see a revocation.
      if (!this.#file.isMoved()) return;
      this.#fail(new Error('its file was removed or replaced'));
    }
    this.#open(false);
  }

  #open(create: boolean): void {
    this.#inspectedAt = performance.now();
    try {
      this.#known.clear();
      this.#checkPlace();
      this.#file = openKeys(this.#folder, { create, waitMs: this.#waitMs });
      this.#place = fileId(this.#folder);
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
    }
  }

  #checkPlace(): void {
    const found = fileId(this.#folder);
    if (this.#place === undefined || found === undefined || found === this.#place) return;
    throw new Error('its folder was replaced by another; put it back, or start again');
  }

  #fail(fault: unknown): void {
    const broken = this.#file;
    this.#file = undefined;
    this.#fault = fault;
    this.#inspectedAt = performance.now();
    broken?.close();
  }
}
