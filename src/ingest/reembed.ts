/**
 * Re-embedding. Every passage of a folder gets a vector of another model, in new segments that searches do
 * not read yet. When all documents have vectors, one transaction replaces the old segments by the new ones.
 * Searches, ingests and deletions continue meanwhile. Written segments survive a kill. The next run continues
 * after them.
 */
import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PriorartError } from '../errors.js';
import { lockMerging, mergeList, removeLeftovers, type SegmentList } from '../index/merge.js';
import { type DocumentTexts, type FileLock, lockInFolder, native } from '../index/native.js';
import { removeSegmentFiles, segmentPath, writeSegmentAs } from '../index/segment.js';
import type { PreparedDocument } from '../store/document.js';
import {
  type Manifest,
  type ModelIdentity,
  modelName,
  type SegmentEntry,
  sameModel,
} from '../store/manifest.js';
import {
  beginReembedding,
  changeReembedding,
  commitModels,
  commitReembedded,
  commitReembedding,
  reembeddingOf,
  reserveReembedded,
} from '../store/reembedding.js';
import type { Store } from '../store/store.js';
import { type Embedded, textsOf } from './prepare.js';
import type { ReembedOptions, ReembedSummary } from './summary.js';

/** Passages of a full batch. Documents of a full batch are embedded together. */
const BATCH_PASSAGES = 512;
/**
 * Waiting passages, and milliseconds since the last write, after which a segment is written. A kill loses at
 * most this work.
 */
const SEGMENT_PASSAGES = 16_384;
const SEGMENT_MS = 30_000;
/** Interval between two attempts to lock merging, ms. */
const LOCK_EVERY_MS = 200;

/** The new model of a folder. */
export interface Target {
  model: ModelIdentity;
  models: NonNullable<Manifest['models']>;
}

/** Embeds documents, in workers or on this thread. */
export interface PassageEmbedder {
  embed(documents: DocumentTexts[]): Promise<Embedded>;
  /** Batches in progress at the same time. */
  readonly parallel: number;
}

/** Takes the lock for re-embedding a folder; null while another process has it. */
export function lockReembedding(store: Store): FileLock | null {
  return lockInFolder(store.dir, 'reembed.lock');
}

/**
 * Re-embeds a folder. The caller must hold the lock of `lockReembedding`.
 * @throws PriorartError `cancelled` when the signal fires, `disk_full`
 */
export async function reembed(
  store: Store,
  target: Target,
  embedder: PassageEmbedder,
  options: ReembedOptions = {},
): Promise<ReembedSummary> {
  const started = performance.now();
  const done = (embedded: number) => ({
    model: modelName(target.model),
    embedded,
    seconds: Math.round((performance.now() - started) / 10) / 100,
  });
  store.refresh();
  if (sameModel(store.manifest().model, target.model)) {
    commitModels(store, target.models);
    clearAway(store);
    return done(0);
  }
  resumeOrBegin(store, target);
  checkDisk(store, target);
  const run = new Reembedding(store, target, embedder, options);
  run.report(`needs about ${megabytes(bytesNeeded(store, target.model))} beside what is there`);
  do await run.embedAll();
  while (!(await run.swap()));
  return done(run.embedded);
}

/**
 * Removes the files of a run that was killed directly after the swap. A running merge removes them itself.
 */
function clearAway(store: Store): void {
  const lock = lockMerging(store);
  if (lock === null) return;
  try {
    removeLeftovers(store);
  } finally {
    lock.release();
  }
}

/** Continues an earlier run to the same model, or starts a new one. */
function resumeOrBegin(store: Store, { model, models }: Target): void {
  const left = reembeddingOf(store);
  if (left === undefined || !sameModel(left.model, model)) {
    beginReembedding(store, model, models);
    for (const { id } of left?.segments ?? []) removeSegmentFiles(store, id);
  } else {
    changeReembedding(store, (reembedding) => {
      reembedding.models = models;
      reembedding.writing = [];
    });
  }
  const listed = new Set(reembeddingOf(store)?.segments.map(({ id }) => id));
  for (const id of left?.writing ?? []) if (!listed.has(id)) removeSegmentFiles(store, id);
}

/**
 * Estimate, from the old segments, of the bytes that the new segments need in addition, including indexes.
 * Merges temporarily need up to the same number of bytes again.
 */
