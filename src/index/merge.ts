/**
 * Merges many small segments into few large ones, removes deleted documents, and builds the FAISS indexes of large
 * segments. Readers use the old segments until the manifest is replaced.
 */
import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { commitEntry, commitMerge, reserveSegment } from '../store/commit.js';
import type { Manifest, SegmentEntry } from '../store/manifest.js';
import { reembeddingOf } from '../store/reembedding.js';
import type { Store } from '../store/store.js';
import { indexKindFor } from './kinds.js';
import { awaiting, type FileLock, lockInFolder, native } from './native.js';
import {
  buildSegmentIndex,
  discardSegment,
  makeSegmentFolder,
  removeSegmentFiles,
  SEGMENT_FILE,
  segmentPath,
} from './segment.js';

/** Minimum number of adjacent segments to merge. */
export const FAN_IN = 8;
/** Ratio of the size limits of a level: segments between the same two powers of it are of one level. */
export const LEVEL_FACTOR = 4;
/** Share of deleted documents above which a segment is rewritten. */
const DELETED_SHARE = 0.3;
/** Share of a folder's passages that an ingest must have added if all segments become one at its end. */
const ADDED_SHARE = 0.5;
/**
 * Passages from which this is done. A search of 75,685 passages takes as long in five segments as in one. A search of a million takes
 * 17.4 ms in eleven segments instead of 14.7, or 20.3 instead of 15.2 if its question has many words (BENCHMARKS.md, Latency).
 */
const ONE_FROM_PASSAGES = 131_072;

export interface MergeOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
  /** Merges everything into one segment. */
  full?: boolean | undefined;
  /**
   * Passages that were just added, if no more are expected soon. If they are half of all or more, everything is merged into
   * one segment, because a search takes some time for each. Fewer would make ingests of few documents dear.
   */
  added?: number | undefined;
  /** Passages from which `added` counts. Default: ONE_FROM_PASSAGES. Lower values are for tests. */
  oneFrom?: number | undefined;
  /**
   * Number of passages from which a segment gets a FAISS index. Default: EXACT_BELOW_PASSAGES. Lower values are for tests
   * and experiments, because small indexes gain nothing.
   */
  indexFrom?: number | undefined;
}

/**
 * Chooses the adjacent segments to merge next: a run of small ones, or one with many deletions; undefined if there are
 * none. Only adjacent segments are merged, so that the ids of a segment stay one range.
 */
export function nextMerge(
  manifest: Pick<Manifest, 'segments'>,
  deletedOf: (segment: string) => number,
  full = false,
): SegmentEntry[] | undefined {
  const { segments } = manifest;
  if (full) {
    const whole = segments.length === 1 && deletedOf(segments[0]!.id) === 0;
    return segments.length === 0 || whole ? undefined : segments;
  }
  const worn = segments.find((segment) => deletedOf(segment.id) > segment.docs * DELETED_SHARE);
  return nextRun(segments) ?? (worn && [worn]);
}

/**
 * Finds FAN_IN or more adjacent segments to merge, at the lowest possible level: none is above that level, and the last
 * one is of that level. New segments are appended, so smaller segments after the last one of a level still grow and are
 * not merged. Smaller segments before it would never have enough adjacent ones of their size, so they are merged, too. If
 * a merge does not raise a passage's level, it either brings its segment a quarter closer to the next level, or removes
 * small segments before it, which happens once a level. So a passage is rewritten a logarithmic number of times, and
 * fewer than FAN_IN segments of a level remain.
 */
function nextRun(segments: readonly SegmentEntry[]): SegmentEntry[] | undefined {
  const levels = segments.map(({ passages }) =>
    Math.floor(Math.log2(Math.max(1, passages)) / Math.log2(LEVEL_FACTOR)),
  );
  for (const top of [...new Set(levels)].sort((a, b) => a - b)) {
    for (let from = 0; from < levels.length; from++) {
      let last = from - 1;
      let to = from;
      for (; to < levels.length && levels[to]! <= top; to++) if (levels[to] === top) last = to;
      if (last - from + 1 >= FAN_IN) return segments.slice(from, last + 1);
      from = to;
    }
  }
  return undefined;
}

/** A list of segments: that of the manifest, or that of a re-embedding for the new manifest. */
export interface SegmentList {
  entries(): SegmentEntry[];
  /** Ids of a segment's documents deleted since it was written. */
  deleted(segment: string): Uint32Array;
  /** Reserves a segment name. */
  reserve(): string;
  /** Replaces the inputs with the merged segment. Returns false if an input is gone. */
  replace(inputs: readonly { id: string; seen: Uint32Array }[], merged: SegmentEntry | undefined): boolean;
  /** Replaces the entry of the same name. */
  update(entry: SegmentEntry): boolean;
  /** Removes the files of a reserved name, unless it is listed. */
  discard(segment: string): void;
}

/** The list of the manifest, whose segments are searched. */
function liveSegments(store: Store): SegmentList {
  return {
    entries() {
      store.refresh();
      return store.manifest().segments;
    },
    deleted: (id) => store.deleted(id),
    reserve: () => reserveSegment(store),
    replace: (inputs, merged) => commitMerge(store, inputs, merged),
    update: (entry) => commitEntry(store, entry),
    discard: (id) => discardSegment(store, id),
  };
}

