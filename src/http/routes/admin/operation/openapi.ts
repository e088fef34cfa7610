/** OpenAPI operations about the operation of a server. */
import { LOG_PARAMETERS } from '../../log-parameters.js';
import { adminOperation, inPath, inQuery } from '../openapi.js';
import { OFFSET_MAX } from './schema.js';

const ACCOUNT = inPath('account', 'Id of the account');
const NO_ACCOUNT = 'account: there is no account "acc_none"';

export const allLogsOperation = adminOperation({
  id: 'logs',
  summary: 'The log of requests of all accounts',
  description:
    'Newest first. With a filter, a page may be short though there are more lines: go on with `next`.',
  answer: 'LogPage',
  parameters: [inQuery('account', 'Only its keys', { type: 'string' }), ...LOG_PARAMETERS],
  unknown: NO_ACCOUNT,
  invalid: 'limit: got "0"; expected an integer from 1 to 1000',
});

export const setPasswordOperation = adminOperation({
  id: 'setPassword',
  summary: 'Sets the password of an account',
  description: 'Ends the sessions of the account.',
  body: 'PasswordInput',
  answer: 'Nothing',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  names: true,
  invalid: 'password: got 5 characters; expected 12 to 1000 characters',
  changes: true,
  examples: { PasswordInput: { plain: { password: 'a password of 12 characters or more' } } },
});

export const removePasswordOperation = adminOperation({
  id: 'removePassword',
  summary: 'Removes the password of an account',
  description: 'It can sign in no more. Ends its sessions.',
  answer: 'Nothing',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  changes: true,
});

export const endSessionsOperation = adminOperation({
  id: 'endSessions',
  summary: 'Ends all sessions of an account, on every server',
  answer: 'Nothing',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  changes: true,
});

export const renameKeyOperation = adminOperation({
  id: 'renameKey',
  summary: 'Changes the name of a key',
  body: 'KeyName',
  answer: 'ApiKey',
  parameters: [inPath('key', 'Id of the key')],
  unknown: 'there is no key "key_none"',
  invalid: 'name: missing; expected a text of 1 to 200 characters that is not blank',
  changes: true,
});

export const ingestsOperation = adminOperation({
  id: 'ingests',
  summary: 'The files that were ingested, from the ledger',
  description:
    'A file is listed when all of it is stored; among 100,000 files, while an ingest runs, up to half a minute later. A ' +
    'running ingest is listed after a second, with its progress.',
  answer: 'Ingests',
  parameters: [
    inQuery('with_failures', 'Lists only files with failures', { type: 'string', enum: ['true', 'false'] }),
    inQuery('offset', 'Files of the list before the first of the answer', {
      type: 'integer',
      minimum: 0,
      maximum: OFFSET_MAX,
      default: 0,
    }),
  ],
  invalid: 'offset: got "x"; expected an integer from 0 to 1000000000',
  examples: {
    Ingests: {
      one: {
        running: [
          {
            started: '2026-02-20T09:31:00.000Z',
            at: '2026-02-20T09:31:12.000Z',
            bytes_read: 4_194_304,
            total_bytes: 10_485_760,
            documents: 1_250,
            failed: 0,
          },
        ],
        files: 1,
        totals: { ingested: 3, updated: 0, unchanged: 0, skipped: 0, failed: 0, bytes: 10_482 },
        runs: [
          {
            ...{ started: '2026-02-20T09:29:58.000Z', files: 1, files_with_failures: 0 },
            ...{ ingested: 3, updated: 0, unchanged: 0, skipped: 0, failed: 0, bytes: 10_482 },
          },
        ],
        listed: 1,
        latest: [
          {
            path: '/data/weekly/ipg250107.zip',
            bytes: 10_482,
            first_read: '2026-02-20T09:30:00.000Z',
            last_read: '2026-02-20T09:30:00.000Z',
            readings: 1,
            formats: ['us-grant'],
            ingested: 3,
            updated: 0,
            unchanged: 0,
            skipped: 0,
            failed: 0,
            run: '2026-02-20T09:29:58.000Z',
          },
        ],
      },
    },
  },
});

export const ingestFailuresOperation = adminOperation({
  id: 'ingestFailures',
  summary: 'What could not be read of a file, from the ledger',
  answer: 'IngestFailures',
  parameters: [
    { ...inQuery('path', 'Path of the file, as in the ledger', { type: 'string' }), required: true },
  ],
  unknown: 'path: there is no file "/data/none.zip" in the ledger',
  invalid: 'path: missing; expected a text',
  examples: {
    IngestFailures: {
      one: {
        path: '/data/own.jsonl',
        failed: 1,
        failures: [{ position: 'line 7', reason: 'is not JSON: Unexpected end of JSON input' }],
      },
    },
  },
});

export const healthFiguresOperation = adminOperation({
  id: 'health',
  summary: 'Readiness, maintenance, latency, queue, recall, index and memory of this server',
  answer: 'HealthFigures',
  examples: {
    HealthFigures: {
      idle: {
        ready: true,
        missing: [],
        uptime_s: 3_600,
        latency: [
          {
            ...{ endpoint: 'semantic', requests: 122, refused: 2, failed: 0 },
            duration: { p50: 8.2, p95: 21.04, p99: 44.5, max: 61.3 },
          },
        ],
        pool: {
          workers: 4,
          parallel: 4,
          running: 0,
          waiting: 0,
          waitingMax: 256,
          shedding: false,
          refused: 0,
        },
        index: { generation: 3, documents: 101, passages: 4_210, segments: 1, bytes: 5_242_880 },
        memory: { resident: 420_000_000, heap: 48_000_000 },
      },
    },
  },
});
