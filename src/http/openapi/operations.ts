/** What the document says of each endpoint: a row for each, beside the schemas. */
import { ADMIN_OPERATIONS } from './admin-operations.js';
import {
  type Answer,
  type Codes,
  errorAnswer as error,
  type Operation,
  type Parameter,
} from './operation.js';

const LIMITS = ['RateLimit-Policy', 'RateLimit'];
const TOO_MANY = error(['rate_limited'], 'Too many requests in a minute', ...LIMITS, 'Retry-After');
/** Of endpoints without a key. */
const TOO_MANY_OF_ADDRESS = error(
  {
    rate_limited: 'more than 600 requests within a minute with this client address; try again in 17 s',
  },
  'Too many requests in a minute',
  ...LIMITS,
  'Retry-After',
);
const INTERNAL = error(['internal'], 'Unexpected error of the server; X-Request-Id names it in the log');
const UNAVAILABLE = error(
  ['maintenance', 'unavailable'],
  'Maintenance, or a part of the service is down',
  'Retry-After',
);
const BUSY = error(
  ['maintenance', 'overloaded', 'unavailable', 'no_data', 'cancelled'],
  'Maintenance, overload, or a part of the service is down',
  'Retry-After',
);
const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags that the client has; 304 where one is current',
  schema: { type: 'string' },
};

