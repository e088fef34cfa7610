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

/** The JSON text of an answer, as UTF-8, and how many results are in it, of what is counted so. */
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

/** What the HTTP interface needs of an engine. */
export interface SearchEngine {
  /**
   * Runs a semantic search. Resolves to the JSON text of a SearchResponse, as UTF-8, made where the search
   * ran. Rejects with PriorartError: `overloaded` at once where no more work can wait, `cancelled` soon
   * after the signal fires, `no_data`, `unavailable`, `embedding_failed`.
   */
  searchBytes(
    query: SemanticQuery,
    options: { signal?: AbortSignal; deadlineMs?: number },
  ): Promise<Uint8Array>;
  /** A page of semantic-analytics; `owner`: whose, so that the pages of one caller belong together. Rejects alike. */
  analyticsBody(query: AnalyticsQuery, options: AskedBy & { owner: string }): Promise<Body>;
  /** Documents by number. Rejects alike, but for embedding. */
  detailsBody(query: DetailsQuery, options: AskedBy): Promise<TaggedBody>;
  /** The coverage document; at once where it is counted already. */
  coverageBody(options: AskedBy): TaggedBody | Promise<TaggedBody>;
  /**
   * What the image of a drawing is stored as.
   * @param file the name that an answer showed
   * @throws PriorartError `not_found`
   */
  findDrawing(publication: string, file: string): string;
  /** Whether searches can be answered now, and if not, what is missing, in words without paths. */
  ready(): { ready: boolean; missing: string[] };
  /** For metrics, where there is anything to tell. */
  poolState?(): PoolState;
  indexState?(): IndexState;
}
