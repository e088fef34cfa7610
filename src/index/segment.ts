/** Writes the files of segments, and opens the segments of a manifest for searching. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { isGrantPublication } from '../patent/kind.js';
import type { PreparedDocument } from '../store/document.js';
import { diskFullIn } from '../store/faults.js';
import type { IndexFile, Manifest, SegmentEntry } from '../store/manifest.js';
import { makeDurableFolder } from '../store/room.js';
import type { Store } from '../store/store.js';
import { applicationLink, COLUMNS, columnValues } from './columns.js';
import { lexicalTexts } from './lexical-texts.js';
import {
  awaiting,
  type BackgroundOpening,
  calling,
  fromNative,
  type NativeSnapshot,
  native,
  type SegmentPath,
} from './native.js';

/** Name of the file with vectors and columns in a segment's folder. */
export const SEGMENT_FILE = 'segment.bin';

/** Path of a segment's vectors and columns. */
export function segmentPath(store: Store, id: string): string {
  return join(store.segmentDir(id), SEGMENT_FILE);
}

/**
 * Makes the folder of a new segment durably, so that it survives a power failure with the files synced in it.
 * @throws PriorartError `disk_full`, `unavailable` if the data folder was renamed, deleted or replaced
 */
export function makeSegmentFolder(store: Store, segment: string): string {
  store.checkInPlace();
  const dir = store.segmentDir(segment);
  try {
    makeDurableFolder(dir);
    return dir;
  } catch (error) {
    throw diskFullIn(store.dir, error);
  }
}

/** Writes prepared documents as a new segment with ids from `firstDoc` on. Durable when it returns. */
export function writeSegment(
  store: Store,
  segment: string,
  firstDoc: number,
  documents: readonly PreparedDocument[],
): SegmentEntry {
  const numbered = documents.map((document, n) => ({ id: firstDoc + n, document }));
  return writeSegmentAs(store, segment, store.manifest().model.dimensions, numbered);
}

/** Writes documents with existing, ascending ids as a segment (a rebuilt one). */
export function writeSegmentAs(
  store: Store,
  segment: string,
  dimensions: number,
  documents: readonly { id: number; document: PreparedDocument }[],
): SegmentEntry {
  // The reranker may have changed while the documents were prepared.
  const bagsModel = documents.findLast(({ document }) => document.bags)?.document.bags?.model;
  const writing = new SegmentWriting(store, segment, dimensions, bagsModel);
  try {
    for (const { id, document } of documents) writing.push(id, document);
    return writing.finish();
  } finally {
    // After an error, the file is closed and removed now, not when the garbage collector finds the writer.
    writing.discard();
  }
}

/** A segment that is being written, document after document. Its caller ends it with `discard`, also after `finish`. */
export class SegmentWriting {
  readonly #segment: string;
  readonly #bagsModel: string | undefined;
  readonly #writer: InstanceType<typeof native.SegmentWriter>;
  #first: number | undefined;
  #last = 0;
  /** Number of documents written. */
  documents = 0;

  /** @param bagsModel whose token bags are stored; those of other models are left out */
  constructor(store: Store, segment: string, dimensions: number, bagsModel: string | undefined) {
    const dir = makeSegmentFolder(store, segment);
    this.#segment = segment;
    this.#bagsModel = bagsModel;
    this.#writer = calling(() => new native.SegmentWriter(join(dir, SEGMENT_FILE), dimensions, COLUMNS));
  }

