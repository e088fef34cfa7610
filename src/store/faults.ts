/** Converts LMDB's errors to errors that state the cause and the remedy. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PriorartError } from '../errors.js';

/** The LMDB file of a data folder. */
export function dataFile(dir: string): string {
  return join(dir, 'store', 'data.mdb');
}

/**
 * Whether the LMDB file of a data folder is there.
 * @throws PriorartError `read_only` if this user may not look into the folder, `data_corrupt` if the file is missing
 *   while segments are there
 */
export function hasDataFile(dir: string): boolean {
  if (isThere(dir)) return true;
  if (!hasSegments(dir)) return false;
  // An ingest makes the file before its first segment, so it may have made both meanwhile.
  if (isThere(dir)) return true;
  throw lost(`${dataFile(dir)} is missing, while the segments of the index are there`);
}

function isThere(dir: string): boolean {
  try {
    return statSync(dataFile(dir), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw noAccess(dir, error);
    return false;
  }
}

/** Whether the folder of segments has an entry. A folder without an LMDB file has none, unless the file was lost. */
export function hasSegments(dir: string): boolean {
  try {
    return readdirSync(join(dir, 'segments')).length > 0;
  } catch {
    return false;
  }
}

/** Messages of LMDB and its value decoder for damaged pages. */
const DAMAGE = new RegExp(
  [
    'MDB_(CORRUPTED|PAGE_NOTFOUND|PANIC|INVALID|BAD_TXN|VERSION_MISMATCH)',
    'end of buffer|Unexpected end|Unknown MessagePack token|Unknown extension|Invalid property type',
    'Record id is not defined|Could not find typed|Array length \\S+ exceeds',
  ].join('|'),
);

/** Messages of LMDB, the addon and the file system for missing write permission, and for a read-only file system. */
const NO_ACCESS = /Permission denied|Operation not permitted|EACCES|EPERM/;
const READ_ONLY_DISK = /Read-only file system|EROFS/;

/**
 * Converts an exception of LMDB or the file system to a PriorartError if it reports damage, a full disk or missing write permission. Returns
 * any other exception unchanged.
 */
export function readable(error: unknown, dir: string): unknown {
  if (!(error instanceof Error) || error instanceof PriorartError) return error;
  if (DAMAGE.test(error.message)) return corrupt(dir, error.message, error);
  if (READ_ONLY_DISK.test(error.message)) return onReadOnlyDisk(dir);
  return NO_ACCESS.test(error.message) ? readOnly(dir, error) : diskFullIn(dir, error);
}

/**
 * Runs a read of the store.
 * @throws the errors of the read, those of LMDB as `readable` converts them
 */
export function reading<T>(dir: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw readable(error, dir);
  }
}

/** Free bytes below which an I/O error counts as a full disk. */
const FULL_BELOW = 1 << 20;

/** Whether the disk is full. LMDB reports a page that it could write only partly as an I/O error. */
function isDiskFull(error: Error, dir: string): boolean {
  if (/MDB_MAP_FULL|No space left|ENOSPC|EDQUOT|quota/i.test(error.message)) return true;
  if (!/Input\/output error|EIO/.test(error.message)) return false;
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize < FULL_BELOW;
}

/** Converts an exception to a PriorartError if it reports a full disk. Returns any other exception unchanged. */
export function diskFullIn(dir: string, error: unknown): unknown {
  return error instanceof Error && !(error instanceof PriorartError) && isDiskFull(error, dir)
    ? diskFull(dir, error)
    : error;
}

export function diskFull(dir: string, cause: unknown): PriorartError {
  const message = `no room to write in ${dir}; nothing was changed. Free some space and try again`;
  return new PriorartError('disk_full', message, { cause });
}

/** The error for a folder that this user may not write to. */
export function readOnly(dir: string, cause?: unknown): PriorartError {
  const message = `this user may not write in ${dir}, which searching needs, too, for its locks; make it writable`;
  return new PriorartError('read_only', message, { cause });
}

/** The error for a folder that this user may not look into. */
function noAccess(dir: string, cause: unknown): PriorartError {
  const message = `this user has no permission to read ${dir}; check its owner and mode`;
  return new PriorartError('read_only', message, { cause });
}

/** The error for a folder on a read-only file system. Searches work there, without locks. */
export function onReadOnlyDisk(dir: string): PriorartError {
  return new PriorartError(
    'read_only',
    `${dir} is on a read-only file system: it can be searched, and not changed`,
  );
}

export function corrupt(dir: string, reason: string, cause?: unknown): PriorartError {
  return lost(`${dataFile(dir)} is damaged: ${reason}`, cause);
}

/** The error for a folder that has lost its texts. */
function lost(fault: string, cause?: unknown): PriorartError {
  const message =
    `${fault}. Texts cannot be rebuilt: put back a copy of the folder, or ` +
    'ingest the documents again into a new one';
  const inCommand = `${message} with --data`;
  return new PriorartError('data_corrupt', message, { inCommand, ...(cause === undefined ? {} : { cause }) });
}

/** The error for a data folder without an index. */
export function noData(dir: string): PriorartError {
  const wrong = wrongFolder(dir);
  if (wrong !== undefined) return wrong;
  return new PriorartError('no_data', `no index in ${dir}; pass { create: true } to make one`, {
    inCommand: `no index in ${dir}; make one with \`priorart ingest FILE…\``,
  });
}

/** The error for the path of a data folder that does not exist or is a file. Undefined for a folder. */
export function wrongFolder(dir: string): PriorartError | undefined {
  try {
    if (statSync(dir).isDirectory()) return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return noFolder(`${dir} does not exist: a part of its path is a file`, error);
    if (code !== 'ENOENT') return undefined;
    const message = `folder ${dir} does not exist`;
    return new PriorartError(
      'no_data',
      `${message}; check the path, or pass { create: true } to make an index there`,
      {
        cause: error,
        inCommand: `${message}; check --data, or create it with \`priorart ingest FILE…\``,
      },
    );
  }
  return noFolder(`${dir} is a file, not a folder`);
}

function noFolder(message: string, cause?: unknown): PriorartError {
  return new PriorartError('no_data', `${message}; give the path of a data folder`, {
    inCommand: `${message}; give a data folder with --data`,
    ...(cause === undefined ? {} : { cause }),
  });
}
