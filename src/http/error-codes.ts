/**
 * The codes in `X-Error-Code` of error answers, with meaning and remedy. The OpenAPI document, its page and
 * docs/errors.md repeat this table.
 */
import { ERROR_STATUS, type ErrorCode } from '../errors.js';

export interface CodeHelp {
  means: string;
  /** The remedy for the caller or for the operator of the server. */
  solve: string;
}

export const ERROR_HELP = {
  bad_request: {
    means: 'the request is not valid HTTP/1.1, its method is unknown, or it ended before it was whole',
    solve: 'send it with a current HTTP client; check proxies in between',
  },
  bad_json: {
    means: 'the body is not JSON in UTF-8',
    solve: 'send one JSON object; `detail` says where it breaks off',
  },
  bad_date: {
    means: 'a date is not a real day written YYYY-MM-DD',
    solve: 'correct the field that `detail` names',
  },
  bad_classification: {
    means: 'a text is not the beginning of an IPC or CPC code',
    solve: 'write section, class, subclass, group, subgroup as far as wanted: H01M, H01M10, H01M 10/05',
  },
  bad_applicant_match: {
    means: '`applicant_match` is unknown',
    solve: 'send contains, prefix or exact',
  },
  bad_drawing_extension: {
    means: 'the name of a drawing does not have the extension of an image',
    solve: 'ask for a name that an answer showed: .webp, .jpg, .jpeg or .png',
  },
  unauthorized: {
    means:
      'the API key is missing or unknown; at /mcp, a token is not valid; in the administration, its secret or session; ' +
      'on the web page, the password or the session',
    solve:
      'send the key in X-API-Key as it is; of the administration, Authorization: Bearer; on the web page, sign in again',
  },
  key_deactivated: {
    means: 'the API key was revoked',
    solve: 'use another key, or ask the operator for one',
  },
  forbidden: {
    means:
      'a request with a session comes from no page of this server, or visitors have to sign in; at /mcp, a page or a host ' +
      'name is not allowed, or a token lacks a scope',
    solve:
      'send the header X-Priorart-Page from a page of this server, or use an API key; in the administration, ' +
      'X-Priorart-Admin, or use the secret; at /mcp, see ' +
      '--cors-origins, --mcp-hosts and --oauth-scope',
  },
  link_invalid: {
    means: 'the link to an image has expired or was changed',
    solve: 'ask the drawings endpoint for a new one',
  },
  not_found: {
    means: 'there is no such endpoint, drawing, account or key',
    solve: 'compare the path with the reference; take names from answers',
  },
  method_not_allowed: {
    means: 'the endpoint is there for other methods',
    solve: 'use one of those in Allow',
  },
  request_timeout: {
    means: 'the request took too long to arrive',
    solve: 'send it in one go, over a better connection',
  },
  name_taken: {
    means: 'another account has the name',
    solve: 'choose another name, or rename the account that `detail` names',
  },
  body_too_large: {
    means: 'the body is larger than a mebibyte',
    solve: 'send less; ask for documents in several calls',
  },
  uri_too_long: {
    means: 'path and query string are too long',
    solve: 'shorten them; searches travel in the body',
  },
  unsupported_media_type: {
    means: 'the body is not declared as JSON in UTF-8, or is compressed',
    solve: 'send Content-Type: application/json and the body as it is',
  },
  range_not_satisfiable: {
    means: 'the range begins behind the end of the image',
    solve: 'ask for bytes below the length in Content-Range',
  },
  invalid_request: {
    means: 'a field is missing, unknown, of the wrong type or out of range',
    solve: 'correct the field that `detail` names; it says what is expected',
  },
  rate_limited: {
    means: 'too many calls within a minute, or too many sign-ins at the same time',
    solve: 'wait for Retry-After; spread calls over time',
  },
  quota_exceeded: {
    means: "the account's searches of this month are used up",
    solve: 'wait for Retry-After, or ask the operator for a larger plan',
  },
  head_too_large: {
    means: 'the header fields are too large',
    solve: 'send fewer and shorter ones; cookies are not needed',
  },
  internal: {
    means: 'an unexpected error of the server',
    solve:
      'try again with growing pauses; tell the operator the X-Request-Id, which the log has with the cause',
  },
  embedding_failed: {
    means: 'the model did not turn the query into a vector',
    solve: 'try again with growing pauses; the operator finds the cause in the log',
  },
  overloaded: {
    means: 'more is asked than can be answered in time',
    solve: 'wait for Retry-After; the operator may add workers or servers',
  },
  unavailable: {
    means: 'a part of the service cannot be reached: keys, counters, index or storage',
    solve: 'wait for Retry-After; the operator finds the cause at /readyz and in the log',
  },
  maintenance: {
    means: 'the operator has stopped all calls for a while',
    solve: 'wait for Retry-After; the operator ends it with `priorart maintenance off` or in the dashboard',
  },
  cancelled: {
    means: 'the server cut the work off, as a rule because it shuts down',
    solve: 'try again; another server may answer',
  },
  no_data: {
    means: 'there is no index: no patents were ever ingested',
    solve: 'the operator ingests some: `priorart ingest`',
  },
  not_ready: {
    means: 'a health endpoint says that calls cannot be answered now',
    solve: '`detail` says what is missing',
  },
} as const satisfies Partial<Record<ErrorCode, CodeHelp>>;

export type ShownCode = keyof typeof ERROR_HELP;

export const SHOWN_CODES = Object.keys(ERROR_HELP) as ShownCode[];

/**
 * The code for clients: `invalid_request` for an error in the request, `internal` for a fault in the server.
 */
export function shownCode(code: ErrorCode): ShownCode {
  if (Object.hasOwn(ERROR_HELP, code)) return code as ShownCode;
  return ERROR_STATUS[code] === statusOf('invalid_request') ? 'invalid_request' : 'internal';
}

/**
 * The status of a code. `cancelled` is 503: if the client is still connected, the server interrupted the
 * work.
 */
export function statusOf(code: ShownCode): number {
  return code === 'cancelled' ? 503 : ERROR_STATUS[code];
}
