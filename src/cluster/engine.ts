/** The engine on a cluster of OpenSearch. It keeps nothing: any number of them may work on one cluster. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { ClusterAddress, DrawingBucket, GetOptions } from '../engine-options.js';
import type { AskedBy, DeleteResult, EngineBackend } from '../engine-port.js';
import { PriorartError } from '../errors.js';
import type { SnapshotSummary } from '../index/snapshot-summary.js';
import type { PatentRecords } from '../ingest/patent-schema.js';
import type { Preparer } from '../ingest/prepare.js';
import type { IngestOptions, IngestSummary } from '../ingest/summary.js';
import { COVERAGE_CHECK_MS } from '../limits.js';
import { DEFAULT_MODELS, type ModelsInput, readModels, storedModels } from '../models/config.js';
import { warnOfCopies } from '../models/copies.js';
import { identityOf, openEmbedder } from '../models/load.js';
import { ThreadModels } from '../models/thread-models.js';
import type { AnswerObserver, PoolState } from '../observe/observations.js';
import type { Patent } from '../patent/record.js';
import { OpenWork } from '../pool/open-work.js';
import { type Answers, answersOf, askOptions } from '../pool/pool.js';
import { cancelled } from '../pool/queue.js';
import type { AnswerOf, Question } from '../pool/tasks.js';
import { findDrawing } from '../search/find-drawing.js';
import type { AnalyticsQuery, DetailsQuery, Filters, SemanticQuery } from '../search/query.js';
import type { Body, Coverage, TaggedBody } from '../search/types.js';
import type { Publications } from '../store/publications.js';
import type { SourceRecord } from '../store/source-record.js';
import { untilUnblocked } from './bulk.js';
import { ClusterClient, type OneState, together, unavailable } from './client.js';
import { CurrentIndex } from './current-index.js';
import { Deletion } from './delete.js';
import { findClusterDrawing, ingestIntoCluster } from './drawings.js';
import { Health } from './health.js';
import { withPublications } from './lookups.js';
import { type ClusterMeta, createIndex, readLedger, readMeta } from './meta.js';
import { expandedFilters } from './prepare-question.js';
import { PublicationsInMemory } from './publications.js';
import { allRecords, recordsByNumber } from './records.js';
import { settingsOf } from './settings.js';
import { ClusterTarget } from './target.js';
import { clusterThreads } from './thread.js';
import { totalsOf } from './totals.js';

export interface ClusterEngineOptions {
  /** Makes an empty index if the cluster has none. */
  create?: boolean | undefined;
  models?: string | ModelsInput | undefined;
  observe?: AnswerObserver | undefined;
  /** Worker threads that search and embed; 0 works on the calling thread. Default: one per processor. */
  workers?: number | undefined;
  /** Searches of the server that may wait per worker. Further searches are refused as `overloaded`. */
  queuePerWorker?: number | undefined;
  /** For commands that neither search nor ingest: no worker is started, and models are opened when something needs them. */
  withoutModels?: boolean;
  /** Passages up to which all are compared with a question; for tests. */
  exactPassages?: number;
}

/** Time for which all records of a state can be read on, while the application works on one of them. */
const READ_KEPT = '1h';

const decoder = new TextDecoder();

export class ClusterEngine implements EngineBackend {
  readonly dir: string;
  readonly #client: ClusterClient;
  readonly #models: ThreadModels;
  readonly #answers: Answers;
  readonly #health: Health;
  #closed: Promise<void> | undefined;
  readonly #work = new OpenWork();
  readonly #index: CurrentIndex;
  readonly #bucket: DrawingBucket | undefined;
  #ledger: SourceRecord[];
  #coverage: { body: TaggedBody; readAt: number } | undefined;

