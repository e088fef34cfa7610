/** Observations of the program's work, for metrics. */

/** Measurements that a worker returns with an answer. */
export interface AnswerTrace {
  /** Stages by name, ms. */
  timings?: Readonly<Record<string, number>>;
  /** How each segment was scanned: `exact`, `ivf`, `hnsw`, `codes`, `none`. */
  scans?: readonly string[];
  /** Number of passages estimated by indexes, and scored exactly. */
  passages?: { estimated: number; scored: number };
  /** Number of index searches that were widened, and of segments scanned exactly against the plan. */
  replanned?: { widened: number; rescanned: number };
  /** Results of recall checks on earlier searches of this worker. */
  recall?: RecallCount;
}

/** Results of recall checks, which repeat searches exactly. */
export interface RecallCount {
  checks: number;
  /** Number of checks that failed with an error. */
  failed: number;
  /** Number of documents among the exact best, and how many of them the searches found. */
  wanted: number;
  found: number;
}

export interface AnsweredQuestion extends AnswerTrace {
  /** `semantic`, `details`, … */
  kind: string;
  /** Time on the worker and time in the queue before, ms. */
  ms: number;
  waitedMs: number;
}

/** Called for each answered question. */
export type AnswerObserver = (answered: AnsweredQuestion) => void;

export interface PoolState {
  workers: number;
  /** Number of questions that may run at once, that run, that wait, and that may wait. */
  parallel: number;
  running: number;
  waiting: number;
  waitingMax: number;
  /** Whether questions are refused to keep the wait short. */
  shedding: boolean;
  /** Number of questions refused since the start. */
  refused: number;
}

export interface IndexState {
  generation: number;
  documents: number;
  passages: number;
  segments: number;
  /** Bytes of segments and their indexes. */
  bytes: number;
}
