/**
 * Every limit and default of the service, once. The validator, the OpenAPI document, the server and the
 * tests read them here.
 */

/** Characters of a query after trimming. */
export const QUERY_MAX_CHARS = 10_000;
export const TOP_K = { min: 1, max: 100, default: 10 } as const;
export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;
export const MAX_RESULTS = { min: 1, max: 10_000, default: 10_000 } as const;
export const MIN_SCORE = { min: 0, max: 1, default: 0.5 } as const;
export const DETAILS_MAX_IDS = 200;
export const TOP_LIST = 20;
/** Passages shown with a result. */
export const CHUNKS_PER_RESULT = 5;
/** Entries of a list filter (kind_codes, ipc_codes, …) and characters of one entry. */
export const FILTER_MAX_ENTRIES = 1_000;
export const FILTER_MAX_CHARS = 500;

/**
 * Where the best similarity_score of an answer is below this, the command line says that nothing seems to be about
 * the question.
 */
export const UNRELATED_BELOW = 0.35;

/**
 * Documents that a reranker scores, the nearest ones, whatever top_k is: so the answer for a small top_k is the
 * beginning of the answer for a large one. Late interaction is cheap and finds more of what is relevant in 200 than in
 * 100; a cross-encoder computes seconds for as many.
 */
export const RERANK_DEPTH = { lateInteraction: 200, crossEncoder: 50 } as const;

/**
 * Of the documents that a reranker scores, how many an approximate plan finds as surely as it finds the best ten. The
 * others may be missing more often: few of them rise that far.
 */
export const RERANK_SURE = 50;

/**
 * Share of the searches by an approximate plan that a server repeats exactly, behind their backs, to tell its recall;
 * how many of the best documents are looked at; and how many passages are scanned for that at most.
 */
export const RECALL_CHECK = { share: 0.002, places: 10, mostPassages: 8_000_000 } as const;

/** What is left of a search's deadline for the answer when the reranker has to stop, ms. */
export const RERANK_RESERVE_MS = 250;

/** First pages of semantic-analytics whose later pages are served from the same state, and for how long, ms. */
export const RANKINGS_KEPT = 128;
export const RANKING_KEPT_MS = 5 * 60_000;
/** States of the documents that a process pins for them. */
export const PINNED_STATES_MAX = 16;
/** How long the coverage document is given out without a look whether anything was committed, ms. */
export const COVERAGE_CHECK_MS = 1_000;
/** How long clients may keep the coverage document, s. */
export const COVERAGE_MAX_AGE_S = 3_600;

export const BODY_MAX_BYTES = 1 << 20;
/** Objects and lists within each other in a body; no request needs more than three. */
export const JSON_MAX_DEPTH = 32;
/** Calls of one key, and calls without a key of one client address, in any 60 seconds. */
export const RATE_LIMIT_PER_MINUTE = 60;
export const PUBLIC_RATE_LIMIT_PER_MINUTE = 600;
export const RATE_LIMIT_MAX = 1_000_000_000;
/** Client addresses whose calls are counted; of more, the quietest is forgotten. */
export const PUBLIC_ADDRESSES_MAX = 16_384;
/** Keys that a server keeps decoded between changes of the access store. */
export const RECORDS_REMEMBERED_MAX = 4_096;

/** Searches a month, by plan; of an Enterprise account where its number is not given. */
export const PLAN_QUOTA = { free: 30, basic: 300, pro: 1_000, enterprise: 1_000_000 } as const;
export const QUOTA_MAX = 1_000_000_000;
/** How long the reservations of a process count that gives no sign of life, ms. */
export const QUOTA_LEASE_MS = 10_000;
/** How often what is counted is made durable, and the log of requests written, ms. */
export const ACCESS_FLUSH_MS = 250;
/** How long a call waits for a lock of the access store that another process holds, and how often it is tried, ms. */
export const LOCK_WAIT_MS = 1_000;
export const LOCK_RETRY_MS = 1;
/** Changed pages that may wait in the log of the counters' file, each of 1 KB. */
export const COUNTERS_WAL_FRAMES = 32_768;

