/** Answers and parameters of several operations. */
import {
  type Answer,
  type Codes,
  errorAnswer as error,
  type Operation,
  type Parameter,
} from './operation.js';

/** Headers of answers with limits. */
export const LIMITS = ['RateLimit-Policy', 'RateLimit'];
export const TOO_MANY = error(['rate_limited'], 'Too many requests in a minute', ...LIMITS, 'Retry-After');
/** 429 of endpoints without a key. */
export const TOO_MANY_OF_ADDRESS = error(
  {
    rate_limited: 'more than 600 requests within a minute with this client address; try again in 17 s',
  },
  'Too many requests in a minute',
  ...LIMITS,
  'Retry-After',
);
export const INTERNAL = error(
  ['internal'],
  'Unexpected error of the server; X-Request-Id names it in the log',
);
export const UNAVAILABLE = error(
  ['maintenance', 'unavailable'],
  'Maintenance, or a part of the service is down',
  'Retry-After',
);
export const BUSY = error(
  ['maintenance', 'overloaded', 'unavailable', 'no_data', 'cancelled'],
  'Maintenance, overload, or a part of the service is down',
  'Retry-After',
);
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags that the client has; 304 where one is current',
  schema: { type: 'string' },
};

/**
 * Errors of an endpoint with a body and a key.
 * @param invalid an example of `detail` for 422
 */
export const bodyErrors = (malformed: Codes, invalid: string): Operation['answers'] => ({
  400: error(malformed, 'The body is malformed: no JSON, or a text that is not of its kind', ...LIMITS),
  401: error(['unauthorized'], 'X-API-Key is missing or unknown', ...LIMITS, 'WWW-Authenticate'),
  403: error(['key_deactivated'], 'The key was revoked', ...LIMITS),
  408: error(['request_timeout'], 'The body did not arrive in time'),
  413: error(['body_too_large'], 'The body is too large', ...LIMITS),
  415: error(['unsupported_media_type'], 'The body is not application/json in UTF-8', ...LIMITS),
  422: error(
    { invalid_request: invalid },
    'A field is missing, unknown, of the wrong type or out of range',
    ...LIMITS,
  ),
  429: TOO_MANY,
  500: INTERNAL,
  503: BUSY,
});
/**
 * Errors of a search.
 * @param day an example of `detail` for an invalid date
 * @param invalid an example of `detail` for 422
 */
export const searchErrors = (day: string, invalid: string): Operation['answers'] => ({
  ...bodyErrors(
    {
      bad_json: undefined,
      bad_date: day,
      bad_classification: undefined,
      bad_applicant_match: undefined,
      bad_request: undefined,
    },
    invalid,
  ),
  429: error(
    ['rate_limited', 'quota_exceeded'],
    'Too many requests in a minute, or the monthly search quota is used up',
    ...LIMITS,
    'Retry-After',
  ),
  500: error(
    ['internal', 'embedding_failed'],
    'Unexpected error of the server, or the query could not be embedded',
  ),
});

export const NOT_CHANGED: Answer = {
  description: 'The client has it already',
  headers: ['ETag', 'Cache-Control'],
};
