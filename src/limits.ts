/**
 * Every limit and default of the service. The validator, the OpenAPI document, the server and the tests read
 * them here.
 */

/** Characters of a query after trimming. */
export const QUERY_MAX_CHARS = 10_000;
export const TOP_K = { min: 1, max: 100, default: 10 } as const;
export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;
export const MAX_RESULTS = { min: 1, max: 10_000, default: 10_000 } as const;
export const MIN_SCORE = { min: 0, max: 1, default: 0.5 } as const;
export const DETAILS_MAX_IDS = 200;
/** Publications of a family that an answer lists. A family_id of thousands of publications is no family. */
export const FAMILY_LISTED = 1_000;
export const TOP_LIST = 20;
/** Publications in `like`, and in `unlike`. */
export const LIKE_MAX = 20;
/** Characters that are read of each of these: title, abstract and first claim. */
export const LIKE_CHARS = 2_000;
/**
 * Pieces of words of their texts that a reranker reads if there is no question, of all publications together: as many as the
 * built-in one reads of a question (`QUERY_TOKENS` in native/core/src/late.rs).
 */
export const LIKE_RERANK_PIECES = 128;
/** Passages shown with a result. */
export const CHUNKS_PER_RESULT = 5;
/** Entries of a list filter (kind_codes, ipc_codes, …) and characters of one entry. */
export const FILTER_MAX_ENTRIES = 1_000;
export const FILTER_MAX_CHARS = 500;

/** Defaults of an index on a cluster of OpenSearch, and limits of its settings. */
export const OPENSEARCH = {
  index: 'priorart',
  knnEngine: 'faiss',
  ...{ shards: 1, shardsMax: 1_024 },
  ...{ replicas: 1, replicasMax: 32 },
  timeoutMs: 30_000,
} as const;

/** Entries of must_terms and must_not_terms, and characters of one entry. */
export const TERMS_MAX = 20;
export const TERM_MAX_CHARS = 200;

/** Below this best similarity_score, the command line says that nothing seems to be about the question. */
export const UNRELATED_BELOW = 0.35;
/**
 * A first result with at least this lexical score holds words of the question, so it may be about the question. The
 * translation of a question of one word has 0.25.
 */
export const WORDS_HELD_FROM = 0.2;

/**
 * Documents that a reranker scores: the nearest ones, for every top_k. The answer for a small top_k is
 * therefore the beginning of the answer for a large one. Late interaction is cheap and finds more relevant
 * documents in 200 than in 100. A cross-encoder needs seconds for 200 documents, so it scores 50.
 */
export const RERANK_DEPTH = { lateInteraction: 200, crossEncoder: 50 } as const;

/**
 * Late interaction scores all candidates by their nearest passage, and the best `documents` of them again by all
 * passages that a result shows. With five passages of each candidate, a search costs a tenth more, and finds the same;
 * so it does with 25 or 50 documents in the second round.
 */
export const RERANK_ROUNDS = { passages: 1, documents: 30 } as const;

/**
 * Documents with words of the question that become candidates beside those whose vectors are near. Of a short question, half as
 * many would lose .01 of recall@100; of others, nothing. With `balance`, each country or language has half as many.
 */
export const WORD_CANDIDATES = { short: 100, others: 50 } as const;

/** Places of words that `explain` lists for a result. */
export const MATCHES_MAX = 2_000;

/**
 * Of the documents that a reranker scores, how many an approximate plan finds with the same certainty as the
 * ten best. The documents after these may be missing more often; few of them are reranked into the answer.
 */
export const RERANK_SURE = 50;

/**
 * Measurement of recall on a server: the share of approximate searches that are repeated exactly in the
 * background, the number of best documents that are compared, and the most passages that are scanned for it.
 */
export const RECALL_CHECK = { share: 0.002, places: 10, mostPassages: 8_000_000 } as const;

/** Time before a search's deadline at which the reranker stops, ms. The remaining time is for the answer. */
export const RERANK_RESERVE_MS = 250;

/** Number of rankings of semantic-analytics that are kept for later pages, and how long each is kept, ms. */
export const RANKINGS_KEPT = 128;
export const RANKING_KEPT_MS = 5 * 60_000;
/** Snapshots of the store that a process keeps open for these rankings. All processes on a folder share 1,024 places for readers. */
export const PINNED_STATES_MAX = 64;
/** Time between two checks whether the coverage document is out of date, ms. */
export const COVERAGE_CHECK_MS = 1_000;
/** Time for which clients may cache the coverage document, s. */
export const COVERAGE_MAX_AGE_S = 3_600;

