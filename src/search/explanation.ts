import type { Plan } from './plan.js';

/** Milliseconds of each stage. */
export interface Timings {
  embed: number;
  filter: number;
  knn: number;
  rerank: number;
  /** Ordering, and the texts of what is shown. */
  fetch: number;
}

/** How an answer came about. */
export interface Explanation {
  plan: Plan;
  model: string;
  /** Whether 0.5 of the similarity was measured for this model; else `priorart calibrate` is yet to be run. */
  calibrated: boolean;
  reranker: string;
  /** Of so many documents that went to the reranker, so many were scored before the deadline. */
  documents: number;
  reranked: number;
  /** Of so many of them the reranker read the texts, since their segments keep nothing of its model. */
  read: number;
  /** Passages whose exact score was computed; proposals of approximate indexes; repeated stages. */
  scored: number;
  candidates: number;
  widened: number;
  /** Segments that were scanned as a whole after all, since the filter allows little near the query. */
  rescanned: number;
  timings: Timings;
}
