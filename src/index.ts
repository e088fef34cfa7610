/** Public interface of the library. */
import './index/bundled.js'; // First: in a bundle, other modules fail too, with worse messages.

export { type Engine, open } from './engine.js';
export type {
  AnalyzeOptions,
  CallOptions,
  ClusterAddress,
  DrawingBucket,
  GetOptions,
  OpenOptions,
  PatentsOptions,
  SearchOptions,
} from './engine-options.js';
export type { DeleteResult } from './engine-port.js';
export { type ErrorCode, isPriorartError, PriorartError } from './errors.js';
export type { SnapshotOptions, SnapshotSummary } from './index/snapshot-summary.js';
export type {
  CitationInput,
  ClaimInput,
  ClaimsInput,
  DescriptionInput,
  DrawingInput,
  InternationalStageInput,
  LegalStatusInput,
  NameInput,
  NamesInput,
  ParagraphInput,
  PatentInput,
  PriorityInput,
  SectionInput,
} from './ingest/patent-input.js';
export type { PatentRecords } from './ingest/patent-schema.js';
export type { Failure } from './ingest/readers/reader.js';
export type {
  DrawingSummary,
  IngestOptions,
  IngestProgress,
  IngestSummary,
  ReembedOptions,
  ReembedProgress,
  ReembedSummary,
} from './ingest/summary.js';
export type { ModelsInput } from './models/config.js';
export type { AnsweredQuestion, AnswerObserver } from './observe/observations.js';
export type { Country } from './patent/country.js';
export type { EmbeddedPassage, EmbeddedPatent } from './patent/embedded.js';
export type { Passage } from './patent/passage.js';
export type {
  Citation,
  Claim,
  Drawing,
  InternationalStage,
  LegalStatus,
  Name,
  Paragraph,
  Patent,
  Priority,
  Section,
} from './patent/record.js';
export { type ReembedFolderOptions, reembed } from './pool/reembed.js';
export type { Explanation, Reading } from './search/explanation.js';
export type { Plan, SegmentPlan } from './search/plan.js';
export type { AnalyticsRequest, DetailsRequest, PatentFilter, SemanticRequest } from './search/schema.js';
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
} from './search/types.js';
export type { SourceRecord } from './store/source-record.js';