  private constructor(
    client: ClusterClient,
    meta: ClusterMeta,
    ledger: SourceRecord[],
    {
      models,
      workers = availableParallelism(),
      queuePerWorker,
      observe,
      exactPassages,
      withoutModels,
    }: ClusterEngineOptions,
    bucket: DrawingBucket | undefined,
  ) {
    this.#bucket = bucket;
    const { index, nodes } = client.settings;
    this.dir = `${index} on ${nodes.map((node) => new URL(node).host).join(', ')}`;
    this.#client = client;
    this.#ledger = ledger;
    this.#health = new Health(client);
    const explicit = models === undefined ? undefined : readModels(models);
    // For what this thread does itself. The models are opened when something needs them.
    const choice = { opened: meta.model, ...(explicit ? { explicit } : {}) };
    this.#models = new ThreadModels(this.dir, choice);
    const changes = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#index = new CurrentIndex(client, this.#models, meta, changes);
    const { settings } = client;
    const threads = clusterThreads({ settings, name: this.dir, meta, choice, changes, exactPassages });
    const threadsStarted = withoutModels ? 0 : workers;
    if (threadsStarted > 0) warnOfCopies(explicit ?? storedModels(meta.models, this.dir), threadsStarted);
    this.#answers = answersOf(threads, { workers: threadsStarted, queuePerWorker, observe });
  }

  /**
   * @throws PriorartError `no_data` if the cluster has no such index and `create` is not set, `unavailable`,
   *   `data_version`, `invalid_models`, `model_mismatch`, `model_missing`, `model_damaged`
   */
  static async open(
    address: Omit<ClusterAddress, 'engine'>,
    options: ClusterEngineOptions = {},
  ): Promise<ClusterEngine> {
    const client = await ClusterClient.open(settingsOf(address));
    let engine: ClusterEngine | undefined;
    try {
      const meta = (await readMeta(client)) ?? (await created(client, options));
      engine = new ClusterEngine(client, meta, await readLedger(client), options, address.drawings);
      if (!options.withoutModels) await engine.#openModels();
      await engine.#health.check();
      return engine;
    } catch (error) {
      await (engine ?? client).close();
      throw error;
    }
  }

  checkOpen(): void {
    this.#work.check();
  }

  searchBody(query: SemanticQuery, limits: AskedBy): Promise<Body> {
    return this.#ask({ kind: 'semantic', query }, limits);
  }

  analyticsBody(query: AnalyticsQuery, limits: AskedBy & { owner: string }): Promise<Body> {
    return this.#ask({ kind: 'analytics', query }, limits);
  }

  detailsBody(query: DetailsQuery, limits: AskedBy): Promise<TaggedBody> {
    return this.#ask({ kind: 'details', query }, limits);
  }

  async coverageBody(limits: AskedBy): Promise<TaggedBody> {
    this.checkOpen();
    const known = this.#coverage;
    if (known && performance.now() - known.readAt < COVERAGE_CHECK_MS) return known.body;
    const json = await this.countedCoverage(limits);
    const body = { json, etag: etagOf(JSON.parse(decoder.decode(json)) as Coverage) };
    this.#coverage = { body, readAt: performance.now() };
    return body;
  }

  countedCoverage(limits: AskedBy): Promise<Uint8Array> {
    return this.#ask({ kind: 'coverage' }, limits);
  }

  explainBody(query: SemanticQuery, limits: AskedBy): Promise<Uint8Array> {
    return this.#ask({ kind: 'explain', query }, limits);
  }

