/**
 * The cluster as the place where an ingest stores documents. A publication is one document, which is written as a whole, and
 * only if it has not changed since it was read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PriorartError } from '../errors.js';
import { READER_VERSIONS } from '../ingest/readers/registry.js';
import { type Revision, revise } from '../ingest/revise.js';
import type { IngestTarget, StoredHeads } from '../ingest/target.js';
import { changesNothing, type Outcome } from '../store/commit.js';
import type { DocumentHead, PreparedDocument } from '../store/document.js';
import { isUnchanged, keyOf } from '../store/ledger.js';
import { type ModelIdentity, modelName, sameModel } from '../store/manifest.js';
import type { EndedSource, SourceFile, SourceRecord } from '../store/source-record.js';
import { REPLACED_KEPT } from '../store/store.js';
import { type BulkItem, type BulkOperation, type ClusterClient, type Hit, unavailable } from './client.js';
import { documentOf } from './documents.js';
import { withPublications } from './lookups.js';
import { countCommit, enterLedger, readLedger, readMeta } from './meta.js';
import { PublicationsInMemory } from './publications.js';

/** Bytes and documents of one bulk request. */
const BULK_BYTES = 8 << 20;
const BULK_DOCUMENTS = 200;
/** Attempts at an operation that the cluster refuses because it is busy, and the first wait, ms. Each wait is twice as long. */
const ATTEMPTS = 8;
const WAIT_MS = 200;
/** Attempts at a document that other writers change at the same time. */
const CONFLICTS = 20;
const CONFLICT = 409;
const BUSY = 429;

/** A stored version of a publication. */
interface Known {
  id: string;
  head: DocumentHead;
  seqNo: number;
  term: number;
}

/** Finds stored publications; for `prepareUnits`. */
export function storedHeads(client: ClusterClient): StoredHeads {
  return async (patentIds) => {
    const known = await knownUnder(client, patentIds);
    return (patentId) => known.get(patentId)?.head;
  };
}

export class ClusterTarget implements IngestTarget {
  readonly #client: ClusterClient;
  readonly #signal: AbortSignal | undefined;
  readonly #ledger: Map<string, SourceRecord>;

  private constructor(
    client: ClusterClient,
    signal: AbortSignal | undefined,
    ledger: Map<string, SourceRecord>,
  ) {
    this.#client = client;
    this.#signal = signal;
    this.#ledger = ledger;
  }

  static async open(client: ClusterClient, signal?: AbortSignal): Promise<ClusterTarget> {
    const records = await readLedger(client);
    return new ClusterTarget(client, signal, new Map(records.map((record) => [record.path, record])));
  }

  revise(documents: readonly PreparedDocument[]): Promise<Revision> {
    const { index } = this.#client.settings;
    return this.#client.atOneState(
      index,
      (state) => {
        const publications = new PublicationsInMemory(index);
        return withPublications(state, publications, ['head', 'body'], () => revise(publications, documents));
      },
      this.#signal,
    );
  }

  async commit(model: ModelIdentity, documents: readonly PreparedDocument[]): Promise<Outcome[]> {
    const meta = await readMeta(this.#client);
    if (meta === undefined) throw unavailable('the index was deleted while documents were ingested');
    if (!sameModel(meta.model, model)) {
      const message = `the index was embedded with ${modelName(meta.model)} meanwhile; run it again to go on`;
      throw new PriorartError('model_mismatch', message);
    }
    const outcomes: Outcome[] = documents.map(() => 'unchanged');
    let waiting = documents.map((_, n) => n);
    for (let attempt = 0; waiting.length > 0; attempt++) {
      if (attempt > documents.length + CONFLICTS) {
        throw unavailable('other writers change the same publications all the time');
      }
      const [now, later] = withoutRepeatedNames(waiting, documents);
      const failed = await this.#write(now, documents, model.dimensions, outcomes);
      waiting = [...failed, ...later].sort((a, b) => a - b);
    }
    return outcomes;
  }

  /** Writes documents of different publications. @returns those that another writer has changed meanwhile */
  async #write(
    places: readonly number[],
    documents: readonly PreparedDocument[],
    dimensions: number,
    outcomes: Outcome[],
  ): Promise<number[]> {
    const known = await knownUnder(
      this.#client,
      places.flatMap((n) => namesOf(documents[n]!)),
    );
    const changed = places.filter((n) => {
      const document = documents[n]!;
      const old = known.get(document.patent.patent_id);
      return old === undefined || !changesNothing(document, old.head);
    });
    const failed: number[] = [];
    const obsolete: Known[] = [];
    let operations: { n: number; operation: BulkOperation; outcome: Outcome; others: Known[] }[] = [];
    let bytes = 0;
    const send = async () => {
      const items = await bulkUntilTaken(
        this.#client,
        operations.map(({ operation }) => operation),
        this.#signal,
      );
      for (const [at, { n, outcome, others }] of operations.entries()) {
        if (items[at]!.status === CONFLICT) failed.push(n);
        else {
          outcomes[n] = outcome;
          obsolete.push(...others);
        }
      }
      [operations, bytes] = [[], 0];
    };
    for (const n of changed) {
      const document = documents[n]!;
      const old = [...new Set(namesOf(document).flatMap((name) => known.get(name) ?? []))];
      const operation = this.#operation(document, old, dimensions);
      const others = old.filter(({ id }) => id !== document.patent.patent_id);
      operations.push({ n, operation, outcome: old.length > 0 ? 'updated' : 'ingested', others });
      bytes += operation.document!.length;
      if (bytes >= BULK_BYTES || operations.length >= BULK_DOCUMENTS) await send();
    }
    await send();
    await this.#remove(obsolete);
    if (changed.length > 0) await finishCommit(this.#client);
    return failed;
  }

  #operation(document: PreparedDocument, old: readonly Known[], dimensions: number): BulkOperation {
    const { index } = this.#client.settings;
    const { patent_id: id } = document.patent;
    const same = old.find((known) => known.id === id);
    const before = old.flatMap(({ head }) => [...(head.replaced ?? []), head.hash]);
    const replaced = [...new Set([...before, ...(document.sources ?? [])])]
      .filter((hash) => hash !== document.hash)
      .slice(-REPLACED_KEPT);
    const action = same
      ? { index: { _index: index, _id: id, if_seq_no: same.seqNo, if_primary_term: same.term } }
      : { create: { _index: index, _id: id } };
    return { action, document: documentOf(document, replaced, dimensions) };
  }

  /** Removes publications that a correction has taken the place of. */
  async #remove(obsolete: readonly Known[]): Promise<void> {
    const { index } = this.#client.settings;
    const operations = obsolete.map(({ id }) => ({ action: { delete: { _index: index, _id: id } } }));
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
    await enterLedger(this.#client, records, keyOf);
    for (const record of records) this.#ledger.set(record.path, record);
  }

  // The cluster merges by itself.
  tend(): void {}
  async stop(): Promise<void> {}
  async settle(): Promise<void> {}
}