/** Of the log of requests: days, and megabytes of all keys together. */
export const REQUEST_LOG_DAYS = { min: 1, max: 3_650, default: 30 } as const;
export const REQUEST_LOG_MB = { min: 1, max: 1_000_000, default: 256 } as const;
/** Lines that may wait to be written; what comes on top is dropped and counted. */
export const REQUEST_LOG_WAITING = 100_000;
/** Days that usage counters are kept. */
export const USAGE_DAYS = 400;
/** Lines that are too old are removed at least this often, ms. */
export const REQUEST_LOG_PRUNE_MS = 3_600_000;
/** Lines of a page of logs. */
export const LOG_PAGE = { min: 1, max: 1_000, default: 100 } as const;
/** Characters of a path that the program's log shows. */
export const LOG_PATH_MAX_CHARS = 200;
/** Characters of a query that is kept in the log of requests. */
export const LOG_QUERY_MAX_CHARS = 1_000;

/** Environments of an account, active keys of an account, characters of names. */
export const ENVIRONMENTS_MAX = 50;
export const KEYS_PER_ACCOUNT_MAX = 1_000;
export const ACCESS_NAME_MAX_CHARS = 200;
/** What a client is told to wait during maintenance, s, where the operator says nothing else. */
export const MAINTENANCE_RETRY_S = { min: 1, max: 86_400, default: 120 } as const;

/** How long an administrator stays signed in, s. */
export const ADMIN_SESSION_S = 8 * 3600;
/** Sessions that were signed out and would still last; above these all that are open are ended. */
export const ADMIN_ENDED_SESSIONS_MAX = 1_000;
/** Characters of the administrator's secret: of random letters and digits, 95 bits. */
export const ADMIN_SECRET_MIN_CHARS = 16;
/** Wrong secrets a minute that cost a client address nothing; how long it waits after one more, and at most, ms. */
export const ADMIN_PAUSE = { free: 5, firstMs: 125, longestMs: 2_000 } as const;
/** Addresses whose wrong secrets are kept. */
export const ADMIN_ATTEMPT_ADDRESSES = 1_024;
export const PORT_DEFAULT = 8080;
export const HOST_DEFAULT = '127.0.0.1';
/** Requests that may wait for a worker before the server answers 503, per worker. */
export const QUEUE_PER_WORKER = 64;
export const QUEUE_PER_WORKER_MAX = 100_000;
/** Most requests that one worker has in flight, whatever its models ask for. */
export const CONCURRENCY_MAX = 64;
export const WORKERS_MAX = 1024;
/** Bytes of a models.json. */
export const MODELS_FILE_MAX_BYTES = 1 << 20;

/** Longest a search may take before its work is cancelled, ms. */
export const REQUEST_DEADLINE_MS = 30_000;

/** Longest a client may take to send a request's body, ms. Below the 10 s after which uWebSockets.js hangs up without a word. */
export const BODY_TIMEOUT_MS = 8_000;
/** Bytes of a body that is too large that are still read, so that the client gets to see the 413. */
export const BODY_DRAIN_MAX_BYTES = 16 << 20;
/** Longest that a client may take to receive an answer, ms. */
export const WRITE_TIMEOUT_MS = 60_000;
/** Characters of a path with its query string; longer ones are answered 414. */
export const URL_MAX_CHARS = 8_192;
/**
 * How long a client that has ended its side of a connection is waited for, ms: it may want its answer, or have gone.
 * Nothing tells the two apart before something is sent.
 */
