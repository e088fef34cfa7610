/** Wires store, pool and searches together: what `open` gives to an application and the server works with. */
import { availableParallelism } from 'node:os';
import { PriorartError } from './errors.js';
import { checkIndexKind } from './index/kinds.js';
import { snapshotFolder } from './index/snapshot-folder.js';
import type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
import { ingest, type Preparer } from './ingest/ingest.js';
import type { IngestOptions, IngestSummary } from './ingest/summary.js';
import { QUEUE_PER_WORKER, QUEUE_PER_WORKER_MAX, WORKERS_MAX } from './limits.js';
import {
  DEFAULT_MODELS,
  type ModelsConfig,
  type ModelsInput,
  readModels,
  storedModels,
} from './models/config.js';
import { warnOfCopies } from './models/copies.js';
import { identityOf, openEmbedder } from './models/load.js';
import type { AnswerObserver, IndexState, PoolState } from './observe/observations.js';
import { CoverageDocument } from './pool/coverage.js';
import { type Answers, Inline, Pool } from './pool/pool.js';
import { Rankings } from './pool/rankings.js';
import type { Question } from './pool/tasks.js';
import type { Explanation } from './search/explanation.js';
import { findDrawing } from './search/find-drawing.js';
import {
  type AnalyticsQuery,
  type DetailsQuery,
  parseAnalytics,
  parseDetails,
  parseSemantic,
  type SemanticQuery,
} from './search/query.js';
import type { AnalyticsRequest, DetailsRequest, SemanticRequest } from './search/schema.js';
import type {
  AnalyticsResponse,
  Body,
  Coverage,
  DetailsResponse,
  SearchEngine,
  SearchResponse,
  TaggedBody,
} from './search/types.js';
import { deletePublications } from './store/delete-publications.js';
import { sourceRecords } from './store/ledger.js';
import type { SourceRecord } from './store/source-record.js';
import { Store } from './store/store.js';

export interface OpenOptions {
  /** Worker threads that search and embed; 0 works on the calling thread. Default: one per processor. */
  workers?: number;
  /** Searches that may wait for each worker before further ones are refused as `overloaded`. */
  queuePerWorker?: number;
  /** Makes an empty index where the folder holds none. Default: false. */
  create?: boolean;
  /**
   * Embedder and reranker: path of a models.json, or what stands in one (paths relative to the working directory).
   * Default: what the folder was made with; the static model for one that is made. Must be of the model that the
   * folder was made with.
   */
  models?: string | ModelsInput;
  /** Index kind of a folder that is made: `auto` (default), `flat`, `ivf-sq8`, `hnsw-flat`, … */
  indexKind?: string;
  /** Told of each question that was answered: how long it waited and ran, and how long its stages took. */
  observe?: AnswerObserver;
  /**
   * Share of the searches by an approximate plan, 0 to 1, that are repeated exactly to tell their recall: in the
   * background, one at a time. What was found comes with `recall` of what `observe` is told. Default: 0.
   */
  recallCheck?: number;
}

export interface CallOptions {
  /** Aborting rejects the call with a PriorartError of code `cancelled` and stops its work. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which a slow reranker stops; documents that it did not come to are behind the others. */
  deadlineMs?: number | undefined;
}

export interface SearchOptions extends CallOptions {
  /** Scan every vector that the filter allows, whatever index there is. */
  exact?: boolean;
  /** false: order by similarity, without the reranker. Default: true. */
  rerank?: boolean;
}

/** Questions whose answer is JSON and nothing else. */
type WholeQuestion = Extract<Question, { kind: 'semantic' | 'explain' | 'coverage' }>;

const decoder = new TextDecoder();

function parsed<T>(json: Uint8Array): T {
  return JSON.parse(decoder.decode(json)) as T;
}

/** An open data folder. All requests are those of the HTTP interface, answers too. */
export class Engine implements SearchEngine {
  readonly dir: string;
  readonly #store: Store;
  readonly #answers: Answers;
  readonly #rankings: Rankings;
  readonly #coverage: CoverageDocument;
  readonly #ingests = new Set<Promise<unknown>>();
  #closed = false;
  #warm = false;

