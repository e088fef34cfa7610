/**
 * The cluster as the place where an ingest stores documents. A publication is one document, which is written as a whole, and
 * only if it has not changed since it was read. stored-versions.ts says where it is written.
 */
import { PriorartError } from '../errors.js';
import { READER_VERSIONS } from '../ingest/readers/registry.js';
import { type Revision, revise } from '../ingest/revise.js';
import type { IngestTarget, Refusal, StoredHeads } from '../ingest/target.js';
import { isCorrection, isSameDocument } from '../patent/revision.js';
import { basisAmong, isSameBasis } from '../store/basis.js';
import { changesNothing, type Outcome, type Outdated } from '../store/commit.js';
import type { PreparedDocument } from '../store/document.js';
import { isUnchanged } from '../store/ledger.js';
import { type ModelIdentity, modelName, sameModel } from '../store/manifest.js';
import type { EndedSource, SourceFile, SourceRecord } from '../store/source-record.js';
import { REPLACED_KEPT } from '../store/store.js';
import { again } from './again.js';
import { bulkUntilTaken, checkIndex, isConflict, isRefused, reasonOf, untilUnblocked } from './bulk.js';
import { checkPlace } from './check-place.js';
import { type BulkOperation, type ClusterClient, type OneState, unavailable } from './client.js';
import { documentOf } from './documents.js';
import { withPublications } from './lookups.js';
import { countCommit, enterLedger, readLedger, readMeta } from './meta.js';
import { PublicationsInMemory } from './publications.js';
import {
  type Known,
  type KnownPublications,
  knownUnder,
  knownVersions,
  placeOf,
  sharedId,
} from './stored-versions.js';

/** Bytes and documents of one bulk request. */
const BULK_BYTES = 8 << 20;
const BULK_DOCUMENTS = 200;
/** Bytes of the longest document: the limit of a request is 100 MB, unless the cluster has another. */
const DOCUMENT_BYTES = 90_000_000;
/** Attempts at a document that other writers change at the same time. */
const CONFLICTS = 20;

/** Finds stored publications; for `prepareUnits`. */
export function storedHeads(client: ClusterClient): StoredHeads {
  return async (patentIds) => {
    const known = await knownUnder(client, client.settings.index, patentIds);
    return (patentId) => known.get(patentId)?.head;
  };
}

export class ClusterTarget implements IngestTarget {
  readonly #client: ClusterClient;
  readonly #signal: AbortSignal | undefined;
  readonly #ledger: Map<string, SourceRecord>;
  readonly #index: string | undefined;

  private constructor(
    client: ClusterClient,
    signal: AbortSignal | undefined,
    ledger: Map<string, SourceRecord>,
    index?: string,
  ) {
    this.#client = client;
    this.#signal = signal;
    this.#ledger = ledger;
    this.#index = index;
  }

  /** An index that the alias does not name yet. Its model is the caller's concern. */
  static ofIndex(client: ClusterClient, index: string, signal?: AbortSignal): ClusterTarget {
    return new ClusterTarget(client, signal, new Map(), index);
  }

  static async open(client: ClusterClient, signal?: AbortSignal): Promise<ClusterTarget> {
    const records = await again(() => readLedger(client), 'ingest', signal);
    return new ClusterTarget(client, signal, new Map(records.map((record) => [record.path, record])));
  }

