/** One of the processes of store.test.ts that begin at once: says which secret it has. */
import { linkSecret } from '../../src/drawings/secret.js';

process.send!(linkSecret(process.argv[2]!), () => process.disconnect());
