/** The engine on a cluster of OpenSearch. It keeps nothing: any number of them may work on one cluster. */
import { createHash } from 'node:crypto';
import type { ClusterAddress, GetOptions } from '../engine-options.js';
import type { AskedBy, DeleteResult, EngineBackend } from '../engine-port.js';
import { isPriorartError, PriorartError } from '../errors.js';
import type { SnapshotSummary } from '../index/snapshot-summary.js';
import { ingestInto } from '../ingest/ingest.js';
import type { PatentRecords } from '../ingest/patent-schema.js';
import { embedDocuments, type Preparer, prepareUnits } from '../ingest/prepare.js';
import type { IngestOptions, IngestSummary } from '../ingest/summary.js';
import { COVERAGE_CHECK_MS, QUEUE_PER_WORKER } from '../limits.js';
import { DEFAULT_MODELS, type ModelsInput, readModels } from '../models/config.js';
import { identityOf, type Models, openEmbedder } from '../models/load.js';
import { ThreadModels } from '../models/thread-models.js';
import type { AnswerObserver, PoolState } from '../observe/observations.js';
import type { Patent } from '../patent/record.js';
import { cancelled, Queue } from '../pool/queue.js';
import type { Cancellation } from '../search/cancel.js';
import type { AnalyticsQuery, DetailsQuery, Filters, SemanticQuery } from '../search/query.js';
import type { Body, Coverage, TaggedBody } from '../search/types.js';
import type { SourceRecord } from '../store/source-record.js';
import { type Asked, answerAnalytics, answerDetails, answerSearch } from './answers.js';
import { ClusterClient, type OneState, unavailable } from './client.js';
import { coverageOf } from './coverage.js';
import { Health } from './health.js';
import { type ClusterMeta, createIndex, readLedger, readMeta } from './meta.js';
import { PublicationsInMemory } from './publications.js';
import { allRecords, recordsByNumber, resolved } from './records.js';
import { settingsOf } from './settings.js';
import { bulkUntilTaken, ClusterTarget, finishCommit, storedHeads } from './target.js';

export interface ClusterEngineOptions {
  /** Makes an empty index if the cluster has none. */
  create?: boolean | undefined;
  models?: string | ModelsInput | undefined;
  observe?: AnswerObserver | undefined;
}

/** Searches that wait for the cluster at the same time. */
const PARALLEL = 8;
/** Batches of an ingest that are prepared at the same time, on this thread. */
const PREPARED = 1;
/** Milliseconds for which form, model and number of commits of the index are not read again. */
const META_MS = 1_000;

const encoder = new TextEncoder();
const json = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));

export class ClusterEngine implements EngineBackend {
  readonly dir: string;
  readonly #client: ClusterClient;
  readonly #models: ThreadModels;
  readonly #observe: AnswerObserver;
  readonly #queue = new Queue(PARALLEL, PARALLEL * QUEUE_PER_WORKER);
  readonly #health: Health;
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #meta: { meta: ClusterMeta; readAt: number };
  #ledger: SourceRecord[];
  #coverage: { body: TaggedBody; readAt: number } | undefined;

