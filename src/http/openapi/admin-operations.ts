/** What the document says of the administration: a row for each endpoint. */
import { ADMIN } from '../routes/admin/answer.js';
import { type Answer, errorAnswer, type Operation, type Parameter } from './operation.js';
import type { SchemaName } from './schemas.js';

const UNAUTHORIZED = errorAnswer(
  {
    unauthorized: 'the administration needs the header Authorization: Bearer with its secret, or a session',
  },
  'Neither the secret nor a session',
  'WWW-Authenticate',
);
const COMMON: Operation['answers'] = {
  429: errorAnswer(
    { rate_limited: 'too many wrong secrets; try again later' },
    'Too many wrong secrets from this client address',
    'Retry-After',
  ),
  500: errorAnswer(['internal'], 'Unexpected error of the server; X-Request-Id names it in the log'),
  503: errorAnswer(['unavailable'], 'The key store cannot be reached', 'Retry-After'),
};
const FORBIDDEN = errorAnswer(['forbidden'], 'A change by a session without X-Priorart-Admin');
const CONTENT: Operation['answers'] = {
  400: errorAnswer(['bad_json', 'bad_request'], 'The body is not JSON'),
  408: errorAnswer(['request_timeout'], 'The body did not arrive in time'),
  413: errorAnswer(['body_too_large'], 'The body is too large'),
  415: errorAnswer(['unsupported_media_type'], 'The body is not application/json in UTF-8'),
};

interface Row {
  method: Operation['method'];
  path: string;
  id: string;
  summary: string;
  description?: string;
  body?: SchemaName;
  answer: SchemaName;
  created?: boolean;
  /** A `detail` of 422 and of 404, where the endpoint answers them. */
  invalid?: string;
  unknown?: string;
  parameters?: readonly Parameter[];
}

const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  schema: { type: 'string', minLength: 1 },
  required: true,
});
const inQuery = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
const ACCOUNT = inPath('account', 'Id of the account');
const KEY = inPath('key', 'Id of the key');
const TEXT = { type: 'string' };
const DAY = { type: 'string', format: 'date' };
const NO_ACCOUNT = 'there is no account "acc_none"';
const NO_KEY = 'there is no key "key_none"';