export const HALF_CLOSED_MS = 2_000;
/** Open connections; each takes a file descriptor, and some kilobytes. */
export const CONNECTIONS_MAX = { min: 1, max: 1_000_000, default: 16_384 } as const;
/** Proxies in a row that can be trusted by their number. */
export const TRUSTED_HOPS_MAX = 10;
/** How long a browser may keep the answer to a preflight, s. */
export const CORS_MAX_AGE_S = 600;
/** Bytes of an answer from which it is compressed where the client takes it. */
export const COMPRESS_FROM_BYTES = 4_096;
/** Answers that are compressed at once: as many as libuv has threads. */
export const COMPRESSIONS_AT_ONCE = 4;
/** Log lines: bytes after which they are written, how long they may be kept back, and bytes that may wait. */
export const LOG_BUFFER = { writeBytes: 32 << 10, flushMs: 200, maxBytes: 16 << 20 } as const;
/** Bytes of a settings file. */
export const SETTINGS_FILE_MAX_BYTES = 1 << 16;
/** Files that the program has to be able to open, connections not counted. */
export const FILE_DESCRIPTORS_MIN = 192;
/** How long requests that are running at shutdown may go on, ms. */
export const SHUTDOWN_GRACE_MS = 10_000;

/** Share of the memory that the workers' copies of ONNX models may take without a warning. */
export const MODEL_COPIES_SHARE = 0.5;
/** Threads of one ONNX session that a configuration may ask for. */
export const ONNX_THREADS_MAX = 256;
/** Tokens of a text that an ONNX model may be configured for. */
export const ONNX_TOKENS_MAX = 131_072;
/**
 * Tokens of one run of an ONNX graph, padding included. Bounds its memory, and how long a worker is deaf: the
 * runtime computes on the calling thread.
 */
export const ONNX_BATCH_TOKENS = { min: 8, max: 1 << 20, default: 4096 } as const;
/** How long one run of a graph should take, ms, by the speed of those before; and the tokens of the first one. */
export const ONNX_RUN_MS = 250;
export const ONNX_FIRST_RUN_TOKENS = 512;
/** Waiting rows among which a run looks for those of its length. */
export const ONNX_LOOKAHEAD = 256;
/** Requests that a worker with an ONNX model should have in flight: their texts are computed together. */
export const ONNX_CONCURRENCY = 8;
/** Rows of one run; more of them gain nothing on a CPU. */
export const ONNX_BATCH_ROWS = 64;
/**
 * Tokens of a window where the configuration names none. Attention takes memory by the square: 16 heads over 2,048
 * tokens make 268 MB a layer, over the 32,768 that some models allow 69 GB.
 */
export const ONNX_WINDOW_TOKENS = 2048;
/** Characters of one text that an ONNX embedder takes: some thousand windows. */
export const ONNX_TEXT_MAX_CHARS = 4 << 20;
/** Characters of a title in a model's template; what is beyond says nothing more of the invention. */
export const ONNX_TITLE_MAX_CHARS = 300;

/** Waiting pairs among which a run looks for like lengths: few, since documents are wanted in their order. */
export const CROSS_ENCODER_LOOKAHEAD = 16;
/** Passages of a document that a cross-encoder looks at, beside title and abstract. */
export const CROSS_ENCODER_PASSAGES = { min: 0, max: 5, default: 1 } as const;
/** How long a cross-encoder may work on a question before the rest keeps its order, ms. */
export const CROSS_ENCODER_DEADLINE_MS = { min: 10, max: 600_000, default: 10_000 } as const;

/** Resamples and seed of the confidence intervals of measures. */
export const BOOTSTRAP = { resamples: 1000, seed: 1 } as const;
/** Places of a ranking that measures look at: what a search can answer at most. */
export const EVAL_DEPTH = TOP_K.max;
/** Bytes of a file of questions, judgements or pairs. */
export const EVAL_FILE_MAX_BYTES = 256 << 20;
/**
 * Pairs that a calibration needs; the grade of judgement from which a document is clearly relevant; digits that a
 * midpoint is given in where these tell enough; bounds of the slope, below which scores crowd around 0.5 and above
 * which they are all near 0 or 1; and the irrelevant documents of each question that the slope is fitted to.
 */
