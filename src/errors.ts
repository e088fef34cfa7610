/**
 * Every error that the program raises on purpose: code → HTTP status. A code is stable: programs may compare
 * it. A message is for people and says what was wrong, what was expected and what to do.
 */
export const ERROR_STATUS = {
  // The request
  bad_request: 400,
  bad_json: 400,
  bad_date: 400,
  bad_classification: 400,
  bad_applicant_match: 400,
  bad_drawing_extension: 400,
  unauthorized: 401,
  key_deactivated: 403,
  forbidden: 403,
  link_invalid: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  name_taken: 409,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_request: 422,
  rate_limited: 429,
  quota_exceeded: 429,
  head_too_large: 431,
  cancelled: 499,
  internal: 500,
  embedding_failed: 500,
  overloaded: 503,
  unavailable: 503,
  maintenance: 503,
  not_ready: 503,
  // The data folder
  no_data: 503,
  data_version: 500,
  model_mismatch: 500,
  data_corrupt: 500,
  disk_full: 500,
  read_only: 500,
  unknown_index_kind: 422,
  // The installation
  addon_missing: 500,
  invalid_models: 422,
  model_missing: 500,
  model_damaged: 500,
  cannot_listen: 500,
  invalid_tls: 500,
  // Measuring
  calibration_failed: 500,
  // The command line
  usage: 422,
} as const;

/** Stable code of an error. */
export type ErrorCode = keyof typeof ERROR_STATUS;

export interface PriorartErrorOptions {
  cause?: unknown;
  /** Message for the command line, if users of the command line have to act differently from programs. */
  inCommand?: string;
  /** Seconds until a retry can succeed. */
  retryAfter?: number;
}

/** The only error class of the public interface. */
export class PriorartError extends Error {
  /** `PriorartError`, also across copies of the package. */
  override readonly name = 'PriorartError';
  /** Stable code, for comparisons. */
  readonly code: ErrorCode;
  /** HTTP status of the server's answer. */
  readonly status: number;
  /** Seconds until a retry can succeed. */
  readonly retryAfter?: number;
  /** Message for the command line, if it differs from `message`. */
  readonly inCommand?: string;

  constructor(code: ErrorCode, message: string, options: PriorartErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ERROR_STATUS[code];
    if (options.inCommand !== undefined) this.inCommand = options.inCommand;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

/**
 * Whether a caught value is a PriorartError. Recognises errors of another copy of the package, and those that ended a
 * worker thread. A structured clone, such as that of `postMessage`, is a plain Error without the code.
 */
export function isPriorartError(value: unknown): value is PriorartError {
  return value instanceof Error && value.name === 'PriorartError' && 'code' in value;
}

/** What a code of the operating system says of a file. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EISDIR: 'is a folder',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
};

/**
 * Says why a file was not read, as the end of a sentence that names it: `does not exist`.
 * @param cause the error of the operating system
 */
export function whyUnreadable(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return UNREADABLE[code ?? ''] ?? `cannot be read (${code ?? message})`;
}
