/** Answers of the engine, exactly as the HTTP interface writes them (specification sections 2 and 4). */
export type {
  AnalyticsResponse,
  AnalyticsResult,
  AnalyticsStats,
  Bibliography,
  Chunk,
  CitedDocument,
  CollapsedMember,
  CountExplanation,
  Coverage,
  CoverageCountry,
  DetailsEntry,
  DetailsResponse,
  ExcludedBy,
  Highlight,
  HitExplanation,
  SearchResponse,
  SearchResult,
} from './public-types.js';

/** An answer with results. */
export interface Body {
  /** The JSON text as UTF-8. */
  json: Uint8Array;
  /** Number of results in it. */
  results: number;
}

/** An answer with the entity tag of its content, as HTTP writes it. */
export interface TaggedBody {
  json: Uint8Array;
  etag: string;
}
