/** How an answer was found, and whether it fits the question. */
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
  /** Scoring the words of the question. */
  words: number;
  /** Reranking. */
  rerank: number;
  /** Ordering the results, scoring those of their passages that are only shown, and reading their texts. */
  fetch: number;
}

/** How a question was read that has the form of a number or of a classification code. */
export type Reading =
  | {
      /** The question is the number of a publication or of an application. */
      as: 'number';
      /** patent_ids of its publications. Empty: the index has none, and the question was looked for in texts. */
      publications: string[];
      /** Whether no publication has the kind code of the question, and these have the same number. */
      anotherKind?: true;
    }
  | {
      /** The question is an IPC or CPC code. */
      as: 'classification';
      /** The code without spaces. */
      code: string;
      /** Documents under it. 0: there are none, and the question was looked for in texts. */
      documents: number;
    };

/** How the words of a question counted. */
export interface WordsExplained {
  /** The words that were scored, those that weigh most first. */
  used: {
    /** The word as the question has it. */
    text: string;
    /** Number of documents of the index that hold it, before filters. */
    documents: number;
  }[];
  /** Weight of the lexical score in rerank_score; 0 if the reranker does not take it. See fusion.ts. */
  weight: number;
  /** Candidates that only their words found. */
  added: number;
}

/** How an answer was found. */
export interface Explanation {
  /** How each segment was scanned. */
  plan: Plan;
  /**
   * On a cluster: how its documents were compared with the question. `exact`: all passages that the filter allows. `index`: the
   * k-NN plugin found the nearest ones, and may have missed some. The plan is that of the candidates. Absent for a folder.
   */
  gathered?: 'exact' | 'index';
  /** With `as_of`: the day, `YYYY-MM-DD`, before which the documents were published. */
  asOf?: string;
  /** How the question was read, if it has the form of a number or of a classification code. Absent: as a text. */
  reading?: Reading;
  /** Name and version of the embedder. */
  model: string;
  /** Whether the scale of similarity was measured for this model. If not, run `priorart calibrate`. */
  calibrated: boolean;
  /** The best similarity_score of the results; absent without results. */
  best?: number;
  /**
   * Whether nothing in the index seems to be about the question: there are results, their best similarity_score is below
   * 0.35 (`UNRELATED_BELOW`), and the first result has a lexical score below 0.2 (`WORDS_HELD_FROM`), so it hardly holds words
   * of the question or their translations. Always false for a model that is not calibrated.
   */
  unrelated: boolean;
  /** Name of the reranker. */
  reranker: string;
  /** Documents that went to the reranker, and how many of them it scored before the deadline. */
  documents: number;
  /** Documents that were scored before the deadline. */
  reranked: number;
  /** Documents whose texts the reranker read, because their segments hold no token bags of its model. */
  read: number;
  /** Number of exact scores of passages. A passage that both rounds of the reranking compare counts twice. */
  scored: number;
  /** Documents whose passages were estimated by their sketches. */
  visited: number;
  /** Passages that approximate indexes proposed or estimated. */
  candidates: number;
  /** Stages that were repeated with more candidates. */
  widened: number;
  /**
   * Segments that were scanned as a whole against the plan, because the search of the index found too little near the query
   * that the filter allows. An `ivf-pq` index then estimates all its lists by their codes; of other kinds every allowed
   * passage is scored exactly.
   */
  rescanned: number;
  /** How the words of the question counted. */
  words: WordsExplained;
  /** Duration of each stage, ms. */
  timings: Timings;
}

/** The best similarity_score of some results; undefined without results. */
export function bestSimilarity(results: readonly SearchResult[]): number | undefined {
  if (results.length === 0) return undefined;
  return results.reduce((best, { similarity_score: score }) => Math.max(best, score), 0);
}

/** Whether results with this best similarity_score are far from the question. */
export function isFar(best: number | undefined): best is number {
  return best !== undefined && best < UNRELATED_BELOW;
}
