/** Answers of the engine, exactly as the HTTP interface writes them (specification sections 2 and 4). */
import type { IndexState, PoolState } from '../observe/observations.js';
import type { AnalyticsQuery, DetailsQuery, SemanticQuery } from './query.js';

export type {
  AnalyticsResponse,
  AnalyticsResult,
  AnalyticsStats,
  Chunk,
  Coverage,
  CoverageCountry,
  DetailsEntry,
  DetailsResponse,
  SearchResponse,
  SearchResult,
} from './public-types.js';

/** The JSON text of an answer, as UTF-8, and the number of its results, for endpoints that count them. */
export interface Body {
  json: Uint8Array;
  results?: number;
}

/** An answer with the entity tag of its content, as HTTP writes it. */
export interface TaggedBody {
  json: Uint8Array;
  etag: string;
}

export interface AskedBy {
  signal?: AbortSignal;
  deadlineMs?: number;
}

/** The engine as the HTTP server uses it. */
export interface SearchEngine {
  /**
   * Runs a semantic search. Resolves to the JSON text of a SearchResponse, as UTF-8, which the worker made. Rejects with
   * PriorartError: `overloaded` at once if the queue is full, `cancelled` soon after the signal fires, `no_data`,
   * `unavailable`, `embedding_failed`.
   */
  searchBytes(
    query: SemanticQuery,
    options: { signal?: AbortSignal; deadlineMs?: number },
  ): Promise<Uint8Array>;
  /** A page of semantic-analytics. `owner` names the caller, whose pages share one ranking. Rejects like `searchBytes`. */
  analyticsBody(query: AnalyticsQuery, options: AskedBy & { owner: string }): Promise<Body>;
  /** Documents by number. Rejects like `searchBytes`, except for `embedding_failed`. */
  detailsBody(query: DetailsQuery, options: AskedBy): Promise<TaggedBody>;
  /** The coverage document; at once if it is counted already. */
  coverageBody(options: AskedBy): TaggedBody | Promise<TaggedBody>;
  /**
   * Name of the stored content of a drawing.
   * @param file a file name of an answer
   * @throws PriorartError `not_found`
   */
  findDrawing(publication: string, file: string): string;
  /** Whether searches can be answered now; if not, what is missing, in words without paths. */
  ready(): { ready: boolean; missing: string[] };
  /** Figures for metrics; absent if there are none. */
  poolState?(): PoolState;
  indexState?(): IndexState;
}
