import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { checkFolder } from '../../src/index/check.js';
import { mergeSegments } from '../../src/index/merge.js';
import {
  buildSegmentIndex,
  discardSegment,
  removeSegmentFiles,
  writeSegment,
} from '../../src/index/segment.js';
import { FolderFigures } from '../../src/ingest/figure-table.js';
import { commitDocuments, commitEntry, commitMerge, deleteDocuments } from '../../src/store/commit.js';
import { dataFile } from '../../src/store/faults.js';
import { newestMeta } from '../../src/store/lmdb-file.js';
import { Store } from '../../src/store/store.js';
import { documentsOf, invented, temporary } from '../crash/folder.js';
import { commit, MODEL, newStore, prepared } from './folder.js';

test('an exception within a commit changes nothing, and other processes can read later writes', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  const before = store.manifest();
  // The first records of a store define its record structures, which the aborted transaction must not keep to itself.
  const documents = await prepared(invented(3));
  // The last one cannot be stored without a number: the transaction fails after the others are written.
  const last = {
    ...documents[2]!,
    patent: { ...documents[2]!.patent, number: undefined as unknown as string },
  };
  const broken = [documents[0]!, documents[1]!, last];
  let written = '';
  assert.throws(() =>
    commitDocuments(store, MODEL, broken, (segment, firstDoc) => {
      written = segment;
      return writeSegment(store, segment, firstDoc, documents);
    }),
  );
  assert.deepEqual(store.manifest(), before);
  assert.equal(store.documents.getCount(), 0);
  removeSegmentFiles(store, written);

  assert.deepEqual(await commit(store, invented(3)), ['ingested', 'ingested', 'ingested']);
  await store.close();
  const reopened = Store.open(dir);
  t.after(() => reopened.close());
  const report = await checkFolder(reopened);
  assert.deepEqual([report.problems, report.documents], [[], 3]);
});

test('the segment name of a failed commit is never given again, and its file is closed at once', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  const [good, bad] = await prepared(invented(2));
  bad!.vectors = bad!.vectors.map(() => Number.NaN);
  const names: string[] = [];
  const write = (documents: (typeof good)[]) => (segment: string, firstDoc: number) => {
    names.push(segment);
    return writeSegment(store, segment, firstDoc, documents as NonNullable<typeof good>[]);
  };
  assert.throws(() => commitDocuments(store, MODEL, [good!, bad!], write([good, bad])), /NaN/);
  // The failed process removes its own segment, and never that of another process.
  assert.deepEqual(readdirSync(store.segmentDir(names[0]!)), []);
  assert.deepEqual(commitDocuments(store, MODEL, [good!], write([good])), ['ingested']);
  assert.equal(new Set(names).size, 2);
  discardSegment(store, names[0]!);
  assert.deepEqual((await checkFolder(store)).problems, []);
});

test('record structures of an aborted transaction are defined again', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  const abort = () =>
    store.root.transactionSync(() => {
      store.documents.putSync(7, { unheard: 1, of: 2 } as never);
      throw new Error('given up');
    });
  assert.throws(abort, /given up/);
  store.afterAbort();
  store.documents.putSync(8, { unheard: 3, of: 4 } as never);
  await store.close();
  // A second encoder that reads only the disk, as another process does.
  const other = Store.open(dir);
  t.after(() => other.close());
  assert.deepEqual(other.documents.get(8), { unheard: 3, of: 4 });
});

test('one commit may contain a publication twice, a known version, and a replaced one', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  const [old] = invented(1, 1, 1);
  const [fresh] = invented(1, 1, 2);
  const [other] = invented(2).slice(1);
  assert.deepEqual(await commit(store, [old!, other!, old!]), ['ingested', 'ingested', 'unchanged']);
  assert.deepEqual(await commit(store, [fresh!, old!]), ['updated', 'unchanged']);
  assert.deepEqual(await commit(store, [old!]), ['unchanged']);
  const report = await checkFolder(store);
  assert.deepEqual([report.problems, report.documents], [[], 2]);
  assert.equal(store.documents.get(store.ids.get(old!.patent_id)!)?.title, fresh!.title);
});

