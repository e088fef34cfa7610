/** A full merge and index build in a separate process that the test kills. */
import { mergeSegments } from '../../src/index/merge.js';
import { Store } from '../../src/store/store.js';

const [dir, indexFrom] = process.argv.slice(2) as [string, string];
const store = Store.open(dir);
const merges = await mergeSegments(store, { full: true, indexFrom: Number(indexFrom) });
await store.close();
process.stdout.write(String(merges));