export const BODY_MAX_BYTES = 1 << 20;
/** Nesting depth of objects and lists in a body. Requests need three levels at most. */
export const JSON_MAX_DEPTH = 32;
/** Limits of calls in any 60 seconds: by key, and without a key by client address. */
export const RATE_LIMIT_PER_MINUTE = 60;
export const PUBLIC_RATE_LIMIT_PER_MINUTE = 600;
export const RATE_LIMIT_MAX = 1_000_000_000;
/** Client addresses whose calls are counted. If there are more, the address whose last call is the oldest is forgotten. */
export const PUBLIC_ADDRESSES_MAX = 16_384;
/** Keys that a server keeps decoded until the access store changes. */
export const RECORDS_REMEMBERED_MAX = 4_096;

/**
 * Searches a month, by plan. The value of `enterprise` is the default; an account may have a quota of its
 * own.
 */
export const PLAN_QUOTA = { free: 30, basic: 300, pro: 1_000, enterprise: 1_000_000 } as const;
export const QUOTA_MAX = 1_000_000_000;
/** Time after which the reservations of a process expire unless it renews them, ms. */
export const QUOTA_LEASE_MS = 10_000;
/** Accounts and quotas that several servers share on a cluster. */
export const SHARED = {
  /** Interval at which a server asks for changes of accounts and keys, ms. */
  pollMs: 1_000,
  /** Age from which what a server knows of accounts and keys is not used any more, ms. */
  staleMs: 10_000,
  /** Time after which a request to the shared store has failed, ms. */
  waitMs: 5_000,
  /** Attempts at a change that other servers prevent by changes of their own. */
  attempts: 100,
  /** Servers that the document of a quota remembers without a running search of theirs. */
  serversRemembered: 64,
  /** Changes after which a server reads all accounts instead of the changes. */
  changesRemembered: 100,
  /** Quotas that a server remembers without a running search. */
  quotasRemembered: 1_024,
} as const;
/** Interval at which counters are made durable and request logs are written, ms. */
export const ACCESS_FLUSH_MS = 250;
/**
 * How long a call waits for a lock of the access store that another process holds, and the interval between
 * tries, ms.
 */
export const LOCK_WAIT_MS = 1_000;
export const LOCK_RETRY_MS = 1;
/** Changed pages that the write-ahead log of the counters' file may hold, 1 KB each. */
export const COUNTERS_WAL_FRAMES = 32_768;

/** Retention of the request log: days, and megabytes of all keys together. */
export const REQUEST_LOG_DAYS = { min: 1, max: 3_650, default: 30 } as const;
export const REQUEST_LOG_MB = { min: 1, max: 1_000_000, default: 256 } as const;
/** Log lines that may wait to be written. Further lines are dropped and counted. */
export const REQUEST_LOG_WAITING = 100_000;
/** Log lines that are written together at most. To make many of them ready would hold up requests. */
export const REQUEST_LOG_BATCH = 2_000;
/** Days that usage counters are kept. */
export const USAGE_DAYS = 400;
/** Longest interval between removals of old log lines, ms. */
export const REQUEST_LOG_PRUNE_MS = 3_600_000;
/** Lines on a page of logs. */
export const LOG_PAGE = { min: 1, max: 1_000, default: 100 } as const;
/** Days of usage that an account may ask for in one call: a year, and the month before it. */
export const ACCOUNT_USAGE_DAYS_MAX = 400;
/** Lines of the request log that one call reads, of all keys together. */
export const LOG_LINES_READ = 20_000;
/** Characters of a path, or of a method, that the program's log shows. */
export const LOG_FIELD_MAX_CHARS = 200;
/** Characters of a query that the request log keeps. */
export const LOG_QUERY_MAX_CHARS = 1_000;

/** Environments of an account, active keys of an account, characters of a name. */
export const ENVIRONMENTS_MAX = 50;
export const KEYS_PER_ACCOUNT_MAX = 1_000;
/** Deactivated keys of an account that are kept. Those that were deactivated first are removed. */
export const DEACTIVATED_KEYS_MAX = 1_000;
export const ACCESS_NAME_MAX_CHARS = 200;
/** Retry-After during maintenance, s. The default holds unless the operator gives another value. */
export const MAINTENANCE_RETRY_S = { min: 1, max: 86_400, default: 120 } as const;

