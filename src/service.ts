/** The engine on a data folder: store, workers and caches. */
import { availableParallelism } from 'node:os';
import type { GetOptions } from './engine-options.js';
import type { AskedBy, DeleteResult, EngineBackend } from './engine-port.js';
import { PriorartError } from './errors.js';
import { checkIndexKind } from './index/kinds.js';
import { snapshotFolder } from './index/snapshot-folder.js';
import type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
import { ingest } from './ingest/ingest.js';
import type { PatentRecords } from './ingest/patent-schema.js';
import type { Preparer } from './ingest/prepare.js';
import type { IngestOptions, IngestSummary } from './ingest/summary.js';
import {
  DEFAULT_MODELS,
  type ModelsConfig,
  type ModelsInput,
  readModels,
  storedModels,
} from './models/config.js';
import { warnOfCopies } from './models/copies.js';
import { identityOf, openEmbedder } from './models/load.js';
import type {
  AnswerObserver,
  IndexState,
  IngestedFile,
  ListedFile,
  PoolState,
} from './observe/observations.js';
import type { Patent } from './patent/record.js';
import { CoverageDocument } from './pool/coverage.js';
import { folderThreads } from './pool/folder-thread.js';
import { OpenWork } from './pool/open-work.js';
import { type Answers, answersOf, askOptions } from './pool/pool.js';
import { Rankings } from './pool/rankings.js';
import type { AnswerOf, Question } from './pool/tasks.js';
import { findDrawing } from './search/find-drawing.js';
import {
  type AnalyticsQuery,
  type DetailsQuery,
  type Filters,
  parseSemantic,
  type SemanticQuery,
} from './search/query.js';
import { allRecords, recordsByNumber } from './search/records.js';
import type { Body, TaggedBody } from './search/types.js';
import { deletePublications } from './store/delete-publications.js';
import { type RunningIngest, runningIngests } from './store/ingest-progress.js';
import { sourceRecord, sourceRecords } from './store/ledger.js';
import { SourceList } from './store/source-list.js';
import type { SourceRecord } from './store/source-record.js';
import { Store } from './store/store.js';

export interface ServiceOptions {
  /** Worker threads; 0 works on the calling thread. Default: one per processor. */
  workers?: number | undefined;
  /** Searches of the server that may wait per worker. Further searches are refused as `overloaded`. */
  queuePerWorker?: number | undefined;
  /** Makes an empty index if the folder holds none. Default: false. */
  create?: boolean | undefined;
  /** Path of a models.json, or its content. Default: the models of the folder. */
  models?: string | ModelsInput | undefined;
  /** Index kind of a new folder. Default: `auto`. */
  indexKind?: string | undefined;
  /** Called for each answered question. */
  observe?: AnswerObserver | undefined;
  /** Share of approximate searches that are repeated exactly, 0 to 1. Default: 0. */
  recallCheck?: number | undefined;
}

/** An open data folder. */
export class IndexService implements EngineBackend {
  readonly dir: string;
  readonly store: Store;
  readonly #answers: Answers;
  readonly #rankings: Rankings;
  readonly #coverage: CoverageDocument;
  readonly #sources: SourceList<ListedFile>;
  readonly #work = new OpenWork();
  #warm = false;
  #closed: Promise<void> | undefined;

  private constructor(store: Store, answers: Answers) {
    this.dir = store.dir;
    this.store = store;
    this.#answers = answers;
    this.#rankings = new Rankings(store, answers);
    this.#coverage = new CoverageDocument(store, answers);
    this.#sources = new SourceList(store, listedFile);
  }

  /** @throws PriorartError as `open` of engine.ts */
  static async open(dir: string, options: ServiceOptions = {}): Promise<IndexService> {
    const { workers = availableParallelism(), queuePerWorker, observe, recallCheck } = options;
    const kind = options.indexKind === undefined ? undefined : checkIndexKind(options.indexKind);
    const explicit = options.models === undefined ? undefined : readModels(options.models);
    const store = options.create ? await openOrCreate(dir, explicit, kind) : Store.open(dir);
    try {
      const { model, models, indexKind } = store.manifest();
      if (kind !== undefined && kind !== indexKind) {
        const message = `${dir} was made with index kind ${indexKind}; another needs another folder`;
        throw new PriorartError('unknown_index_kind', message);
      }
      warnOfCopies(explicit ?? storedModels(models, dir), workers);
      const choice = { opened: model, ...(explicit ? { explicit } : {}) };
      const threads = folderThreads({ dir, choice, recallCheck });
      const answers = answersOf(threads, { workers, queuePerWorker, observe });
      return await new IndexService(store, answers).#warmedUp();
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Questions in progress at the same time. */
  get parallel(): number {
    return this.#answers.parallel;
  }

  checkOpen(): void {
    this.#work.check();
  }

  /** Sends a question to the workers. */
  ask<Q extends Question>(question: Q, limits: AskedBy = {}): Promise<AnswerOf<Q>> {
    return this.#answers.ask(question, askOptions(limits));
  }

  searchBody(query: SemanticQuery, limits: AskedBy): Promise<Body> {
    return this.ask({ kind: 'semantic', query }, limits);
  }

  analyticsBody(query: AnalyticsQuery, { owner, ...limits }: AskedBy & { owner: string }): Promise<Body> {
    return this.#rankings.page(query, owner, askOptions(limits));
  }

  detailsBody(query: DetailsQuery, limits: AskedBy): Promise<TaggedBody> {
    return this.ask({ kind: 'details', query }, limits);
  }

  coverageBody(limits: AskedBy): TaggedBody | Promise<TaggedBody> {
    this.checkOpen();
    return this.#coverage.body(askOptions(limits));
  }

  countedCoverage(limits: AskedBy): Promise<Uint8Array> {
    return this.ask({ kind: 'coverage' }, limits);
  }

  explainBody(query: SemanticQuery, limits: AskedBy): Promise<Uint8Array> {
    return this.ask({ kind: 'explain', query }, limits);
  }

  findDrawing(publication: string, file: string): string {
    this.checkOpen();
    return findDrawing(this.store, publication, file);
  }

  records(numbers: readonly string[], options: GetOptions): Promise<(Patent | undefined)[]> {
    return this.#work.run(options.signal, (signal) =>
      recordsByNumber(this.store, numbers, { ...options, signal }),
    );
  }

  async *allRecords(filters: Filters, options: GetOptions): AsyncGenerator<Patent, void, undefined> {
    const { signal, release } = this.#work.signal(options.signal);
    const records = allRecords(this.store, filters, { ...options, signal });
    try {
      for (;;) {
        // `close` waits only for the read, not for the work of the application between two records.
        const next = await this.#work.run(options.signal, () => records.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      release();
      await records.return();
    }
  }

  ingest(
    source: readonly string[] | { records: PatentRecords },
    options: IngestOptions,
  ): Promise<IngestSummary> {
    return this.#work.run(options.signal, (signal) => {
      const preparer: Preparer = {
        parallel: this.parallel,
        prepare: (units) => this.ask({ kind: 'prepare', units }, { signal }),
        embed: (documents) => this.ask({ kind: 'embed', documents }, { signal }),
        keepImage: (bytes) => this.ask({ kind: 'drawing', bytes }, { signal }),
      };
      return ingest(this.store, preparer, source, { ...options, signal });
    });
  }

