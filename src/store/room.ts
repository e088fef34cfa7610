/**
 * Prepares the disk before LMDB writes: reserves room, and makes folders that survive a power failure.
 *
 * LMDB must not meet a full disk. Package lmdb then writes an error message into a buffer that is too small
 * (mdb_page_flush in its mdb.c), and the corrupted heap later kills the process. So the file is extended before each
 * transaction by more than the transaction can need. On file systems where an overwritten block takes new room (btrfs,
 * ZFS, volume snapshots), a failure is unlikely but possible.
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
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newestMeta } from './lmdb-file.js';

const ZEROS = Buffer.alloc(1 << 20);

/** Bytes that every transaction may need in addition. */
const LEAST = 256 << 10;

/** Room that a transaction may need, bytes. */
export interface Room {
  /** Bytes of added data. */
  bytes?: number;
  /** Bytes of changed pages, each of which is rewritten. Limited by the existing pages. */
  changed?: number;
}

/** Bytes of the pages of a value. Short values share pages; a long value has its own. */
export function roomForValue(bytes: number): number {
  return bytes < 1500 ? 2 * (bytes + 128) : bytes + 4096;
}

/**
 * Extends an LMDB file beyond its last page with allocated blocks, as far as a transaction needs. To be called within a
 * write transaction, before it changes anything: only its holder extends the file. Pages that
 * then replace the zeros cost no second write to the disk.
 * @throws Error of code ENOSPC or EDQUOT; the length of the file is unchanged then
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
 * Checks that a folder has room for a new LMDB file and its lock.
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

/** Whether a folder is on a read-only file system. */
export function isOnReadOnlyDisk(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Makes a folder and its missing parents, durably. */
export function makeDurableFolder(path: string, mode?: number): void {
  syncFolders(path, makeFolder(path, mode));
}

/**
 * Makes a folder in one that is there. What a server writes while it runs goes through this: a data folder that was
 * deleted or renamed must not be made again, nearly empty.
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
 * Makes a folder and its missing parents.
 * @returns the existing folder that got a new entry; the parent folder if nothing had to be made
 */
export function makeFolder(path: string, mode?: number): string {
  const first = mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  return dirname(resolve(first ?? path));
}

/** Syncs a folder and its parents up to `top`. A parent that may not be read or cannot be synced is left to the system. */
export function syncFolders(path: string, top: string): void {
  const own = resolve(path);
  for (let at = own; ; at = dirname(at)) {
    try {
      syncFolder(at);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (at === own || !['EACCES', 'EPERM', 'EINVAL'].includes(code)) throw error;
    }
    if (at.length <= top.length) return;
  }
}

/**
 * Makes a small file for its owner only, unless it is there. It appears whole or not at all, and outlives a power cut.
 * @returns whether it was made
 */
export function makeFileOnce(path: string, text: string): boolean {
  try {
    putWhole(path, text, linkSync);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Makes or replaces a small file. Readers find the old or the new text, and the new one outlives a power cut.
 * @param mode of the file, less the umask. Default: for its owner only
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  putWhole(path, text, renameSync, mode);
}

/** @param place gives the written file its name */
function putWhole(
  path: string,
  text: string,
  place: (aside: string, path: string) => void,
  mode = 0o600,
): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    const file = openSync(aside, 'wx', mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    place(aside, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Syncs a folder as `syncFolder`, without stopping the thread. */
export async function syncFolderAsync(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Syncs a folder, so that new, renamed and removed entries survive a power failure. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // Windows cannot open a folder, and does not need to.
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
