/**
 * Walks all pages of the newest state of an LMDB file and reports damaged ones. LMDB has no checksums and trusts its
 * pages: an iteration over a damaged page ends the process by an assertion, so `check` verifies the pages before it
 * iterates. Only the structure is verified here; the contents have their own hashes.
 *
 * Layout (liblmdb's mdb.c as package lmdb ships it, data version 2), little-endian. A page: u64 number, u64
 * transaction, u16 key size of LEAF2, u16 flags, then either u16 lower and u16 upper bound of its free space or
 * u32 count of overflow pages; from byte 24 on u16 offsets of its nodes, all counted from byte 24. A node: u32
 * data size (leaf) or, with the flags as its top word, child page (branch), u16 flags, u16 key size, key, data.
 * Data is a value, the u64 number of its overflow page, a 48-byte database record or a page within the page.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { META_PAGES, newestMeta } from './lmdb-file.js';

const HEADER = 24;
const NODE_HEADER = 8;
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const SUB_PAGE = 0x40;
const KIND = BRANCH | LEAF | OVERFLOW | 0x08 | 0x20 | SUB_PAGE;
const BIG_DATA = 0x01;
const SUB_DATABASE = 0x02;
const DUPLICATES = 0x04;
const DATABASE_BYTES = 48;
const DEPTH_AT = 6;
const ROOT_AT = 40;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** Maximum depth of a tree, LMDB's CURSOR_STACK. */
const DEEPEST = 32;
/** Maximum number of damaged pages that are reported. */
const REPORTED = 20;

class Damage extends Error {}

/**
 * Describes the damaged pages of an LMDB file; empty if it is intact. The caller must hold a read transaction meanwhile
 * (a read in the same turn of the event loop does), so that a writer cannot reuse pages that are not yet visited.
 */
export function damagedPages(path: string): string[] {
  const file = openSync(path, 'r');
  try {
    const walk = new Walk(file);
    walk.databases();
    return walk.damage;
  } finally {
    closeSync(file);
  }
}

/** Maximum walks through a file that other processes write to meanwhile. */
const ATTEMPTS = 5;

/**
 * Finds the first damage of a file that is not mapped yet, so no transaction can hold its pages. A damaged page can lead
 * LMDB's readers beyond the mapped file, which ends the process. Pages of the newest state are not reused before the next
 * commit. Damage therefore counts only if no commit occurred meanwhile, and twice in a row, because a state may be read
 * while it is written. A file with constant commits counts as intact.
 */
export function damageBeforeOpening(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    let seen: bigint | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const walk = new Walk(file);
      walk.databases();
      if (walk.damage.length === 0) return undefined;
      const isCurrent = newestMeta(file).transaction === walk.transaction;
      if (isCurrent && seen === walk.transaction) return walk.damage[0];
      seen = isCurrent ? walk.transaction : undefined;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

class Walk {
  readonly damage: string[] = [];
  readonly #file: number;
  readonly #meta;
  readonly #bytes: number;

  constructor(file: number) {
    this.#file = file;
    this.#meta = newestMeta(file);
    this.#bytes = fstatSync(file).size;
  }

  /** Transaction number of the state that is walked. */
  get transaction(): bigint {
    return this.#meta.transaction;
  }

  databases(): void {
    for (const record of this.#meta.databases) this.#database(record);
  }

  #database(record: Buffer): void {
    const root = record.readBigUInt64LE(ROOT_AT);
    if (root !== NO_PAGE) this.#tree(root, record.readUInt16LE(DEPTH_AT));
  }

  /** Visits a page and all below it. `depth` 1 is a leaf. */
  #tree(number: bigint, depth: number): void {
    if (this.damage.length >= REPORTED) return;
    try {
      if (depth < 1 || depth > DEEPEST) throw new Damage(`a tree of depth ${depth}`);
      const page = this.#read(number, this.#meta.pageSize);
      const flags = page.readUInt16LE(18) & KIND;
      if (flags !== (depth > 1 ? BRANCH : LEAF)) {
        throw new Damage(`flags ${flags} where a ${depth > 1 ? 'branch' : 'leaf'} is expected`);
      }
      for (const at of nodesOf(page)) {
        if (depth > 1) this.#tree(childOf(page, at), depth - 1);
        else this.#leafNode(page, at);
      }
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      this.damage.push(`page ${number}: ${error.message}`);
    }
  }

  #leafNode(page: Buffer, at: number): void {
    const flags = page.readUInt16LE(at + 4);
    const size = page.readUInt32LE(at);
    const from = at + NODE_HEADER + page.readUInt16LE(at + 6);
    const inPage = flags & BIG_DATA ? HEADER : size;
    if (from + inPage > page.length) throw new Damage('a value reaches beyond the page');
    const data = page.subarray(from, from + inPage);
    if (flags & BIG_DATA) this.#overflow(data.readBigUInt64LE(0), size);
    else if (flags & SUB_DATABASE) {
      if (size !== DATABASE_BYTES) throw new Damage('a database record of a wrong size');
      this.#database(Buffer.from(data));
    } else if (flags & DUPLICATES) {
      if (size < HEADER || !(data.readUInt16LE(18) & SUB_PAGE)) throw new Damage('damaged duplicates');
      nodesOf(data);
    }
  }

  #overflow(number: bigint, size: number): void {
    const page = this.#read(number, HEADER);
    const pages = Math.ceil((HEADER + size) / this.#meta.pageSize);
    const found = page.readUInt32LE(20);
    if ((page.readUInt16LE(18) & KIND) !== OVERFLOW || found !== pages) {
      throw new Damage(`page ${number} does not hold the ${size} bytes of a value`);
    }
    if ((Number(number) + pages) * this.#meta.pageSize > this.#bytes) {
      throw new Damage(`the value on page ${number} reaches beyond the file`);
    }
  }

  #read(number: bigint, length: number): Buffer {
    const { pageSize, lastPage } = this.#meta;
    if (number < META_PAGES || number > lastPage) throw new Damage(`page ${number} is none of the file`);
    const page = Buffer.alloc(length);
    const read = readSync(this.#file, page, 0, length, Number(number) * pageSize);
    if (read < length) throw new Damage('it lies beyond the end of the file');
    if (page.readBigUInt64LE(0) !== number) throw new Damage('it bears another number');
    return page;
  }
}

/** Offsets of a page's nodes. Checks that header and key of each are within the page. */
function nodesOf(page: Buffer): number[] {
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  if (lower % 2 !== 0 || lower > upper || HEADER + upper > page.length) throw new Damage('wrong bounds');
  return Array.from({ length: lower / 2 }, (_, n) => {
    const at = HEADER + page.readUInt16LE(HEADER + 2 * n);
    const fits = at >= HEADER + upper && at + NODE_HEADER <= page.length;
    if (!fits || at + NODE_HEADER + page.readUInt16LE(at + 6) > page.length) {
      throw new Damage(`its entry ${n} lies beyond it`);
    }
    return at;
  });
}

function childOf(page: Buffer, at: number): bigint {
  return BigInt(page.readUInt32LE(at)) + (BigInt(page.readUInt16LE(at + 4)) << 32n);
}