test('deletions during a merge are carried over', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  t.after(() => store.close());
  const patents = invented(40);
  for (let n = 0; n < 40; n += 5) await commit(store, patents.slice(n, n + 5));
  deleteDocuments(store, [patents[3]!.patent_id]);
  const merging = mergeSegments(store, { full: true });
  // The merge has read the deletions and works on a separate thread.
  await new Promise((done) => setImmediate(done));
  const deleted = [patents[0]!, patents[17]!, patents[39]!].map(({ patent_id }) => patent_id);
  assert.equal(deleteDocuments(store, deleted).length, 3);
  await commit(store, invented(1, 2));
  assert.ok((await merging) >= 1);
  const report = await checkFolder(store);
  assert.deepEqual([report.problems, report.documents], [[], 37]);
  assert.deepEqual(
    [...(await documentsOf(dir)).keys()].filter((id) => deleted.includes(id)),
    [],
  );
});

test('commitMerge carries over exactly the deletions that the merge did not see', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  const patents = invented(6);
  await commit(store, patents.slice(0, 3));
  await commit(store, patents.slice(3));
  deleteDocuments(store, [patents[0]!.patent_id]);
  const [a, b] = store.manifest().segments;
  const inputs = [a!, b!].map(({ id }) => ({ id, seen: store.deleted(id) }));
  assert.deepEqual(
    inputs.map(({ seen }) => [...seen]),
    [[1], []],
  );
  deleteDocuments(store, [patents[1]!.patent_id, patents[5]!.patent_id]);
  const merged = { id: 's9', docs: 5, passages: 10, bytes: 1, firstDoc: a!.firstDoc, lastDoc: b!.lastDoc };
  assert.equal(commitMerge(store, inputs, merged), true);
  assert.deepEqual([...store.deleted('s9')], [2, 6]);
  assert.deepEqual([...store.deleted(a!.id), ...store.deleted(b!.id)], []);
  const { generation } = store.manifest();
  assert.equal(commitMerge(store, inputs, { ...merged, id: 's10' }), false, 'its inputs are removed');
  assert.deepEqual(store.manifest().segments, [merged]);
  assert.ok(
    store.manifest().generation >= generation,
    `expected a generation of at least ${generation}: ${store.manifest().generation}`,
  );
});

test('an index for a removed segment changes nothing', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  await commit(store, invented(50));
  const [entry] = store.manifest().segments;
  const index = await buildSegmentIndex(store, entry!, 'ivf-sq8');
  await mergeSegments(store, { full: true });
  deleteDocuments(store, [invented(1)[0]!.patent_id]);
  await mergeSegments(store, { full: true });
  assert.equal(commitEntry(store, { ...entry!, index }), false);
  assert.deepEqual((await checkFolder(store)).problems, []);
});

test('half a surrogate pair is stored as U+FFFD and recognised again', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  const [patent] = invented(1);
  const odd = { ...patent!, title: 'broken \ud83d pair', abstract: `\udc00 ${'x'.repeat(100)} \ud800` };
  assert.deepEqual(await commit(store, [odd]), ['ingested']);
  assert.deepEqual(await commit(store, [odd]), ['unchanged']);
  assert.deepEqual((await checkFolder(store)).problems, []);
});

test('a deletion reserves the room for the figures of its publications', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  const documents = invented(300);
  await commit(store, documents);
  // While this state is read, no page is used again: every changed page goes to the end of the file.
  const reader = Store.open(dir);
  const read = reader.root.useReadTransaction();
  const image = () => {
    const [content, thumbnail, source] = Array.from({ length: 3 }, () => randomBytes(32).toString('hex'));
    return { content: content!, thumbnail: thumbnail!, source: source!, width: 1, height: 1 };
  };
  const figures = () => Array.from({ length: 100 }, (_, n) => ({ key: `f${n}`, place: '*', image: image() }));
  for (let at = 0; at < documents.length; at += 50) {
    const some = documents.slice(at, at + 50);
    await new FolderFigures(store).copy(
      some.map(({ patent_id }) => ({ patentId: patent_id, figures: figures() })),
    );
  }
  const file = openSync(dataFile(dir), 'r+');
  const used = () => {
    const { pageSize, lastPage } = newestMeta(file);
    return (lastPage + 1) * pageSize;
  };
  // Without the room that earlier changes have reserved.
  ftruncateSync(file, used());
  deleteDocuments(store, [documents[0]!.patent_id]);
  read.done();
  assert.ok(fstatSync(file).size > used(), 'reserved pages are left');
  closeSync(file);
  await reader.close();
  await store.close();
});
