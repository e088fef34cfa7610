/**
 * All changes of the index. Each is one transaction that writes documents, their replacements and the manifest. LMDB
 * allows one writer at a time over all processes. Work that a writer prepared outside the transaction is compared with
 * the current manifest.
 */
import { randomBytes } from 'node:crypto';
import { PriorartError } from '../errors.js';
import { internationalKeys } from '../patent/international-number.js';
import type { Passage } from '../patent/passage.js';
import { basisOf, isSameBasis } from './basis.js';
import { applicationKeys, type DocumentHead, halves, type PreparedDocument } from './document.js';
import { dataFile, readable } from './faults.js';
import {
  figureCount,
  rebuildFigureLookups,
  removeFigures,
  roomForFigures,
  roomForLookups,
} from './figures.js';
import { deletedKey, MANIFEST } from './keys.js';
import { type Manifest, type ModelIdentity, modelName, type SegmentEntry, sameModel } from './manifest.js';
import { makeRoom, type Room, roomForValue } from './room.js';
import { REPLACED_KEPT, type Store } from './store.js';

/** Outcome of each document of a commit. */
export type Outcome = 'ingested' | 'updated' | 'unchanged';
/**
 * Outcome of a document that has to be revised again. `outdated`: it was not written, because its publication is no longer stored
 * as its basis says. `beside`: it was written, and another program has written a version of it beside (on a cluster only).
 */
export type Outdated = 'outdated' | 'beside';

/** Reserves a unique segment name. A crash only leaves a gap in the names. */
export function reserveSegment(store: Store): string {
  return change(store, takeSegment);
}

/**
 * Reserves a segment name within a change. If the change is undone, another process takes the same number, maybe while
 * this one still has files of that segment open or removes them. So the name has a random part, too.
 */
export function takeSegment(manifest: Manifest): string {
  const number = String(manifest.nextSegment).padStart(8, '0');
  manifest.nextSegment += 1;
  return `s${number}-${randomBytes(8).toString('hex')}`;
}

/**
 * Writes documents and makes them visible as a new segment, in one transaction. `write` writes the segment's files for
 * documents with ids from `firstDoc` on. It runs inside the transaction so that segments become visible in the order of
 * their ids: otherwise the ids of a segment could fall into the range of a segment that was merged meanwhile. A document
 * that another writer has meanwhile stored with the same content is not written again, and one whose basis has changed is not
 * written.
 * @param model that made the documents' vectors
 * @param all documents. `write` gets those that fit
 * @throws PriorartError `model_mismatch` if the folder has another model by now, `disk_full`; any error of `write`.
 *   Nothing is changed then.
 */
export function commitDocuments(
  store: Store,
  model: ModelIdentity,
  all: readonly PreparedDocument[],
  write: (segment: string, firstDoc: number, fitting: readonly PreparedDocument[]) => SegmentEntry,
): (Outcome | Outdated)[] {
  const outcomeOf = new Map<PreparedDocument, Outcome>();
  change(
    store,
    (manifest) => {
      if (!sameModel(manifest.model, model)) {
        const message = `${store.dir} was re-embedded with ${modelName(manifest.model)} meanwhile`;
        throw new PriorartError('model_mismatch', `${message}; run it again to go on`);
      }
      const documents = all.filter((document) => isFitting(store, document));
      if (documents.length === 0) return;
      const segment = takeSegment(manifest);
      const firstDoc = manifest.nextDoc;
      manifest.nextDoc += documents.length;
      if (manifest.nextDoc > 0xffff_ffff) {
        throw new PriorartError(
          'internal',
          'all 2^32 document ids are used up; ingest into a new data folder',
        );
      }
      const entry = write(segment, firstDoc, documents);
      const deleted = new DeletedIds(store, manifest);
      manifest.segments.push(entry);
      manifest.documents += documents.length;
      manifest.passages += entry.passages;
      const outcomeAt = (document: PreparedDocument, n: number): Outcome => {
        const id = firstDoc + n;
        const old = store.ids.get(document.patent.patent_id);
        const oldHead = old === undefined ? undefined : store.documents.get(old);
        if (old !== undefined && oldHead && changesNothing(document, oldHead)) {
          deleted.add(id, document.passages.length);
          return 'unchanged';
        }
        const heads: DocumentHead[] = [];
        for (const replacedId of [document.patent.patent_id, ...(document.patent.corrects ?? [])]) {
          const doc = store.ids.get(replacedId);
          const head = doc === undefined ? undefined : store.documents.get(doc);
          if (doc === undefined || head === undefined) continue;
          removeDocument(store, doc, head);
          deleted.add(doc, head.passages);
          heads.push(head);
        }
        put(store, id, document, heads);
        return heads.length > 0 ? 'updated' : 'ingested';
      };
      for (const [n, document] of documents.entries()) outcomeOf.set(document, outcomeAt(document, n));
      deleted.write();
    },
    () => ({ bytes: roomFor(all), changed: all.length * ROOM_A_DOCUMENT }),
  );
  return all.map((document) => outcomeOf.get(document) ?? 'outdated');
}

