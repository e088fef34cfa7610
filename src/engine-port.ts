/** The interface of an engine for the HTTP server. */
import type { IndexState, IngestedFile, PoolState, RunningIngest } from './observe/observations.js';
import type { AnalyticsQuery, DetailsQuery, SemanticQuery } from './search/query.js';
import type { Body, TaggedBody } from './search/types.js';

/** Limits of a call by an endpoint. */
export interface AskedBy {
  /** Fires when the client disconnects or the deadline passes. */
  signal?: AbortSignal;
  /** Milliseconds after which a slow reranker stops. */
  deadlineMs?: number;
}

/**
 * The methods of an engine that the HTTP server needs. `IndexService` implements them. Tests use their own
 * engines.
 */
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
  /** The coverage document. It is returned synchronously if the counts are up to date. */
  coverageBody(options: AskedBy): TaggedBody | Promise<TaggedBody>;
  /**
   * Name of the stored content of a drawing.
   * @param file a file name of an answer
   * @throws PriorartError `not_found`
   */
  findDrawing(publication: string, file: string): string;
  /** Whether searches can be answered now. If not, `missing` lists the reasons, without paths. */
  ready(): { ready: boolean; missing: string[] };
  /** The files that were ingested, as in the ledger; absent if there is no ledger. */
  sources?(): IngestedFile[];
  /** Ingests that run now on the folder, in any process; absent if they are unknown. */
  running?(): RunningIngest[];
  /** Figures for metrics; absent if there are none. */
  poolState?(): PoolState;
  indexState?(): IndexState;
}