  revise(documents: readonly PreparedDocument[]): Promise<Revision> {
    const { index } = this.#client.settings;
    const onState = (state: OneState) => {
      const publications = new PublicationsInMemory(index);
      return withPublications(state, publications, ['head', 'body'], () => revise(publications, documents));
    };
    const work = () => this.#client.atOneState(index, onState, this.#signal);
    return again(work, 'ingest', this.#signal);
  }

  async commit(model: ModelIdentity, documents: readonly PreparedDocument[]): Promise<Ended[]> {
    const outcomes: Ended[] = documents.map(() => 'unchanged');
    let waiting = documents.map((_, n) => n);
    for (let attempt = 0; waiting.length > 0; attempt++) {
      if (attempt > documents.length + CONFLICTS) {
        throw unavailable('other writers change the same publications all the time');
      }
      const [now, later] = withoutRepeatedNames(waiting, documents);
      const write = async () => {
        const index = await this.#indexFor(model);
        return this.#write(index, now, documents, model.dimensions, outcomes);
      };
      const failed = await untilUnblocked(write, this.#signal);
      waiting = [...failed, ...later].sort((a, b) => a - b);
    }
    return outcomes;
  }

  /** The index behind the alias. @throws PriorartError `model_mismatch` if its vectors are of another model */
  async #indexFor(model: ModelIdentity): Promise<string> {
    if (this.#index !== undefined) return this.#index;
    const meta = await readMeta(this.#client);
    if (meta === undefined) throw unavailable('the index was deleted while documents were ingested');
    if (sameModel(meta.model, model)) return meta.index;
    const message = `the index was embedded with ${modelName(meta.model)} meanwhile; run it again to go on`;
    throw new PriorartError('model_mismatch', message);
  }

  /** Writes documents of different publications. @returns those that another writer has changed meanwhile */
  async #write(
    index: string,
    places: readonly number[],
    documents: readonly PreparedDocument[],
    dimensions: number,
    outcomes: Ended[],
  ): Promise<number[]> {
    const known = await this.#known(index, places, documents);
    for (const n of places) {
      // What the index before this one refused says nothing.
      if (outcomes[n] !== 'ingested' && outcomes[n] !== 'updated') outcomes[n] = 'unchanged';
    }
    const failed: number[] = [];
    const obsolete: Known[] = [];
    /** Documents beside which another program may have written one that belongs to them, and where they were written. */
    const watched = new Map<number, string>();
    let waiting: { n: number; id: string; operation: BulkOperation; outcome: Outcome; others: Known[] }[] =
      [];
    let bytes = 0;
    const send = async () => {
      const items = await bulkUntilTaken(
        this.#client,
        waiting.map(({ operation }) => operation),
        this.#signal,
      );
      checkIndex(items, index);
      for (const [at, { n, id, outcome, others }] of waiting.entries()) {
        const item = items[at]!;
        if (isConflict(item)) failed.push(n);
        else if (isRefused(item)) outcomes[n] = { refused: `the cluster refused it: ${reasonOf(item)}` };
        else {
          outcomes[n] = outcome;
          obsolete.push(...others);
          if (mayMeetOthers(documents[n]!, id, known)) watched.set(n, id);
        }
      }
      [waiting, bytes] = [[], 0];
    };
    let isChanged = false;
    try {
      for (const n of places) {
        const document = documents[n]!;
        const old = known.of(namesOf(document));
        const same = known.get(document.patent.patent_id);
        const isOutdated = isOutOfDate(document, known);
        const place = placeOf(document, old, known);
        const others = old.filter(({ id }) => id !== place.id);
        if (same !== undefined && changesNothing(document, same.head)) {
          // A writer that was killed may have left publications that this one has taken the place of.
          const left = old.filter(({ id }) => id !== same.id);
          if (!isOutdated || left.every(({ head }) => same.head.replaced?.includes(head.hash))) {
            obsolete.push(...left);
            continue;
          }
        }
        if (isOutdated) {
          outcomes[n] = 'outdated';
          continue;
        }
        const operation = operationOf(index, document, place, old, dimensions);
        const size = Buffer.byteLength(operation.document!);
        if (size > DOCUMENT_BYTES) {
          const shown = Math.round(size / 1e6);
          outcomes[n] = { refused: `it has ${shown} MB with its vectors; a cluster takes 90` };
          continue;
        }
        if (waiting.length > 0 && bytes + size > BULK_BYTES) await send();
        isChanged = true;
        waiting.push({
          n,
          id: place.id,
          operation,
          outcome: old.length > 0 ? 'updated' : 'ingested',
          others,
        });
        bytes += size;
        if (waiting.length >= BULK_DOCUMENTS) await send();
      }
      await send();
      await this.#remove(index, obsolete);
    } finally {
      // What was written is there, whatever failed after it.
      if (isChanged || obsolete.length > 0) {
        if (this.#index === undefined) await checkPlace(this.#client, index);
        await finishCommit(this.#client, index);
      }
    }
    for (const n of await this.#met(index, watched, documents)) outcomes[n] = 'beside';
    return failed;
  }

  /** The stored versions of documents. */
  #known(
    index: string,
    places: readonly number[],
    all: readonly PreparedDocument[],
  ): Promise<KnownPublications> {
    const documents = places.map((n) => all[n]!);
    return again(() => knownVersions(this.#client, index, documents), 'ingest', this.#signal);
  }

  /**
   * Written documents beside which there is one that is the same document, by another program. Of two programs that write, make
   * it visible and then look, at least one sees both.
   */
  async #met(
    index: string,
    written: ReadonlyMap<number, string>,
    documents: readonly PreparedDocument[],
  ): Promise<number[]> {
    if (written.size === 0) return [];
    const known = await this.#known(index, [...written.keys()], documents);
    return [...written].flatMap(([n, place]) => {
      const { patent } = documents[n]!;
      const versions = known.versionsOf(patent).filter(({ id }) => id !== place);
      return versions.some(({ head }) => isSameDocument(head, patent)) ? [n] : [];
    });
  }

  /** Removes publications that a correction has taken the place of, if no other writer has changed them. */
  async #remove(index: string, obsolete: readonly Known[]): Promise<void> {
    const operations = obsolete.map(({ id, seqNo, term }) => ({
      action: { delete: { _index: index, _id: id, if_seq_no: seqNo, if_primary_term: term } },
    }));
    await bulkUntilTaken(this.#client, operations, this.#signal);
  }

  isRead(file: SourceFile): boolean {
    return isUnchanged(this.#ledger.get(file.path), file, READER_VERSIONS);
  }

  isJoined(file: SourceFile): boolean {
    return this.#ledger.get(file.path)?.joined === true;
  }

  async enter(files: readonly EndedSource[]): Promise<void> {
    if (files.length === 0) return;
    const now = new Date().toISOString();
    const records = files.map((file): SourceRecord => {
      const known = this.#ledger.get(file.path);
      const first = known?.first_read ?? now;
      return { ...file, first_read: first, last_read: now, readings: (known?.readings ?? 0) + 1 };
    });
    await enterLedger(this.#client, records);
    for (const record of records) this.#ledger.set(record.path, record);
  }

  // The cluster merges by itself.
  tend(): void {}
  async stop(): Promise<void> {}
  async settle(): Promise<void> {}
}

/** Makes what was written visible to searches. */
export async function finishCommit(client: ClusterClient, index: string): Promise<void> {
  // What is written must be searchable when the call resolves, even if the signal has fired.
  await again(() => client.refresh(index), 'ingest');
  await again(() => countCommit(client), 'ingest');
}

/** What became of a document. */
type Ended = Outcome | Outdated | Refusal;

/** Whether the publication of a document is no longer stored as its basis says. */
function isOutOfDate({ basis, patent }: PreparedDocument, known: KnownPublications): boolean {
  if (basis === undefined) return false;
  const heads = known.near(patent).map(({ head }) => head);
  return !isSameBasis(basis, basisAmong(heads, patent));
}

/**
 * Whether another program may write, at the same time and in another place, what belongs to a document: it may know only one of
 * several publications that a correction joins.
 */
function mayMeetOthers(
  { basis, patent }: PreparedDocument,
  place: string,
  known: KnownPublications,
): boolean {
  if (basis === undefined) return false;
  return isCorrection(patent.kind_code) || known.versionsOf(patent).some(({ id }) => id !== place);
}

/** The operation that writes a document, unless another writer has changed its place. */
function operationOf(
  index: string,
  document: PreparedDocument,
  { id, version }: { id: string; version?: Known },
  old: readonly Known[],
  dimensions: number,
): BulkOperation {
  const before = old.flatMap(({ head }) => [...(head.replaced ?? []), head.hash]);
  const replaced = [...new Set([...before, ...(document.sources ?? [])])]
    .filter((hash) => hash !== document.hash)
    .slice(-REPLACED_KEPT);
  const action = version
    ? { index: { _index: index, _id: id, if_seq_no: version.seqNo, if_primary_term: version.term } }
    : { create: { _index: index, _id: id } };
  return { action, document: documentOf(document, replaced, dimensions) };
}

/** The publication and those that it takes the place of. */
function namesOf({ patent }: PreparedDocument): string[] {
  return [patent.patent_id, ...(patent.corrects ?? [])];
}

/** The first document of each place, and the others, which replace it or are written elsewhere. */
function withoutRepeatedNames(
  places: readonly number[],
  documents: readonly PreparedDocument[],
): [now: number[], later: number[]] {
  const taken = new Set<string>();
  const [now, later]: [number[], number[]] = [[], []];
  for (const n of places) {
    const names = [...namesOf(documents[n]!), sharedId(documents[n]!.patent)];
    (names.some((name) => taken.has(name)) ? later : now).push(n);
    for (const name of names) taken.add(name);
  }
  return [now, later];
}
