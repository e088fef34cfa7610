/** Ends the access of clients, for the server and for the command line. */
import type { AccessStore } from '../../access/store.js';
import { isPriorartError } from '../../errors.js';
import type { Connection } from './tables.js';

/** The part of the state that holds grants: of an event loop, or of a command. */
export interface GrantState {
  connections(): Connection[];
  endGrant(id: string): Connection | undefined | Promise<Connection | undefined>;
}

/**
 * Ends a grant: its tokens are refused from the next call on. Revokes its key, if no other grant has it. The key comes first: if
 * that fails, the grant is still there, and the call can be repeated.
 * @returns undefined if there is no such grant
 */
export async function endGrant(
  state: GrantState,
  access: AccessStore,
  id: string,
): Promise<Connection | undefined> {
  const found = state.connections().find((one) => one.id === id);
  if (found) await revokeUnused(state, access, found.key, id);
  // Once more: another grant of the key may have ended meanwhile.
  return endGrantAtOnce(state, access, id);
}

/** The same, the grant first: a client gives its token back, or a token was stolen, which must be refused whatever happens to the key. */
export async function endGrantAtOnce(
  state: GrantState,
  access: AccessStore,
  id: string,
): Promise<Connection | undefined> {
  const ended = await state.endGrant(id);
  if (ended) await revokeUnused(state, access, ended.key);
  return ended;
}

/** Ends all grants of an account. */
export async function endGrantsOf(state: GrantState, access: AccessStore, account: string): Promise<void> {
  for (const { id } of state.connections().filter((one) => one.account === account))
    await endGrant(state, access, id);
}

/** Revokes a key that no grant has any more. @param ending id of a grant that does not count */
export async function revokeUnused(
  state: GrantState,
  access: AccessStore,
  key: string,
  ending?: string,
): Promise<void> {
  if (state.connections().some((other) => other.key === key && other.id !== ending)) return;
  await access.revoke(key).catch((error: unknown) => {
    if (!isPriorartError(error) || error.code !== 'not_found') throw error;
  });
}
