/**
 * A child process of lmdb-open.test.ts. `open` opens and closes the environment in a folder repeatedly. `count`
 * counts in it until it is ended, and checks that its commits are still there.
 */
import { openLmdb } from '../../src/store/lmdb-open.js';

const [what, path] = process.argv.slice(2) as [string, string];
const open = () => openLmdb({ path, noSubdir: false, maxDbs: 4, mapSize: 1 << 24, noSync: true });

let ended = false;
process.once('message', () => {
  ended = true;
});

async function openForever(): Promise<void> {
  for (let opened = 1; !ended; opened++) {
    await open().close();
    if (opened === 1) process.send!('running');
  }
}

async function count(): Promise<void> {
  const root = open();
  const table = root.openDB<number, string>({ name: 'counts' });
  let committed = 0;
  let lost = 0;
  const next = () => {
    const found = table.get('n') ?? 0;
    lost += committed - found;
    committed = found + 1;
    table.putSync('n', committed);
  };
  for (let i = 0; !ended; i++) {
    for (let more = 0; more < 50; more++) root.transactionSync(next);
    await new Promise((resolve) => setImmediate(resolve));
    if (i === 0) process.send!('running');
  }
  await root.close();
  process.send!({ committed, lost });
}

await (what === 'open' ? openForever() : count());
process.disconnect();
