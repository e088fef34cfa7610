/**
 * Merging: many small segments become few large ones, deleted documents go, large ones get their FAISS
 * index. Readers go on with the old segments until the manifest is swapped.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitEntry, commitMerge, reserveSegment } from '../store/commit.js';
import type { Manifest, SegmentEntry } from '../store/manifest.js';
import { reembeddingOf } from '../store/reembedding.js';
import type { Store } from '../store/store.js';
import { indexKindFor } from './kinds.js';
import { awaiting, calling, type FileLock, native } from './native.js';
import {
  buildSegmentIndex,
  discardSegment,
  makeSegmentFolder,
  removeSegmentFiles,
  SEGMENT_FILE,
  segmentPath,
} from './segment.js';

/** Neighbours that are merged at once, at least. */
export const FAN_IN = 8;
/** Segments whose sizes lie between the same two powers of this are of one level. */
export const LEVEL_FACTOR = 4;
/** Share of deleted documents above which a segment is rewritten. */
const DELETED_SHARE = 0.3;

export interface MergeOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
  /** Merges everything into one segment. */
  full?: boolean | undefined;
  /**
   * Passages from which on a segment gets a FAISS index, in place of EXACT_BELOW_PASSAGES. Small indexes gain
   * nothing; this is for tests and experiments.
   */
  indexFrom?: number | undefined;
}

/**
 * Which neighbouring segments to merge next, or none: a run of small ones, or one with many deletions.
 * Only neighbours are merged, so that the ids of a segment's documents stay one range.
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
 * The lowest level at which FAN_IN or more neighbours, none above that level, end with a segment of that
 * level. New segments come in at the end, so smaller ones behind the last of a level are still growing and are
 * left alone, while smaller ones before it would never find company of their own size and go along. Each merge
 * at which a passage does not rise a level takes its segment a quarter nearer to the next, or clears away what
 * lay buried before it, which happens once a level: a passage is rewritten a logarithmic number of times, and
 * fewer than FAN_IN segments a level remain.
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

/** Where segments are listed: in the manifest, or by a re-embedding for the manifest that is to be. */
export interface SegmentList {
  entries(): SegmentEntry[];
  /** Documents that a segment has lost since it was written. */
  deleted(segment: string): Uint32Array;
  /** Takes a name. */
  reserve(): string;
  /** Puts a merged segment in the place of others; false where that came too late. */
  replace(inputs: readonly { id: string; seen: Uint32Array }[], merged: SegmentEntry | undefined): boolean;
  /** Puts an entry in the place of the one of its name. */
  update(entry: SegmentEntry): boolean;
  /** Removes the files of a name that was taken, unless it is listed. */
  discard(segment: string): void;
}

/** The segments that are searched. */
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

/** The right to write segments outside a transaction: merges and repairs have it, one at a time. */
export function lockMerging(store: Store): FileLock | null {
  return calling(() => native.FileLock.acquire(join(store.dir, 'merge.lock')));
}

/**
 * Merges until nothing is left to do. Only one process merges at a time; another returns at once.
 * @returns merges done
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
 * Merges the segments of a list until nothing is left to do, and builds the indexes that are missing.
 * @returns merges done
 */
export async function mergeList(store: Store, list: SegmentList, options: MergeOptions): Promise<number> {
  let done = 0;
  while (!options.signal?.aborted) {
    const segments = list.entries();
    const deletedOf = (id: string) => list.deleted(id).length;
    const inputs = nextMerge({ segments }, deletedOf, options.full && done === 0);
    if (inputs === undefined) break;
    options.onProgress?.(`merging ${inputs.length} segments`);
    await mergeOne(store, list, inputs, options);
    done += 1;
  }
  await buildMissingIndexes(store, list, options);
  return done;
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
    const { passages } = merged;
    const kind = indexKindFor(indexKind, { passages, dimensions: model.dimensions }, options.indexFrom);
    if (kind !== undefined) merged.index = await buildSegmentIndex(store, merged, kind);
    const kept = list.replace(parts, merged.docs > 0 ? merged : undefined);
    if (kept) for (const { id } of parts) removeSegmentFiles(store, id);
  } finally {
    // Not in the list: it failed, it came too late, or nothing was left to put into it.
    list.discard(segment);
  }
}

/** Segments that grew large without a merge (one big batch) get their index, too. */
async function buildMissingIndexes(store: Store, list: SegmentList, options: MergeOptions): Promise<void> {
  const segments = list.entries();
  const { indexKind, model } = store.manifest();
  for (const entry of segments) {
    const { passages } = entry;
    const kind = indexKindFor(indexKind, { passages, dimensions: model.dimensions }, options.indexFrom);
    if (options.signal?.aborted) return;
    if (kind === undefined || entry.index !== undefined) continue;
    options.onProgress?.(`building the ${kind} index of ${entry.passages} passages`);
    const index = await buildSegmentIndex(store, entry, kind);
    list.update({ ...entry, index });
  }
}

/**
 * Removes what killed processes left behind. To be called with the lock of `lockMerging`: whoever writes a
 * segment either has that lock, or writes within a transaction; inside one, nobody else is writing.
 * @returns what was removed, below `segments/`
 * @throws PriorartError `unavailable` if the folder was renamed, deleted or replaced
 */
export function removeLeftovers(store: Store): string[] {
  return store.root.transactionSync(() => {
    // In another folder these would be somebody else's.
    store.checkInPlace();
    const found = leftovers(store, store.manifest());
    for (const name of found) rmSync(join(store.dir, 'segments', name), { recursive: true, force: true });
    return found;
  });
}

/**
 * Folders under `segments/` that the manifest does not name, and files in the others that it does not. The folders of
 * a re-embedding are its own affair.
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
