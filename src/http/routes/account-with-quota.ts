/** An account as answers show it. */
import type { Account } from '../../access/records.js';
import type { Call } from '../route.js';

/** An account with its used quota, and whether people can sign in with it. */
export function accountWithQuota({ services }: Call, account: Account) {
  if (!services.admin) throw new Error('accounts are shown by a server with an administration');
  const { used, cycle } = services.limits.quotaUsed(account);
  return {
    ...account,
    has_password: services.admin.store.passwords.isSet(account.id),
    quota: {
      used,
      remaining: Math.max(0, account.monthly_quota - used),
      cycle_start: new Date(cycle.start).toISOString(),
      resets_at: new Date(cycle.end).toISOString(),
    },
  };
}