/** Takes the lock for writing segments outside a transaction, which merges and repairs need. */
export function lockMerging(store: Store): FileLock | null {
  return lockInFolder(store.dir, 'merge.lock');
}

/**
 * Merges until nothing is left to do. Returns at once if another process merges.
 * @returns number of merges
 */
export async function mergeSegments(store: Store, options: MergeOptions = {}): Promise<number> {
  const lock = lockMerging(store);
  if (lock === null) return 0;
  try {
    removeLeftovers(store);
    return await mergeList(store, liveSegments(store), options);
  } finally {
    lock.release();
  }
}

/**
 * Merges the segments of a list until nothing is left to do, and builds missing indexes.
 * @returns number of merges
 */
export async function mergeList(store: Store, list: SegmentList, options: MergeOptions): Promise<number> {
  let done = 0;
  while (!options.signal?.aborted) {
    const segments = list.entries();
    const deletedOf = (id: string) => list.deleted(id).length;
    const full = done === 0 && (options.full || becomeOne(store, segments, options));
    const inputs = nextMerge({ segments }, deletedOf, full);
    if (inputs === undefined) break;
    options.onProgress?.(`merging ${inputs.length} segments`);
    await mergeOne(store, list, inputs, options);
    done += 1;
  }
  await buildMissingIndexes(store, list, options);
  return done;
}

/** Whether all segments become one after some passages were added: if these are many, and the disk has room for it. */
function becomeOne(
  store: Store,
  segments: readonly SegmentEntry[],
  { added = 0, oneFrom = ONE_FROM_PASSAGES }: MergeOptions,
): boolean {
  const sum = (of: (entry: SegmentEntry) => number) => segments.reduce((all, entry) => all + of(entry), 0);
  const passages = sum((entry) => entry.passages);
  if (passages < oneFrom || added < ADDED_SHARE * passages) return false;
  const { bavail, bsize } = statfsSync(store.dir);
  // As much must be left for what comes after.
  return bavail * bsize > 2 * sum(({ bytes, index }) => bytes + (index?.bytes ?? 0));
}

async function mergeOne(
  store: Store,
  list: SegmentList,
  inputs: SegmentEntry[],
  options: MergeOptions,
): Promise<void> {
  const parts = inputs.map(({ id }) => ({ id, path: segmentPath(store, id), seen: list.deleted(id) }));
  const segment = list.reserve();
  try {
    const dir = makeSegmentFolder(store, segment);
    const files = parts.map(({ path, seen }) => ({ path, deleted: seen }));
    const written = await awaiting(native.mergeSegments(files, join(dir, SEGMENT_FILE)));
    const merged: SegmentEntry = {
      id: segment,
      ...written,
      firstDoc: inputs[0]!.firstDoc,
      lastDoc: inputs.at(-1)!.lastDoc,
    };
    const { indexKind, model } = store.manifest();
    const kind = indexKindFor(indexKind, { ...merged, dimensions: model.dimensions }, options.indexFrom);
    if (kind !== undefined) merged.index = await buildSegmentIndex(store, merged, kind);
    const kept = list.replace(parts, merged.docs > 0 ? merged : undefined);
    if (kept) for (const { id } of parts) removeSegmentFiles(store, id);
  } finally {
    // Removes the files if the segment is not listed: the merge failed, an input was gone, or all documents were deleted.
    list.discard(segment);
  }
}

/** Builds the indexes of segments that are large without a merge, as after one large batch. */
async function buildMissingIndexes(store: Store, list: SegmentList, options: MergeOptions): Promise<void> {
  const segments = list.entries();
  const { indexKind, model } = store.manifest();
  for (const entry of segments) {
    const kind = indexKindFor(indexKind, { ...entry, dimensions: model.dimensions }, options.indexFrom);
    if (options.signal?.aborted) return;
    if (kind === undefined || entry.index !== undefined) continue;
    options.onProgress?.(`building the ${kind} index of ${entry.passages} passages`);
    const index = await buildSegmentIndex(store, entry, kind);
    list.update({ ...entry, index });
  }
}

/**
 * Removes files that killed processes left behind. To be called with the lock of `lockMerging`: a process that writes a
 * segment either holds that lock or a write transaction.
 * @returns removed paths, relative to `segments/`
 * @throws PriorartError `unavailable` if the folder was renamed, deleted or replaced
 */
export function removeLeftovers(store: Store): string[] {
  return store.root.transactionSync(() => {
    // In another folder these files would belong to another store.
    store.checkInPlace();
    const found = leftovers(store, store.manifest());
    for (const name of found) rmSync(join(store.dir, 'segments', name), { recursive: true, force: true });
    return found;
  });
}

/**
 * Folders and files under `segments/` that the manifest does not name. Folders of a re-embedding are not leftovers.
 */
export function leftovers(store: Store, { segments }: Manifest): string[] {
  const root = join(store.dir, 'segments');
  const { segments: coming = [], writing = [] } = reembeddingOf(store) ?? {};
  const owned = new Set([...coming.map(({ id }) => id), ...writing]);
  const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
  const known = new Map(segments.map((entry) => [entry.id, entry]));
  const folders = list(root).filter((name) => !known.has(name) && !owned.has(name));
  const files = [...known.values()].flatMap(({ id, index }) =>
    list(store.segmentDir(id))
      .filter((name) => name !== SEGMENT_FILE && name !== index?.file)
      .map((name) => join(id, name)),
  );
  return [...folders, ...files].sort();
}
