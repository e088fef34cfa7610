/**
 * Rebuilds derived data: FAISS indexes from vectors; passages, vectors and columns from texts; lookups from records.
 */
import { PriorartError } from '../errors.js';
import type { Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';
import { whole } from '../store/checked-values.js';
import {
  addInternationalKeys,
  commitEntry,
  commitMerge,
  forgetDocuments,
  rebuildLookups,
  reserveSegment,
  restoreDeleted,
  restorePassages,
} from '../store/commit.js';
import { type PreparedDocument, passagesHash, patentOf } from '../store/document.js';
import { forgetSources } from '../store/ledger.js';
import { type ModelIdentity, type SegmentEntry, sameModel } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { type CheckReport, checkFolder, type Inspection, inspectFolder } from './check.js';
import { repairDrawings } from './check-drawings.js';
import { indexKindFor } from './kinds.js';
import { lockMerging, removeLeftovers } from './merge.js';
import { calling, native } from './native.js';
import {
  buildSegmentIndex,
  discardSegment,
  removeSegmentFiles,
  SegmentWriting,
  segmentPath,
} from './segment.js';
import { removeLeftOfCopy } from './snapshot-folder.js';

/** The functions of an ingest that a repair needs to rebuild data. */
export interface Derivation {
  /** Model that computes the vectors. Absent: that of the folder, whichever it is. */
  model?: ModelIdentity | undefined;
  passagesOf(patent: Patent): Passage[];
  /** Computes vectors, and token bags for the reranker. */
  derive(
    document: Pick<PreparedDocument, 'patent' | 'passages'>,
  ): Promise<Pick<PreparedDocument, 'vectors' | 'bags'>>;
  /** Model whose token bags segments should hold. Absent: no bags. */
  bagsModel?: string | undefined;
}

export interface RepairReport extends CheckReport {
  /** Descriptions of the repairs. */
  repaired: string[];
}

/**
 * Repairs the problems that a check finds, then checks again. Remaining problems require a new ingest of the sources.
 * @throws PriorartError `unavailable` if a merge or another repair is running, or if the folder has another model by now
 */
export async function repairFolder(
  store: Store,
  derivation: Derivation,
  onProgress?: (text: string) => void,
): Promise<RepairReport> {
  const lock = lockMerging(store);
  if (lock === null) {
    const message = `segments of ${store.dir} are being merged or repaired; try again when that is done`;
    throw new PriorartError('unavailable', message);
  }
  try {
    requireModel(store, derivation);
    const repaired = await repairLocked(store, derivation, onProgress);
    return { ...(await checkFolder(store, onProgress)), repaired };
  } finally {
    lock.release();
  }
}

/** A re-embedding may have ended while the models were loaded. Vectors of two models must not meet in one folder. */
function requireModel(store: Store, { model }: Derivation): void {
  store.refresh();
  if (model === undefined || sameModel(model, store.manifest().model)) return;
  const message = `the model of ${store.dir} has changed while this repair began; run it again`;
  throw new PriorartError('unavailable', message);
}

async function repairLocked(
  store: Store,
  derivation: Derivation,
  onProgress?: (text: string) => void,
): Promise<string[]> {
  const before = await inspectFolder(store, onProgress);
  if (before.storeBroken) return [];
  const repaired = restoreLists(store, before);
  // No spread: there may be more texts than a call takes arguments.
  for (const text of restoreDocuments(store, before.brokenPassages, derivation)) repaired.push(text);
  const { segments, indexKind, model } = store.manifest();
  const { dimensions } = model;
  for (const entry of segments) {
    if (before.brokenSegments.has(entry.id)) {
      onProgress?.(`rebuilding segment ${entry.id} from its texts`);
      await rebuildSegment(store, entry, indexKind, derivation);
      repaired.push(`segment ${entry.id} was rebuilt from its texts`);
      continue;
    }
    if (before.brokenIndexes.has(entry.id)) {
      onProgress?.(`rebuilding the index of segment ${entry.id}`);
      const kind = indexKindFor(indexKind, { ...entry, dimensions }) ?? entry.index!.kind;
      commitEntry(store, { ...entry, index: await buildSegmentIndex(store, entry, kind) });
      repaired.push(`the index of segment ${entry.id} was rebuilt from its vectors`);
      continue;
    }
    const lacking = lackingIn(store, entry, derivation);
    if (lacking === undefined) continue;
    onProgress?.(`rebuilding segment ${entry.id} from its texts, for ${lacking}`);
    await rebuildSegment(store, entry, indexKind, derivation);
    repaired.push(`segment ${entry.id} got ${lacking} that it lacked`);
  }
  if (before.lost.size > 0) {
    forgetDocuments(store, [...before.lost.keys()]);
    for (const [doc, patentId] of before.lost) {
      repaired.push(`${patentId ?? `document ${doc}`} is lost and was taken out; ingest its file again`);
    }
  }
  const known = addInternationalKeys(store, before.withoutInternational);
  if (known > 0)
    repaired.push(`publications found by their international applications from now on: ${known}`);
  if (before.lookupsBroken || before.lost.size > 0) {
    rebuildLookups(store);
    repaired.push('look-up tables and counts were rebuilt from the records');
  }
  for (const text of await repairDrawings(store)) repaired.push(text);
  const held = removeLeftOfCopy(store);
  for (const name of [...removeLeftovers(store), ...(held === undefined ? [] : [held])])
    repaired.push(`leftover ${name} was removed`);
  return repaired;
}

/** Rebuilds lists of deleted documents, and removes damaged entries of the ledger. */
function restoreLists(store: Store, { brokenLists, brokenSegments, brokenSources }: Inspection): string[] {
  for (const id of brokenLists) {
    restoreDeleted(store, id, brokenSegments.has(id) ? new Uint32Array() : allOf(store, id));
  }
  if (brokenSources.length > 0) forgetSources(store, brokenSources);
  return [
    ...[...brokenLists].map((id) => `the list of what was deleted from segment ${id} was rebuilt`),
    ...brokenSources.map((path) => `the ledger's entry of ${path} was taken out`),
  ];
}

/** Ids of all documents that were written to a segment. */
function allOf(store: Store, id: string): Uint32Array {
  const path = segmentPath(store, id);
  const snapshot = calling(() => new native.Snapshot([{ path, deleted: new Uint32Array() }]));
  try {
    return snapshot.docIds(0);
  } finally {
    snapshot.close();
  }
}

/** Rebuilds passages from texts, if the result matches the stored hash: then the existing vectors stay valid. */
function restoreDocuments(store: Store, docs: Iterable<number>, derivation: Derivation): string[] {
  const repaired: string[] = [];
  for (const doc of docs) {
    const head = whole(() => store.documents.get(doc));
    const body = whole(() => store.bodies.get(doc));
    if (head === undefined || body === undefined) continue;
    const passages = derivation.passagesOf(patentOf(head, body));
    if (passagesHash(passages) !== head.passagesHash) continue;
    restorePassages(store, doc, passages);
    repaired.push(`passages of ${head.patent_id} were rebuilt from its texts`);
  }
  return repaired;
}

/**
 * What a segment lacks that is made with its vectors, because it is older or was written with another reranker; undefined
 * if it is complete.
 */
function lackingIn(store: Store, entry: SegmentEntry, { bagsModel }: Derivation): string | undefined {
  const segment = { path: segmentPath(store, entry.id), deleted: store.deleted(entry.id) };
  const snapshot = calling(() => new native.Snapshot([segment]));
  try {
    const lacks = [
      ...(bagsModel !== undefined && snapshot.withoutBags(snapshot.docIds(0), bagsModel).length > 0
        ? ['the token bags of the reranker']
        : []),
      ...(snapshot.hasWords(0) ? [] : ['the lexical index']),
      ...(snapshot.segments[0]?.hasSketches ? [] : ['the sketches']),
    ];
    return lacks.length === 0 ? undefined : lacks.join(' and ');
  } finally {
    snapshot.close();
  }
}

async function rebuildSegment(
  store: Store,
  entry: SegmentEntry,
  indexKind: string,
  derivation: Derivation,
): Promise<void> {
  // Before the records are read: later deletions are carried over to the new segment.
  store.refresh();
  const seen = store.deleted(entry.id);
  const segment = reserveSegment(store);
  try {
    const rebuilt = await writtenAgain(store, segment, entry, derivation);
    if (rebuilt !== undefined) {
      const { dimensions } = store.manifest().model;
      const kind = indexKindFor(indexKind, { ...rebuilt, dimensions }) ?? entry.index?.kind;
      if (kind !== undefined) rebuilt.index = await buildSegmentIndex(store, rebuilt, kind);
    }
    if (commitMerge(store, [{ id: entry.id, seen }], rebuilt)) removeSegmentFiles(store, entry.id);
  } finally {
    discardSegment(store, segment);
  }
}

/**
 * Writes the documents of a segment with new vectors, without those whose record or passages are lost or damaged. One document
 * is in memory at a time: a segment may hold the whole folder.
 * @returns undefined if none is left
 */
async function writtenAgain(
  store: Store,
  segment: string,
  { firstDoc, lastDoc }: SegmentEntry,
  derivation: Derivation,
): Promise<SegmentEntry | undefined> {
  const writing = new SegmentWriting(store, segment, store.manifest().model.dimensions, derivation.bagsModel);
  try {
    for (const id of [...store.documents.getKeys({ start: firstDoc, end: lastDoc + 1 })]) {
      const stored = store.document(id, whole);
      if (stored !== undefined) writing.push(id, { ...stored, ...(await derivation.derive(stored)) });
    }
    // Keeps the old range: its unused ids must not be given to another segment.
    return writing.documents === 0 ? undefined : { ...writing.finish(), firstDoc, lastDoc };
  } finally {
    writing.discard();
  }
}
