/** An account as answers show it. */
import type { Account } from '../../access/records.js';
import type { Call } from '../route.js';

/** An account with its used quota, and whether people can sign in with it. */
export async function accountWithQuota(call: Call, account: Account) {
  return (await accountsWithQuota(call, [account]))[0]!;
}

/** Accounts with their used quotas. */
export async function accountsWithQuota({ services }: Call, accounts: readonly Account[]) {
  const { admin, limits } = services;
  if (!admin) throw new Error('accounts are shown by a server with an administration');
  const quotas = await limits.quotasUsed(accounts);
  return accounts.map((account, n) => {
    const { used, cycle } = quotas[n]!;
    return {
      ...account,
      has_password: admin.store.passwords.isSet(account.id),
      quota: {
        used,
        remaining: Math.max(0, account.monthly_quota - used),
        cycle_start: new Date(cycle.start).toISOString(),
        resets_at: new Date(cycle.end).toISOString(),
      },
    };
  });
}
