/** What the program tells of its work, to whoever measures it. */

/** What a worker tells of a question with its answer. */
export interface AnswerTrace {
  /** Stages by name, ms. */
  timings?: Readonly<Record<string, number>>;
  /** How each segment was scanned: `exact`, `ivf`, `hnsw`, `codes`, `none`. */
  scans?: readonly string[];
  /** Passages: estimated by indexes, and scored exactly. */
  passages?: {
    /** Estimated by indexes. */
    estimated: number;
    /** Scored exactly. */
    scored: number;
  };
  /** How often an index had to be asked again, and did not serve a filter after all. */
  replanned?: {
    /** Stages repeated with more candidates. */
    widened: number;
    /** Segments scanned as a whole after all. */
    rescanned: number;
  };
  /** Of earlier searches of this worker that were repeated exactly. */
  recall?: RecallCount;
}

/** What repeating searches exactly has shown. */
export interface RecallCount {
  /** Searches that were repeated. */
  checks: number;
  /** Checks that came to nothing. */
  failed: number;
  /** Of so many of the best documents, so many were found. */
  wanted: number;
  /** Of the wanted documents, those that were found. */
  found: number;
}

/** What is told of a question that was answered. */
export interface AnsweredQuestion extends AnswerTrace {
  /** `semantic`, `details`, … */
  kind: string;
  /** Time on the worker, ms, and before, in the queue. */
  ms: number;
  /** Time in the queue, ms. */
  waitedMs: number;
}

/** Told of each question that was answered. */
export type AnswerObserver = (answered: AnsweredQuestion) => void;

export interface PoolState {
  workers: number;
  /** Questions that may run at once, that do, that wait, and that may wait. */
  parallel: number;
  running: number;
  waiting: number;
  waitingMax: number;
  /** Whether questions are refused to keep the wait short. */
  shedding: boolean;
  /** Refused since the start. */
  refused: number;
}

export interface IndexState {
  generation: number;
  documents: number;
  passages: number;
  segments: number;
  /** Of segments and their indexes. */
  bytes: number;
}
