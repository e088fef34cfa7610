/**
 * A re-embedding on its way: segments of another model over the same documents, listed beside the manifest until
 * they take the place of its segments in one transaction. A document id never gets other content, so "all up to this
 * id" says what is done, and what comes in meanwhile lies behind it.
 */
import { change, takeSegment, writeDeleted } from './commit.js';
import { deletedKey, REEMBEDDING } from './keys.js';
import type { Manifest, ModelIdentity, SegmentEntry } from './manifest.js';
import type { Store } from './store.js';

export interface Reembedding {
  model: ModelIdentity;
  /** As in the manifest that is to be. */
  models: NonNullable<Manifest['models']>;
  /** Ascending by document id. */
  segments: SegmentEntry[];
  /** Names of segments that are being written. */
  writing: string[];
  /** Every live document up to this id is in the segments. */
  through: number;
}

/** What is under way in the folder. */
export function reembeddingOf(store: Store): Reembedding | undefined {
  return store.meta.get(REEMBEDDING) as Reembedding | undefined;
}

/** Begins one, forgetting any other. */
export function beginReembedding(
  store: Store,
  model: ModelIdentity,
  models: NonNullable<Manifest['models']>,
): void {
  const begun: Reembedding = { model, models, segments: [], writing: [], through: 0 };
  change(store, () => store.meta.putSync(REEMBEDDING, begun));
}

/** Ends it without a result; its segments become leftovers, to be removed. */
export function forgetReembedding(store: Store): void {
  change(store, () => store.meta.removeSync(REEMBEDDING));
}

/** Changes the record of it in a transaction of its own. */
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

/** Takes a segment name under which files may be written that nobody clears away. */
export function reserveReembedded(store: Store): string {
  return changeReembedding(store, (reembedding, manifest) => {
    const segment = takeSegment(manifest);
    reembedding.writing.push(segment);
    return segment;
  });
}

/** Lists a segment that is written whole. */
export function commitReembedded(store: Store, entry: SegmentEntry, through: number): void {
  changeReembedding(store, (reembedding) => {
    reembedding.writing = reembedding.writing.filter((name) => name !== entry.id);
    reembedding.segments.push(entry);
    reembedding.through = through;
  });
}

/** The model and the configuration of the folder are another; its segments stay. For configurations of one model. */
export function commitModels(store: Store, models: NonNullable<Manifest['models']>): void {
  change(store, (manifest) => {
    manifest.models = models;
  });
}

/**
 * Puts the segments of the re-embedding in the place of the manifest's, and its model with them. Documents that were
 * deleted since they were embedded are left out.
 * @param docsOf ids of the documents in each of its segments
 * @returns false, with nothing changed, where documents have come in that it does not hold
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
