/** A process of store.test.ts that starts together with others and prints its secret. */
import { linkSecret } from '../../src/drawings/secret.js';

process.send!(linkSecret(process.argv[2]!), () => process.disconnect());
