/**
 * Opens LMDB environments that several processes write to.
 *
 * LMDB as the package lmdb ships it (3.5.6; upstream ITS#9496) loses commits while another process opens the same
 * environment: the opener reads which transaction is the newest, maps the file, and then sets the number in the shared
 * lock file back to what it read. What was committed in between is undone; worse, transactions get numbers again that
 * are on pages already, so LMDB takes those pages for its own and changes them in place, without a new state, and all
 * of that is gone when the next process opens or dies. One stall of 5 ms in the opener has cost 400 commits.
 *
 * So opening and committing exclude each other here, by a lock that every process of this program takes for either:
 * the write lock of a second environment, `writers.mdb` beside the first, in which nothing is ever written (so that
 * opening that one undoes nothing). The kernel gives it up for a process that dies. It costs 0.4 µs a transaction.
 *
 * Write within `transactionSync`, or with `putSync`, `removeSync`, `clearSync`; the asynchronous `put` and `remove` take
 * no turn, and `transaction` throws: while one process waited for its event loop with a lock in its hand, another could
 * wait for that one with the next. Who must not wait for the disk writes on another thread.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { fileId } from './file-id.js';
import { faultOfLmdbFile } from './lmdb-file.js';
import { makeFolderWithin, tryRoom } from './room.js';

/** What lmdb's environments have beside what its types say. */
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

/** The lock, beside the environment. */
const LOCK_FILE = 'writers.mdb';
/** Tries to open the lock, which fails while the last process that had it open is just closing it. */
const ATTEMPTS = 5;
/** lmdb's own flags of a transaction that is not written through an instruction buffer. */
const PLAIN_TRANSACTION = 3;

/** Turns of this thread, by the file of their lock: two that did not know of each other would wait for each other. */
const turns = new Map<string, Turn>();

/**
 * Opens the environment as lmdb's `open` does. Makes its folder, but none above it.
 * @param before looks at the file while no other process opens it or commits to it
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
    // Package lmdb dies where it can not write the first pages of a file.
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
 * Opens an environment on a file system that can not be written. LMDB takes no locks there, so a process that writes to
 * it by another way must not be at work.
 * @param refusal what a transaction throws
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

/** Puts the lock around what commits, for the root and every table of it: lmdb makes one class for each environment. */
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
  // lmdb's own is not to be assigned to.
  Object.defineProperty(env, 'close', { value });
}

/** This thread's hold of the lock of one environment; may be taken again while it is held. */
class Turn {
  readonly #name: string;
  readonly #lock: RootDatabase;
  readonly #environment: RawEnvironment;
  #users = 0;
  #held = 0;

  private constructor(file: string) {
    this.#lock = openLock(file);
    this.#environment = (this.#lock as unknown as RawStore).env;
    this.#name = fileId(file)!;
  }

  /** The one of the environment in a folder; to be left when the environment is closed. */
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
    if (this.#held === 0) this.#environment.beginTxn(PLAIN_TRANSACTION);
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
 * Writes the lock's pages as LMDB made them where a power cut has left a part of them. They are the same in all such
 * files and never change, so that it does not matter who else does this, or has the file open.
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

function openLockFile(path: string): RootDatabase {
  return open({ path, noSubdir: true, maxDbs: 1, noSync: true, overlappingSync: false });
}

function openLock(file: string): RootDatabase {
  mend(file);
  for (let attempt = 1; ; attempt++) {
    const lock = openLockFile(file);
    const { env } = lock as unknown as RawStore;
    try {
      env.beginTxn(PLAIN_TRANSACTION);
      env.abortTxn();
      return lock;
    } catch (error) {
      void lock.close();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