  private constructor(
    client: ClusterClient,
    meta: ClusterMeta,
    ledger: SourceRecord[],
    { models, observe = () => {} }: ClusterEngineOptions,
  ) {
    const { index, nodes } = client.settings;
    this.dir = `${index} on ${nodes.map((node) => new URL(node).host).join(', ')}`;
    this.#client = client;
    this.#meta = { meta, readAt: performance.now() };
    this.#ledger = ledger;
    this.#observe = observe;
    this.#health = new Health(client);
    const explicit = models === undefined ? {} : { explicit: readModels(models) };
    this.#models = new ThreadModels(this.dir, { opened: meta.model, ...explicit });
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
    try {
      const meta = (await readMeta(client)) ?? (await created(client, options));
      const engine = new ClusterEngine(client, meta, await readLedger(client), options);
      // Opens the models, and compares them with the index.
      await engine.#withModels(async () => {});
      await engine.#health.check();
      return engine;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  checkOpen(): void {
    if (this.#closing.signal.aborted) throw new PriorartError('unavailable', 'the index is closed');
  }

  searchBody(query: SemanticQuery, limits: AskedBy): Promise<Body> {
    return this.#ask('semantic', limits, async (asked) => {
      const { response } = await answerSearch(asked, query);
      return { json: json(response), results: response.total };
    });
  }

  analyticsBody(query: AnalyticsQuery, limits: AskedBy & { owner: string }): Promise<Body> {
    return this.#ask('analytics', limits, async (asked) => {
      const response = await answerAnalytics(asked, query);
      return { json: json(response), results: response.results.length };
    });
  }

  detailsBody(query: DetailsQuery, limits: AskedBy): Promise<TaggedBody> {
    return this.#ask('details', limits, async (asked) => tagged(await answerDetails(asked, query)));
  }

  async coverageBody(limits: AskedBy): Promise<TaggedBody> {
    this.checkOpen();
    const known = this.#coverage;
    if (known && performance.now() - known.readAt < COVERAGE_CHECK_MS) return known.body;
    const body = await this.#ask('coverage', limits, async ({ state }, meta) => {
      const coverage = await coverageOf(state, meta);
      return { json: json(coverage), etag: etagOf(coverage) };
    });
    this.#coverage = { body, readAt: performance.now() };
    return body;
  }

  countedCoverage(limits: AskedBy): Promise<Uint8Array> {
    return this.#ask('coverage', limits, async ({ state }, meta) => json(await coverageOf(state, meta)));
  }

  explainBody(query: SemanticQuery, limits: AskedBy): Promise<Uint8Array> {
    return this.#ask('explain', limits, async (asked) => {
      return json((await answerSearch(asked, query)).explanation);
    });
  }

  /** Drawings are not kept on the cluster. */
  findDrawing(): string {
    throw new PriorartError('not_found', 'there is no such drawing: an index on a cluster has no drawings');
  }

  records(
    numbers: readonly string[],
    { vectors = false, signal }: GetOptions,
  ): Promise<(Patent | undefined)[]> {
    return this.#guarded(signal, (either) =>
      this.#atOneState((state) => recordsByNumber(state, this.dir, numbers, vectors), either),
    );
  }

  async *allRecords(filters: Filters, options: GetOptions): AsyncGenerator<Patent, void, undefined> {
    this.checkOpen();
    // A generator cannot be left open within `atOneState`, so records come through a channel of one.
    const { signal, vectors = false } = options;
    const either = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const state = await this.#client.openState(this.#client.settings.index, either);
    try {
      for await (const record of allRecords(state, this.dir, filters, vectors)) {
        yield record;
        this.checkOpen();
        if (signal?.aborted) throw cancelled();
      }
    } finally {
      state.release();
    }
  }

  ingest(
    source: readonly string[] | { records: PatentRecords },
    options: IngestOptions,
  ): Promise<IngestSummary> {
    return this.#guarded(options.signal, async (signal) => {
      const preparer: Preparer = {
        parallel: PREPARED,
        prepare: (units) =>
          this.#withModels((models) => prepareUnits(storedHeads(this.#client), models, units, signal)),
        embed: (documents) => this.#withModels((models) => embedDocuments(models, documents, signal)),
        keepImage: () => Promise.reject(new Error('an index on a cluster has no drawings')),
      };
      const target = await ClusterTarget.open(this.#client, signal);
      try {
        return await ingestInto(target, preparer, source, { ...options, signal });
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
    return this.#guarded(undefined, async (signal) => {
      const { index } = this.#client.settings;
      const found = await this.#atOneState(
        (state) => resolved(state, new PublicationsInMemory(this.dir), numbers, ['head']),
        signal,
      );
      const ids = [...new Set(found.flatMap((id) => id ?? []))];
      const items = await bulkUntilTaken(
        this.#client,
        ids.map((id) => ({ action: { delete: { _index: index, _id: id } } })),
        signal,
      );
      if (ids.length > 0) await finishCommit(this.#client);
      this.#changed();
      return {
        deleted: ids.filter((_, n) => items[n]!.result === 'deleted'),
        not_found: numbers.filter((_, n) => found[n] === undefined),
      };
    });
  }

  async snapshot(): Promise<SnapshotSummary> {
    const message = 'an index on a cluster is not copied to a folder; use the snapshots of OpenSearch';
    throw new PriorartError('invalid_request', message);
  }

  poolState(): PoolState {
    const { parallel, running, length, limit, isShedding, refused } = this.#queue;
    const counts = { workers: 0, parallel, running, waiting: length, waitingMax: limit };
    return { ...counts, shedding: isShedding, refused };
  }

  ready(): { ready: boolean; missing: string[] } {
    if (this.#closing.signal.aborted) return { ready: false, missing: ['the index is closed'] };
    const { missing } = this.#health;
    return { ready: missing.length === 0, missing: [...missing] };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new PriorartError('unavailable', 'the index is closed'));
    this.#health.close();
    await this.#queue.close();
    await Promise.allSettled(this.#running);
    await this.#models.close();
    await this.#client.close();
  }

  /** Answers a question on one state of the index. */
  #ask<T>(
    kind: Parameters<AnswerObserver>[0]['kind'],
    { signal, deadlineMs, isPatient }: AskedBy,
    work: (asked: Asked, meta: ClusterMeta) => Promise<T>,
  ): Promise<T> {
    const deadline = deadlineMs === undefined ? undefined : Date.now() + deadlineMs;
    const check = () => {
      if (signal?.aborted) throw cancelled();
    };
    const cancellation: Cancellation = { check, signal, deadline };
    const answer = async (waitedMs: number): Promise<T> => {
      const started = performance.now();
      const meta = await this.#currentMeta();
      const found = await this.#withModels((models) =>
        this.#atOneState(async (state) => {
          const totals = await totalsOf(state);
          const asked = { state, name: this.dir, model: meta.model, models, cancellation, ...totals };
          return work(asked, meta);
        }, signal),
      );
      this.#observe({ kind, ms: performance.now() - started, waitedMs });
      return found;
    };
    return this.#queue.run(answer, { signal, isPatient, withinMs: deadlineMs });
  }

  async #withModels<T>(work: (models: Models) => Promise<T>): Promise<T> {
    const meta = await this.#currentMeta();
    const lease = await this.#models.lease(() => meta);
    try {
      return await work(lease.models);
    } finally {
      lease.release();
    }
  }

  async #currentMeta(): Promise<ClusterMeta> {
    if (performance.now() - this.#meta.readAt < META_MS) return this.#meta.meta;
    const meta = await readMeta(this.#client);
    if (meta === undefined) throw unavailable(`the index ${this.dir} was deleted`);
    this.#meta = { meta, readAt: performance.now() };
    return meta;
  }

  #changed(): void {
    this.#meta = { ...this.#meta, readAt: Number.NEGATIVE_INFINITY };
    this.#coverage = undefined;
  }

  #atOneState<T>(work: (state: OneState) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#client.atOneState(this.#client.settings.index, work, signal);
  }

  /** Runs work that `close` stops and waits for. */
  async #guarded<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.checkOpen();
    const running = work(AbortSignal.any([this.#closing.signal, ...(given ? [given] : [])]));
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      this.checkOpen();
      if (!given?.aborted || isPriorartError(error)) throw error;
      throw new PriorartError('cancelled', 'the call was cancelled', { cause: error });
    } finally {
      this.#running.delete(running);
    }
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

async function totalsOf(state: OneState): Promise<{ documents: number; passages: number }> {
  const { hits, aggregations } = await state.search({
    size: 0,
    track_total_hits: true,
    aggs: { passages: { sum: { field: 'passage_count' } } },
  });
  return { documents: hits.total!.value, passages: (aggregations!['passages'] as { value: number }).value };
}

function tagged(value: unknown): TaggedBody {
  const body = json(value);
  return { json: body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Hash of the counts without their time. */
function etagOf({ generated_at: _, ...counted }: Coverage): string {
  return `W/"${createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22)}"`;
}
