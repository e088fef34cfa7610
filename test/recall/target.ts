/** Documents written into segments for a recall test: in one or several, with an index or without, some of them deleted. */
import { join } from 'node:path';
import { applicationLink, COLUMNS, columnValues } from '../../src/index/columns.js';
import { type NativeSnapshot, native, type SegmentPath } from '../../src/index/native.js';
import { isGrantPublication } from '../../src/patent/kind.js';
import type { Patent } from '../../src/patent/record.js';
import type { SegmentEntry } from '../../src/store/manifest.js';
import type { Store } from '../../src/store/store.js';
import { costsOf } from '../search/index-costs.js';

/** An open snapshot with the entries that the planner uses. */
export interface Target {
  entries: readonly SegmentEntry[];
  snapshot: NativeSnapshot;
  store: Store;
}

export interface RecallDocument {
  patent: Patent;
  /** Passages × dimensions, of unit length. */
  vectors: Float32Array;
}

export interface Layout {
  dir: string;
  dimensions: number;
  /** Number of documents of each segment, in order. Default: all in one. */
  sizes?: readonly number[];
  /** Kind of the index of each segment of at least `indexedFrom` passages. Default: no index. */
  kind?: string;
  indexedFrom?: number;
}

/** Files of segments with their entries. */
export interface Written {
  entries: readonly SegmentEntry[];
  paths: readonly Omit<SegmentPath, 'deleted'>[];
}

/** Writes documents into the segments of a layout. The first document has the id 1. */
export async function written(
  documents: readonly RecallDocument[],
  { dir, dimensions, sizes = [documents.length], kind, indexedFrom = 1 }: Layout,
): Promise<Written> {
  const entries: SegmentEntry[] = [];
  const paths: Omit<SegmentPath, 'deleted'>[] = [];
  let first = 1;
  for (const [n, size] of sizes.entries()) {
    const path = join(dir, `${n}.bin`);
    const writer = new native.SegmentWriter(path, dimensions, COLUMNS);
    for (let id = first; id < first + size; id++) {
      const { patent, vectors } = documents[id - 1]!;
      writer.push({
        id,
        patentId: patent.patent_id,
        application: applicationLink(patent),
        grant: isGrantPublication(patent),
        vectors,
        ...columnValues(patent),
      });
    }
    const segment = writer.finish();
    const entry: SegmentEntry = {
      id: `segment ${n}`,
      ...segment,
      firstDoc: first,
      lastDoc: first + size - 1,
    };
    if (kind === undefined || segment.passages < indexedFrom) {
      entries.push(entry);
      paths.push({ path });
    } else {
      const file = `${n}.faiss`;
      const built = await native.buildIndex(path, join(dir, file), { kind, threads: 1, seed: 1 });
      // Made-up costs instead of measured ones, so that the plans are the same on every machine.
      const costs = costsOf({ kind, lists: built.lists });
      entries.push({ ...entry, index: { kind, file, bytes: 0, checksum: '', ...built, costs } });
      paths.push({ path, indexPath: join(dir, file) });
    }
    first += size;
  }
  return { entries, paths };
}

/** Opens segments, some of whose documents are deleted. The caller closes the snapshot. */
export function opened(store: Store, { entries, paths }: Written, deleted: Iterable<number> = []): Target {
  // A segment ignores the ids of others.
  const gone = Uint32Array.from(deleted);
  return { entries, snapshot: new native.Snapshot(paths.map((path) => ({ ...path, deleted: gone }))), store };
}
