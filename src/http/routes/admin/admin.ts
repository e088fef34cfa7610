/** Shared parts of the administration's endpoints. */
import type { Administration } from '../../admission/administrator.js';
import type { Call } from '../../route.js';

export const ADMIN = '/admin/api/v1';

export function adminOf({ services }: Call): Administration {
  if (!services.admin) throw new Error('a server without an administration has no such routes');
  return services.admin;
}
