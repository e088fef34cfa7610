/** What an application imports. */
export { type CallOptions, type Engine, type OpenOptions, open, type SearchOptions } from './engine.js';
export { type ErrorCode, isPriorartError, PriorartError } from './errors.js';
export type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
export type {
  IngestOptions,
  IngestProgress,
  IngestSummary,
  ReembedOptions,
  ReembedProgress,
  ReembedSummary,
} from './ingest/summary.js';
export type { ModelsInput } from './models/config.js';
export type { Country } from './patent/country.js';
export type { Patent } from './patent/record.js';
export { type ReembedFolderOptions, reembed } from './pool/reembed.js';
export type { Explanation } from './search/explanation.js';
export type { Plan, SegmentPlan } from './search/plan.js';
export type { AnalyticsRequest, DetailsRequest, SemanticRequest } from './search/schema.js';
export type {
  AnalyticsResponse,
  AnalyticsResult,
  AnalyticsStats,
  Chunk,
  Coverage,
  DetailsEntry,
  DetailsResponse,
  SearchResponse,
  SearchResult,
} from './search/types.js';
export type { SourceRecord } from './store/source-record.js';
