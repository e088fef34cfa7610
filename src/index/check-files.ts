/** Checks the files of segments: their checksums, and the number of vectors of each document. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexFile, SegmentEntry } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { COLUMNS } from './columns.js';
import { awaiting, type FilterClause, fromNative, native } from './native.js';
import { segmentPath } from './segment.js';

/** Result of checking the files of one segment. */
export interface SegmentFiles {
  path: string;
  /** Fault of its vectors and columns; fault of its FAISS index. */
  fault?: string;
  indexFault?: string;
  /** Number of vectors by document, deleted ones included; empty if the file is damaged. */
  rows: Map<number, number>;
}

/** A clause on every column, because a segment of an earlier version may lack a column. */
const EVERY_COLUMN: FilterClause[] = COLUMNS.map(({ name: column, kind }) =>
  kind === 'date' ? { column, test: 'days' } : { column, test: 'exact', terms: [''] },
);

/** Verifies the files of a segment. Never rejects. */
export async function verifyFiles(store: Store, entry: SegmentEntry): Promise<SegmentFiles> {
  const path = segmentPath(store, entry.id);
  try {
    const rows = await vectorsOf(entry, path, store.manifest().model.dimensions);
    const indexFault = entry.index && (await faultOfIndex(store, entry, entry.index));
    return { path, rows, ...(indexFault === undefined ? {} : { indexFault }) };
  } catch (error) {
    return { path, rows: new Map(), fault: reasonFor(path, error) };
  }
}

async function vectorsOf(
  entry: SegmentEntry,
  path: string,
  dimensions: number,
): Promise<Map<number, number>> {
  if (!existsSync(path)) throw new Error('the file is missing');
  const damaged = await awaiting(native.verifySegment(path));
  if (damaged.length > 0) {
    throw new Error(`wrong checksum of ${damaged.length} blocks, the first at byte ${damaged[0]}`);
  }
  const snapshot = new native.Snapshot([{ path, deleted: new Uint32Array() }]);
  try {
    const [open] = snapshot.segments;
    if (open?.docs !== entry.docs || open.passages !== entry.passages) {
      const says = `the manifest says ${entry.docs} and ${entry.passages}`;
      throw new Error(`holds ${open?.docs} documents and ${open?.passages} passages, ${says}`);
    }
    snapshot.select(EVERY_COLUMN);
    const rows = new Map<number, number>();
    for (const doc of snapshot.docIds(0)) {
      const vectors = snapshot.vectorsOf(doc) ?? new Float32Array();
      if (doc < entry.firstDoc || doc > entry.lastDoc) throw new Error(`document ${doc} is none of its ids`);
      if (vectors.some((x) => !Number.isFinite(x))) throw new Error(`document ${doc} has NaN in a vector`);
      rows.set(doc, vectors.length / dimensions);
    }
    return rows;
  } finally {
    snapshot.close();
  }
}

async function faultOfIndex(
  store: Store,
  entry: SegmentEntry,
  index: IndexFile,
): Promise<string | undefined> {
  const indexPath = join(store.segmentDir(entry.id), index.file);
  const path = segmentPath(store, entry.id);
  const { bytes, checksum } = index;
  try {
    if (!existsSync(indexPath)) throw new Error('the file is missing');
    if (statSync(indexPath).size !== bytes) throw new Error(`has not the ${bytes} bytes it was written with`);
    if ((await awaiting(native.fileChecksum(indexPath))) !== checksum) throw new Error('wrong checksum');
    new native.Snapshot([{ path, indexPath, deleted: new Uint32Array() }]).close();
    return undefined;
  } catch (error) {
    return `${indexPath}: ${reasonFor(indexPath, error)}`;
  }
}

/** The message of an exception, without the code of the addon's errors. */
export function reasonOf(error: unknown): string {
  const known = fromNative(error);
  return known instanceof Error ? known.message : String(known);
}

/** The message of an exception of a file, without the path: the report names the file beside it. */
function reasonFor(path: string, error: unknown): string {
  const reason = reasonOf(error);
  return reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason;
}