const ROWS: readonly Row[] = [
  {
    method: 'get',
    path: 'session',
    id: 'session',
    summary: 'The session of this request',
    answer: 'AdminSession',
    unknown: 'this request has no session',
  },
  {
    method: 'delete',
    path: 'session',
    id: 'logout',
    summary: 'Ends the session of this request, on every server',
    answer: 'Nothing',
  },
  { method: 'get', path: 'plans', id: 'plans', summary: 'The plans', answer: 'Plans' },
  { method: 'get', path: 'accounts', id: 'listAccounts', summary: 'All accounts', answer: 'Accounts' },
  {
    method: 'post',
    path: 'accounts',
    id: 'createAccount',
    summary: 'Makes an account',
    body: 'AccountInput',
    answer: 'Account',
    created: true,
    invalid: 'plan: got "gold"; expected one of free, basic, pro, enterprise',
  },
  {
    method: 'get',
    path: 'accounts/{account}',
    id: 'getAccount',
    summary: 'An account',
    answer: 'Account',
    parameters: [ACCOUNT],
    unknown: NO_ACCOUNT,
  },
  {
    method: 'patch',
    path: 'accounts/{account}',
    id: 'changeAccount',
    summary: 'Changes name, plan or quota of an account',
    description: 'What is used of the quota stays used.',
    body: 'AccountChange',
    answer: 'Account',
    parameters: [ACCOUNT],
    unknown: NO_ACCOUNT,
    invalid: 'plan: got "gold"; expected one of free, basic, pro, enterprise',
  },
  {
    method: 'post',
    path: 'accounts/{account}/environments',
    id: 'addEnvironment',
    summary: 'Adds an environment to an account',
    body: 'EnvironmentInput',
    answer: 'Account',
    created: true,
    parameters: [ACCOUNT],
    unknown: NO_ACCOUNT,
    invalid: 'name: missing; expected a name such as production: 1 to 32 of a-z, 0-9, - and _',
  },
  {
    method: 'get',
    path: 'keys',
    id: 'listKeys',
    summary: 'Keys, without their secrets',
    answer: 'ApiKeys',
    parameters: [inQuery('account', 'Only those of this account', TEXT)],
    invalid: 'unknown field "acount"; the nearest known field is "account"',
  },
  {
    method: 'post',
    path: 'keys',
    id: 'createKey',
    summary: 'Makes a key',
    description: 'Its secret is in this answer and nowhere else.',
    body: 'KeyInput',
    answer: 'NewApiKey',
    created: true,
    unknown: NO_ACCOUNT,
    invalid: 'name: missing; expected a text of 1 to 200 characters that is not blank',
  },
  {
    method: 'get',
    path: 'keys/{key}',
    id: 'getKey',
    summary: 'A key, without its secret',
    answer: 'ApiKey',
    parameters: [KEY],
    unknown: NO_KEY,
  },
  {
    method: 'post',
    path: 'keys/{key}/revoke',
    id: 'revokeKey',
    summary: 'Revokes a key',
    description: 'Holds on every server from the next call on.',
    answer: 'ApiKey',
    parameters: [KEY],
    unknown: NO_KEY,
  },
  {
    method: 'get',
    path: 'keys/{key}/logs',
    id: 'keyLogs',
    summary: 'The log of requests of a key',
    answer: 'LogPage',
    parameters: [
      KEY,
      inQuery('limit', 'Lines of a page', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
      inQuery('cursor', '`next` of the page before; no other text', TEXT),
    ],
    unknown: NO_KEY,
    invalid: 'limit: got "0"; expected an integer from 1 to 1000',
  },
  {
    method: 'get',
    path: 'usage',
    id: 'usage',
    summary: 'Calls by day, key and endpoint',
    answer: 'Usage',
    parameters: [
      inQuery('from', 'First day, UTC; the first of this month when absent', DAY),
      inQuery('to', 'Last day, UTC; today when absent', DAY),
      inQuery('account', 'Only its keys', TEXT),
      inQuery('key', 'Only this key', TEXT),
    ],
    unknown: NO_KEY,
    invalid: 'from: got "2026-02-30"; expected a day as YYYY-MM-DD',
  },
  {
    method: 'get',
    path: 'maintenance',
    id: 'maintenance',
    summary: 'Whether calls are stopped',
    answer: 'Maintenance',
  },
  {
    method: 'post',
    path: 'maintenance',
    id: 'setMaintenance',
    summary: 'Stops all calls but health and administration, or lets them in again',
    body: 'MaintenanceInput',
    answer: 'Maintenance',
    invalid: 'on: got "yes"; expected true or false',
  },
];

const LOGIN: Operation = {
  method: 'post',
  path: `${ADMIN}/session`,
  id: 'adminLogin',
  tag: 'Administration',
  summary: 'Trades the secret for a session',
  description: 'The cookie of the session is for pages. Changes by it need the header X-Priorart-Admin, too.',
  body: 'AdminLogin',
  answers: {
    200: { description: 'Signed in', content: 'AdminSession', headers: ['Set-Cookie'] },
    ...CONTENT,
    401: errorAnswer(
      { unauthorized: "that is not the administrator's secret" },
      'A wrong secret',
      'WWW-Authenticate',
    ),
    422: errorAnswer({ invalid_request: 'secret: missing; expected a text' }, 'A field is missing or wrong'),
    ...COMMON,
  },
};

export const ADMIN_OPERATIONS: readonly Operation[] = [LOGIN, ...ROWS.map(operationOf)];

function operationOf(row: Row): Operation {
  const { method, path, id, summary, description, body, answer, created, invalid, unknown, parameters } = row;
  const done: Answer = { description: created ? 'Made' : 'Done', content: answer };
  return {
    method,
    path: `${ADMIN}/${path}`,
    id: `admin${id[0]!.toUpperCase()}${id.slice(1)}`,
    tag: 'Administration',
    summary,
    description: description ?? 'For whoever runs the server.',
    admin: true,
    ...(body ? { body } : {}),
    ...(parameters ? { parameters } : {}),
    answers: {
      [created ? 201 : 200]: done,
      ...(body ? CONTENT : {}),
      401: UNAUTHORIZED,
      ...(method === 'get' ? {} : { 403: FORBIDDEN }),
      ...(unknown ? { 404: errorAnswer({ not_found: unknown }, 'There is none of that id') } : {}),
      ...(invalid
        ? { 422: errorAnswer({ invalid_request: invalid }, 'A field is missing, unknown or out of range') }
        : {}),
      ...COMMON,
    },
  };
}