/** Whether a document may be written: its basis is as it was, or its content is stored already. */
function isFitting(store: Store, document: PreparedDocument): boolean {
  const { basis, patent } = document;
  if (basis === undefined || isSameBasis(basis, basisOf(withinChange(store), patent))) return true;
  const doc = store.ids.get(patent.patent_id);
  const head = doc === undefined ? undefined : store.documents.get(doc);
  return head !== undefined && changesNothing(document, head);
}

/** The lookups of a store within a change: `getValues` of lmdb takes wrong bytes for a key then, and may throw. */
function withinChange({ ids, documents, numbers }: Store): Parameters<typeof basisOf>[0] {
  const getValues = (key: string): string[] => {
    const values: string[] = [];
    for (const found of numbers.getRange({ start: key })) {
      if (found.key !== key) break;
      values.push(found.value);
    }
    return values;
  };
  return { ids, documents, numbers: { getValues } };
}

/** Bytes of the existing pages, in all tables, that a document changes. */
const ROOM_A_DOCUMENT = 48 << 10;
/** Bytes of a document's entries in the lookup tables and of its record without texts. */
const ROOM_A_RECORD = 4 << 10;

/** Room that documents need. Each text is stored twice: in its passage and in the record. */
function roomFor(documents: readonly PreparedDocument[]): number {
  let room = 0;
  for (const { passages } of documents) {
    const texts = passages.map(({ text }) => Buffer.byteLength(text));
    room += ROOM_A_RECORD + roomForValue(texts.reduce((sum, bytes) => sum + bytes, 0));
    for (const bytes of texts) room += roomForValue(bytes);
  }
  return room;
}

/** Whether committing a document changes nothing: its content is stored, or was stored before it was replaced. */
export function changesNothing(
  { hash, replaces }: Pick<PreparedDocument, 'hash' | 'replaces'>,
  head: DocumentHead,
): boolean {
  return head.hash === hash || (!replaces && (head.replaced?.includes(hash) ?? false));
}

function put(store: Store, id: number, document: PreparedDocument, old: readonly DocumentHead[]): void {
  const { sources = [] } = document;
  const before = old.flatMap((head) => [...(head.replaced ?? []), head.hash]);
  const replaced = [...new Set([...before, ...sources])]
    .filter((hash) => hash !== document.hash)
    .slice(-REPLACED_KEPT);
  const [head, body] = halves(document, replaced);
  store.documents.putSync(id, head);
  store.bodies.putSync(id, body);
  putPassages(store, id, document.passages);
  putLookups(store, id, head);
}

function putPassages(store: Store, id: number, passages: readonly Passage[]): void {
  passages.forEach((passage, n) => {
    store.passages.putSync([id, n], passage);
  });
}

function removeDocument(store: Store, id: number, head: DocumentHead): void {
  store.documents.removeSync(id);
  store.bodies.removeSync(id);
  for (let n = 0; n < head.passages; n++) store.passages.removeSync([id, n]);
  for (const id of [head.patent_id, ...(head.corrects ?? [])]) store.ids.removeSync(id);
  store.numbers.removeSync(head.number, head.patent_id);
  for (const key of applicationKeys(head)) store.applications.removeSync(key, head.patent_id);
}

