/** OpenAPI operations of usage and maintenance. */
import { DAY_PARAMETERS } from '../../log-parameters.js';
import { adminOperation, inQuery } from '../openapi.js';

const TEXT = { type: 'string' };
const NO_KEY = 'there is no key "key_none"';

export const usageOperation = adminOperation({
  id: 'usage',
  summary: 'Calls by day, key and endpoint',
  answer: 'Usage',
  parameters: [
    ...DAY_PARAMETERS,
    inQuery('account', 'Only its keys', TEXT),
    inQuery('key', 'Only this key', TEXT),
  ],
  unknown: NO_KEY,
  invalid: 'from: got "2026-02-30"; expected a day as YYYY-MM-DD',
  examples: {
    Usage: {
      month: {
        from: '2026-02-01',
        to: '2026-02-20',
        usage: [
          {
            day: '2026-02-20',
            key: 'key_Xy12abcdef34',
            endpoint: 'semantic',
            requests: 12,
            ok: 11,
            client_errors: 1,
            server_errors: 0,
          },
        ],
      },
    },
  },
});

export const maintenanceOperation = adminOperation({
  id: 'maintenance',
  summary: 'Whether calls are stopped',
  answer: 'Maintenance',
  examples: {
    Maintenance: {
      on: { on: true, since: '2026-02-20T09:30:00.000Z', retry_after: 600 },
      off: { on: false },
    },
  },
});

export const setMaintenanceOperation = adminOperation({
  id: 'setMaintenance',
  summary:
    'Stops all calls except health, administration and the files of the web page, or allows them again',
  body: 'MaintenanceInput',
  answer: 'Maintenance',
  invalid: 'on: got "yes"; expected true or false',
  changes: true,
  examples: {
    MaintenanceInput: { on: { on: true, retry_after: 600 }, off: { on: false } },
  },
});