/** How long an administrator stays signed in, s. */
export const ADMIN_SESSION_S = 8 * 3600;
/** Sessions that were signed out before they expired. If there are more, all open sessions are ended. */
export const ADMIN_ENDED_SESSIONS_MAX = 1_000;
/** Characters of the administrator's secret. 16 random letters and digits have 95 bits. */
export const ADMIN_SECRET_MIN_CHARS = 16;
/**
 * Wrong secrets a minute that a client address may send without a delay; then the first delay and the longest
 * delay, ms.
 */
export const ADMIN_PAUSE = { free: 5, firstMs: 125, longestMs: 2_000 } as const;
/**
 * Attempts at the administrator's secret that have to wait, of a network: in their pauses at the same time, and those that
 * wait for it. The more at once, the sooner the right secret of a network that is flooded with wrong ones has its turn.
 */
export const ADMIN_TURNS = { atOnce: 4, waitingInLane: 1, waiting: 32, retryAfter: 2 } as const;
/** Client addresses, and accounts, whose wrong secrets are counted. */
export const ADMIN_ATTEMPT_ADDRESSES = 1_024;
/** How long an account stays signed in on the page, and a visitor's session lasts, s. */
export const ACCOUNT_SESSION_S = 12 * 3600;
/**
 * Sessions of an account that were signed out before they expired. If there are more, all sessions of the
 * account are ended.
 */
export const ACCOUNT_ENDED_SESSIONS_MAX = 1_000;
/** Characters of the password of an account. */
export const PASSWORD_CHARS = { min: 12, max: 1_000 } as const;
/** Passwords that are hashed at the same time, and those that may wait for it. libuv has four threads. */
export const PASSWORD_HASHES = { atOnce: 2, waiting: 64 } as const;
/** Wrong passwords a minute without a delay, for an account and for a network; then as ADMIN_PAUSE. */
export const PASSWORD_PAUSE = { free: 5, firstMs: 125, longestMs: 2_000 } as const;
/** Sign-ins of a network: at the same time, one at each account; those that may wait, for one account and in all. */
export const SIGN_IN_TURNS = { atOnce: 8, waitingInLane: 8, waiting: 16, retryAfter: 2 } as const;
export const PORT_DEFAULT = 8080;
export const HOST_DEFAULT = '127.0.0.1';
/** Requests that may wait for a worker before the server answers 503, per worker; more if they are quick (pool/queue.ts). */
export const QUEUE_PER_WORKER = 64;
export const QUEUE_PER_WORKER_MAX = 100_000;
/** Work that takes less than `ms`, as the median: as many times more may wait, at most `times`. */
export const QUEUE_QUICK = { ms: 8, times: 16 } as const;
/** Most requests that one worker has in flight. Models may ask for fewer. */
export const CONCURRENCY_MAX = 64;
/** Each worker is a thread with an engine of JavaScript of its own. A process with a thousand ended with V8's out-of-memory error on a machine with 24 GB. */
export const WORKERS_MAX = 256;
/** Bytes of a models.json. */
export const MODELS_FILE_MAX_BYTES = 1 << 20;

/** Longest time of a search before it is cancelled, ms. */
export const REQUEST_DEADLINE_MS = 30_000;

/**
 * Longest time in which a client may send a request's body, ms. Shorter than 10 s, after which uWebSockets.js
 * closes the connection without an answer.
 */
export const BODY_TIMEOUT_MS = 8_000;
/** Bytes that are still read of a body that is too large, so that the client receives the 413. */
export const BODY_DRAIN_MAX_BYTES = 16 << 20;
/** Longest time in which a client may receive an answer, ms. */
export const WRITE_TIMEOUT_MS = 60_000;
/** Characters of a path with its query string; longer ones are answered 414. */
export const URL_MAX_CHARS = 8_192;
/**
 * Time to wait for a client that has closed its side of a connection, ms. Until the server sends something,
 * it cannot tell whether the client still reads or has gone.
 */
export const HALF_CLOSED_MS = 2_000;
/** Open connections. Each takes a file descriptor and some kilobytes. */
export const CONNECTIONS_MAX = { min: 1, max: 1_000_000, default: 16_384 } as const;
/** Most trusted proxies in a row, if they are given by number. */
export const TRUSTED_HOPS_MAX = 10;
/** Time for which a browser may cache the answer to a preflight, s. */
export const CORS_MAX_AGE_S = 600;
/** Smallest answer that is compressed, bytes. The client must accept compression. */
export const COMPRESS_FROM_BYTES = 4_096;
/** Answers that are compressed at the same time. libuv has this number of threads. */
export const COMPRESSIONS_AT_ONCE = 4;
/**
 * Log buffer: bytes after which it is written, longest time before it is written, ms, and most bytes that may
 * wait.
 */
