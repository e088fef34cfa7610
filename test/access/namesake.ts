import { randomUUID } from 'node:crypto';
import { openKeys, putAccount } from '../../src/access/keys-file.js';
import type { Account } from '../../src/access/records.js';

/** Makes an account with a name that is taken. Earlier versions allowed that. @param folder of the store */
export function makeNamesake(folder: string, name: string): Account {
  const account: Account = {
    id: `acc_${randomUUID().replaceAll('-', '').slice(0, 12)}`,
    name,
    plan: 'free',
    monthly_quota: 30,
    environments: [],
    created_at: new Date().toISOString(),
  };
  const file = openKeys(folder, { create: false, waitMs: 1_000 });
  try {
    file.write(() => putAccount(file, account));
  } finally {
    file.close();
  }
  return account;
}
