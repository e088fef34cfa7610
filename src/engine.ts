/** The library: an open data folder as used by an application. */
// For applications without the types of Node, whose libraries of types may lack Symbol.asyncDispose.
/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, type OptionRules } from './check-options.js';
import {
  ANALYZE,
  type AnalyzeOptions,
  CALL,
  type CallOptions,
  CLUSTER,
  type ClusterAddress,
  GET,
  type GetOptions,
  INGEST,
  OPEN,
  type OpenOptions,
  PATENTS,
  type PatentsOptions,
  SEARCH,
  type SearchOptions,
  SNAPSHOT,
} from './engine-options.js';
import type { DeleteResult, EngineBackend, EnginePort } from './engine-port.js';
import { isPriorartError, PriorartError } from './errors.js';
import { giveBack } from './give-back.js';
import type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
import type { PatentRecords } from './ingest/patent-schema.js';
import type { IngestOptions, IngestSummary } from './ingest/summary.js';
import { checkPaths } from './ingest/walk.js';
import { FILTER_MAX_CHARS } from './limits.js';
import type { EmbeddedPatent } from './patent/embedded.js';
import type { Patent } from './patent/record.js';
import type { Explanation } from './search/explanation.js';
import { invalidField } from './search/invalid.js';
import {
  parseAnalytics,
  parseDetails,
  parseFilter,
  parseSemantic,
  type SemanticQuery,
} from './search/query.js';
import type { AnalyticsRequest, DetailsRequest, SemanticRequest } from './search/schema.js';
import type { AnalyticsResponse, Coverage, DetailsResponse, SearchResponse } from './search/types.js';
import { IndexService } from './service.js';
import type { SourceRecord } from './store/source-record.js';

const decoder = new TextDecoder();

/** Reads an answer, and frees its bytes: only the caller has them. */
function parsed<T>(json: Uint8Array): T {
  const text = decoder.decode(json);
  giveBack(json);
  return JSON.parse(text) as T;
}

/** `Symbol.asyncDispose`. Node before 20.4 lacks it, and gets a symbol that no caller has. */
const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

let engineOf: (backend: EngineBackend) => Engine;
let backendOf: (engine: Engine) => EngineBackend;

/**
 * An open data folder, from `open`. Requests and answers have the fields of the HTTP interface. Every method
 * may reject with a PriorartError, whose `code` is stable: `invalid_request` for a wrong field or option,
 * `cancelled` when a signal fires, `unavailable` after `close`.
 */
export class Engine {
  static {
    engineOf = (backend) => new Engine(backend);
    backendOf = (engine) => engine.#backend;
  }

  readonly #backend: EngineBackend;

  private constructor(backend: EngineBackend) {
    this.#backend = backend;
  }

  /** Path of the data folder. */
  get dir(): string {
    return this.#backend.dir;
  }

  /**
   * Finds patents for a question, best first. If all workers are busy, a search waits for its turn.
   * @throws PriorartError also `bad_date`, `bad_classification`, `bad_applicant_match`, `embedding_failed`
   */
  async search(request: SemanticRequest, options: SearchOptions = {}): Promise<SearchResponse> {
    this.#check('search', options, SEARCH);
    return this.#search(asked(request, options), options);
  }