export const LOG_BUFFER = { writeBytes: 32 << 10, flushMs: 200, maxBytes: 16 << 20 } as const;
/** Bytes of a settings file. */
export const SETTINGS_FILE_MAX_BYTES = 1 << 16;
/** File descriptors that the program needs besides connections. */
export const FILE_DESCRIPTORS_MIN = 192;
/** How long running requests may continue at shutdown, ms. */
export const SHUTDOWN_GRACE_MS = 10_000;

/** Share of memory that the workers' copies of ONNX models may take. Above it, the program warns. */
export const MODEL_COPIES_SHARE = 0.5;
/** Most threads of one ONNX session. */
export const ONNX_THREADS_MAX = 256;
/** Most tokens of a text for an ONNX model. */
export const ONNX_TOKENS_MAX = 131_072;
/**
 * Tokens of one run of an ONNX graph, padding included. The limit bounds memory and the time in which a
 * worker does not respond: the runtime computes on the calling thread.
 */
export const ONNX_BATCH_TOKENS = { min: 8, max: 1 << 20, default: 4096 } as const;
/**
 * Target duration of one run of a graph, ms, estimated from the speed of earlier runs; and the tokens of the
 * first run.
 */
export const ONNX_RUN_MS = 250;
export const ONNX_FIRST_RUN_TOKENS = 512;
/** Waiting rows among which a run looks for rows of similar length. */
export const ONNX_LOOKAHEAD = 256;
/** Requests that a worker with an ONNX model has in flight. Their texts are computed together. */
export const ONNX_CONCURRENCY = 8;
/** Rows of one run. More rows are not faster on a CPU. */
export const ONNX_BATCH_ROWS = 64;
/**
 * Tokens of a window if the configuration names no number. Attention needs memory quadratic in the window: 16
 * heads over 2,048 tokens take 268 MB a layer; over 32,768, which some models allow, 69 GB.
 */
export const ONNX_WINDOW_TOKENS = 2048;
/** Characters of one text that an ONNX embedder accepts: some thousand windows. */
export const ONNX_TEXT_MAX_CHARS = 4 << 20;
/** Characters of a title in a model's template. The rest is cut off. */
export const ONNX_TITLE_MAX_CHARS = 300;

/**
 * Waiting pairs among which a run looks for pairs of similar length. Few, to score documents in their order.
 */
export const CROSS_ENCODER_LOOKAHEAD = 16;
/** Passages of a document that a cross-encoder reads, besides title and abstract. */
export const CROSS_ENCODER_PASSAGES = { min: 0, max: 5, default: 1 } as const;
/**
 * Time for which a cross-encoder may work on a question, ms. Documents it has not scored by then keep their
 * order.
 */
export const CROSS_ENCODER_DEADLINE_MS = { min: 10, max: 600_000, default: 10_000 } as const;

/** Number of resamples and seed of the confidence intervals of measures. */
export const BOOTSTRAP = { resamples: 1000, seed: 1 } as const;
/** Number of ranks that measures use: the most results of a search. */
export const EVAL_DEPTH = TOP_K.max;
/** Bytes of a file of questions, judgements or pairs. */
export const EVAL_FILE_MAX_BYTES = 256 << 20;
/**
 * Calibration: the relevant and irrelevant pairs it needs; the grade from which a document is clearly
 * relevant; the most digits of a midpoint; the bounds of the slope (below, scores crowd around 0.5; above,
 * all scores are near 0 or 1); and the irrelevant documents of each question to which the slope is fitted.
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
/** Bytes of a line of `priorart embed`; and lines and characters that it embeds at a time. */
export const EMBED_LINE_MAX_BYTES = 1 << 20;
export const EMBED_BATCH = { lines: 64, chars: 1 << 20 } as const;

/**
 * Characters of text in one document. The document is in memory as a whole: at this size, an ingest takes
 * about 1 GB. Documents that people write have a hundredth of it at most; only printed sequence listings and
 * tables of data come near.
 */
export const DOCUMENT_MAX_CHARS = 32_000_000;
/**
 * Characters of a number, and of the id of a family: LMDB limits keys to 1,978 bytes, and OpenSearch the ids of documents to
 * 512. The numbers of offices have 30 at most.
 */
