/** Shared parts of the administration's OpenAPI operations. */
import {
  type Answer,
  type Examples,
  errorAnswer,
  type Operation,
  type Parameter,
} from '../../openapi/operation.js';
import type { SchemaName } from '../../openapi/schemas.js';

const UNAUTHORIZED = errorAnswer(
  {
    unauthorized: 'the administration needs the header Authorization: Bearer with its secret, or a session',
  },
  'Neither the secret nor a session',
  'WWW-Authenticate',
);
export const COMMON: Operation['answers'] = {
  429: errorAnswer(
    { rate_limited: "too many attempts at the administrator's secret at the same time; try again in 2 s" },
    'Later attempts of the client address took the place of this one, after wrong secrets',
    'Retry-After',
  ),
  500: errorAnswer(['internal'], 'Unexpected error of the server; X-Request-Id names it in the log'),
  503: errorAnswer(['unavailable'], 'The key store cannot be reached', 'Retry-After'),
};
const FORBIDDEN = errorAnswer(['forbidden'], 'A change by a session without X-Priorart-Admin');
export const CONTENT: Operation['answers'] = {
  400: errorAnswer(['bad_json', 'bad_request'], 'The body is not JSON'),
  408: errorAnswer(['request_timeout'], 'The body did not arrive in time'),
  413: errorAnswer(['body_too_large'], 'The body is too large'),
  415: errorAnswer(['unsupported_media_type'], 'The body is not application/json in UTF-8'),
};

/** The fields in which the operations differ. */
export interface AdminOperation {
  id: string;
  summary: string;
  description?: string;
  body?: SchemaName;
  answer: SchemaName;
  /** Answers 201 instead of 200. */
  created?: boolean;
  /** Changes data: a session needs a header for the request. */
  changes?: boolean;
  /** An example of `detail` for 422 and for 404, if the endpoint answers them. */
  invalid?: string;
  unknown?: string;
  /** The endpoint names an account: 409 if another account has the name. */
  names?: boolean;
  parameters?: readonly Parameter[];
  examples?: Examples;
}

export const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  schema: { type: 'string', minLength: 1 },
  required: true,
});
export const inQuery = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

/** The operation of an endpoint that needs the secret or a session. */
export function adminOperation(row: AdminOperation): Operation {
  const {
    id,
    summary,
    description,
    body,
    answer,
    created,
    changes,
    invalid,
    unknown,
    names,
    parameters,
    examples,
  } = row;
  const done: Answer = { description: created ? 'Made' : 'Done', content: answer };
  return {
    id: `admin${id[0]!.toUpperCase()}${id.slice(1)}`,
    tag: 'Administration',
    summary,
    description: description ?? 'For the operator of the server.',
    ...(body ? { body } : {}),
    ...(parameters ? { parameters } : {}),
    ...(examples ? { examples } : {}),
    answers: {
      [created ? 201 : 200]: done,
      ...(body ? CONTENT : {}),
      401: UNAUTHORIZED,
      ...(changes ? { 403: FORBIDDEN } : {}),
      ...(unknown ? { 404: errorAnswer({ not_found: unknown }, 'The id is unknown') } : {}),
      ...(names ? { 409: errorAnswer(['name_taken'], 'Another account has the name') } : {}),
      ...(invalid
        ? { 422: errorAnswer({ invalid_request: invalid }, 'A field is missing, unknown or out of range') }
        : {}),
      ...COMMON,
    },
  };
}
