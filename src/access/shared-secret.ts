/** The secret that signs the sessions of accounts, on several servers: a session that one of them began is valid on all. */
import { sessionSecret } from './account-session.js';
import type { SharedDocuments } from './shared-documents.js';

const SECRET = 'session-secret';

/**
 * Gives a folder the secret that all servers share. The first server shares that of its folder, or makes one.
 * @param folder folder of the access store
 * @throws PriorartError `unavailable`, as a rejection
 */
export async function shareSessionSecret(folder: string, documents: SharedDocuments): Promise<void> {
  const file = sessionSecret(folder);
  for (;;) {
    const [stored] = await documents.read<{ secret: string }>([SECRET]);
    if (stored !== undefined) {
      file.put(stored.value.secret);
      return;
    }
    file.make();
    // If another server is first, its secret is read.
    await documents.write(SECRET, { secret: file.secret() }, undefined);
  }
}