export const KEY_MAX_CHARS = 128;
/** Bytes of tables of one folder that are joined in memory. */
export const JOINED_TABLES_MAX_BYTES = 1_000_000_000;
/** Characters of one row of a table (CSV). Real rows are shorter, full text included. */
export const TABLE_RECORD_MAX_CHARS = 16_000_000;
/**
 * Spreadsheets (.xlsx). Their texts and the sheet that is read are in memory: at these sizes, with about four times as many
 * bytes. `partBytes`: unpacked XML of all texts together, and of each sheet. `otherPartBytes`: each other part. `rowBytes`: XML
 * of one row or text. `tableChars`: characters of the table that a sheet gives. `rows`, `columns`: those of a sheet, as in Excel.
 */
export const SPREADSHEET = {
  partBytes: 256_000_000,
  otherPartBytes: 32_000_000,
  rowBytes: 8_000_000,
  tableChars: 1_000_000_000,
  rows: 1_048_576,
  columns: 16_384,
} as const;

/**
 * Pixels of an image to convert. An A4 page at 600 dpi has 35 million. Each pixel takes about 10 bytes of
 * memory.
 */
export const DRAWING_MAX_PIXELS = 40_000_000;
export const DRAWING_MAX_BYTES = 50_000_000;
/** Longest time to decode and encode one image, s. */
export const DRAWING_TIMEOUT_S = 30;
/** Longer side of a thumbnail, pixels. */
export const DRAWING_THUMBNAIL_SIDE = 320;
export const DRAWING_NAME_MAX_CHARS = 128;
/** Milliseconds after which the publications that an ingest has read are committed. */
export const INGEST_COMMIT_MS = 5_000;
/** Bytes of images that are kept during an ingest until a publication names them. */
export const DRAWING_WAITING_BYTES = 64 << 20;
/** Lifetime of a link to an image, s. */
export const DRAWING_LINK_SECONDS = { min: 1, max: 3_600, default: 300 } as const;
/** Characters of the secret that links are signed with. */
export const DRAWING_SECRET_MIN_CHARS = 32;
/**
 * Requests to a bucket: how many at the same time, attempts of each, first wait between attempts, longest
 * duration; both times in ms.
 */
export const S3_REQUESTS = { concurrency: 8, attempts: 4, backoffMs: 250, timeoutMs: 60_000 } as const;
/** Failed images that the summary of `drawings push` names; all are counted. */
export const PUSH_FAILURES_LISTED = 20;
/** Missing figures that the summary of an ingest names; all are counted. */
export const DRAWINGS_MISSING_LISTED = 20;
/**
 * Age from which files of drawings without a reference, and figures without a publication, are leftovers, ms. A running
 * ingest may still need younger ones.
 */
export const DRAWING_LEFTOVER_AGE_MS = 10 * 60_000;

/** Requests to an embedding server and limits of its answers. */
export const HTTP_EMBEDDER = {
  dimensionsMax: 8192,
  windowChars: { min: 100, max: 100_000, default: 2_000 },
  batchTexts: { min: 1, max: 2_048, default: 32 },
  batchChars: { min: 100, max: 10_000_000, default: 64_000 },
  concurrency: { min: 1, max: 32, default: 4 },
  timeoutMs: { min: 100, max: 600_000, default: 30_000 },
  /** Searches and batches of an ingest that a worker has in flight, for each request to the server. */
  requestsPerBatch: 2,
  /**
   * Attempts of one request, and the waits between them, ms: the first wait is doubled each time, up to the
   * second number.
   */
  attempts: 5,
  backoffMs: 250,
  backoffMaxMs: 8_000,
  /** A server that asks for a longer pause is treated as down, ms. */
  retryAfterMaxMs: 60_000,
  /** Largest answer: bytes for each number, plus overhead. */
  bytesPerNumber: 32,
  answerOverheadBytes: 1 << 20,
  /** Bytes of a refusal that are read, and characters of it that are shown. */
  refusalBytes: 64 << 10,
  refusalChars: 300,
} as const;

