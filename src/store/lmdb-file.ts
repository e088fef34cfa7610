/**
 * Whether an LMDB file is whole enough to be mapped. LMDB trusts its file: one that was overwritten or cut
 * short kills the process with SIGSEGV or SIGBUS instead of an error, so it is looked at before it is opened.
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

/** What is wrong with the file, or undefined where it can be opened. Throws what the file system throws. */
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
 * Makes the file as long as its pages reach. LMDB may leave the last pages unwritten where they are free, so
 * a short file is not yet a broken one; but a page beyond the end must not be read. Zeros there are an
 * ordinary error if they ever are. To be called within a write transaction: a file that another process is
 * just growing would be cut off.
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

/** Pages that hold metadata, at the beginning of the file. */
export const META_PAGES = 2;

/** The newest state of an open LMDB file: its extent and the records of its two databases (free pages, data). */
export interface Meta {
  pageSize: number;
  lastPage: number;
  transaction: bigint;
  databases: readonly [Buffer, Buffer];
}

/** Reads the state that the last commit left. Throws an Error where the file has none. */
export function newestMeta(file: number): Meta {
  const metas = readMetas(file);
  if (typeof metas === 'string') throw new Error(metas);
  const [first, second] = metas;
  return second.transaction > first.transaction ? second : first;
}

const PAGE_HEADER_BYTES = 24;
/** Of a page's header, beside its number at 0: flags, and where its free part begins and ends (u16 each). */
const FLAGS_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
const BRANCH = 1;
const LEAF = 2;
/** Of a database record: the number of its root page, all bits set where it has none. */
const ROOT_AT = 40;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** A file that others write to is looked at again, since pages of a state that is over are used for others. */
const ROOT_ATTEMPTS = 5;

/**
 * Whether the pages that everything is found from are tree pages of an LMDB file: one that was overwritten takes
 * readers to anywhere, also beyond the mapped file. Says what is wrong, or undefined.
 */
export function faultOfRootPages(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    for (let attempt = 1; ; attempt++) {
      const meta = newestMeta(file);
      const roots = meta.databases.map((record) => record.readBigUInt64LE(ROOT_AT));
      const wrong = roots.find((root) => root !== NO_PAGE && !isTreePage(file, root, meta));
      if (wrong === undefined) return undefined;
      if (attempt === ROOT_ATTEMPTS) return `page ${wrong}, a root of its trees, is no tree page`;
    }
  } finally {
    closeSync(file);
  }
}

function isTreePage(file: number, number: bigint, { pageSize, lastPage }: Meta): boolean {
  if (number > BigInt(lastPage)) return false;
  const header = Buffer.alloc(PAGE_HEADER_BYTES);
  const read = readSync(file, header, 0, PAGE_HEADER_BYTES, Number(number) * pageSize);
  if (read < PAGE_HEADER_BYTES || header.readBigUInt64LE(0) !== number) return false;
  const kind = header.readUInt16LE(FLAGS_AT) & (BRANCH | LEAF);
  const [lower, upper] = [header.readUInt16LE(LOWER_AT), header.readUInt16LE(UPPER_AT)];
  return (kind === BRANCH || kind === LEAF) && lower <= upper && upper <= pageSize;
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
  if (first === undefined) return `its first page is no LMDB meta page (${size} bytes)`;
  const second = readMeta(file, first.pageSize);
  if (second === undefined) return `its second page is no LMDB meta page (${size} bytes)`;
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