  /**
   * Runs many searches and returns their answers in the order of the requests. Rejects with the first error,
   * which names the position of its request, and stops the other searches.
   * @throws PriorartError as `search`
   */
  async searchMany(
    requests: readonly SemanticRequest[],
    options: SearchOptions = {},
  ): Promise<SearchResponse[]> {
    this.#check('searchMany', options, SEARCH);
    if (!Array.isArray(requests)) throw wrongArgument('requests', requests, 'an array of requests');
    const queries = requests.map((request, n) => naming(n, () => asked(request, options)));
    const stop = new AbortController();
    const cancel = () => stop.abort(options.signal?.reason);
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      const answers = queries.map((query, n) =>
        this.#search(query, { ...options, signal: stop.signal }).catch((error: unknown) => {
          throw named(n, error);
        }),
      );
      return await Promise.all(answers);
    } catch (error) {
      cancel();
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  /**
   * Statistics over all patents that are similar enough to a question, and a page of these patents. For
   * another page, repeat the request with another `page`. Later pages use the state of the first page.
   * @throws PriorartError as `search`
   */
  async analyze(request: AnalyticsRequest, options: AnalyzeOptions = {}): Promise<AnalyticsResponse> {
    this.#check('analyze', options, ANALYZE);
    const { exact = false, owner = '' } = options;
    const query = { ...parseAnalytics(request), ...(exact ? { exact } : {}) };
    const body = await this.#backend.analyticsBody(query, { ...options, isPatient: true, owner });
    return parsed(body.json);
  }

  /** Documents as markdown, by number in any spelling, at most 200. */
  async details(request: DetailsRequest, options: CallOptions = {}): Promise<DetailsResponse> {
    this.#check('details', options, CALL);
    const body = await this.#backend.detailsBody(parseDetails(request), { ...options, isPatient: true });
    return parsed(body.json);
  }

  /**
   * Whole records by number in any spelling, in the order of the numbers.
   * @returns `undefined` at the position of a number that matches no publication
   * @throws PriorartError `invalid_request` if a number matches several publications
   */
  async get(
    numbers: string | readonly string[],
    options: GetOptions & {
      /** Adds the passages of each record and their vectors, as `_passages`. */
      vectors: true;
    },
  ): Promise<(EmbeddedPatent | undefined)[]>;
  async get(numbers: string | readonly string[], options?: GetOptions): Promise<(Patent | undefined)[]>;
  async get(numbers: string | readonly string[], options: GetOptions = {}): Promise<(Patent | undefined)[]> {
    this.#check('get', options, GET);
    const asked = listed('numbers', numbers);
    return this.#backend.records(asked, options);
  }

  /**
   * All records that match a filter, in the order of their patent_id, of the state at the first record: later
   * ingests and deletions change nothing. Only a few records are in memory at a time. Iterate to the end, or
   * leave the loop: an open iteration keeps replaced and deleted data on disk.
   *
   *     for await (const patent of index.patents({ filter: { countries: ['KR'] } })) console.log(patent.title);
   */
  patents(
    options: PatentsOptions & {
      /** Adds the passages of each record and their vectors, as `_passages`. */
      vectors: true;
    },
  ): AsyncGenerator<EmbeddedPatent, void, undefined>;
  patents(options?: PatentsOptions): AsyncGenerator<Patent, void, undefined>;
  async *patents(options: PatentsOptions = {}): AsyncGenerator<Patent, void, undefined> {
    this.#check('patents', options, PATENTS);
    const filters = parseFilter(options.filter ?? {});
    yield* this.#backend.allRecords(filters, options);
  }

  /** Content of the index: publications by country and kind, ranges of dates, passages, model. */
  async coverage(options: CallOptions = {}): Promise<Coverage> {
    this.#check('coverage', options, CALL);
    return parsed(await this.#backend.countedCoverage({ ...options, isPatient: true }));
  }

  /** Explains a search: plan, counts, timings. */
  async explain(request: SemanticRequest, options: SearchOptions = {}): Promise<Explanation> {
    this.#check('explain', options, SEARCH);
    const query = asked(request, options);
    return parsed(await this.#backend.explainBody(query, { ...options, isPatient: true }));
  }

  /**
   * Ingests patents from files and folders, or from records. A path is a file of a supported format, an
   * archive, or a folder; `-` is standard input. Records are an array, an iterable or an async iterable. The
   * next record is taken when it can be stored. A record replaces the stored record of its publication, and
   * counts as unchanged if both are equal. A record with `partial: true` completes the stored record.
   *
   * Documents are committed in batches and are searchable from then on. Committed documents stay after an
   * abort or an error. The summary lists unreadable parts. They do not reject the call.
   * @throws PriorartError `not_found` if a path does not exist, before the first file is read; `disk_full`;
   * also any error of the iteration over the records
   */
  async ingest(
    source: string | readonly string[] | PatentRecords,
    options: IngestOptions = {},
  ): Promise<IngestSummary> {
    this.#check('ingest', options, INGEST);
    const read = sourceOf(source);
    if (!('records' in read)) await checkPaths(read);
    return this.#backend.ingest(read, options);
  }

  /** The ledger: every file that was read to its end, with time, readers and result. */
  sources(): SourceRecord[] {
    return this.#backend.ledger();
  }

  /**
   * Deletes publications by number in any spelling.
   * @throws PriorartError `invalid_request` if a number matches several publications; no publication is
   * deleted then
   */
  async delete(numbers: string | readonly string[]): Promise<DeleteResult> {
    this.#backend.checkOpen();
    return this.#backend.delete(listed('numbers', numbers));
  }

  /**
   * Copies the current state of the folder, without its keys. Searches and writes continue. The copy is
   * complete or does not exist. To restore the copy, open it.
   * @param folder path of the copy, which must not exist. Its parent folder must exist
   */
  async snapshot(folder: string, options: SnapshotOptions = {}): Promise<SnapshotSummary> {
    this.#check('snapshot', options, SNAPSHOT);
    if (typeof folder !== 'string') throw wrongArgument('folder', folder, 'a path');
    return this.#backend.snapshot(folder, options);
  }

  /** Waits for running searches, stops running ingests and iterations, and closes the folder. */
  close(): Promise<void> {
    return this.#backend.close();
  }

  /**
   * Closes the folder at the end of a block: `await using index = await open('./patents')`. The same as `close`.
   * JavaScript needs Node 24 for `await using`. TypeScript compiles it for Node 20.4 and newer.
   */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  async #search(query: SemanticQuery, options: CallOptions): Promise<SearchResponse> {
    const { json } = await this.#backend.searchBody(query, { ...options, isPatient: true });
    return parsed(json);
  }

  #check<T extends object>(call: string, options: T, rules: OptionRules<T>): void {
    this.#backend.checkOpen();
    checkOptions(call, options, rules);
  }
}

