/** OpenAPI operations of keys and their logs. */
import { adminOperation, inPath, inQuery } from '../openapi.js';

const KEY = inPath('key', 'Id of the key');
const NO_KEY = 'there is no key "key_none"';
const NO_ACCOUNT = 'there is no account "acc_none"';
const TEXT = { type: 'string' };
const KEY_EXAMPLE = {
  id: 'key_Xy12abcdef34',
  account: 'acc_Xy12abcdef34',
  environment: 'production',
  name: 'laptop',
  prefix: 'psk_live_Xy12ab',
  state: 'active' as const,
  created_at: '2026-01-15T09:31:00.000Z',
};

export const listKeysOperation = adminOperation({
  id: 'listKeys',
  summary: 'Keys, without their secrets',
  answer: 'ApiKeys',
  parameters: [inQuery('account', 'Only those of this account', TEXT)],
  invalid: 'unknown field "acount"; the nearest known field is "account"',
  examples: {
    ApiKeys: { one: { keys: [KEY_EXAMPLE] } },
  },
});

export const createKeyOperation = adminOperation({
  id: 'createKey',
  summary: 'Makes a key',
  description:
    'Its secret is in this answer and nowhere else. The environment must be one of the account. A new account has none: add one first.',
  body: 'KeyInput',
  answer: 'NewApiKey',
  created: true,
  unknown: NO_ACCOUNT,
  invalid: 'name: missing; expected a text of 1 to 200 characters that is not blank',
  changes: true,
  examples: {
    KeyInput: { plain: { account: KEY_EXAMPLE.account, environment: 'production', name: 'laptop' } },
    NewApiKey: { made: { ...KEY_EXAMPLE, secret: 'psk_live_…' } },
  },
});

export const getKeyOperation = adminOperation({
  id: 'getKey',
  summary: 'A key, without its secret',
  answer: 'ApiKey',
  parameters: [KEY],
  unknown: NO_KEY,
  examples: {
    ApiKey: { revoked: { ...KEY_EXAMPLE, state: 'deactivated', deactivated_at: '2026-02-01T08:00:00.000Z' } },
  },
});

export const revokeKeyOperation = adminOperation({
  id: 'revokeKey',
  summary: 'Revokes a key',
  description: 'Holds on every server from the next call on.',
  answer: 'ApiKey',
  parameters: [KEY],
  unknown: NO_KEY,
  changes: true,
});

export const revokeKeysOperation = adminOperation({
  id: 'revokeKeys',
  summary: 'Revokes all keys of an account',
  description:
    'Holds on every server from the next call on. Keys of clients of MCP are among them. Sessions of the account on the web page go on.',
  answer: 'RevokedKeys',
  parameters: [inPath('account', 'Id of the account')],
  unknown: NO_ACCOUNT,
  changes: true,
  examples: { RevokedKeys: { two: { revoked: 2 } } },
});

export const keyLogsOperation = adminOperation({
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
  examples: {
    LogPage: {
      last: {
        lines: [
          {
            time: '2026-02-20T09:30:00.000Z',
            request_id: 'client-7',
            endpoint: 'semantic',
            status: 200,
            ms: 12.5,
            client: '192.0.2.1',
            result_count: 10,
          },
        ],
      },
    },
  },
});