  /** @param id above those before it */
  push(id: number, { patent, vectors, bags }: PreparedDocument): void {
    calling(() =>
      this.#writer.push({
        id,
        patentId: patent.patent_id,
        application: applicationLink(patent),
        grant: isGrantPublication(patent),
        vectors,
        bags: bags?.model === this.#bagsModel ? bags : undefined,
        texts: lexicalTexts(patent),
        ...columnValues(patent),
      }),
    );
    this.#first ??= id;
    this.#last = id;
    this.documents += 1;
  }

  /** Durable when it returns. */
  finish(): SegmentEntry {
    const written = calling(() => this.#writer.finish());
    return { id: this.#segment, ...written, firstDoc: this.#first ?? 0, lastDoc: this.#last };
  }

  /** Gives up what is not finished, and removes its file. */
  discard(): void {
    calling(() => this.#writer.discard());
  }
}

/**
 * Builds the FAISS index of a segment on separate threads, and measures the effort that it needs.
 * @throws PriorartError `unknown_index_kind`
 */
export async function buildSegmentIndex(store: Store, entry: SegmentEntry, kind: string): Promise<IndexFile> {
  // A new name, because readers may still have the old file mapped.
  const file = `index-${Date.now().toString(36)}.faiss`;
  const path = join(store.segmentDir(entry.id), file);
  const built = await awaiting(
    native.buildIndex(segmentPath(store, entry.id), path, { kind, threads: 1, seed: 1234 }),
  );
  const checksum = await awaiting(native.fileChecksum(path));
  return { kind, file, bytes: statSync(path).size, checksum, ...built };
}

/** Removes the files of a segment that was not committed. Does nothing if the manifest names it. */
export function discardSegment(store: Store, id: string): void {
  store.refresh();
  if (store.manifest().segments.every((segment) => segment.id !== id)) removeSegmentFiles(store, id);
}

/** Removes a segment's files. Processes that have them mapped can still read them. */
export function removeSegmentFiles(store: Store, id: string): void {
  // A segment of this name in another folder does not belong to this store.
  if (store.displacement() === undefined) rmSync(store.segmentDir(id), { recursive: true, force: true });
}

/** A manifest and its segments, open for searching. */
export interface OpenSnapshot {
  manifest: Manifest;
  native: NativeSnapshot;
}

/** Maximum attempts to open a manifest's segments while merges replace them. */
const ATTEMPTS = 5;

/**
 * Opens the segments of the current manifest.
 * @throws PriorartError `data_corrupt` with the file and the remedy
 */
export function openSnapshot(store: Store): OpenSnapshot {
  for (let attempt = 1; ; attempt++) {
    const manifest = store.manifest();
    const paths = manifest.segments.map((entry) => pathsOf(store, entry));
    try {
      return { manifest, native: new native.Snapshot(paths) };
    } catch (error) {
      const missing = paths
        .flatMap(({ path, indexPath }) => (indexPath ? [path, indexPath] : [path]))
        .find((path) => !existsSync(path));
      if (missing === undefined) throw withRemedy(error, store.dir);
      // A merge may have removed a segment after this reader read the manifest: read it again.
      if (attempt >= ATTEMPTS) throw withRemedy(missingFile(missing, error), store.dir);
      store.refresh();
    }
  }
}

/** Starts to open segments in the background, so that a later snapshot of them opens at once. */
export function openBeside(store: Store, entries: readonly SegmentEntry[]): BackgroundOpening {
  return native.openBeside(entries.map((entry) => pathsOf(store, entry)));
}

function pathsOf(store: Store, entry: SegmentEntry): SegmentPath {
  return {
    path: segmentPath(store, entry.id),
    ...(entry.index ? indexPaths(store, entry.id, entry.index) : {}),
    deleted: store.deleted(entry.id),
  };
}

function indexPaths(
  store: Store,
  segment: string,
  { file, checksum }: IndexFile,
): { indexPath: string; indexChecksum: string } {
  return { indexPath: join(store.segmentDir(segment), file), indexChecksum: checksum };
}

function missingFile(path: string, cause: unknown): PriorartError {
  return new PriorartError('data_corrupt', `${path} is missing`, { cause });
}

function withRemedy(error: unknown, dir: string): unknown {
  const known = fromNative(error);
  if (!isPriorartError(known) || known.code !== 'data_corrupt') return known;
  const message = `${known.message}. Run \`priorart check --repair --data ${dir}\` to rebuild what is damaged`;
  return new PriorartError('data_corrupt', message, { cause: error });
}
