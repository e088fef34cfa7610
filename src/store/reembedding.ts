/**
 * A re-embedding in progress: segments of a new model over the same documents, listed beside the manifest until they
 * replace its segments in one transaction. The content of a document id never changes, so the progress is the last
 * embedded id. New documents have higher ids.
 */
import { change, takeSegment, writeDeleted } from './commit.js';
import { deletedKey, REEMBEDDING } from './keys.js';
import type { Manifest, ModelIdentity, SegmentEntry } from './manifest.js';
import type { Store } from './store.js';

export interface Reembedding {
  model: ModelIdentity;
  /** Configuration of the models for the new manifest. */
  models: NonNullable<Manifest['models']>;
  /** Ascending by document id. */
  segments: SegmentEntry[];
  /** Names of segments that are being written. */
  writing: string[];
  /** All live documents up to this id are in the segments. */
  through: number;
}

/** The re-embedding in progress; undefined if there is none. */
export function reembeddingOf(store: Store): Reembedding | undefined {
  return store.meta.get(REEMBEDDING) as Reembedding | undefined;
}

/** Begins a re-embedding. Discards an earlier one. */
export function beginReembedding(
  store: Store,
  model: ModelIdentity,
  models: NonNullable<Manifest['models']>,
): void {
  const begun: Reembedding = { model, models, segments: [], writing: [], through: 0 };
  change(store, () => store.meta.putSync(REEMBEDDING, begun));
}

/** Discards the re-embedding. Its segments become leftovers, which are removed later. */
export function forgetReembedding(store: Store): void {
  change(store, () => store.meta.removeSync(REEMBEDDING));
}

/** Changes the record of the re-embedding in one transaction. */
export function changeReembedding<T>(
  store: Store,
  body: (reembedding: Reembedding, manifest: Manifest) => T,
): T {
  return change(store, (manifest) => {
    const reembedding = structuredClone(reembeddingOf(store));
    if (reembedding === undefined) throw new Error('no re-embedding is under way');
    const result = body(reembedding, manifest);
    store.meta.putSync(REEMBEDDING, reembedding);
    return result;
  });
}

/** Reserves a segment name, whose files do not count as leftovers. */
export function reserveReembedded(store: Store): string {
  return changeReembedding(store, (reembedding, manifest) => {
    const segment = takeSegment(manifest);
    reembedding.writing.push(segment);
    return segment;
  });
}

/** Adds a completely written segment to the list. */
export function commitReembedded(store: Store, entry: SegmentEntry, through: number): void {
  changeReembedding(store, (reembedding) => {
    reembedding.writing = reembedding.writing.filter((name) => name !== entry.id);
    reembedding.segments.push(entry);
    reembedding.through = through;
  });
}

/** Changes the folder's model configuration and keeps its segments. For configurations of the same model. */
export function commitModels(store: Store, models: NonNullable<Manifest['models']>): void {
  change(store, (manifest) => {
    manifest.models = models;
  });
}

/**
 * Replaces the manifest's segments and model with those of the re-embedding. Leaves out documents that were deleted since
 * they were embedded.
 * @param docsOf returns the ids of the documents in a segment
 * @returns false, and changes nothing, if the index has new documents that are not re-embedded
 */
export function commitReembedding(store: Store, docsOf: (segment: string) => Uint32Array): boolean {
  return change(store, (manifest) => {
    const reembedding = reembeddingOf(store);
    if (reembedding === undefined) throw new Error('no re-embedding is under way');
    const { model, models, segments, through } = reembedding;
    for (const _ of store.documents.getKeys({ start: through + 1, limit: 1 })) return false;
    for (const { id } of segments) {
      const gone = [...docsOf(id)].filter((doc) => !store.documents.doesExist(doc));
      if (gone.length > 0) writeDeleted(store, id, gone);
    }
    for (const { id } of manifest.segments) store.meta.removeSync(deletedKey(id));
    Object.assign(manifest, { model, models, segments });
    store.meta.removeSync(REEMBEDDING);
    return true;
  });
}
