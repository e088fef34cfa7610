/** OpenAPI operations of the account that is signed in. */
import { INTERNAL, TOO_MANY_OF_ADDRESS, UNAVAILABLE } from '../../openapi/answers.js';
import { errorAnswer, type Operation, type Parameter } from '../../openapi/operation.js';
import type { SchemaName } from '../../openapi/schemas.js';
import { CONTENT, inPath, inQuery } from '../admin/openapi.js';
import { DAY_PARAMETERS, LOG_PARAMETERS } from '../log-parameters.js';

const KEY = inPath('key', 'Id of a key of the account');
const NO_KEY = 'key: there is no key "key_none"';
const TEXT = { type: 'string' };

interface Row extends Pick<Operation, 'id' | 'summary' | 'description'> {
  answer: SchemaName;
  created?: boolean;
  body?: SchemaName;
  parameters?: readonly Parameter[];
  /** Examples of `detail` for 404 and 422, if the endpoint answers them. */
  unknown?: string;
  invalid?: string;
  examples?: Operation['examples'];
}

function accountOperation({
  answer,
  created,
  unknown,
  invalid,
  body,
  parameters,
  examples,
  ...row
}: Row): Operation {
  return {
    ...row,
    tag: 'Account',
    ...(body ? { body } : {}),
    ...(parameters ? { parameters } : {}),
    ...(examples ? { examples } : {}),
    answers: {
      [created ? 201 : 200]: { description: created ? 'Made' : 'Done', content: answer },
      ...(body ? CONTENT : {}),
      401: errorAnswer(
        { unauthorized: 'there is no session, or it has ended; sign in' },
        'No session of an account',
        'WWW-Authenticate',
      ),
      403: errorAnswer(
        { forbidden: 'a request with a session needs the header x-priorart-page and a page of this server' },
        'The header X-Priorart-Page is missing',
      ),
      ...(unknown
        ? { 404: errorAnswer({ not_found: unknown }, 'The account has no such key or grant') }
        : {}),
      ...(invalid
        ? { 422: errorAnswer({ invalid_request: invalid }, 'A field is missing, unknown or out of range') }
        : {}),
      429: TOO_MANY_OF_ADDRESS,
      500: INTERNAL,
      503: UNAVAILABLE,
    },
  };
}

export const ownAccountOperation = accountOperation({
  id: 'ownAccount',
  summary: 'The account that is signed in',
  description: 'Its plan, quota and environments.',
  answer: 'Account',
});

export const ownKeysOperation = accountOperation({
  id: 'ownKeys',
  summary: 'Its keys, without their secrets',
  description: 'The key with the environment `page` is that of the web page.',
  answer: 'ApiKeys',
});

export const createOwnKeyOperation = accountOperation({
  id: 'createOwnKey',
  summary: 'Makes a key of the account',
  description: 'Its secret is in this answer and nowhere else. A new environment is added to the account.',
  body: 'OwnKeyInput',
  answer: 'NewApiKey',
  created: true,
  invalid: 'name: missing; expected a text of 1 to 200 characters that is not blank',
  examples: { OwnKeyInput: { plain: { environment: 'production', name: 'laptop' } } },
});

export const renameOwnKeyOperation = accountOperation({
  id: 'renameOwnKey',
  summary: 'Changes the name of a key',
  description: 'The key itself stays the same.',
  body: 'KeyName',
  answer: 'ApiKey',
  parameters: [KEY],
  unknown: NO_KEY,
  invalid: 'name: missing; expected a text of 1 to 200 characters that is not blank',
  examples: { KeyName: { plain: { name: 'laptop' } } },
});

export const revokeOwnKeyOperation = accountOperation({
  id: 'revokeOwnKey',
  summary: 'Revokes a key',
  description: 'Holds on every server from the next call on, and for ever.',
  answer: 'ApiKey',
  parameters: [KEY],
  unknown: NO_KEY,
});

export const ownGrantsOperation = accountOperation({
  id: 'ownGrants',
  summary: 'Clients of MCP to which the account gave access',
  description: 'Of the embedded authorization server; empty if it is off.',
  answer: 'Grants',
});

export const endOwnGrantOperation = accountOperation({
  id: 'endOwnGrant',
  summary: 'Ends the access of a client',
  description:
    'Holds on every server from the next call on. Revokes the API key of the client, too, if no other grant has it.',
  answer: 'Grant',
  parameters: [inPath('grant', 'Id of a grant of the account')],
  unknown: 'grant: there is no grant "grant_none"',
});

export const ownUsageOperation = accountOperation({
  id: 'ownUsage',
  summary: 'Calls of the account by day, key and endpoint',
  description: 'Of all its keys, or of one. At most 400 days.',
  answer: 'Usage',
  parameters: [...DAY_PARAMETERS, inQuery('key', 'Only this key', TEXT)],
  unknown: NO_KEY,
  invalid: 'from: got "2026-02-30"; expected a day as YYYY-MM-DD',
});

export const ownLogsOperation = accountOperation({
  id: 'ownLogs',
  summary: 'The log of requests of the account',
  description:
    'Of all its keys, newest first. With a filter or many keys, a page may be short though there are more lines: go on with `next`.',
  answer: 'LogPage',
  parameters: LOG_PARAMETERS,
  unknown: NO_KEY,
  invalid: 'limit: got "0"; expected an integer from 1 to 1000',
});

export const changeOwnPasswordOperation = accountOperation({
  id: 'changeOwnPassword',
  summary: 'Changes the password of the account',
  description:
    'Ends all its sessions. The answer sets the cookie of a new one. 403 if the current password is wrong.',
  body: 'PasswordChange',
  answer: 'Nothing',
  invalid: 'password: got 5 characters; expected 12 to 1000 characters',
  examples: {
    PasswordChange: {
      plain: { current: 'the password until now', password: 'a password of 12 characters or more' },
    },
  },
});