function asked(request: SemanticRequest, { exact = false, rerank = true }: SearchOptions): SemanticQuery {
  const query = parseSemantic(request);
  if (!rerank && query.rerank === 'on') {
    const message = 'rerank: got "on" in the request and false in the options; expected one of them';
    throw new PriorartError('invalid_request', message);
  }
  return { ...query, exact, ...(rerank ? {} : { rerank: 'off' }) };
}

/** Whether the source is paths or records. */
function sourceOf(source: unknown): readonly string[] | { records: PatentRecords } {
  if (typeof source === 'string') return [source];
  const isIterable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isIterable) throw wrongArgument('source', source, 'paths, or an iterable of records');
  if (!Array.isArray(source)) return { records: source as PatentRecords };
  const paths = source.filter((entry) => typeof entry === 'string');
  if (paths.length === 0) return { records: source };
  if (paths.length === source.length) return paths;
  throw new PriorartError(
    'invalid_request',
    'source: paths and records in one array; expected one or the other',
  );
}

function listed(name: string, given: unknown): readonly string[] {
  const list = typeof given === 'string' ? [given] : given;
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) {
    const long = list.find((entry) => entry.length > FILTER_MAX_CHARS);
    if (long === undefined) return list;
    throw invalidField(name, long, `texts of at most ${FILTER_MAX_CHARS} characters`);
  }
  throw wrongArgument(name, given, 'a text, or an array of texts');
}

function wrongArgument(name: string, given: unknown, expected: string): PriorartError {
  const what = given === null ? 'null' : Array.isArray(given) ? 'an array of something else' : typeof given;
  return new PriorartError('invalid_request', `${name}: got ${what}; expected ${expected}`);
}

/** Adds the position of a request among many to its errors. */
function naming<T>(n: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(n, error);
  }
}

function named(n: number, error: unknown): unknown {
  if (!isPriorartError(error) || error.code === 'cancelled') return error;
  return new PriorartError(error.code, `requests[${n}]: ${error.message}`, { cause: error });
}

/**
 * Opens a data folder.
 *
 *     const index = await open('./patents', { create: true });
 *     await index.ingest('weekly/ipg250107.zip');
 *     const { results } = await index.search({ query: 'How is swelling of a battery detected?' });
 *     await index.close();
 *
 * @param dir path of the folder; or the address of a cluster of OpenSearch
 * @throws PriorartError `no_data` if the folder does not exist or has no index and `create` is not set, or if the path is that
 *   of a file; `invalid_request` for a wrong option, `unknown_index_kind`, `data_version`, `data_corrupt`, `model_mismatch`, `invalid_models`, `model_missing`,
 *   `model_damaged`
 */
export async function open(dir: string | ClusterAddress, options: OpenOptions = {}): Promise<Engine> {
  if (typeof dir === 'object' && dir !== null && 'engine' in dir) {
    checkOptions('open', dir, CLUSTER);
    if (dir.engine === undefined || dir.nodes === undefined) {
      const message = 'open: the address of a cluster needs engine and nodes, such as';
      const example = '{engine: "opensearch", nodes: ["https://node-1:9200"]}';
      throw new PriorartError('invalid_request', `${message} ${example}`);
    }
    checkOptions('open', options, OPEN);
    if (options.indexKind !== undefined) {
      const message = 'indexKind is for data folders; a cluster has the option knnEngine';
      throw new PriorartError('invalid_request', `open: ${message}`);
    }
    const { ClusterEngine } = await import('./cluster/engine.js');
    const { engine: _, ...address } = dir;
    return engineOf(await ClusterEngine.open(address, options));
  }
  if (typeof dir !== 'string' || dir === '') {
    const expected = 'the path of a data folder, or {engine: "opensearch", nodes: […]}';
    const hint = (dir as unknown) instanceof URL ? '. fileURLToPath of node:url makes a path of a URL' : '';
    throw wrongArgument('dir', dir, expected + hint);
  }
  checkOptions('open', options, OPEN);
  return engineOf(await IndexService.open(dir, options));
}

/** The interface of an engine for the HTTP server. */
export function serverPort(engine: Engine): EnginePort {
  return backendOf(engine);
}