/** Tools of the MCP front end: estimated tokens of an answer, and those of `fetch`, which takes no number. */
export const MCP_TOKENS = { min: 500, max: 200_000, default: 10_000, fetch: 25_000 } as const;
/** Results of the tool `search`. */
export const MCP_SEARCH_RESULTS = 10;
/** Bytes of an image in an answer. A larger image is given as a link. */
export const MCP_IMAGE_MAX_BYTES = 3_000_000;
/** Bytes of a message of MCP over standard input. */
export const MCP_LINE_MAX_BYTES = 4 << 20;
/** Messages in a batch of the revision 2025-03-26. */
export const MCP_BATCH_MAX = 20;
/**
 * Open streams of the old SSE transport: of a key, of all keys of an account, and of a server. Each takes a connection and
 * some kilobytes.
 */
export const MCP_STREAMS = { perKey: 8, perAccount: 64, all: 512 } as const;
/**
 * Interval of comments on an idle stream, and of looks whether the keys of streams are active, ms. uWebSockets.js closes
 * connections that are silent for 10 s.
 */
export const MCP_STREAM_COMMENT_MS = 5_000;
/** Bytes that a stream's client may leave unread before its stream ends. */
export const STREAM_WAITING_MAX_BYTES = 8 << 20;
/**
 * Keys of an authorization server: longest fetch, time between fetches for unknown keys, time until the next fetch; ms.
 * Then bytes of the metadata that names them.
 */
export const OAUTH_JWKS = {
  timeoutMs: 5_000,
  cooldownMs: 30_000,
  maxAgeMs: 600_000,
  metadataBytes: 256 << 10,
} as const;
/** Difference of clocks that is allowed between this server and the authorization server, s. */
export const OAUTH_CLOCK_TOLERANCE_S = 5;
/** Characters of a token. A request head has 16 KiB. */
export const OAUTH_TOKEN_MAX_CHARS = 12_000;
/**
 * The embedded authorization server. Lifetimes in seconds: a request of a client until its person has agreed, a code,
 * an access token, a refresh token since its last use, a grant, a registered client that no account has agreed to, and a
 * refresh token after its use.
 */
export const OAUTH_LIFETIME_S = {
  interaction: 600,
  code: 60,
  accessToken: 3_600,
  refreshToken: 30 * 86_400,
  grant: 365 * 86_400,
  unusedClient: 3_600,
  usedToken: 86_400,
} as const;
/** Records of the embedded authorization server, by kind. A full kind refuses further ones until some expire. */
export const OAUTH_RECORDS_MAX: Readonly<Record<string, number>> = {
  Client: 10_000,
  Interaction: 20_000,
  AuthorizationCode: 20_000,
  Grant: 20_000,
  AccessToken: 200_000,
  RefreshToken: 500_000,
};
/** Records of a kind and a grant. The one that expires first gives way to a further one. */
export const OAUTH_RECORDS_PER_GRANT = 100;
/** Refresh tokens of a grant, those used within a day among them. One more use ends the grant. */
export const OAUTH_REFRESH_TOKENS_PER_GRANT = 300;
/** Grants of an account. The oldest is ended for a further one. */
export const OAUTH_GRANTS_PER_ACCOUNT = 100;
/** Changes that may wait for the thread that writes them. */
export const OAUTH_WRITES_WAITING = 1_000;
/** Interval at which expired records are removed, ms. */
export const OAUTH_SWEEP_MS = 600_000;
/** Time after which the keys that sign cookies are replaced, ms. The old key is accepted for as long again. */
export const OAUTH_KEY_MS = 30 * 86_400_000;
/** Bytes of a form or of a registration. */
export const OAUTH_BODY_MAX_BYTES = 32 << 10;
/** Registrations, and fetches of metadata documents, that a client address may cause in any 60 seconds. */
export const OAUTH_REGISTRATIONS_PER_MINUTE = 10;
export const OAUTH_FETCHES_PER_MINUTE = 20;
/** Sign-ins that a client address may begin in any 60 seconds. */
export const OAUTH_AUTHORIZATIONS_PER_MINUTE = 120;
/** A client's metadata: characters of its name and of an address, and number of addresses. */
export const OAUTH_CLIENT = { nameChars: 100, uriChars: 2_000, redirectUris: 20 } as const;
/** A client's metadata document: bytes, longest fetch (ms), fetches at the same time, time it is kept (s). */
export const OAUTH_DOCUMENT = {
  maxBytes: 5 << 10,
  timeoutMs: 5_000,
  atOnce: 8,
  keptMinS: 300,
  keptMaxS: 86_400,
} as const;
/** Bytes of an answer of a server that the local MCP process accepts. */
export const MCP_ANSWER_MAX_BYTES = 256 << 20;