  findDrawing(publication: string, file: string): Promise<string> {
    return this.#work.run(undefined, () =>
      findClusterDrawing(this.#client, publication, file, () =>
        this.look((publications) => findDrawing(publications, publication, file)),
      ),
    );
  }

  records(
    numbers: readonly string[],
    { vectors = false, signal }: GetOptions,
  ): Promise<(Patent | undefined)[]> {
    return this.#work.run(signal, (either) =>
      this.#index.run(({ index }) => {
        const work = (state: OneState) => recordsByNumber(state, this.dir, numbers, vectors);
        return this.#client.atOneState(index, work, either);
      }),
    );
  }

  /** Runs work that looks publications up, again and again until all that it reads is known. */
  look<T>(work: (publications: Publications) => T): Promise<T> {
    return this.#work.run(undefined, (signal) =>
      this.#index.run(({ index }) => {
        const publications = new PublicationsInMemory(this.dir);
        const onState = (state: OneState) =>
          withPublications(state, publications, ['head'], () => work(publications));
        return this.#client.atOneState(index, onState, signal);
      }),
    );
  }

  async *allRecords(filters: Filters, options: GetOptions): AsyncGenerator<Patent, void, undefined> {
    this.checkOpen();
    // A generator cannot be left open within `atOneState`, so records come through a channel of one.
    const { signal, vectors = false } = options;
    const { signal: either, release } = this.#work.signal(signal);
    let opened: OneState | undefined;
    try {
      const { meta, state } = await this.#index.run(async (current) => {
        return { meta: current, state: await this.#client.openState(current.index, either, READ_KEPT) };
      });
      opened = state;
      const named = await this.#withNames(state, meta, filters);
      for await (const record of allRecords(state, this.dir, named, vectors)) {
        yield record;
        this.checkOpen();
        if (signal?.aborted) throw cancelled(signal);
      }
    } finally {
      opened?.release();
      release();
    }
  }

  /** The filters with all names of their applicant, if they ask for them. */
  async #withNames(state: OneState, meta: ClusterMeta, filters: Filters): Promise<Filters> {
    if (!filters.applicantExpand || filters.values.applicant === undefined) return filters;
    const totals = await totalsOf(state);
    return this.#index.withModels(meta, (models) =>
      expandedFilters({ state, name: this.dir, model: meta.model, models, ...totals }, filters),
    );
  }

  ingest(
    source: readonly string[] | { records: PatentRecords },
    options: IngestOptions,
  ): Promise<IngestSummary> {
    return this.#work.run(options.signal, async (signal) => {
      const preparer: Omit<Preparer, 'keepImage'> = {
        parallel: Math.max(1, this.#answers.state.workers),
        prepare: (units) => this.#answers.ask({ kind: 'prepare', units }, { signal }),
        embed: (documents) => this.#answers.ask({ kind: 'embed', documents }, { signal }),
      };
      const target = await ClusterTarget.open(this.#client, signal);
      try {
        const all = { ...options, signal };
        return await ingestIntoCluster(this.#client, this.#bucket, target, preparer, source, all);
      } finally {
        this.#changed();
        this.#ledger = await readLedger(this.#client).catch(() => this.#ledger);
      }
    });
  }

  ledger(): SourceRecord[] {
    this.checkOpen();
    return this.#ledger;
  }

  async delete(numbers: readonly string[]): Promise<DeleteResult> {
    return this.#work.run(undefined, async (signal) => {
      const deletion = new Deletion(this.#client, numbers, signal);
      try {
        return await untilUnblocked(() => {
          this.#changed();
          return this.#index.run(({ index }) => deletion.attempt(index));
        }, signal);
      } finally {
        this.#changed();
      }
    });
  }

  async snapshot(): Promise<SnapshotSummary> {
    const message = 'an index on a cluster is not copied to a folder; use the snapshots of OpenSearch';
    throw new PriorartError('invalid_request', message);
  }

  poolState(): PoolState {
    return this.#answers.state;
  }

  ready(): { ready: boolean; missing: string[] } {
    if (this.#work.isClosed) return { ready: false, missing: ['the index is closed'] };
    const { missing } = this.#health;
    return { ready: missing.length === 0, missing: [...missing] };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#work.stop();
    this.#health.close();
    await this.#answers.close();
    await this.#work.ended();
    await this.#models.close();
    await this.#client.close();
  }

  #ask<Q extends Question>(question: Q, limits: AskedBy): Promise<AnswerOf<Q>> {
    return this.#answers.ask(question, askOptions(limits));
  }

  /** Opens the models of every worker, and compares them with the index. */
  async #openModels(): Promise<void> {
    const { parallel } = this.#answers;
    const open = () => this.#answers.ask({ kind: 'embed', documents: [] });
    await together(Array.from({ length: parallel }, open));
  }

  #changed(): void {
    this.#index.changed();
    this.#coverage = undefined;
  }
}

/** Makes the index, if the caller wants it. */
async function created(
  client: ClusterClient,
  { create = false, models }: ClusterEngineOptions,
): Promise<ClusterMeta> {
  const { index } = client.settings;
  if (!create) throw new PriorartError('no_data', `the cluster has no index ${index}; ingest into it first`);
  const explicit = models === undefined ? undefined : readModels(models);
  const embedder = await openEmbedder((explicit ?? DEFAULT_MODELS).embedder);
  try {
    await createIndex(client, identityOf(embedder), explicit && { ...explicit });
  } finally {
    await embedder.close();
  }
  const meta = await readMeta(client);
  if (meta === undefined) throw unavailable(`the index ${index} was made and is not there`);
  return meta;
}

/** Hash of the counts without their time. */
function etagOf({ generated_at: _, ...counted }: Coverage): string {
  return `W/"${createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22)}"`;
}
