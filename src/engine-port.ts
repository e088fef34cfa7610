/**
 * The interfaces of an engine: what answers searches and keeps publications. `EnginePort` is what a server and its tools
 * need, `Engine` (engine.ts) works on an `EngineBackend`. `IndexService` (service.ts) is the engine on a data folder.
 *
 * What every engine must do:
 *
 * - The answers are whole. An engine that cannot read a part of its documents rejects with `unavailable`, and never leaves
 *   that part out.
 * - Equal documents and equal models give equal answers: ids, order, similarities, counts. The scores are exact, whatever an
 *   index estimates.
 * - A write that resolved is durable, and later searches of the same engine see it. A publication is replaced or deleted as
 *   a whole: no answer mixes two versions of one.
 * - An error is a PriorartError whose code says what the caller can do.
 */
import type { GetOptions } from './engine-options.js';
import type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
import type { PatentRecords } from './ingest/patent-schema.js';
import type { IngestOptions, IngestSummary } from './ingest/summary.js';
import type { IndexState, IngestedFile, ListedFile, PoolState } from './observe/observations.js';
import type { Patent } from './patent/record.js';
import type { AnalyticsQuery, DetailsQuery, Filters, SemanticQuery } from './search/query.js';
import type { Body, TaggedBody } from './search/types.js';
import type { RunningIngest } from './store/ingest-progress.js';
import type { SourceRecord } from './store/source-record.js';

/** Limits of a call. */
export interface AskedBy {
  /** Fires when the client disconnects or the deadline passes. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which a slow reranker stops. */
  deadlineMs?: number | undefined;
  /** The call waits for its turn even if the queue is full. Default: false. */
  isPatient?: boolean | undefined;
}

/** The methods of an engine that the HTTP server and the tools for LLM clients need. They only read. */
export interface EnginePort {
  /**
   * Runs a semantic search. The JSON text is a SearchResponse. Rejects with PriorartError: `overloaded` at once if the
   * queue is full, `cancelled` soon after the signal fires, `no_data`, `unavailable`, `embedding_failed`.
   */
  searchBody(query: SemanticQuery, options: AskedBy): Promise<Body>;
  /**
   * A page of semantic-analytics. `owner` identifies the caller. The pages of one caller share a ranking.
   * Rejects like `searchBody`.
   */
  analyticsBody(query: AnalyticsQuery, options: AskedBy & { owner: string }): Promise<Body>;
  /** Documents by number. Rejects like `searchBody`, except for `embedding_failed`. */
  detailsBody(query: DetailsQuery, options: AskedBy): Promise<TaggedBody>;
  /** The coverage document, a few seconds old at most. It is returned synchronously if no count is needed. */
  coverageBody(options: AskedBy): TaggedBody | Promise<TaggedBody>;
  /**
   * Name of the stored content of a drawing. It is returned synchronously if no other machine is asked.
   * @param file a file name of an answer
   * @throws PriorartError `not_found`
   */
  findDrawing(publication: string, file: string): string | Promise<string>;
  /**
   * Whether searches can be answered now. If not, `missing` lists the reasons, without paths. Returns what is known and
   * never waits, because the check of every call asks for it.
   */
  ready(): { ready: boolean; missing: string[] };
  /**
   * The files that were ingested, as in the ledger, in any order: the same array while they are not read again. Absent if
   * there is no ledger.
   */
  sources?(): readonly ListedFile[] | Promise<readonly ListedFile[]>;
  /** A file of the ledger, by its path; undefined if it is not there. */
  source?(path: string): IngestedFile | undefined;
  /** Ingests that run now on the folder, in any process; absent if they are unknown. */
  running?(): RunningIngest[];
  /** Figures for metrics; absent if there are none. */
  poolState?(): PoolState;
  indexState?(): IndexState;
}

/** Result of a deletion. */
export interface DeleteResult {
  /** patent_ids of the deleted publications. */
  deleted: string[];
  /** The given numbers that match no publication. */
  not_found: string[];
}

/**
 * All that the library needs of an engine. Options and requests are checked by the caller. After `close` began, every
 * method rejects with PriorartError `unavailable`.
 */
export interface EngineBackend extends EnginePort {
  /** Path of the data folder. */
  readonly dir: string;
  /** @throws PriorartError `unavailable` after `close` */
  checkOpen(): void;
  /** The coverage document of the current state. Rejects like `detailsBody`. */
  countedCoverage(options: AskedBy): Promise<Uint8Array>;
  /** How a search is answered: an Explanation as JSON. Rejects like `searchBody`. */
  explainBody(query: SemanticQuery, options: AskedBy): Promise<Uint8Array>;
  /**
   * Whole records by number in any spelling, in the order of the numbers.
   * @returns `undefined` at the position of a number that matches no publication
   * @throws PriorartError `invalid_request` if a number matches several publications
   */
  records(numbers: readonly string[], options: GetOptions): Promise<(Patent | undefined)[]>;
  /** All records that a filter allows, in the order of their patent_id, of the state at the first record. */
  allRecords(filters: Filters, options: GetOptions): AsyncGenerator<Patent, void, undefined>;
  /**
   * Ingests files, or records of an application. Batches are durable and searchable when they are committed. After an
   * interruption the same call goes on with the publications that are not stored.
   * @param source paths that exist, or records
   * @throws PriorartError `cancelled` when the signal fires, `disk_full`; any error of the iteration over the records
   */
  ingest(
    source: readonly string[] | { records: PatentRecords },
    options: IngestOptions,
  ): Promise<IngestSummary>;
  /** The ledger: every file that was read to its end. */
  ledger(): SourceRecord[];
  /**
   * Deletes publications by number in any spelling.
   * @throws PriorartError `invalid_request` if a number matches several publications; nothing is deleted then
   */
  delete(numbers: readonly string[]): Promise<DeleteResult>;
  /** Copies the current state to a new data folder. Searches and writes continue. */
  snapshot(folder: string, options: SnapshotOptions): Promise<SnapshotSummary>;
  /** Waits for running searches, stops running ingests and iterations, and releases all resources. */
  close(): Promise<void>;
}
