/** Observations of the program's work, for metrics. */

/** Measurements that a worker returns with an answer. */
export interface AnswerTrace {
  /** Stages by name, ms. */
  timings?: Readonly<Record<string, number>>;
  /** How each segment was scanned: `exact`, `ivf`, `hnsw`, `codes`, `none`. */
  scans?: readonly string[];
  /** Number of passages estimated by indexes, and of exact scores: of both rounds of a reranking. */
  passages?: {
    /** Estimated by indexes. */
    estimated: number;
    /** Scored exactly. */
    scored: number;
  };
  /** Number of index searches that were widened, and of segments whose index was given up. */
  replanned?: {
    /** Stages repeated with more candidates. */
    widened: number;
    /** Segments whose index was given up: all their codes, or all allowed passages, were read. */
    rescanned: number;
  };
  /** Results of recall checks on earlier searches of this worker. */
  recall?: RecallCount;
}

/** Results of recall checks, which repeat searches exactly. */
export interface RecallCount {
  /** Searches that were repeated. */
  checks: number;
  /** Number of checks that failed with an error. */
  failed: number;
  /** Number of documents among the exact best, and how many of them the searches found. */
  wanted: number;
  /** Of the wanted documents, those that were found. */
  found: number;
}

/** What is told of a question that was answered. */
export interface AnsweredQuestion extends AnswerTrace {
  /** `semantic`, `details`, … */
  kind: string;
  /** Time on the worker and time in the queue before, ms. */
  ms: number;
  /** Time in the queue, ms. */
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

/** Something of a file that could not be read. */
export interface IngestFailure {
  /** Position in the file. */
  position: string;
  /** Number of the publication, if it is known. */
  patent_id?: string;
  reason: string;
}

/** A file that was read completely, from the ledger. */
export interface IngestedFile {
  path: string;
  bytes: number;
  /** ISO times. */
  first_read: string;
  last_read: string;
  readings: number;
  formats: string[];
  /** Publications by outcome of the last reading. */
  ingested: number;
  updated: number;
  unchanged: number;
  skipped: number;
  failed: number;
  /** Start of the run that read it last, ISO; absent if an older version read it. */
  run?: string;
  /** The first failures of the last reading; absent if nothing failed. */
  failures?: IngestFailure[];
}

/** A file in a list of all files. */
export type ListedFile = Omit<IngestedFile, 'failures'>;

export interface IndexState {
  generation: number;
  documents: number;
  passages: number;
  segments: number;
  /** Bytes of segments and their indexes. */
  bytes: number;
}