export function bytesNeeded(store: Store, { dimensions }: ModelIdentity): number {
  const { model, passages, segments } = store.manifest();
  const sum = (of: (entry: SegmentEntry) => number) =>
    segments.reduce((total, entry) => total + of(entry), 0);
  const columns = sum(({ bytes, passages: rows }) => bytes - rows * model.dimensions * VECTOR_BYTES);
  const indexes = sum(({ index }) => index?.bytes ?? 0) * (dimensions / model.dimensions);
  const written = (reembeddingOf(store)?.segments ?? []).reduce((total, { bytes }) => total + bytes, 0);
  return Math.max(0, Math.ceil(columns + indexes + passages * dimensions * VECTOR_BYTES - written));
}

/** Bytes per dimension, in half precision. */
const VECTOR_BYTES = 2;

/** @throws PriorartError `disk_full` if the free space is certainly too small */
function checkDisk(store: Store, { model }: Target): void {
  const { bavail, bsize } = statfsSync(store.dir);
  const [needed, free] = [bytesNeeded(store, model), bavail * bsize];
  if (free >= needed) return;
  throw new PriorartError(
    'disk_full',
    `re-embedding ${store.dir} with ${modelName(model)} needs about ${megabytes(needed)} beside what is there, and ` +
      `for a time up to as much again; ${megabytes(free)} are free. Nothing was changed`,
  );
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;

type Stored = { id: number; document: Omit<PreparedDocument, 'vectors'> };

class Reembedding {
  readonly #store: Store;
  readonly #target: Target;
  readonly #embedder: PassageEmbedder;
  readonly #options: ReembedOptions;
  readonly #list: SegmentList;
  #pending: { id: number; document: PreparedDocument }[] = [];
  #passages = 0;
  #lastCommit = performance.now();
  /** Documents embedded by this run. */
  embedded = 0;

  constructor(store: Store, target: Target, embedder: PassageEmbedder, options: ReembedOptions) {
    this.#store = store;
    this.#target = target;
    this.#embedder = embedder;
    this.#options = options;
    this.#list = reembeddedSegments(store);
  }

  /** Embeds all documents after the last embedded one. Then merges segments and builds indexes. */
  async embedAll(): Promise<void> {
    const { indexFrom, signal } = this.#options;
    const inFlight: Promise<PreparedBatch>[] = [];
    const finishOne = async () => {
      const next = inFlight.shift();
      if (next === undefined) return;
      const batch = await next.catch((error: unknown) => {
        // What was embedded before is written.
        this.#checkSignal();
        throw error;
      });
      await this.#take(batch);
    };
    for (const batch of this.#batches()) {
      this.#checkSignal();
      if (inFlight.length > this.#embedder.parallel) await finishOne();
      const prepared = this.#embed(batch);
      prepared.catch(() => {}); // Prevents an unhandled rejection before this promise is awaited.
      inFlight.push(prepared);
    }
    while (inFlight.length > 0) await finishOne();
    this.#write();
    const onProgress = (note: string) => this.report(note);
    const added = this.#list.entries().reduce((sum, { passages }) => sum + passages, 0);
    await mergeList(this.#store, this.#list, { indexFrom, signal, added, onProgress });
    this.#checkSignal();
  }

  /** Documents that are not embedded yet, in order, in groups. */
  *#batches(): Generator<Stored[]> {
    const { segmentPassages = SEGMENT_PASSAGES } = this.#options;
    const enough = Math.min(BATCH_PASSAGES, segmentPassages);
    let after = reembeddingOf(this.#store)!.through;
    for (;;) {
      this.#store.refresh();
      const batch: Stored[] = [];
      let passages = 0;
      for (const id of this.#store.documents.getKeys({ start: after + 1, limit: BATCH_PASSAGES })) {
        after = id;
        const document = this.#store.document(id);
        if (document === undefined) throw incomplete(id);
        batch.push({ id, document });
        passages += document.passages.length;
        if (passages >= enough) break;
      }
      if (batch.length === 0) return;
      yield batch;
    }
  }

  async #embed(batch: Stored[]): Promise<PreparedBatch> {
    const { model, documents } = await this.#embedder.embed(batch.map(({ document }) => textsOf(document)));
    if (!sameModel(model, this.#target.model)) {
      const message = `the model is ${modelName(model)} all of a sudden, not ${modelName(this.#target.model)}`;
      throw new PriorartError('model_mismatch', message);
    }
    return batch.map(({ id, document }, n) => ({ id, document: { ...document, ...documents[n]! } }));
  }

  async #take(batch: PreparedBatch): Promise<void> {
    const { segmentPassages = SEGMENT_PASSAGES, signal } = this.#options;
    for (const one of batch) {
      this.#pending.push(one);
      this.#passages += one.document.passages.length;
    }
    this.report();
    if (this.#passages < segmentPassages && performance.now() - this.#lastCommit < SEGMENT_MS) return;
    this.#write();
    // Indexes are built at the end: until then merges replace the segments.
    await mergeList(this.#store, this.#list, { signal, indexFrom: Number.POSITIVE_INFINITY });
    this.#checkSignal();
  }

  /** Writes the waiting documents as one segment, and stores the progress. */
  #write(): void {
    this.#lastCommit = performance.now();
    if (this.#pending.length === 0) return;
    const segment = reserveReembedded(this.#store);
    const entry = writeSegmentAs(this.#store, segment, this.#target.model.dimensions, this.#pending);
    commitReembedded(this.#store, entry, entry.lastDoc);
    this.embedded += this.#pending.length;
    this.#pending = [];
    this.#passages = 0;
    this.report();
  }

  /** Replaces the old segments. Returns false if new documents must be embedded first. */
  async swap(): Promise<boolean> {
    const lock = await this.#lockMerging();
    try {
      this.#store.refresh();
      const docs = docsOf(this.#store, reembeddingOf(this.#store)!.segments);
      const swapped = commitReembedding(this.#store, (segment) => docs.get(segment)!);
      // Readers keep their mapped files.
      if (swapped) removeLeftovers(this.#store);
      return swapped;
    } finally {
      lock.release();
    }
  }

  /** Locks merging. A merge would work on segments that the swap removes. */
  async #lockMerging(): Promise<FileLock> {
    for (;;) {
      const lock = lockMerging(this.#store);
      if (lock !== null) return lock;
      this.report('waiting for a merge to end');
      await delay(LOCK_EVERY_MS);
      this.#checkSignal();
    }
  }

  #checkSignal(): void {
    if (!this.#options.signal?.aborted) return;
    this.#write();
    const message = 'the re-embedding was stopped; what is done stays, run it again to go on';
    throw new PriorartError('cancelled', message);
  }

  report(note?: string): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    const { segments } = reembeddingOf(this.#store)!;
    onProgress({
      passages: segments.reduce((sum, { passages }) => sum + passages, this.#passages),
      totalPassages: this.#store.manifest().passages,
      documents: this.embedded + this.#pending.length,
      ...(note === undefined ? {} : { note }),
    });
  }
}

type PreparedBatch = { id: number; document: PreparedDocument }[];

function incomplete(id: number): PriorartError {
  const message = `passages of document ${id} are missing; run \`priorart check --repair\` first`;
  return new PriorartError('data_corrupt', message);
}

/** Ids of the documents in each segment. */
function docsOf(store: Store, segments: readonly SegmentEntry[]): Map<string, Uint32Array> {
  const none = new Uint32Array();
  const paths = segments.map(({ id }) => ({ path: segmentPath(store, id), deleted: none }));
  const snapshot = new native.Snapshot(paths);
  try {
    return new Map(segments.map(({ id }, n) => [id, snapshot.docIds(n)]));
  } finally {
    snapshot.close();
  }
}

/** The segments of the re-embedding as a list for merges. */
function reembeddedSegments(store: Store): SegmentList {
  const none = new Uint32Array();
  const discard = (segment: string) => {
    const listed = changeReembedding(store, (reembedding) => {
      reembedding.writing = reembedding.writing.filter((name) => name !== segment);
      return reembedding.segments.some(({ id }) => id === segment);
    });
    if (!listed) removeSegmentFiles(store, segment);
  };
  return {
    entries() {
      store.refresh();
      return reembeddingOf(store)!.segments;
    },
    // The swap removes documents that are deleted meanwhile.
    deleted: () => none,
    reserve: () => reserveReembedded(store),
    replace: (inputs, merged) => {
      const names = new Set(inputs.map(({ id }) => id));
      changeReembedding(store, (reembedding) => {
        const kept = reembedding.segments.filter(({ id }) => !names.has(id));
        const all = merged ? [...kept, merged] : kept;
        reembedding.segments = all.sort((a, b) => a.firstDoc - b.firstDoc);
        // In the same transaction: after a kill, the next run removes the segments listed in `writing`.
        reembedding.writing = reembedding.writing.filter((name) => name !== merged?.id);
      });
      return true;
    },
    update: (entry) => {
      changeReembedding(store, (reembedding) => {
        reembedding.segments = reembedding.segments.map((old) => (old.id === entry.id ? entry : old));
      });
      return true;
    },
    discard,
  };
}
