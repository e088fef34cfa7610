import { isPriorartError } from '../../errors.js';
import type { Connection } from '../oauth/tables.js';
import type { Call } from '../route.js';

export interface GrantWithUse extends Connection {
  /** Absent if the log of requests has no call of the key. */
  last_used_at?: string;
}

/**
 * Grants, each with the time of its key's last call in the log of requests. Without it if the log cannot be read now: a
 * locked or damaged log hides no grant.
 */
export async function grantsWithUse(call: Call, grants: readonly Connection[]): Promise<GrantWithUse[]> {
  const { requests } = call.services.admin!;
  try {
    // Includes the lines that this server has not written yet.
    await requests.flush();
    const last = requests.lastCalls([...new Set(grants.map(({ key }) => key))]);
    return grants.map((grant) => {
      const time = last.get(grant.key);
      return time === undefined ? grant : { ...grant, last_used_at: new Date(time).toISOString() };
    });
  } catch (error) {
    if (isPriorartError(error)) return [...grants];
    throw error;
  }
}
