/**
 * Opens LMDB environments that several processes write to.
 *
 * LMDB in package lmdb (3.5.6; upstream ITS#9496) loses commits while another process opens the same environment. The
 * opener reads the number of the newest transaction, maps the file, and then resets the number in the shared lock file to
 * the one it read. Commits in between are undone. Moreover, transaction numbers that are already on pages are used again,
 * so LMDB treats those pages as its own and changes them in place, without a new state. All of that is lost when the next
 * process opens the environment or dies. One stall of 5 ms in the opener has cost 400 commits.
 *
 * Therefore opening and committing exclude each other here. Every process of this program takes a lock for both: the
 * write lock of a second environment, `writers.mdb` beside the first, which never holds data, so that opening it undoes
 * nothing. The kernel releases the lock of a process that dies. It costs 0.4 µs a transaction.
 *
 * Write within `transactionSync`, or with `putSync`, `removeSync`, `clearSync`. The asynchronous `put` and `remove` do
 * not take the lock, and `transaction` throws: a process that holds a lock while it waits for its event loop could
 * deadlock with another process. Code that must not wait for the disk writes on another thread.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { fileId } from './file-id.js';
import { faultOfLmdbFile } from './lmdb-file.js';
import { makeFolderWithin, tryRoom } from './room.js';

/** Members of lmdb's environments that its types do not declare. */
interface RawEnvironment {
  beginTxn(flags: number): void;
  abortTxn(): void;
  close(): void;
}

interface RawStore {
  env: RawEnvironment;
  transactionSync(work: () => unknown, flags?: number): unknown;
  transactionAsync(work: () => unknown): Promise<unknown>;
}

/** File of the lock, in the folder of the environment. */
export const LOCK_FILE = 'writers.mdb';
/** Maximum attempts to open the lock, which fails while the last process that had it open closes it. */
const ATTEMPTS = 5;
/** lmdb's flags of a transaction that is not written through an instruction buffer. */
const PLAIN_TRANSACTION = 3;

/** Turns of this thread, by the file of their lock. Two turns of one lock would deadlock. */
const turns = new Map<string, Turn>();

/** Where this thread notes that it waits for a turn; undefined unless it was asked for. */
let waits: Int32Array | undefined;

/**
 * Notes from now on in `into[0]` whether this thread waits for a turn: the number grows at the start and at the end of a
 * wait, and is odd in between. The thread is blocked while it waits, so that only another thread can tell of it.
 */
export function noteWaits(into: Int32Array): void {
  waits = into;
}

/** Runs work that blocks while another process has its turn. */
function waiting<T>(work: () => T): T {
  if (waits === undefined) return work();
  Atomics.add(waits, 0, 1);
  try {
    return work();
  } finally {
    Atomics.add(waits, 0, 1);
  }
}

/**
 * Opens the environment as lmdb's `open` does. Makes its folder, but none above it.
 * @param before checks the file while no other process opens it or commits to it
 * @throws Error of LMDB or the file system, or of `before`
 */
export function openLmdb(
  options: RootDatabaseOptionsWithPath & { path: string },
  before: () => void = () => {},
): RootDatabase {
  const isFile = options.noSubdir ?? extname(options.path) !== '';
  const folder = isFile ? dirname(options.path) : options.path;
  const files = [isFile ? options.path : join(folder, 'data.mdb'), join(folder, LOCK_FILE)];
  if (!files.every((file) => existsSync(file))) {
    // Package lmdb kills the process if it cannot write the first pages of a file.
    makeFolderWithin(folder);
    tryRoom(folder);
  }
  const turn = Turn.in(folder);
  try {
    const root = turn.during(() => {
      before();
      return open(options);
    });
    takeTurns(root, turn);
    return root;
  } catch (error) {
    turn.leave();
    throw error;
  }
}

/**
 * Opens an environment on a read-only file system. LMDB takes no locks there, so no process may write to it through
 * another mount meanwhile.
 * @param refusal error that a transaction throws
 */