/** Deletes publications. Returns the patent_ids that were in the index. */
export function deleteDocuments(store: Store, patentIds: readonly string[]): string[] {
  return change(
    store,
    (manifest) => {
      const deleted = new DeletedIds(store, manifest);
      const found: string[] = [];
      for (const patentId of patentIds) {
        const id = store.ids.get(patentId);
        const head = id === undefined ? undefined : store.documents.get(id);
        if (id === undefined || head === undefined) continue;
        removeDocument(store, id, head);
        for (const name of [head.patent_id, ...(head.corrects ?? [])]) removeFigures(store, name);
        deleted.add(id, head.passages);
        found.push(patentId);
      }
      deleted.write();
      return found;
    },
    () => {
      const figures = figureCount(
        store,
        patentIds.flatMap((id) => namesOf(store, id)),
      );
      return { changed: roomForFigures(figures).changed + patentIds.length * ROOM_A_DOCUMENT };
    },
  );
}

/** The patent_ids under which figures of a publication are stored: its own, and those that it corrects. */
function namesOf(store: Store, patentId: string): string[] {
  const id = store.ids.get(patentId);
  const head = id === undefined ? undefined : store.documents.get(id);
  return head === undefined ? [] : [head.patent_id, ...(head.corrects ?? [])];
}

/**
 * Replaces the inputs of a merge with the merged segment. `seen` holds, per input, the deletions that the merge has
 * applied; later ones are carried over. Returns false and changes nothing if an input is gone.
 */
export function commitMerge(
  store: Store,
  inputs: readonly { id: string; seen: Uint32Array }[],
  merged: SegmentEntry | undefined,
): boolean {
  return change(store, (manifest) => {
    const names = new Set(inputs.map((input) => input.id));
    const present = manifest.segments.filter((segment) => names.has(segment.id));
    if (present.length !== inputs.length) return false;
    const later: number[] = [];
    for (const { id, seen } of inputs) {
      const known = new Set(seen);
      // No spread: there may be more of them than a call takes arguments.
      for (const doc of store.deleted(id)) if (!known.has(doc)) later.push(doc);
      store.meta.removeSync(deletedKey(id));
    }
    manifest.segments = manifest.segments.filter((segment) => !names.has(segment.id));
    if (merged) {
      manifest.segments.push(merged);
      manifest.segments.sort((a, b) => a.firstDoc - b.firstDoc);
      if (later.length > 0) writeDeleted(store, merged.id, later);
    }
    return true;
  });
}

/** Replaces a segment's entry (a rebuilt index). Returns false if the segment is gone. */
export function commitEntry(store: Store, entry: SegmentEntry): boolean {
  return change(store, (manifest) => {
    const at = manifest.segments.findIndex((segment) => segment.id === entry.id);
    if (at < 0) return false;
    manifest.segments[at] = entry;
    return true;
  });
}

/**
 * Changes the manifest in one write transaction. An exception undoes it.
 * @param room that the change may need, without that for the lists of deleted documents
 */
export function change<T>(store: Store, body: (manifest: Manifest) => T, room: () => Room = () => ({})): T {
  const lists = () => 4 * store.manifest().segments.reduce((sum, { docs }) => sum + docs, 0);
  return transaction(
    store,
    () => {
      const manifest = structuredClone(store.manifest());
      const result = body(manifest);
      manifest.generation += 1;
      manifest.updatedAt = new Date().toISOString();
      store.meta.putSync(MANIFEST, manifest);
      return result;
    },
    () => {
      const wanted = room();
      return { ...wanted, bytes: (wanted.bytes ?? 0) + lists() };
    },
  );
}

/**
 * Runs one write transaction. An exception undoes it.
 * @param room maximum that its changes need
 * @throws PriorartError `disk_full`, `data_corrupt`, `unavailable` if the folder was renamed, deleted or replaced
 */
export function transaction<T>(store: Store, body: () => T, room: () => Room = () => ({})): T {
  try {
    return store.root.transactionSync(() => {
      store.checkInPlace();
      makeRoom(dataFile(store.dir), room());
      return body();
    });
  } catch (error) {
    store.afterAbort();
    throw readable(error, store.dir);
  } finally {
    store.refresh();
  }
}

/** Collects deletions by segment and updates the manifest's counts. */
class DeletedIds {
  readonly #store: Store;
  readonly #manifest: Manifest;
  readonly #bySegment = new Map<string, number[]>();

  constructor(store: Store, manifest: Manifest) {
    this.#store = store;
    this.#manifest = manifest;
  }

