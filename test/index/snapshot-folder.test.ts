/** Copies of a folder during writes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { checkFolder } from '../../src/index/check.js';
import { repairFolder } from '../../src/index/repair.js';
import { snapshotFolder } from '../../src/index/snapshot-folder.js';
import { Store } from '../../src/store/store.js';
import {
  checked,
  documentsOf,
  exactAnswers,
  FIXTURES,
  invented,
  temporary,
  writeLines,
} from '../crash/folder.js';
import { derivation } from '../store/folder.js';

test('copies made during ingests, deletions and merges are complete, each of one moment', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const engine = await open(data, { create: true, workers: 1 });
  const patents = invented(600);
  const options = { segmentPassages: 40, indexFrom: 300 };
  await engine.ingest(writeLines(join(root, 'first.jsonl'), patents.slice(0, 60)), options);
  let running = true;
  const writing = (async () => {
    await engine.ingest(writeLines(join(root, 'rest.jsonl'), patents.slice(60)), options);
    for (const { patent_id } of patents.slice(0, 30)) await engine.delete([patent_id]);
    running = false;
  })();
  const folders: string[] = [];
  const store = Store.open(data);
  for (let n = 0; running || n === 0; n++) {
    const folder = join(root, `copy-${n}`);
    const { documents } = await snapshotFolder(store, folder, { copy: n % 2 === 1 });
    assert.ok(documents >= 30 && documents <= patents.length, `${documents}`);
    folders.push(folder);
  }
  await writing;
  await snapshotFolder(store, join(root, 'last'));
  await store.close();
  await engine.close();

  const known = new Map(patents.map((patent) => [patent.patent_id, patent]));
  for (const folder of folders) {
    const report = await checked(folder);
    assert.deepEqual(report?.problems, []);
    const documents = await documentsOf(folder);
    assert.equal(documents.size, report?.documents);
    for (const id of documents.keys()) assert.ok(known.has(id), `expected a segment of the manifest: ${id}`);
  }
  const queries = patents.slice(100, 110).map(({ abstract }) => abstract!);
  assert.deepEqual(await exactAnswers(join(root, 'last'), queries), await exactAnswers(data, queries));
  assert.equal(existsSync(join(data, 'snapshot.part')), false);
  t.diagnostic(`${folders.length} copies`);
});

test('a copy of a folder with a missing segment is refused with what to do, and leaves nothing', async (t) => {
  const root = temporary(t);
  const [data, copy] = [join(root, 'data'), join(root, 'copy')];
  const engine = await open(data, { create: true, workers: 0 });
  await engine.ingest(FIXTURES);
  await engine.close();
  const store = Store.open(data);
  const file = join(data, 'segments', store.manifest().segments[0]!.id, 'segment.bin');
  rmSync(file);
  await assert.rejects(snapshotFolder(store, copy), {
    code: 'data_corrupt',
    message: `${file} is missing; run \`priorart check --repair --data ${data}\``,
  });
  await store.close();
  assert.deepEqual(readdirSync(root), ['data']);
});

test('a copy is independent: changes of one folder do not affect the other', async (t) => {
  const root = temporary(t);
  const [data, copy] = [join(root, 'data'), join(root, 'copy')];
  const engine = await open(data, { create: true, workers: 0 });
  await engine.ingest(FIXTURES);
  const store = Store.open(data);
  const { linked, files } = await snapshotFolder(store, copy);
  assert.ok(linked > 0 && linked < files, `expected links for some of ${files} files: ${linked}`);
  await store.close();
  const before = await documentsOf(data);
  const [gone] = before.keys();
  assert.deepEqual((await engine.delete([gone!])).deleted, [gone]);
  await engine.close();
  assert.deepEqual(await documentsOf(copy), before);
  const other = await open(copy, { workers: 0 });
  await other.ingest(writeLines(join(root, 'more.jsonl'), invented(5)));
  await other.close();
  assert.deepEqual((await checked(copy))?.problems, []);
  assert.deepEqual((await checked(data))?.problems, []);
  assert.equal((await documentsOf(data)).size, before.size - 1);
});

test('a slash at the end of the name is ignored, and files that appear in the target stay', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  await (await open(data, { create: true, workers: 0 })).close();
  const store = Store.open(data);
  t.after(() => store.close());
  await snapshotFolder(store, `${join(root, 'copy')}/`);
  assert.deepEqual((await checked(join(root, 'copy')))?.problems, []);
  const busy = join(root, 'busy');
  const racing = snapshotFolder(store, busy, {
    alongside: async () => {
      mkdirSync(busy);
      writeFileSync(join(busy, 'precious'), '');
    },
  });
  await assert.rejects(racing);
  assert.deepEqual(readdirSync(busy), ['precious']);
});

test('no file is overwritten, and a failed copy leaves none', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  await (await open(data, { create: true, workers: 0 })).close();
  const store = Store.open(data);
  t.after(() => store.close());
  await assert.rejects(snapshotFolder(store, data), { code: 'usage' });
  const failing = snapshotFolder(store, join(root, 'copy'), {
    alongside: (folder) => {
      assert.ok(statSync(folder).isDirectory());
      return Promise.reject(new Error('no'));
    },
  });
  // In sequence.
  await assert.rejects(snapshotFolder(store, join(root, 'other')), { code: 'unavailable' });
  await assert.rejects(failing, /no/);
  writeFileSync(join(root, 'file'), '');
  await assert.rejects(snapshotFolder(store, join(root, 'file', 'below')), {
    code: 'usage',
    message: /is not a folder/,
  });
  assert.deepEqual(readdirSync(root).sort(), ['data', 'file']);
});

test('a copy can be stopped, is for its owner only, and removes what a killed one left', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const engine = await open(data, { create: true, workers: 0 });
  await engine.ingest(FIXTURES);
  const controller = new AbortController();
  const { signal } = controller;
  const stopped = engine.snapshot(join(root, 'copy'), { signal, onProgress: () => controller.abort() });
  await assert.rejects(stopped, { code: 'cancelled', message: /nothing was left/ });
  assert.deepEqual(readdirSync(root), ['data']);
  const left = join(root, `copy.part-${randomUUID()}`);
  const others = ['copy.part-20261128', `other.part-${randomUUID()}`, `copy.part-${randomUUID()}.kept`];
  for (const folder of [left, ...others.map((name) => join(root, name))])
    mkdirSync(join(folder, 'store'), { recursive: true });
  const umask = process.umask(0o022);
  try {
    await engine.snapshot(join(root, 'copy'));
  } finally {
    process.umask(umask);
  }
  await engine.close();
  assert.deepEqual(readdirSync(root).sort(), ['copy', 'data', ...others].sort());
  assert.equal(statSync(join(root, 'copy')).mode & 0o777, 0o700);
});

test('a copy in a folder that does not exist is refused, and the folder is not made', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  await (await open(data, { create: true, workers: 0 })).close();
  const store = Store.open(data);
  t.after(() => store.close());
  const backups = join(root, 'disk', 'backups');
  await assert.rejects(snapshotFolder(store, join(backups, 'monday')), {
    code: 'usage',
    message: `the copy would be in ${backups}, which does not exist; mount the disk that it is on, or make the folder first`,
  });
  assert.deepEqual(readdirSync(root), ['data']);
  mkdirSync(backups, { recursive: true });
  await snapshotFolder(store, join(backups, 'monday'));
  assert.deepEqual(readdirSync(backups), ['monday']);
});

test('a copy in the data folder itself is refused, also by a link', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const engine = await open(data, { create: true, workers: 1 });
  await engine.ingest(FIXTURES[0]!);
  await engine.close();
  symlinkSync(data, join(root, 'link'));
  const store = Store.open(data);
  t.after(() => store.close());
  const before = readdirSync(data);
  for (const path of ['data/inside', 'data/segments/copy', 'link/inside', 'data/../data/a/b']) {
    await assert.rejects(snapshotFolder(store, join(root, path)), {
      code: 'usage',
      message: /is in the data folder/,
    });
  }
  assert.deepEqual(readdirSync(data), before);
  await snapshotFolder(store, join(root, 'data-copy'));
  assert.ok(existsSync(join(root, 'data-copy')));
});

test('a copy onto a file is refused, and what a killed copy left is found and removed', async (t) => {
  const root = temporary(t);
  const [data, file] = [join(root, 'data'), join(root, 'file')];
  const engine = await open(data, { create: true, workers: 0 });
  await engine.ingest(FIXTURES);
  await engine.close();
  writeFileSync(file, '');
  const store = Store.open(data);
  const message = `${file} is there already; name a folder that is not`;
  await assert.rejects(snapshotFolder(store, file), { code: 'usage', message });
  await store.close();
  mkdirSync(join(data, 'snapshot.part', 'segment'), { recursive: true });
  const again = Store.open(data);
  const { problems } = await checkFolder(again);
  assert.deepEqual(
    problems.map(({ kind, where }) => [kind, where]),
    [['leftover', 'snapshot.part']],
  );
  const { repaired, ok } = await repairFolder(again, derivation);
  await again.close();
  assert.deepEqual([repaired, ok], [['leftover snapshot.part was removed'], true]);
  assert.equal(existsSync(join(data, 'snapshot.part')), false);
});
