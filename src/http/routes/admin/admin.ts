/** Shared parts of the administration's endpoints. */
import type { AccessStore } from '../../../access/store.js';
import type { Administration } from '../../admission/administrator.js';
import type { Call } from '../../route.js';

export const ADMIN = '/admin/api/v1';

/**
 * Ids of the keys that a call selects: those of an account, one key, or the key if it is of that account. Undefined if it states
 * neither.
 * @throws PriorartError `not_found` for an unknown account or key
 */
export function selectedKeys(
  store: AccessStore,
  { account, key }: { account?: string | undefined; key?: string | undefined },
): string[] | undefined {
  const ofAccount =
    account === undefined ? undefined : store.keysOf(store.account(account).id).map(({ id }) => id);
  if (key === undefined) return ofAccount;
  const { id } = store.key(key);
  return ofAccount === undefined || ofAccount.includes(id) ? [id] : [];
}

export function adminOf({ services }: Call): Administration {
  if (!services.admin) throw new Error('a server without an administration has no such routes');
  return services.admin;
}
