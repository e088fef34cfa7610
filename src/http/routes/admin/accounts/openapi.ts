/** OpenAPI operations of plans and accounts. */
import { adminOperation, inPath } from '../openapi.js';

const ACCOUNT = inPath('account', 'Id of the account');
const NO_ACCOUNT = 'there is no account "acc_none"';
const ACCOUNT_EXAMPLE = {
  id: 'acc_Xy12abcdef34',
  name: 'Patent team',
  plan: 'basic' as const,
  monthly_quota: 300,
  environments: ['production'],
  has_password: true,
  created_at: '2026-01-15T09:30:00.000Z',
  quota: {
    used: 12,
    remaining: 288,
    cycle_start: '2026-02-15T00:00:00.000Z',
    resets_at: '2026-03-15T00:00:00.000Z',
  },
};

export const plansOperation = adminOperation({
  id: 'plans',
  summary: 'The plans',
  answer: 'Plans',
  examples: {
    Plans: {
      all: {
        plans: [
          { plan: 'free', monthly_quota: 30, custom: false },
          { plan: 'enterprise', monthly_quota: 1_000_000, custom: true },
        ],
      },
    },
  },
});

export const listAccountsOperation = adminOperation({
  id: 'listAccounts',
  summary: 'All accounts',
  answer: 'Accounts',
  examples: {
    Accounts: { one: { accounts: [ACCOUNT_EXAMPLE] } },
  },
});

export const createAccountOperation = adminOperation({
  id: 'createAccount',
  summary: 'Makes an account',
  body: 'AccountInput',
  answer: 'Account',
  created: true,
  names: true,
  invalid: 'plan: got "gold"; expected one of free, basic, pro, enterprise',
  changes: true,
  examples: {
    AccountInput: {
      plain: { name: 'Patent team', plan: 'basic' },
      own: { name: 'Patent office', plan: 'enterprise', monthly_quota: 50_000 },
    },
    Account: { account: ACCOUNT_EXAMPLE },
  },
});

export const getAccountOperation = adminOperation({
  id: 'getAccount',
  summary: 'An account',
  answer: 'Account',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
});

export const changeAccountOperation = adminOperation({
  id: 'changeAccount',
  summary: 'Changes name, plan or quota of an account',
  description: 'What is used of the quota stays used.',
  body: 'AccountChange',
  answer: 'Account',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  names: true,
  invalid: 'plan: got "gold"; expected one of free, basic, pro, enterprise',
  changes: true,
  examples: {
    AccountChange: { plan: { plan: 'pro' } },
  },
});

export const deleteAccountOperation = adminOperation({
  id: 'deleteAccount',
  summary: 'Deletes an account, with its password and its sessions',
  description:
    'An account with active keys is refused: revoke them first. Its lines in the log of requests stay until they are too old.',
  answer: 'Nothing',
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  invalid: 'account acc_Xy12abcdef34 has 2 active keys; revoke them first',
  changes: true,
});

export const addEnvironmentOperation = adminOperation({
  id: 'addEnvironment',
  summary: 'Adds an environment to an account',
  body: 'EnvironmentInput',
  answer: 'Account',
  created: true,
  parameters: [ACCOUNT],
  unknown: NO_ACCOUNT,
  invalid: 'name: missing; expected a name such as production: 1 to 32 of a-z, 0-9, - and _',
  changes: true,
  examples: {
    EnvironmentInput: { plain: { name: 'production' } },
  },
});