export const CALIBRATION = {
  relevantMin: 100,
  irrelevantMin: 1_000,
  clearGrade: 2,
  midpointDigits: 4,
  slopeMin: 4,
  slopeMax: 40,
  nearest: 50,
} as const;
/** Bytes of a line that `priorart embed` takes, and lines that it embeds at a time. */
export const EMBED_LINE_MAX_BYTES = 1 << 20;
export const EMBED_BATCH = { lines: 64, chars: 1 << 20 } as const;

/**
 * Characters of text in one document. It has to be in memory as a whole: at this size an ingest takes about 1 GB. A
 * hundred times the longest that people write; only printed sequence listings and tables of data come near.
 */
export const DOCUMENT_MAX_CHARS = 32_000_000;
/** Bytes of tables that are joined in memory, a folder at a time. */
export const JOINED_TABLES_MAX_BYTES = 1_000_000_000;
/** Characters of one row of a table (CSV): longer than any real one, full text included. */
export const TABLE_RECORD_MAX_CHARS = 16_000_000;

/** Pixels of an image that is converted: an A4 page at 600 dpi has 35 million. About 10 bytes of memory each. */
export const DRAWING_MAX_PIXELS = 40_000_000;
export const DRAWING_MAX_BYTES = 50_000_000;
/** Longest that decoding and encoding one image may take, s. */
export const DRAWING_TIMEOUT_S = 30;
/** Longer side of a thumbnail, pixels. */
export const DRAWING_THUMBNAIL_SIDE = 320;
export const DRAWING_NAME_MAX_CHARS = 128;
/** Bytes of images that wait during an ingest for a publication that names them. */
export const DRAWING_WAITING_BYTES = 64 << 20;
/** How long a link to an image works, s. */
export const DRAWING_LINK_SECONDS = { min: 1, max: 3_600, default: 300 } as const;
/** Characters of the secret that links are signed with. */
export const DRAWING_SECRET_MIN_CHARS = 32;
/** Requests to a bucket: how many at once, how often each is tried, how long one may take, ms. */
export const S3_REQUESTS = { concurrency: 8, attempts: 4, backoffMs: 250, timeoutMs: 60_000 } as const;
/** Images that `drawings push` could not upload and names in its summary; all are counted. */
export const PUSH_FAILURES_LISTED = 20;
/** Names of missing figures in the summary of an ingest; all are counted. */
export const DRAWINGS_MISSING_LISTED = 20;
/** Files of drawings that nothing refers to are leftovers from this age on, ms; younger ones may be somebody's work. */
export const DRAWING_LEFTOVER_AGE_MS = 10 * 60_000;

/** What is asked of an embedding server, and awaited from it. */
export const HTTP_EMBEDDER = {
  dimensionsMax: 8192,
  windowChars: { min: 100, max: 100_000, default: 2_000 },
  batchTexts: { min: 1, max: 2_048, default: 32 },
  batchChars: { min: 100, max: 10_000_000, default: 64_000 },
  concurrency: { min: 1, max: 32, default: 4 },
  timeoutMs: { min: 100, max: 600_000, default: 30_000 },
  /** Searches and batches of an ingest that a worker has in flight for each request to the server. */
  requestsPerBatch: 2,
  /** Tries of one request, and the waits between them: exponential from the first, at most the second, ms. */
  attempts: 5,
  backoffMs: 250,
  backoffMaxMs: 8_000,
  /** A server that asks for a longer pause is taken to be down, ms. */
  retryAfterMaxMs: 60_000,
  /** Bytes of an answer: so many a number, and besides. */
  bytesPerNumber: 32,
  answerOverheadBytes: 1 << 20,
  /** Bytes of a refusal that are read, and characters of it that are shown. */
  refusalBytes: 64 << 10,
  refusalChars: 300,
} as const;