  async delete(numbers: readonly string[]): Promise<DeleteResult> {
    this.checkOpen();
    return this.#work.run(undefined, async () => deletePublications(this.store, numbers));
  }

  async snapshot(folder: string, options: SnapshotOptions): Promise<SnapshotSummary> {
    this.checkOpen();
    // `close` waits for it: LMDB must not be closed while it is copied.
    return this.#work.run(undefined, () => snapshotFolder(this.store, folder, options));
  }

  ledger(): SourceRecord[] {
    this.checkOpen();
    return sourceRecords(this.store);
  }

  sources(): Promise<readonly ListedFile[]> {
    this.checkOpen();
    // `close` waits for it: LMDB must not be closed while it is read.
    return this.#work.run(undefined, () => this.#sources.all());
  }

  source(path: string): IngestedFile | undefined {
    this.checkOpen();
    const record = sourceRecord(this.store, path);
    if (record === undefined) return undefined;
    const { failures } = record;
    return { ...listedFile(record), ...(failures === undefined ? {} : { failures }) };
  }

  running(): RunningIngest[] {
    this.checkOpen();
    return runningIngests(this.store.dir);
  }

  poolState(): PoolState {
    return this.#answers.state;
  }

  indexState(): IndexState {
    this.checkOpen();
    this.store.refresh();
    const { generation, documents, passages, segments } = this.store.manifest();
    const bytes = segments.reduce((sum, { bytes, index }) => sum + bytes + (index?.bytes ?? 0), 0);
    return { generation, documents, passages, segments: segments.length, bytes };
  }

  ready(): { ready: boolean; missing: string[] } {
    if (this.#work.isClosed) return { ready: false, missing: ['the index is closed'] };
    const missing = this.#warm ? [] : ['the workers are starting'];
    const displaced = this.store.displacement();
    if (displaced !== undefined) missing.push(displaced);
    return { ready: missing.length === 0, missing };
  }

  /** Opens models and segments in every worker, so that the first search is not slower. */
  async #warmedUp(): Promise<this> {
    const query = parseSemantic({ query: 'warm up', top_k: 1 });
    const warmUp = () => this.#answers.ask({ kind: 'semantic', query }, { isUnobserved: true });
    const asked = Array.from({ length: this.#answers.parallel }, warmUp);
    const ends = await Promise.allSettled(asked);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) {
      await this.#answers.close();
      throw failed.reason;
    }
    this.#warm = true;
    return this;
  }

  /** Waits for running searches, stops tracked work and closes the folder. Each call resolves when the folder is closed. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#work.stop();
    this.#rankings.close();
    await this.#answers.close();
    // Tracked work stops at its next batch, but may be in a commit or merge. The store stays open until then.
    await this.#work.ended();
    await this.store.close();
  }
}

/** Opens the folder, or creates an empty index for a model. Opening the model gives its identity. */
async function openOrCreate(dir: string, models: ModelsConfig | undefined, kind = 'auto'): Promise<Store> {
  const there = await Store.openIfThere(dir);
  if (there) return there;
  const embedder = await openEmbedder((models ?? DEFAULT_MODELS).embedder);
  try {
    return Store.openOrCreate(dir, identityOf(embedder), kind, models && { ...models });
  } finally {
    await embedder.close();
  }
}

function listedFile(record: SourceRecord): ListedFile {
  return {
    path: record.path,
    bytes: record.bytes,
    first_read: record.first_read,
    last_read: record.last_read,
    readings: record.readings,
    formats: Object.keys(record.readers),
    ingested: record.ingested,
    updated: record.updated,
    unchanged: record.unchanged,
    skipped: record.skipped,
    failed: record.failed,
    ...(record.run === undefined ? {} : { run: record.run }),
  };
}
