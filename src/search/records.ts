/** Whole records: by number, and all that a filter allows. */
import { setImmediate } from 'node:timers/promises';
import { PriorartError } from '../errors.js';
import { calling } from '../index/native.js';
import { type OpenSnapshot, openSnapshot } from '../index/segment.js';
import type { EmbeddedPassage, EmbeddedPatent } from '../patent/embedded.js';
import type { Patent } from '../patent/record.js';
import { patentOf } from '../store/document.js';
import { reading } from '../store/faults.js';
import { currentDocuments, PinnedDocuments, type RecordReader } from '../store/pinned.js';
import { damagedLookup, resolveShown } from '../store/resolve.js';
import type { Store } from '../store/store.js';
import { withApplicantNames } from './applicants.js';
import { clausesOf } from './filter.js';
import type { Filters } from './query.js';

/** Records that are read before others get their turn on this thread. */
const BATCH = 64;
/** Attempts at finding segments and texts in one state while others commit. */
const ATTEMPTS = 100;

export interface RecordReadOptions {
  vectors?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Whole records by number in any spelling, in the order asked.
 * @returns undefined at the place of a number that fits none
 * @throws PriorartError `invalid_request` if a number fits several publications, `data_corrupt`
 */
export async function recordsByNumber(
  store: Store,
  numbers: readonly string[],
  { vectors = false, signal }: RecordReadOptions = {},
): Promise<(Patent | undefined)[]> {
  const found: (Patent | undefined)[] = [];
  for (let at = 0; at < numbers.length; at += BATCH) {
    signal?.throwIfAborted();
    store.refresh();
    // All of a batch is read in one turn of the event loop, so vectors and texts are of one state.
    const snapshot = vectors ? reading(store.dir, () => openSnapshot(store)) : undefined;
    try {
      const reader = currentDocuments(store);
      for (const number of numbers.slice(at, at + BATCH)) {
        const record = reading(store.dir, () => {
          const doc = documentOf(store, number);
          return doc === undefined ? undefined : recordOf(store, reader, doc, snapshot);
        });
        found.push(record);
      }
    } finally {
      snapshot?.native.close();
    }
    if (at + BATCH < numbers.length) await setImmediate();
  }
  return found;
}

function documentOf(store: Store, number: string): number | undefined {
  const candidates = resolveShown(store, number);
  if (candidates.length > 1) {
    throw new PriorartError('invalid_request', `${number} fits ${candidates.join(', ')}; name one of them`);
  }
  return candidates[0] === undefined ? undefined : store.ids.get(candidates[0]);
}

/**
 * All records that a filter allows, in the order of their patent_id, of the state at the first one. Holds a few at a
 * time in memory. While it runs, the store keeps what others replace or delete, so it grows by what they write.
 * @throws PriorartError `data_corrupt`
 */
export async function* allRecords(
  store: Store,
  filters: Filters,
  { vectors = false, signal }: RecordReadOptions = {},
): AsyncGenerator<Patent, void, undefined> {
  const isFiltered = reading(store.dir, () => clausesOf(filters, store)).length > 0;
  const { pinned, snapshot } =
    vectors || isFiltered
      ? await pinWithSegments(store)
      : { pinned: reading(store.dir, () => new PinnedDocuments(store)), snapshot: undefined };
  try {
    const allowed =
      snapshot && isFiltered ? reading(store.dir, () => allowedBy(filters, store, snapshot)) : undefined;
    for (let after: string | undefined; ; ) {
      signal?.throwIfAborted();
      const page = reading(store.dir, () => pinned.publications(after, BATCH));
      for (const { patentId, doc } of page) {
        const record = reading(store.dir, () => {
          const head = pinned.head(doc);
          if (head === undefined) throw damagedLookup(store.dir, patentId);
          // A correction is found under the numbers that it corrects, too; it is one record all the same.
          if (head.patent_id !== patentId || allowed?.(doc) === false) return undefined;
          return recordOf(store, pinned, doc, vectors ? snapshot : undefined);
        });
        if (record === undefined) continue;
        yield record;
        signal?.throwIfAborted();
      }
      after = page.at(-1)?.patentId;
      if (after === undefined) return;
      await setImmediate();
    }
  } finally {
    pinned.release();
    snapshot?.native.close();
  }
}

/** More documents than a folder can hold. */
const ALL = 0xffff_ffff;

/** Returns a function that says whether a filter allows a document. */
function allowedBy(filters: Filters, store: Store, { native }: OpenSnapshot): (doc: number) => boolean {
  const docs = calling(() => {
    const clauses = clausesOf(withApplicantNames(native, store, filters).filters, store);
    // All of them, whatever the manifest counts.
    return native.sample(native.select(clauses), ALL);
  });
  const bits = new Uint8Array(((docs.at(-1) ?? 0) >>> 3) + 1);
  for (const doc of docs) bits[doc >>> 3]! |= 1 << (doc & 7);
  return (doc) => ((bits[doc >>> 3] ?? 0) & (1 << (doc & 7))) !== 0;
}

/** The newest state of the texts, and the segments of that very state. The caller releases and closes them. */
export async function pinWithSegments(
  store: Store,
): Promise<{ pinned: PinnedDocuments; snapshot: OpenSnapshot }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    store.refresh();
    const snapshot = reading(store.dir, () => openSnapshot(store));
    const pinned = reading(store.dir, () => new PinnedDocuments(store));
    if (pinned.generation === snapshot.manifest.generation) return { pinned, snapshot };
    pinned.release();
    snapshot.native.close();
    await setImmediate();
  }
  throw new PriorartError(
    'unavailable',
    `${store.dir} changes too fast to be read with a filter or with vectors; try again`,
  );
}

function recordOf(
  store: Store,
  reader: RecordReader,
  doc: number,
  snapshot: OpenSnapshot | undefined,
): Patent {
  const [head, body] = [reader.head(doc), reader.body(doc)];
  if (head === undefined || body === undefined) throw damagedLookup(store.dir, `document ${doc}`);
  const patent = patentOf(head, body);
  if (snapshot === undefined) return patent;
  const { dimensions } = snapshot.manifest.model;
  const vectors = snapshot.native.vectorsOf(doc);
  const _passages = Array.from({ length: head.passages }, (_, n): EmbeddedPassage => {
    const passage = reader.passage(doc, n);
    const vector = vectors?.slice(n * dimensions, (n + 1) * dimensions);
    if (passage === undefined || vector?.length !== dimensions) {
      const message = `passages of ${head.patent_id} are damaged; run \`priorart check --repair --data ${store.dir}\``;
      throw new PriorartError('data_corrupt', message);
    }
    return { ...passage, vector };
  });
  const embedded: EmbeddedPatent = { ...patent, _passages };
  return embedded;
}
