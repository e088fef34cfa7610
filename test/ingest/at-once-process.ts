/** A child process of at-once.test.ts. It ingests a file, and waits before its first commit until it is told to go on. */
import { FolderTarget, headsOf } from '../../src/ingest/folder-target.js';
import { Store } from '../../src/store/store.js';
import { gated, ingestLines } from './gated.js';

const [folder, file] = process.argv.slice(2) as [string, string];
const store = Store.open(folder);
let isFirst = true;
const target = gated(new FolderTarget(store, {}), async (step) => {
  if (step === 'revise' || !isFirst) return;
  isFirst = false;
  const told = new Promise((resolve) => process.once('message', resolve));
  process.send!('revised');
  await told;
});
const { failed } = await ingestLines(target, headsOf(store), file);
await store.close();
process.send!(failed.length);
process.disconnect();
