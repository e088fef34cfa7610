/**
 * What has to be on the disk before LMDB is asked to write: room, and folders that outlive a power cut.
 *
 * LMDB must not be the one to find out that the disk is full. Package lmdb notes what it could not write in a buffer
 * that is too small for the note (mdb_page_flush in its mdb.c), and the process dies of its heap sooner or later. So
 * the file is made longer before each transaction by more than the transaction can need. Where an overwritten block
 * takes new room (btrfs, ZFS, snapshots of a volume) this makes a failure unlikely and not impossible.
 */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { newestMeta } from './lmdb-file.js';

const ZEROS = Buffer.alloc(1 << 20);

/** What any transaction may need besides, bytes. */
const LEAST = 256 << 10;

/** What a transaction may need, bytes. */
export interface Room {
  /** Of what it adds. */
  bytes?: number;
  /** Of pages that it changes, each of which is written anew. More than there are it cannot change. */
  changed?: number;
}

/** Bytes of the pages that a value takes: a short one shares them, a long one has its own. */
export function roomForValue(bytes: number): number {
  return bytes < 1500 ? 2 * (bytes + 128) : bytes + 4096;
}

/**
 * Makes an LMDB file reach beyond its last page as far as a transaction needs, in blocks that the file system has
 * given it. To be called within a write transaction, before it changes anything: whoever has one is the only one to
 * make the file longer. Pages that are then written in the place of the zeros cost no second write to the disk.
 * @throws Error of code ENOSPC or EDQUOT; the file is as long as it was
 */
export function makeRoom(path: string, { bytes = 0, changed = 0 }: Room = {}): void {
  const file = openSync(path, 'r+');
  try {
    const { pageSize, lastPage } = newestMeta(file);
    const used = (lastPage + 1) * pageSize;
    const wanted = used + Math.ceil((LEAST + bytes + Math.min(changed, used)) / pageSize) * pageSize;
    const { size } = fstatSync(file);
    try {
      for (let at = size; at < wanted; ) {
        at += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, wanted - at), at);
      }
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Makes sure that an LMDB file can be made in a folder, with its lock.
 * @throws Error of code ENOSPC or EDQUOT
 */
export function tryRoom(folder: string): void {
  const path = join(folder, `room-${process.pid}-${randomUUID()}`);
  try {
    writeFileSync(path, ZEROS.subarray(0, 2 * LEAST));
  } finally {
    rmSync(path, { force: true });
  }
}

/** Whether a folder lies on a file system that nobody writes to from here. */
export function isOnReadOnlyDisk(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Makes a folder and those above it that are missing; they are there after a power cut, too. */
export function makeDurableFolder(path: string, mode?: number): void {
  syncFolders(path, makeFolder(path, mode));
}

/**
 * Makes a folder in one that is there. What a server writes while it runs goes through this: a data folder that was
 * deleted or renamed must not come back with nothing but that in it.
 * @throws Error of the file system, ENOENT if the folder above is missing
 */
export function makeFolderWithin(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode === undefined ? {} : { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes a folder and those above it that are missing.
 * @returns the folder that was there and got a new name; the one above, where nothing had to be made
 */
export function makeFolder(path: string, mode?: number): string {
  const first = mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  return dirname(resolve(first ?? path));
}

/** Syncs a folder and those above it, up to one of them. */
export function syncFolders(path: string, top: string): void {
  for (let at = resolve(path); ; at = dirname(at)) {
    syncFolder(at);
    if (at.length <= top.length) return;
  }
}

/**
 * Makes a small file for its owner only, unless it is there. It appears whole or not at all, and outlives a power cut.
 * @returns whether it was made
 */
export function makeFileOnce(path: string, text: string): boolean {
  const aside = `${path}.${randomUUID()}`;
  try {
    const file = openSync(aside, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(aside, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** A name that was made, changed or removed in a folder is so after a power cut when the folder was synced. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // A folder can not be opened there, and need not be.
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