/** Makes what was written visible to searches. */
export async function finishCommit(client: ClusterClient): Promise<void> {
  await client.request('POST', `/${client.settings.index}/_refresh`);
  await countCommit(client);
}

/** The publication and those that it takes the place of. */
function namesOf({ patent }: PreparedDocument): string[] {
  return [patent.patent_id, ...(patent.corrects ?? [])];
}

/** The first document of each publication, and the others, which replace it. */
function withoutRepeatedNames(
  places: readonly number[],
  documents: readonly PreparedDocument[],
): [now: number[], later: number[]] {
  const taken = new Set<string>();
  const [now, later]: [number[], number[]] = [[], []];
  for (const n of places) {
    const names = namesOf(documents[n]!);
    (names.some((name) => taken.has(name)) ? later : now).push(n);
    for (const name of names) taken.add(name);
  }
  return [now, later];
}

/** Stored publications by their patent_ids and those that they have taken the place of. */
export async function knownUnder(
  client: ClusterClient,
  names: readonly string[],
): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  const wanted = [...new Set(names)];
  for (let at = 0; at < wanted.length; at += BULK_DOCUMENTS) {
    const ids = wanted.slice(at, at + BULK_DOCUMENTS);
    const { hits } = await client.search<{ head: DocumentHead }>(`/${client.settings.index}/_search`, {
      size: 2 * ids.length,
      query: { bool: { filter: [{ terms: { ids } }] } },
      _source: ['head'],
      seq_no_primary_term: true,
      track_total_hits: false,
    });
    for (const hit of hits.hits) addKnown(known, hit);
  }
  return known;
}

function addKnown(known: Map<string, Known>, hit: Hit<{ head: DocumentHead }>): void {
  const { head } = hit._source!;
  const found = { id: hit._id, head, seqNo: hit._seq_no!, term: hit._primary_term! };
  for (const name of [head.patent_id, ...(head.corrects ?? [])]) known.set(name, found);
}

/**
 * Sends operations until the cluster has taken each or refused it for good.
 * @returns the outcomes: all succeeded, or are conflicts
 * @throws PriorartError `overloaded`, `internal`
 */
export async function bulkUntilTaken(
  client: ClusterClient,
  operations: readonly BulkOperation[],
  signal?: AbortSignal,
): Promise<BulkItem[]> {
  const outcomes: BulkItem[] = [];
  let waiting = operations.map((_, n) => n);
  for (let attempt = 0; waiting.length > 0; attempt++) {
    if (attempt > 0) await sleep(WAIT_MS * 2 ** (attempt - 1), undefined, signal ? { signal } : {});
    const items = await client.bulk(
      waiting.map((n) => operations[n]!),
      signal,
    );
    for (const [at, n] of waiting.entries()) outcomes[n] = items[at]!;
    waiting = waiting.filter((n) => outcomes[n]!.status === BUSY);
    if (waiting.length > 0 && attempt + 1 >= ATTEMPTS) {
      const message = `the cluster was too busy for ${waiting.length} documents, ${ATTEMPTS} times in a row`;
      throw new PriorartError('overloaded', message, { retryAfter: 10 });
    }
  }
  const isRefused = ({ status, error }: BulkItem) => error !== undefined && status !== CONFLICT;
  const refused = outcomes.find(isRefused);
  if (refused?.error === undefined) return outcomes;
  const { type, reason } = refused.error;
  const message = `the cluster refused a document (${refused.status}, ${type}): ${reason}`;
  throw refused.status >= 500 ? unavailable(message) : new PriorartError('internal', message);
}
