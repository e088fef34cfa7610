/** Values of the store have checksums. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import { checkFolder } from '../../src/index/check.js';
import { mergeSegments } from '../../src/index/merge.js';
import { repairFolder } from '../../src/index/repair.js';
import { segmentPath } from '../../src/index/segment.js';
import { transaction } from '../../src/store/commit.js';
import { dataFile } from '../../src/store/faults.js';
import { deletedKey, MANIFEST } from '../../src/store/keys.js';
import { resolvePublications } from '../../src/store/resolve.js';
import { Store } from '../../src/store/store.js';
import { documentsOf, invented, temporary } from '../crash/folder.js';
import { commit, derivation, newStore } from './folder.js';

const PATENTS = invented(12);

/** Replaces the bytes of a value, as a disk error would. */
async function overwrite(
  dir: string,
  table: string,
  key: unknown,
  change: (bytes: Uint8Array) => Uint8Array,
) {
  const root = open({ path: dataFile(dir), maxDbs: 16, overlappingSync: false });
  const db = root.openDB<Uint8Array, string>({ name: table, encoding: 'binary' });
  const bytes = db.get(key as string);
  assert.ok(bytes);
  db.putSync(key as string, change(bytes));
  await root.close();
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= 0x10;
  return copy;
}

test('every flipped byte of a record is detected when it is read', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS);
  const [doc] = [...store.documents.getKeys()];
  const length = JSON.stringify(store.documents.get(doc!)).length;
  await store.close();
  for (let at = 0; at < length / 2; at += 7) {
    await overwrite(dir, 'documents', doc, (bytes) => flipped(bytes, at));
    const damaged = Store.open(dir);
    assert.throws(() => damaged.documents.get(doc!), { code: 'data_corrupt' });
    await damaged.close();
    await overwrite(dir, 'documents', doc, (bytes) => flipped(bytes, at));
  }
});

test('a damaged manifest is not read', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS);
  await store.close();
  for (const at of [0, 20, 100]) {
    await overwrite(dir, 'meta', MANIFEST, (bytes) => flipped(bytes, at));
    assert.throws(() => Store.open(dir), { code: 'data_corrupt' });
    await overwrite(dir, 'meta', MANIFEST, (bytes) => flipped(bytes, at));
  }
  await Store.open(dir).close();
});

test('derived data is rebuilt: passages, ids, lists of deletions', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS);
  await commit(store, invented(3, 1, 2));
  const [segment] = store.manifest().segments;
  const doc = store.ids.get(PATENTS[5]!.patent_id)!;
  await store.close();
  const documents = await documentsOf(dir);
  const wrong = (bytes: Uint8Array) => flipped(bytes, bytes.length >> 1);
  await overwrite(dir, 'passages', [doc, 1], wrong);
  await overwrite(dir, 'ids', PATENTS[7]!.patent_id, wrong);
  await overwrite(dir, 'meta', deletedKey(segment!.id), wrong);
  const damaged = Store.open(dir);
  const { problems } = await checkFolder(damaged);
  assert.deepEqual(new Set(problems.map(({ kind }) => kind)), new Set(['passages', 'lookup']));
  const report = await repairFolder(damaged, derivation);
  assert.deepEqual(report.problems, []);
  await damaged.close();
  assert.deepEqual(await documentsOf(dir), documents);
});

test('a repair removes a damaged record, and reports it', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS);
  const { patent_id: id } = PATENTS[4]!;
  const doc = store.ids.get(id)!;
  await store.close();
  await overwrite(dir, 'documents', doc, (bytes) => flipped(bytes, 9));
  const damaged = Store.open(dir);
  const report = await repairFolder(damaged, derivation);
  assert.deepEqual([report.problems, report.documents], [[], PATENTS.length - 1]);
  assert.ok(
    report.repaired.some((text) => text.includes(id) && text.includes('ingest its file again')),
    `expected a line about ${id}: ${report.repaired}`,
  );
  assert.deepEqual(await commit(damaged, [PATENTS[4]!]), ['ingested']);
  await damaged.close();
});

test('a publication that only one of two tables has is not called unknown', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS);
  const { patent_id: id } = PATENTS[4]!;
  transaction(store, () => store.ids.removeSync(id));
  assert.throws(() => resolvePublications(store, id), { code: 'data_corrupt' });
  await store.close();
});

test('a merge gives damaged bytes no new checksum', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS.slice(0, 6));
  await commit(store, PATENTS.slice(6));
  const path = segmentPath(store, store.manifest().segments[0]!.id);
  const bytes = flipped(readFileSync(path), 3000);
  // A new file, because the written one may be mapped.
  rmSync(path);
  writeFileSync(path, bytes);
  await assert.rejects(mergeSegments(store, { full: true }), { code: 'data_corrupt' });
  assert.equal(store.manifest().segments.length, 2);
  await store.close();
});

test('a folder whose values have no checksums is refused', async (t) => {
  const dir = temporary(t);
  const made = newStore(dir);
  const manifest = made.manifest();
  await made.close();
  const root = open({ path: dataFile(dir), maxDbs: 16, overlappingSync: false });
  root.openDB({ name: 'meta' }).putSync(MANIFEST, manifest);
  await root.close();
  assert.throws(() => Store.open(dir), {
    code: 'data_corrupt',
    message: /the manifest has a wrong checksum/,
  });
});

test('a lock file that a power cut left incomplete is completed', async (t) => {
  const dir = temporary(t);
  await newStore(dir).close();
  const lock = join(dir, 'store', 'writers.mdb');
  const whole = readFileSync(lock);
  for (const torn of [whole.subarray(0, 4096), Buffer.alloc(8192), whole.subarray(0, 100)]) {
    writeFileSync(lock, torn);
    rmSync(`${lock}-lock`, { force: true });
    await Store.open(dir).close();
    assert.deepEqual(readFileSync(lock), whole);
  }
});
