/** A repair beside an ingest, which stores the names of figures before their publications. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkFolder } from '../../src/index/check.js';
import { repairFolder } from '../../src/index/repair.js';
import { FolderFigures } from '../../src/ingest/figure-table.js';
import type { Store } from '../../src/store/store.js';
import { invented, temporary } from '../crash/folder.js';
import { commit, derivation, newStore } from '../store/folder.js';

const [PATENT] = invented(1);
const { patent_id: ID } = PATENT!;
const NAME = { key: 'fig1', place: '*' };
const HOUR_MS = 3_600_000;

function storeOf(t: TestContext): Store {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  return store;
}

/** The figures of a publication as an ingest named them that was killed an hour ago. */
function agedFigures(store: Store): void {
  store.figures.putSync(ID, { ...store.figures.get(ID)!, ahead: Date.now() - HOUR_MS });
}

test('a repair keeps the figures that an ingest has named, until it stores the publication', async (t) => {
  const store = storeOf(t);
  const figures = new FolderFigures(store);
  await figures.name([{ patentId: ID, figures: [NAME] }], 1);
  assert.deepEqual((await checkFolder(store)).problems, []);
  assert.deepEqual((await repairFolder(store, derivation)).repaired, []);
  await commit(store, [PATENT!]);
  agedFigures(store);
  assert.deepEqual((await repairFolder(store, derivation)).repaired, []);
  assert.deepEqual(await figures.namers([NAME]), [[{ patentId: ID, image: undefined }]]);
});

test('a repair removes old figures without a publication, unless an ingest runs', async (t) => {
  const store = storeOf(t);
  await new FolderFigures(store).name([{ patentId: ID, figures: [NAME] }], 1);
  agedFigures(store);
  const at = new Date().toISOString();
  const running = { started: at, at, bytes_read: 0, total_bytes: 0, documents: 0, failed: 0 };
  const ingests = join(store.dir, 'ingests');
  mkdirSync(ingests);
  writeFileSync(join(ingests, '00000000-0000-4000-8000-000000000000.json'), JSON.stringify(running));
  assert.deepEqual((await repairFolder(store, derivation)).repaired, []);
  rmSync(ingests, { recursive: true });
  assert.deepEqual(
    (await checkFolder(store)).problems.map(({ kind, where }) => [kind, where]),
    [['leftover', ID]],
  );
  assert.deepEqual((await repairFolder(store, derivation)).repaired, [
    `figures of ${ID}, which is not there, were taken out`,
  ]);
  assert.equal(store.figures.getCount() + store.figureNames.getCount(), 0);
});
