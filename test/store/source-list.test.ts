/** The list of the ledger for readers that ask again and again. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { enterSources } from '../../src/store/ledger.js';
import { SourceList } from '../../src/store/source-list.js';
import { Store } from '../../src/store/store.js';

describe('a list of the ledger', () => {
  let dir: string;
  let store: Store;
  /** Another process, as far as LMDB is concerned. */
  let other: Store;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-list-'));
    const folder = join(dir, 'data');
    store = Store.openOrCreate(folder, { name: 'none', version: '0', dimensions: 1 }, 'auto');
    other = Store.open(folder);
  });
  after(async () => {
    await store.close();
    await other.close();
    rmSync(dir, { recursive: true });
  });

  const entry = (path: string) => ({
    ...{ path, bytes: 1, modified: '2026-01-01T00:00:00.000Z', readers: {}, registry: '' },
    ...{ ingested: 1, updated: 0, unchanged: 0, skipped: 0, failed: 0 },
  });
  const listed = ({ path, readings }: { path: string; readings: number }) => `${path} ${readings}`;

  it('shows each later commit, and is read only then', async () => {
    const list = new SourceList(store, listed);
    assert.deepEqual(await list.all(), []);
    enterSources(other, [entry('/b'), entry('/a')]);
    const first = await list.all();
    assert.deepEqual(first, ['/a 1', '/b 1']);
    assert.equal(await list.all(), first, 'nothing was committed: nothing is read');
    enterSources(store, [entry('/a')]);
    assert.deepEqual(await list.all(), ['/a 2', '/b 1']);
  });

  it('lets others have their turn while it reads, and is read once for all who ask', async () => {
    const paths = Array.from({ length: 5_000 }, (_, n) => `/many/${String(n).padStart(4, '0')}`);
    enterSources(store, paths.map(entry));
    const list = new SourceList(store, ({ path }) => path);
    let isRead = false;
    const asked = Promise.all([list.all(), list.all()]).finally(() => {
      isRead = true;
    });
    await setImmediate();
    assert.equal(isRead, false);
    const [one, same] = await asked;
    assert.equal(one, same);
    assert.deepEqual(one.slice(-5_000), paths);
    assert.equal(one.length, new Set(one).size);
  });

  it('rests after a long reading, also if commits go on', async () => {
    let [now, took] = [0, 1_000];
    const list = new SourceList(store, listed, () => {
      now += took;
      return now;
    });
    const first = await list.all();
    took = 0;
    enterSources(store, [entry('/z')]);
    now += 19_000;
    assert.equal(await list.all(), first);
    now += 2_000;
    const second = await list.all();
    assert.equal(second.length, first.length + 1);
    enterSources(store, [entry('/z')]);
    assert.equal((await list.all()).at(-1), '/z 2', 'a short reading is repeated at once');
  });
});
