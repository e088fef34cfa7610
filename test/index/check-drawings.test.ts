/** A check detects damage to files of drawings, and a repair handles it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LocalDrawings } from '../../src/drawings/files.js';
import { open } from '../../src/engine.js';
import { checkFolder } from '../../src/index/check.js';
import { repairFolder } from '../../src/index/repair.js';
import { figureImages } from '../../src/store/figures.js';
import { IngestProgressFile, runningIngests } from '../../src/store/ingest-progress.js';
import { Store } from '../../src/store/store.js';
import { noSharp } from '../drawings/images.js';
import { derivation } from '../store/folder.js';
import { until } from '../until.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-check-drawings-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const PATENT = 'US11056350B2';
const SOURCE = resolve('fixtures/us/US11056350-20210706');
const LAST = 'us11056350-20210706-d00002';
const OLD = new Date(Date.now() - 3_600_000);

describe('a check of drawings', { skip: noSharp }, () => {
  const whole = join(folder, 'whole');
  before(async () => {
    const engine = await open(whole, { create: true, workers: 1 });
    await engine.ingest(SOURCE);
    await engine.close();
  });

  /** A damaged copy of the folder, and its store. */
  async function damaged(name: string, harm: (files: LocalDrawings, content: string, store: Store) => void) {
    const dir = join(folder, name);
    cpSync(whole, dir, { recursive: true });
    const store = Store.open(dir);
    const { content } = figureImages(store, PATENT).get(LAST)!;
    harm(new LocalDrawings(dir), content, store);
    store.refresh();
    return { dir, store };
  }
  const problems = async (store: Store) =>
    (await checkFolder(store)).problems.map(({ kind, where, reason }) => `${kind} ${where}: ${reason}`);

  it('finds no fault after an ingest', async () => {
    const { store } = await damaged('calm', () => {});
    assert.deepEqual(await problems(store), []);
    assert.equal(figureImages(store, PATENT).size, 3);
    await store.close();
  });

  for (const [name, harm, reason] of [
    ['removed', (files, content) => rmSync(files.path(content)), /^drawing US11056350B2: .*is missing$/],
    [
      'altered',
      (files, content) => appendFileSync(files.path(content), 'x'),
      /^drawing US11056350B2: .*checksum$/,
    ],
  ] as [string, (files: LocalDrawings, content: string) => void, RegExp][]) {
    it(`finds a file that was ${name}; a repair removes it, an ingest restores it`, async () => {
      const { dir, store } = await damaged(name, harm);
      const found = await problems(store);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, reason);
      const { ok, repaired } = await repairFolder(store, derivation);
      assert.equal(ok, true);
      assert.ok(
        repaired.some((text) => text.includes(LAST)),
        repaired.join('\n'),
      );
      assert.deepEqual([...figureImages(store, PATENT).keys()].includes(LAST), false);
      await store.close();
      const engine = await open(dir, { workers: 1 });
      const { drawings } = await engine.ingest(SOURCE);
      assert.deepEqual([drawings?.stored, drawings?.unchanged, drawings?.missing], [1, 2, 0]);
      await engine.close();
      const again = Store.open(dir);
      assert.deepEqual(await problems(again), []);
      await again.close();
    });
  }

  // A link to itself cannot be read, not even by root.
  it('reports a file that cannot be read, and a repair leaves it as it is', async () => {
    let path = '';
    const { store } = await damaged('unreadable', (files, content) => {
      path = files.path(content);
      renameSync(path, `${path}.away`);
      symlinkSync(path, path);
    });
    const found = await problems(store);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0]!, /^drawing US11056350B2: .*it cannot be read: ELOOP/);
    const { ok, repaired } = await repairFolder(store, derivation);
    assert.deepEqual([ok, repaired], [false, []]);
    rmSync(path);
    renameSync(`${path}.away`, path);
    assert.deepEqual(await problems(store), []);
    assert.equal(figureImages(store, PATENT).size, 3);
    await store.close();
  });

  it('reports a folder that cannot be listed, and no snapshot is made without it', async () => {
    const { dir, store } = await damaged('unlistable', (files) => {
      const shard = join(files.dir, '000');
      symlinkSync(shard, shard);
    });
    const found = await problems(store);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0]!, /^drawing drawings: a folder cannot be read.*ELOOP/);
    const { ok, repaired } = await repairFolder(store, derivation);
    assert.deepEqual([ok, repaired], [false, []]);
    await store.close();
    const engine = await open(dir, { workers: 1 });
    const copy = join(folder, 'copy-of-unlistable');
    await assert.rejects(engine.snapshot(copy), /ELOOP/);
    assert.equal(existsSync(copy), false);
    await engine.close();
  });

  it('finds old files of no publication, and a repair removes them', async () => {
    let paths: string[] = [];
    const { store } = await damaged('leftover', (files, content) => {
      const image = Buffer.concat([readFileSync(files.path(content)), Buffer.from('x')]);
      const stray = files.path(createHash('sha256').update(image).digest('hex'));
      paths = [stray, join(files.dir, 'new', 'half')];
      mkdirSync(dirname(stray), { recursive: true });
      writeFileSync(stray, image);
      writeFileSync(paths[1]!, 'half');
    });
    assert.deepEqual(await problems(store), [], 'new files may belong to a running process');
    for (const path of paths) utimesSync(path, OLD, OLD);
    const ingest = new IngestProgressFile(store.dir);
    await until(() => runningIngests(store.dir).length === 1, 'the ingest is known');
    assert.deepEqual(
      (await problems(store)).map((text) => text.split(' ')[0]),
      ['leftover'],
      'an ingest that runs may store the publication of an old file',
    );
    await repairFolder(store, derivation);
    assert.ok(existsSync(paths[0]!));
    ingest.end();
    writeFileSync(paths[1]!, 'half');
    utimesSync(paths[1]!, OLD, OLD);
    assert.deepEqual(
      (await problems(store)).map((text) => text.split(' ')[0]),
      ['leftover', 'leftover'],
    );
    await repairFolder(store, derivation);
    assert.deepEqual([...paths.map(existsSync), await problems(store)], [false, false, []]);
    await store.close();
  });

  it('finds dangling look-ups, and a repair rebuilds them', async () => {
    const { store } = await damaged('lookups', (_, content, { figureFiles, figureNames }) => {
      figureFiles.removeSync(content, PATENT);
      figureNames.putSync(['*', 'us99999999'], PATENT);
    });
    const found = await problems(store);
    assert.deepEqual(
      found.map((text) => text.split(' ')[0]),
      ['lookup', 'lookup'],
      found.join('\n'),
    );
    const { ok } = await repairFolder(store, derivation);
    assert.equal(ok, true);
    assert.deepEqual(await problems(store), []);
    assert.equal(figureImages(store, PATENT).size, 3);
    await store.close();
  });
});
