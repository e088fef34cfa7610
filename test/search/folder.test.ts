/** A folder's newest state is searched at once if its content changed, otherwise when its segments are open. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '../../src/engine.js';
import { mergeSegments } from '../../src/index/merge.js';
import { native } from '../../src/index/native.js';
import { openBeside } from '../../src/index/segment.js';
import { Folder } from '../../src/search/folder.js';
import { deleteDocuments } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { invented, temporary, writeLines } from '../crash/folder.js';

const PATENTS = invented(60);
const INDEX_FROM = 60;

/** A folder of two segments, and its writer. */
async function twoSegments(t: TestContext) {
  const root = temporary(t);
  const dir = join(root, 'data');
  const engine = await open(dir, { create: true, workers: 0, indexKind: 'ivf-flat' });
  const ingest = async (from: number, to: number) => {
    const file = writeLines(join(root, 'new.jsonl'), PATENTS.slice(from, to));
    await engine.ingest(file, { drawings: false, indexFrom: 1e9 });
  };
  await ingest(0, 20);
  await ingest(20, 40);
  await engine.close();
  const store = Store.open(dir);
  t.after(() => store.close());
  const put = async () => {
    const again = await open(dir, { workers: 0 });
    const file = writeLines(join(root, 'more.jsonl'), PATENTS.slice(40));
    await again.ingest(file, { drawings: false, indexFrom: 1e9 });
    await again.close();
  };
  const merge = () => mergeSegments(store, { full: true, indexFrom: INDEX_FROM });
  return { dir, store, merge, put };
}

/** Opens the segments, but completes on request. */
function held() {
  const state = { begun: 0, closed: 0, isHeld: true };
  const begin: typeof openBeside = (store, entries) => {
    const opening = openBeside(store, entries);
    state.begun++;
    return {
      get done() {
        return !state.isHeld && opening.done;
      },
      close() {
        state.closed++;
        opening.close();
      },
    };
  };
  return { state, begin };
}

async function until(is: () => boolean): Promise<void> {
  const end = performance.now() + 120_000;
  while (!is()) {
    assert.ok(performance.now() < end, 'the state is not reached in time');
    await sleep(1);
  }
}

test('a merged segment is opened during searches, once, and then searched', async (t) => {
  const { dir, store, merge } = await twoSegments(t);
  const { state, begin } = held();
  const folder = new Folder(dir, { besideFrom: 1, openBeside: begin });
  t.after(() => folder.close());
  const before = folder.snapshot();
  assert.equal(before.native.segments.length, 2);
  await merge();
  store.refresh();
  const { generation } = store.manifest();
  for (let n = 0; n < 3; n++) {
    const { native: searched, manifest } = folder.snapshot();
    assert.equal(searched, before.native);
    // The texts are those of the newest state.
    assert.equal(manifest.generation, generation);
  }
  assert.equal(before.native.docIds(0).length + before.native.docIds(1).length, 40);
  state.isHeld = false;
  await until(() => folder.snapshot().native !== before.native);
  const after = folder.snapshot();
  assert.equal(after.manifest.generation, generation);
  assert.deepEqual(
    after.native.segments.map(({ docs, hasIndex }) => [docs, hasIndex]),
    [[40, true]],
  );
  assert.deepEqual(state, { begun: 1, closed: 1, isHeld: false });
});

test('new and deleted documents are visible at once, also during an opening', async (t) => {
  const { dir, store, merge, put } = await twoSegments(t);
  const { state, begin } = held();
  const folder = new Folder(dir, { besideFrom: 1, openBeside: begin });
  t.after(() => folder.close());
  const live = () => folder.snapshot().manifest.documents;
  await merge();
  assert.equal(folder.manifest.segments.length, 2);
  assert.equal(live(), 40);
  deleteDocuments(store, [PATENTS[0]!.patent_id]);
  assert.equal(live(), 39);
  assert.deepEqual([folder.manifest.segments.length, state.closed], [1, 1]);
  await put();
  assert.equal(live(), 59);
  assert.equal(state.begun, 1);
});

test('small segments are opened at once', async (t) => {
  const { dir, merge } = await twoSegments(t);
  const { state, begin } = held();
  const folder = new Folder(dir, { openBeside: begin });
  t.after(() => folder.close());
  await merge();
  assert.equal(folder.snapshot().manifest.segments.length, 1);
  assert.equal(state.begun, 0);
});

test('a segment that is removed before it is opened is ignored', async (t) => {
  const { dir, store, merge } = await twoSegments(t);
  const folder = new Folder(dir, { besideFrom: 1 });
  await merge();
  folder.snapshot();
  deleteDocuments(store, [PATENTS[1]!.patent_id]);
  await merge();
  await until(() => {
    store.refresh();
    return folder.snapshot().native.segments.length === 1;
  });
  assert.equal(folder.snapshot().manifest.documents, 39);
  await folder.close();
  await until(() => native.openSegments() === 0);
});
