/**
 * Checks whether an LMDB file can be mapped safely. LMDB trusts its file: an overwritten or truncated file kills the
 * process with SIGSEGV or SIGBUS instead of an error, so the file is checked before it is opened.
 *
 * Layout (liblmdb's mdb.c, data version 2, as package lmdb ships it), little-endian: page 0 and page 1 are
 * meta pages, each a 24-byte page header, then magic u32, version u32, address u64, map size u64, two
 * 48-byte database records (the first begins with the page size, u32), last page number u64, transaction u64.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

const MAGIC = 0xbeefc0de;
const VERSION = 2;
const MAGIC_AT = 24;
const VERSION_AT = 28;
const DATABASES_AT = 48;
const DATABASE_BYTES = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
/** Minimum page size of all systems that Node supports, bytes. */
const LEAST_PAGE_BYTES = 4096;

/** Describes the fault of a file; undefined if it can be opened. Throws errors of the file system. */
export function faultOfLmdbFile(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const measured = measure(file);
    return typeof measured === 'string' ? measured : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Extends the file to the end of its last page. LMDB may leave free pages at the end unwritten, so a short file is not
 * always damaged, but reading a page beyond the end kills the process; reading zeros is an ordinary error. To be called
 * within a write transaction: otherwise it could truncate a file that another process extends.
 */
export function fillLmdbFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const measured = measure(file);
    if (typeof measured !== 'string' && measured.size < measured.wanted) ftruncateSync(file, measured.wanted);
  } finally {
    closeSync(file);
  }
}

/**
 * Whether a file is shorter than after LMDB's first write. Its creation was interrupted, by a full disk or a power
 * failure, or is still in progress. A file with data is longer, unless it was truncated.
 */
export function isHalfMade(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const pageSize = readMeta(file, 0)?.pageSize ?? LEAST_PAGE_BYTES;
    return fstatSync(file).size < META_PAGES * pageSize;
  } finally {
    closeSync(file);
  }
}

/** Number of metadata pages at the beginning of the file. */
export const META_PAGES = 2;

/** The newest state of an open LMDB file: its extent and the records of its two databases (free pages, data). */
export interface Meta {
  pageSize: number;
  lastPage: number;
  transaction: bigint;
  databases: readonly [Buffer, Buffer];
}

/** Reads the state of the last commit. Throws an Error if the file has none. */
export function newestMeta(file: number): Meta {
  const metas = readMetas(file);
  if (typeof metas === 'string') throw new Error(metas);
  const [first, second] = metas;
  return second.transaction > first.transaction ? second : first;
}

function measure(file: number): { size: number; wanted: number } | string {
  const metas = readMetas(file);
  if (typeof metas === 'string') return metas;
  const [first, second] = metas;
  const wanted = (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
  return { size: fstatSync(file).size, wanted };
}

function readMetas(file: number): [Meta, Meta] | string {
  const { size } = fstatSync(file);
  const first = readMeta(file, 0);
  if (first === undefined) return `its first page is not an LMDB meta page (${size} bytes)`;
  const second = readMeta(file, first.pageSize);
  if (second === undefined) return `its second page is not an LMDB meta page (${size} bytes)`;
  return [first, second];
}

function readMeta(file: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, offset) < META_BYTES) return undefined;
  if (bytes.readUInt32LE(MAGIC_AT) !== MAGIC || bytes.readUInt32LE(VERSION_AT) !== VERSION) return undefined;
  const pageSize = bytes.readUInt32LE(DATABASES_AT);
  const lastPage = Number(bytes.readBigUInt64LE(LAST_PAGE_AT));
  const sane = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if (!sane || lastPage >= 2 ** 32) return undefined;
  const middle = DATABASES_AT + DATABASE_BYTES;
  return {
    pageSize,
    lastPage,
    transaction: bytes.readBigUInt64LE(TRANSACTION_AT),
    databases: [bytes.subarray(DATABASES_AT, middle), bytes.subarray(middle, middle + DATABASE_BYTES)],
  };
}
