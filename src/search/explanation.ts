/** How an answer came about, and whether it seems to be one. */
import { UNRELATED_BELOW } from '../limits.js';
import type { Plan } from './plan.js';
import type { SearchResult } from './types.js';

/** Milliseconds of each stage. */
export interface Timings {
  /** Embedding the question. */
  embed: number;
  /** Evaluating the filter. */
  filter: number;
  /** Finding candidates and scoring them. */
  knn: number;
  /** Reranking. */
  rerank: number;
  /** Ordering, and the texts of what is shown. */
  fetch: number;
}

/** How an answer came about. */
export interface Explanation {
  /** How each segment was scanned. */
  plan: Plan;
  /** Name and version of the embedder. */
  model: string;
  /** Whether 0.5 of the similarity was measured for this model; else `priorart calibrate` is yet to be run. */
  calibrated: boolean;
  /** The best similarity_score of the results; absent where there is no result. */
  best?: number;
  /**
   * Whether nothing in the index seems to be about the question: there are results, and their best similarity_score
   * is below `UNRELATED_BELOW` (limits.ts). Always false for a model that is not calibrated.
   */
  unrelated: boolean;
  /** Name of the reranker. */
  reranker: string;
  /** Of so many documents that went to the reranker, so many were scored before the deadline. */
  documents: number;
  /** Documents that were scored before the deadline. */
  reranked: number;
  /** Of so many of them the reranker read the texts, since their segments keep nothing of its model. */
  read: number;
  /** Passages whose exact score was computed; proposals of approximate indexes; repeated stages. */
  scored: number;
  /** Passages that approximate indexes proposed. */
  candidates: number;
  /** Stages that were repeated with more candidates. */
  widened: number;
  /** Segments that were scanned as a whole after all, since the filter allows little near the query. */
  rescanned: number;
  /** Duration of each stage, ms. */
  timings: Timings;
}

/** The best similarity_score of some results; undefined where there is none. */
export function bestSimilarity(results: readonly SearchResult[]): number | undefined {
  if (results.length === 0) return undefined;
  return results.reduce((best, { similarity_score: score }) => Math.max(best, score), 0);
}

/** Whether results with this best similarity_score seem to be about something else than the question. */
export function seemsUnrelated(best: number | undefined, calibrated: boolean): boolean {
  return calibrated && best !== undefined && best < UNRELATED_BELOW;
}
