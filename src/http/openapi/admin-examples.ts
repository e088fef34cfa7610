/** Requests and answers of the administration that the document shows; each is held against its schema by a test. */
import type { Examples } from './examples.js';

const ACCOUNT = {
  id: 'acc_Xy12abcdef34',
  name: 'Patent team',
  plan: 'basic' as const,
  monthly_quota: 300,
  environments: ['production'],
  created_at: '2026-01-15T09:30:00.000Z',
  quota: {
    used: 12,
    remaining: 288,
    cycle_start: '2026-02-15T00:00:00.000Z',
    resets_at: '2026-03-15T00:00:00.000Z',
  },
};
const KEY = {
  id: 'key_Xy12abcdef34',
  account: ACCOUNT.id,
  environment: 'production',
  name: 'laptop',
  state: 'active' as const,
  created_at: '2026-01-15T09:31:00.000Z',
};

export const ADMIN_EXAMPLES: Examples = {
  AdminLogin: { login: { secret: 'the 40 characters of access/admin-secret' } },
  AdminSession: { open: { expires_at: '2026-02-20T17:30:00.000Z' } },
  Nothing: { done: {} },
  Plans: {
    all: {
      plans: [
        { plan: 'free', monthly_quota: 30, custom: false },
        { plan: 'enterprise', monthly_quota: 1_000_000, custom: true },
      ],
    },
  },
  AccountInput: {
    plain: { name: 'Patent team', plan: 'basic' },
    own: { name: 'Patent office', plan: 'enterprise', monthly_quota: 50_000 },
  },
  AccountChange: { plan: { plan: 'pro' } },
  EnvironmentInput: { plain: { name: 'production' } },
  Account: { account: ACCOUNT },
  Accounts: { one: { accounts: [ACCOUNT] } },
  KeyInput: { plain: { account: ACCOUNT.id, environment: 'production', name: 'laptop' } },
  ApiKey: { revoked: { ...KEY, state: 'deactivated', deactivated_at: '2026-02-01T08:00:00.000Z' } },
  NewApiKey: { made: { ...KEY, secret: 'psk_live_…' } },
  ApiKeys: { one: { keys: [KEY] } },
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
  Usage: {
    month: {
      from: '2026-02-01',
      to: '2026-02-20',
      usage: [
        {
          day: '2026-02-20',
          key: KEY.id,
          endpoint: 'semantic',
          requests: 12,
          ok: 11,
          client_errors: 1,
          server_errors: 0,
        },
      ],
    },
  },
  MaintenanceInput: { on: { on: true, retry_after: 600 }, off: { on: false } },
  Maintenance: { on: { on: true, since: '2026-02-20T09:30:00.000Z', retry_after: 600 }, off: { on: false } },
};