/** Errors of an endpoint that takes a body and a key. @param invalid a `detail` of 422 */
const bodyErrors = (malformed: Codes, invalid: string): Operation['answers'] => ({
  400: error(
    malformed,
    'The body is malformed: no JSON, or a text in it that is none of its kind',
    ...LIMITS,
  ),
  401: error(['unauthorized'], 'X-API-Key is missing or unknown', ...LIMITS, 'WWW-Authenticate'),
  403: error(['key_deactivated'], 'The key is deactivated', ...LIMITS),
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
/** @param day a `detail` of a date that is none */
const searchErrors = (day: string, invalid: string): Operation['answers'] => ({
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

const NOT_CHANGED: Answer = { description: 'The client has it already', headers: ['ETag', 'Cache-Control'] };

/** A name with one of the four extensions, in any case. */
const IMAGE_NAME = '[.]([wW][eE][bB][pP]|[jJ][pP][eE]?[gG]|[pP][nN][gG])$';

export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/search/semantic',
    id: 'searchSemantic',
    tag: 'Search',
    summary: 'Ranked patents with matched passages',
    description:
      'Finds the patents nearest in meaning to a query in Korean, English, Japanese or Chinese. Ordered by ' +
      'rerank_score, then similarity_score, then patent_id. Counts against the monthly quota when answered 200.',
    key: true,
    body: 'SemanticRequest',
    answers: {
      200: { description: 'The patents found', content: 'SearchResponse', headers: LIMITS },
      ...searchErrors(
        'filing_date_from: invalid date "2021-02-29"; expected YYYY-MM-DD',
        'top_k: got 500; expected an integer from 1 to 100',
      ),
    },
  },
  {
    method: 'post',
    path: '/api/v1/search/semantic-analytics',
    id: 'searchSemanticAnalytics',
    tag: 'Search',
    summary: 'Statistics over all patents similar enough, and a page of them',
    description:
      'Counts the patents whose best passage has at least min_score. Ordered by similarity_score, then ' +
      'publication_date (newest first), then patent_id. Pages after the first of one query are of the state that the ' +
      'first one saw, for some minutes. Counts against the monthly quota when answered 200.',
    key: true,
    body: 'AnalyticsRequest',
    answers: {
      200: { description: 'Statistics and a page', content: 'AnalyticsResponse', headers: LIMITS },
      ...searchErrors(
        'date_range.from: invalid date "2021-02-29"; expected YYYY-MM-DD',
        'min_score: got 2; expected a number from 0 to 1',
      ),
    },
  },
  {
    method: 'post',
    path: '/api/v1/patents/details',
    id: 'patentDetails',
    tag: 'Documents',
    summary: 'Whole documents by number',
    description:
      'Markdown and metadata of up to 200 publications. Numbers are taken in any spelling; one entry for each, in ' +
      'request order, also for those that are not found. Not counted against the quota.',
    key: true,
    body: 'DetailsRequest',
    answers: {
      200: {
        description: 'An entry for each requested id',
        content: 'DetailsResponse',
        headers: ['ETag', 'Cache-Control', ...LIMITS],
      },
      ...bodyErrors(
        ['bad_json', 'bad_request'],
        'patent_ids: missing; expected a list of 1 to 200 publication numbers',
      ),
    },
  },
  {
    method: 'get',
    path: '/api/v1/drawings/{publication_id}/{filename}',
    id: 'drawing',
    tag: 'Documents',
    summary: 'A drawing',
    description:
      'Redirects to the image, under a link that is another one each time and works for some minutes. Keep images ' +
      'by publication_id and filename, not by the link.',
    parameters: [
      {
        name: 'publication_id',
        in: 'path',
        description: 'patent_id of an answer',
        schema: { type: 'string', minLength: 1 },
        required: true,
      },
      {
        name: 'filename',
        in: 'path',
        description:
          'representative_figure of an answer; the images in the markdown of a document are whole links',
        schema: { type: 'string', pattern: IMAGE_NAME },
        required: true,
      },
    ],
    answers: {
      302: { description: 'Where the image is now', headers: ['Location', 'Cache-Control', ...LIMITS] },
      400: error(
        ['bad_drawing_extension'],
        'The extension is not one of .webp, .jpg, .jpeg, .png',
        ...LIMITS,
      ),
      404: error({ not_found: 'there is no such drawing' }, 'There is no such drawing', ...LIMITS),
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: UNAVAILABLE,
    },
  },
  {
    method: 'get',
    path: '/files/drawings/{file}',
    id: 'drawingFile',
    tag: 'Documents',
    summary: 'An image that a drawing redirected to',
    description: 'Serves drawings of the data folder; with a bucket, links lead there instead.',
    parameters: [
      {
        name: 'file',
        in: 'path',
        description: 'As in the link',
        schema: { type: 'string', minLength: 1 },
        required: true,
      },
      ...(['expires', 'nonce', 'signature'] as const).map(
        (name): Parameter => ({
          name,
          in: 'query',
          description: 'As in the link',
          schema: { type: 'string' },
        }),
      ),
      {
        name: 'Range',
        in: 'header',
        description: 'One range of bytes, such as bytes=0-1023',
        schema: { type: 'string' },
      },
    ],
    answers: {
      200: {
        description: 'The image',
        content: { type: 'image/webp' },
        headers: ['ETag', 'Cache-Control', 'Accept-Ranges', ...LIMITS],
      },
      206: {
        description: 'A part of the image',
        content: { type: 'image/webp' },
        headers: ['ETag', 'Cache-Control', 'Accept-Ranges', 'Content-Range', ...LIMITS],
      },
      304: NOT_CHANGED,
      403: error(['link_invalid'], 'The link is not valid, or has expired', ...LIMITS),
      404: error({ not_found: 'there is no such image' }, 'The image is gone', ...LIMITS),
      416: error(['range_not_satisfiable'], 'The range is beyond the image', 'Content-Range', ...LIMITS),
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: UNAVAILABLE,
    },
  },
  {
    method: 'get',
    path: '/api/v1/stats/coverage',
    id: 'coverage',
    tag: 'Index',
    summary: 'What the index holds',
    description:
      'Publications by country and kind, ranges of dates, languages, model. May be kept for an hour.',
    parameters: [IF_NONE_MATCH],
    answers: {
      200: {
        description: 'The coverage document',
        content: 'Coverage',
        headers: ['ETag', 'Cache-Control', ...LIMITS],
      },
      304: NOT_CHANGED,
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: error(
        ['maintenance', 'unavailable', 'overloaded', 'no_data'],
        'The coverage document is unavailable',
        'Retry-After',
      ),
    },
  },
  health('/livez', 'livez', 'Whether the process is up', false),
  health('/readyz', 'readyz', 'Whether requests can be answered; what is missing if not', true),
  health('/healthz', 'healthz', 'The same as /readyz', true),
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Service',
    summary: 'This document',
    description: 'OpenAPI 3.1.',
    parameters: [IF_NONE_MATCH],
    answers: {
      200: {
        description: 'The document',
        content: { type: 'application/json' },
        headers: ['ETag', 'Cache-Control'],
      },
      304: NOT_CHANGED,
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: UNAVAILABLE,
    },
  },
  {
    method: 'get',
    path: '/docs',
    id: 'docs',
    tag: 'Service',
    summary: 'This document as a page',
    description: 'With examples that can be sent from there. Loads nothing from elsewhere.',
    answers: {
      200: { description: 'The page', content: { type: 'text/html' }, headers: ['Cache-Control'] },
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: UNAVAILABLE,
    },
  },
  ...ADMIN_OPERATIONS,
];

function health(path: string, id: string, summary: string, canBeDown: boolean): Operation {
  const up: Operation['answers'] = { 200: { description: 'It is', content: 'Health' } };
  return {
    method: 'get',
    path,
    id,
    tag: 'Service',
    summary,
    description: 'Needs no key and has no limits.',
    answers: canBeDown ? { ...up, 503: error(['not_ready'], 'What is missing', 'Retry-After') } : up,
  };
}