  /** A document may be in no segment: a repair drops a segment of which it can rebuild nothing. */
  add(doc: number, passages: number): void {
    this.#manifest.documents -= 1;
    this.#manifest.passages -= passages;
    const segment = this.#manifest.segments.find((s) => s.firstDoc <= doc && doc <= s.lastDoc);
    if (segment === undefined) return;
    const list = this.#bySegment.get(segment.id) ?? [];
    list.push(doc);
    this.#bySegment.set(segment.id, list);
  }

  write(): void {
    for (const [segment, docs] of this.#bySegment) writeDeleted(this.#store, segment, docs);
  }
}

/** Rebuilds the list of a segment's deleted documents: those without a record. */
export function restoreDeleted(store: Store, segment: string, docs: Uint32Array): void {
  change(store, () => {
    const gone = docs.filter((doc) => !store.documents.doesExist(doc));
    store.meta.putSync(deletedKey(segment), new Uint8Array(gone.buffer));
  });
}

/** Adds documents to the deleted ones of a segment, within a change. */
export function writeDeleted(store: Store, segment: string, docs: readonly number[]): void {
  const all = Uint32Array.from(new Set([...store.deleted(segment), ...docs])).sort();
  store.meta.putSync(deletedKey(segment), new Uint8Array(all.buffer));
}

/** Restores the passages of a document. */
export function restorePassages(store: Store, doc: number, passages: readonly Passage[]): void {
  const bytes = passages.reduce((sum, { text }) => sum + roomForValue(Buffer.byteLength(text)), 0);
  change(
    store,
    () => putPassages(store, doc, passages),
    () => ({ bytes }),
  );
}

/** Removes documents with lost or damaged records from the index. `rebuildLookups` corrects the counts. */
export function forgetDocuments(store: Store, docs: readonly number[]): void {
  change(
    store,
    (manifest) => {
      const deleted = new DeletedIds(store, manifest);
      for (const doc of docs) {
        deleted.add(doc, 0);
        store.documents.removeSync(doc);
        store.bodies.removeSync(doc);
        for (const key of [...store.passages.getKeys({ start: [doc, 0], end: [doc + 1, 0] })]) {
          store.passages.removeSync(key);
        }
      }
      deleted.write();
    },
    () => ({ changed: docs.length * ROOM_A_DOCUMENT }),
  );
}

/** Rebuilds the lookup tables and the manifest's counts from the records. */
export function rebuildLookups(store: Store): void {
  change(
    store,
    (manifest) => {
      store.ids.clearSync();
      store.numbers.clearSync();
      store.applications.clearSync();
      manifest.documents = 0;
      manifest.passages = 0;
      for (const { key, value } of store.documents.getRange()) {
        putLookups(store, key, value);
        manifest.documents += 1;
        manifest.passages += value.passages;
      }
      rebuildFigureLookups(store);
    },
    () => ({ bytes: store.manifest().documents * ROOM_A_RECORD + roomForLookups(store) }),
  );
}

/** Makes documents of earlier versions known under their international applications. @returns their number */
export function addInternationalKeys(store: Store, docs: readonly number[]): number {
  let count = 0;
  for (let at = 0; at < docs.length; at += UPGRADED_AT_ONCE) {
    const some = docs.slice(at, at + UPGRADED_AT_ONCE);
    const upgrade = (): void => {
      for (const doc of some) {
        const [head, body] = [store.documents.get(doc), store.bodies.get(doc)];
        // Another process may have replaced it.
        if (head === undefined || body === undefined) continue;
        const upgraded = { ...head, international: internationalKeys(body) };
        store.documents.putSync(doc, upgraded);
        putLookups(store, doc, upgraded);
        count += 1;
      }
    };
    change(store, upgrade, () => ({ changed: some.length * ROOM_A_DOCUMENT }));
  }
  return count;
}

/** Documents that one transaction upgrades. */
const UPGRADED_AT_ONCE = 1_000;

function putLookups(store: Store, id: number, head: DocumentHead): void {
  for (const name of [head.patent_id, ...(head.corrects ?? [])]) store.ids.putSync(name, id);
  store.numbers.putSync(head.number, head.patent_id);
  for (const key of applicationKeys(head)) store.applications.putSync(key, head.patent_id);
}