  /** Use `open`. */
  private constructor(store: Store, answers: Answers) {
    this.dir = store.dir;
    this.#store = store;
    this.#answers = answers;
    this.#rankings = new Rankings(store, answers);
    this.#coverage = new CoverageDocument(store, answers);
  }

  /** Use `open`. */
  static async open(dir: string, options: OpenOptions): Promise<Engine> {
    const { workers = availableParallelism(), queuePerWorker = QUEUE_PER_WORKER } = options;
    checkCount('workers', workers, 0, WORKERS_MAX);
    checkCount('queuePerWorker', queuePerWorker, 1, QUEUE_PER_WORKER_MAX);
    checkShare('recallCheck', options.recallCheck ?? 0);
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
      const answers =
        workers === 0
          ? new Inline(dir, choice, options)
          : new Pool(dir, choice, workers, queuePerWorker, options);
      return await new Engine(store, answers).#warmedUp();
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Patents that fit a question, best first. */
  async search(request: SemanticRequest, options: SearchOptions = {}): Promise<SearchResponse> {
    return this.#object({ kind: 'semantic', query: asked(request, options) }, options);
  }

  /** Statistics over all patents similar enough, and a page of them. */
  async analyze(request: AnalyticsRequest, options: CallOptions = {}): Promise<AnalyticsResponse> {
    this.#checkOpen();
    const body = await this.analyticsBody(parseAnalytics(request), { ...options, owner: '' });
    return parsed(body.json);
  }

  /** Documents by number, as markdown. */
  async details(request: DetailsRequest, options: CallOptions = {}): Promise<DetailsResponse> {
    this.#checkOpen();
    const body = await this.detailsBody(parseDetails(request), options);
    return parsed(body.json);
  }

  /** What the index holds. */
  async coverage(options: CallOptions = {}): Promise<Coverage> {
    return this.#object({ kind: 'coverage' }, options);
  }

  /** How a search is answered: plan, counts, timings. */
  async explain(request: SemanticRequest, options: SearchOptions = {}): Promise<Explanation> {
    return this.#object({ kind: 'explain', query: asked(request, options) }, options);
  }

  /** Reads files and folders into the index. What was committed before an abort stays. */
  async ingest(paths: string | readonly string[], options: IngestOptions = {}): Promise<IngestSummary> {
    this.#checkOpen();
    const { signal } = options;
    const answers = this.#answers;
    const preparer: Preparer = {
      parallel: answers.parallel,
      prepare: (units) => answers.ask({ kind: 'prepare', units }, { signal }),
      embed: (documents) => answers.ask({ kind: 'embed', documents }, { signal }),
      keepImage: (bytes) => answers.ask({ kind: 'drawing', bytes }, { signal }),
    };
    const running = ingest(this.#store, preparer, typeof paths === 'string' ? [paths] : paths, options);
    this.#ingests.add(running);
    return running.finally(() => this.#ingests.delete(running));
  }

  /** The ledger: every file that was read to its end, when, by which readers, and what became of it. */
  sources(): SourceRecord[] {
    this.#checkOpen();
    return sourceRecords(this.#store);
  }

  /**
   * Deletes publications by number in any spelling.
   * @returns patent_ids of those that were there, and the numbers, as given, that fit none
   * @throws PriorartError `invalid_request` where a number fits several publications; nothing is deleted then
   */
  async delete(patentIds: readonly string[]): Promise<{ deleted: string[]; not_found: string[] }> {
    this.#checkOpen();
    return deletePublications(this.#store, patentIds);
  }

  /**
   * Copies the folder as it is at this moment, but for its keys; searches and writes go on. The copy is there whole
   * or not at all, and is restored by opening it.
   */
  snapshot(folder: string, options: SnapshotOptions = {}): Promise<SnapshotSummary> {
    this.#checkOpen();
    return snapshotFolder(this.#store, folder, options);
  }

  /** How many questions are worked on at once. */
  get parallel(): number {
    return this.#answers.parallel;
  }

  /** The JSON body of a search, made in a worker. */
  searchBytes(query: SemanticQuery, { signal, deadlineMs }: CallOptions): Promise<Uint8Array> {
    return this.#answers.ask({ kind: 'semantic', query }, { signal, deadline: deadlineAfter(deadlineMs) });
  }

  /** The JSON body of a page of semantic-analytics. */
  analyticsBody(
    query: AnalyticsQuery,
    { owner, signal, deadlineMs }: CallOptions & { owner: string },
  ): Promise<Body> {
    return this.#rankings.page(query, owner, { signal, deadline: deadlineAfter(deadlineMs) });
  }

  /** The JSON body of documents by number, with its entity tag. */
  detailsBody(query: DetailsQuery, { signal, deadlineMs }: CallOptions): Promise<TaggedBody> {
    return this.#answers.ask({ kind: 'details', query }, { signal, deadline: deadlineAfter(deadlineMs) });
  }

  /** The JSON body of the coverage document, counted when something has changed. */
  coverageBody({ deadlineMs }: CallOptions): TaggedBody | Promise<TaggedBody> {
    this.#checkOpen();
    return this.#coverage.body({ deadline: deadlineAfter(deadlineMs) });
  }

  /**
   * What the image of a drawing is stored as, the SHA-256 of its bytes.
   * @throws PriorartError `not_found`
   */
  findDrawing(publication: string, file: string): string {
    this.#checkOpen();
    return findDrawing(this.#store, publication, file);
  }

  /** How busy the workers are. */
  poolState(): PoolState {
    return this.#answers.state;
  }

  /** The newest committed state, in numbers. */
  indexState(): IndexState {
    this.#checkOpen();
    this.#store.refresh();
    const { generation, documents, passages, segments } = this.#store.manifest();
    const bytes = segments.reduce((sum, { bytes, index }) => sum + bytes + (index?.bytes ?? 0), 0);
    return { generation, documents, passages, segments: segments.length, bytes };
  }

  /** Opens models and segments in every worker, so that the first search is as fast as the next. */
  async #warmedUp(): Promise<this> {
    const query = parseSemantic({ query: 'warm up', top_k: 1 });
    const asked = Array.from({ length: this.#answers.parallel }, () => this.searchBytes(query, {}));
    const ends = await Promise.allSettled(asked);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) {
      await this.#answers.close();
      throw failed.reason;
    }
    this.#warm = true;
    return this;
  }

  ready(): { ready: boolean; missing: string[] } {
    if (this.#closed) return { ready: false, missing: ['the index is closed'] };
    const missing = this.#warm ? [] : ['the workers are starting'];
    const displaced = this.#store.displacement();
    if (displaced !== undefined) missing.push(displaced);
    return { ready: missing.length === 0, missing };
  }

  /** Lets running searches finish, stops running ingests and closes the folder. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#rankings.close();
    await this.#answers.close();
    // They fail at their next batch, but may be committing or merging: the store must not go under them.
    await Promise.allSettled(this.#ingests);
    await this.#store.close();
  }

  async #object<T>(question: WholeQuestion, { signal, deadlineMs }: CallOptions): Promise<T> {
    this.#checkOpen();
    const options = { signal, deadline: deadlineAfter(deadlineMs) };
    return parsed<T>(await this.#answers.ask(question, options));
  }

  #checkOpen(): void {
    if (this.#closed) throw new PriorartError('unavailable', 'the index is closed');
  }
}

function asked(request: SemanticRequest, { exact = false, rerank = true }: SearchOptions): SemanticQuery {
  return { ...parseSemantic(request), exact, rerank };
}

/** The addon and Piscina would take other numbers for something else, or die of them. */
function checkCount(name: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw new PriorartError(
    'invalid_request',
    `${name}: got ${value}; expected an integer from ${min} to ${max}`,
  );
}

function checkShare(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new PriorartError('invalid_request', `${name}: got ${value}; expected a number from 0 to 1`);
}

function deadlineAfter(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Date.now() + ms;
}

/** Opens the folder, or makes an empty index that belongs to a model; opening the model tells which one it is. */
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

/**
 * Opens a data folder.
 * @throws PriorartError `no_data` where there is none and `create` is not set, `data_version`, `model_mismatch`,
 *   `invalid_models`, `model_missing`, `model_damaged`, `data_corrupt`, `unknown_index_kind`, `invalid_request` for
 *   other options
 */
export function open(dir: string, options: OpenOptions = {}): Promise<Engine> {
  return Engine.open(dir, options);
}
