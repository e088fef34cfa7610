/** An account as answers show it. */
import type { Account } from '../../access/records.js';
import type { Call } from '../route.js';

/** An account with its used quota. */
export function accountWithQuota({ services }: Call, account: Account) {
  const { used, cycle } = services.limits.quotaUsed(account);
  return {
    ...account,
    quota: {
      used,
      remaining: Math.max(0, account.monthly_quota - used),
      cycle_start: new Date(cycle.start).toISOString(),
      resets_at: new Date(cycle.end).toISOString(),
    },
  };
}