export function openForReading(
  options: RootDatabaseOptionsWithPath & { path: string },
  refusal: () => Error,
): RootDatabase {
  const root = open({ ...options, readOnly: true });
  const store = Object.getPrototypeOf(root) as RawStore;
  store.transactionSync = () => {
    throw refusal();
  };
  store.transactionAsync = store.transactionSync as RawStore['transactionAsync'];
  return root;
}

/** Wraps all commits in the lock, for the root and its tables: lmdb makes one class for each environment. */
function takeTurns(root: RootDatabase, turn: Turn): void {
  const store = Object.getPrototypeOf(root) as RawStore;
  const { transactionSync } = store;
  store.transactionSync = function (this: RawStore, work, flags) {
    return turn.during(() => transactionSync.call(this, work, flags));
  };
  store.transactionAsync = () => {
    throw new Error(
      'use transactionSync: a turn that lasts over turns of the event loop locks processes into each other',
    );
  };
  const { env } = root as unknown as RawStore;
  const close = env.close;
  const value = () => {
    turn.during(() => close.call(env));
    turn.leave();
  };
  // lmdb's property is read-only.
  Object.defineProperty(env, 'close', { value });
}

/** This thread's hold on the lock of one environment. Reentrant. */
class Turn {
  readonly #name: string;
  readonly #lock: RootDatabase;
  readonly #environment: RawEnvironment;
  #users = 0;
  #held = 0;

  private constructor(file: string) {
    this.#lock = waiting(() => openLock(file));
    this.#environment = (this.#lock as unknown as RawStore).env;
    this.#name = fileId(file)!;
  }

  /** The turn of the environment in a folder. To be left when the environment is closed. */
  static in(folder: string): Turn {
    makeFolderWithin(folder);
    const file = join(folder, LOCK_FILE);
    const name = fileId(file);
    let turn = name === undefined ? undefined : turns.get(name);
    if (turn === undefined) {
      turn = new Turn(file);
      turns.set(turn.#name, turn);
    }
    turn.#users++;
    return turn;
  }

  leave(): void {
    if (--this.#users > 0) return;
    turns.delete(this.#name);
    void this.#lock.close();
  }

  take(): void {
    if (this.#held === 0) waiting(() => this.#environment.beginTxn(PLAIN_TRANSACTION));
    this.#held++;
  }

  give(): void {
    this.#held--;
    if (this.#held === 0) this.#environment.abortTxn();
  }

  during<T>(work: () => T): T {
    this.take();
    try {
      return work();
    } finally {
      this.give();
    }
  }
}

/**
 * Rewrites the lock's pages if a power failure left them incomplete. They are the same in all such files and never
 * change, so other processes may do the same or have the file open.
 */
function mend(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0 || faultOfLmdbFile(file) === undefined) return;
  const aside = `${file}-${process.pid}-${randomUUID()}`;
  try {
    void openLockFile(aside).close();
    const whole = readFileSync(aside);
    const into = openSync(file, 'r+');
    try {
      writeSync(into, whole, 0, whole.length, 0);
    } finally {
      closeSync(into);
    }
  } finally {
    for (const path of [aside, `${aside}-lock`]) rmSync(path, { force: true });
  }
}

/** Bytes of the map of a lock file. */
const LOCK_MAP_BYTES = 128 << 10;

function openLockFile(path: string): RootDatabase {
  return open({
    ...{ path, noSubdir: true, maxDbs: 1, noSync: true, overlappingSync: false },
    mapSize: LOCK_MAP_BYTES,
  });
}

/**
 * Makes a lock file as long as its map, without blocks. Offsets on a damaged page can point 64 KB behind the end of the data
 * file's map. This map often lies there, and reading a map behind the end of its file ends the process by SIGBUS.
 */
function fillMap(path: string): void {
  try {
    if (statSync(path).size < LOCK_MAP_BYTES) truncateSync(path, LOCK_MAP_BYTES);
  } catch (error) {
    // The lock works without, in a folder that this process may not write to.
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function openLock(file: string): RootDatabase {
  mend(file);
  for (let attempt = 1; ; attempt++) {
    const lock = openLockFile(file);
    const { env } = lock as unknown as RawStore;
    try {
      env.beginTxn(PLAIN_TRANSACTION);
      env.abortTxn();
      fillMap(file);
      return lock;
    } catch (error) {
      void lock.close();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
