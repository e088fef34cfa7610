/**
 * Every kind of damage: `check` names it, reading names the remedy, `repair` repairs it or reports that it cannot,
 * and exact answers afterwards are the same as before.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { open } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { type CheckReport, checkFolder, type ProblemKind } from '../../src/index/check.js';
import { applicationLink, COLUMNS, columnValues } from '../../src/index/columns.js';
import { lockMerging, mergeSegments } from '../../src/index/merge.js';
import { native } from '../../src/index/native.js';
import { repairFolder } from '../../src/index/repair.js';
import { isGrantPublication } from '../../src/patent/kind.js';
import type { Patent } from '../../src/patent/record.js';
import { commitDocuments, deleteDocuments } from '../../src/store/commit.js';
import type { SegmentEntry } from '../../src/store/manifest.js';
import { Store } from '../../src/store/store.js';
import {
  CLI,
  documentsOf,
  exactAnswers,
  invented,
  launch,
  priorart,
  random,
  temporary,
} from '../crash/folder.js';
import { commit, derivation, MODEL, newStore, prepared } from '../store/folder.js';

const PATENTS = invented(120);
const QUERIES = invented(12, 9).map(({ abstract }) => abstract!);

interface Folder {
  dir: string;
  answers: string[];
  segments: SegmentEntry[];
}

/** Three segments: with an index, with deletions, and a small one. */
async function folder(t: TestContext): Promise<Folder> {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS.slice(0, 60));
  await mergeSegments(store, { indexFrom: 100 });
  await commit(store, PATENTS.slice(60, 110));
  await commit(store, PATENTS.slice(110));
  deleteDocuments(
    store,
    PATENTS.slice(62, 66).map(({ patent_id }) => patent_id),
  );
  const { segments } = store.manifest();
  await store.close();
  assert.deepEqual(
    segments.map(({ index }) => index?.kind),
    ['ivf-sq8', undefined, undefined],
  );
  return { dir, segments, answers: await exactAnswers(dir, QUERIES) };
}

const segmentFile = ({ dir, segments }: Folder, n: number) =>
  join(dir, 'segments', segments[n]!.id, 'segment.bin');
const indexFile = ({ dir, segments }: Folder) =>
  join(dir, 'segments', segments[0]!.id, segments[0]!.index!.file);

async function withStore<T>(dir: string, work: (store: Store) => T | Promise<T>): Promise<T> {
  const store = Store.open(dir);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const kindsOf = ({ problems }: CheckReport): ProblemKind[] =>
  [...new Set(problems.map(({ kind }) => kind))].sort();

/** Flips a bit in a new file, because processes may not write into a mapped one. */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 0x10;
  rmSync(path);
  writeFileSync(path, bytes);
}

/** A check names the damage, a repair removes it, and answers are the same as before. */
async function mends(whole: Folder, expected: { kind: ProblemKind; names: RegExp }): Promise<void> {
  const { dir } = whole;
  await withStore(dir, async (store) => {
    const report = await checkFolder(store);
    assert.equal(report.ok, false);
    assert.deepEqual(kindsOf(report), [expected.kind]);
    assert.match(JSON.stringify(report.problems), expected.names);
    assert.deepEqual((await repairFolder(store, derivation)).problems, []);
  });
  assert.deepEqual(await exactAnswers(dir, QUERIES), whole.answers);
}

/** Searching a damaged folder is an error with a remedy and does not end the process. */
async function refuses(dir: string, message: RegExp): Promise<void> {
  await assert.rejects(exactAnswers(dir, QUERIES), (error) => {
    assert.ok(isPriorartError(error), String(error));
    assert.equal(error.code, 'data_corrupt');
    assert.match(error.message, message);
    assert.match(error.message, /check --repair/);
    return true;
  });
}

test('a flipped byte among the vectors of a segment is repaired', async (t) => {
  const whole = await folder(t);
  flip(segmentFile(whole, 1), 5000);
  await mends(whole, { kind: 'segment', names: /wrong checksum of 1 blocks, the first at byte 0/ });
});

test('a segment with a damaged header or footer, cut, emptied or missing is repaired', async (t) => {
  const damage: [string, (path: string) => void, RegExp][] = [
    ['header', (path) => flip(path, 3), /wrong magic/],
    ['footer', (path) => flip(path, readFileSync(path).length - 3), /incomplete/],
    ['directory', (path) => flip(path, readFileSync(path).length - 60), /directory/],
    ['cut', (path) => truncateSync(path, 20_000), /incomplete/],
    ['empty', (path) => truncateSync(path, 0), /segment\.bin/],
    ['missing', (path) => rmSync(path), /is missing/],
    ['folder missing', (path) => rmSync(join(path, '..'), { recursive: true }), /is missing/],
  ];
  for (const [what, harm, message] of damage) {
    await t.test(what, async (t) => {
      const whole = await folder(t);
      harm(segmentFile(whole, what === 'cut' ? 0 : 1));
      await refuses(whole.dir, message);
      await mends(whole, { kind: 'segment', names: /segment\.bin/ });
    });
  }
});

test('a check names the file of a problem once', async (t) => {
  const whole = await folder(t);
  const cut = segmentFile(whole, 1);
  truncateSync(cut, 20_000);
  truncateSync(indexFile(whole), 3000);
  const { problems } = await withStore(whole.dir, checkFolder);
  const reasons = new Map(problems.map(({ where, reason }) => [where, reason]));
  assert.equal(reasons.get(cut), 'the file is incomplete: its end is missing');
  for (const { where, reason } of problems)
    for (const path of [cut, indexFile(whole)])
      assert.ok(`${where}: ${reason}`.split(path).length <= 2, `${where}: ${reason}`);
});

test('all segments and their folder missing are repaired', async (t) => {
  const whole = await folder(t);
  rmSync(join(whole.dir, 'segments'), { recursive: true });
  await refuses(whole.dir, /is missing/);
  await mends(whole, { kind: 'segment', names: /the file is missing/ });
});

test('a FAISS index that is flipped, cut, emptied, overwritten or missing is repaired', async (t) => {
  const damage: [string, (path: string) => void, boolean][] = [
    ['flipped', (path) => flip(path, readFileSync(path).length - 100), false],
    ['header', (path) => flip(path, 1), true],
    ['cut', (path) => truncateSync(path, 3000), true],
    ['empty', (path) => truncateSync(path, 0), true],
    ['garbage', (path) => writeFileSync(path, Buffer.alloc(50_000, 0x5a)), true],
    ['missing', (path) => rmSync(path), true],
  ];
  for (const [what, harm, noticed] of damage) {
    await t.test(what, async (t) => {
      const whole = await folder(t);
      harm(indexFile(whole));
      if (noticed) await refuses(whole.dir, /faiss/);
      await mends(whole, { kind: 'faiss', names: new RegExp(whole.segments[0]!.index!.file) });
    });
  }
});

test('a publication whose record and segment are missing is named', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => store.documents.removeSync(5));
  rmSync(segmentFile(whole, 0));
  const id = PATENTS[4]!.patent_id;
  await withStore(whole.dir, async (store) => {
    const { problems } = await checkFolder(store);
    assert.deepEqual(
      problems.filter(({ kind }) => kind === 'document').map(({ where, reason }) => [where, reason]),
      [[id, 'its record is missing']],
    );
    const { ok, repaired } = await repairFolder(store, derivation);
    assert.ok(ok);
    assert.match(repaired.join(), new RegExp(`${id} is lost and was taken out`));
    await commit(store, [PATENTS[4]!]);
  });
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

test('look-up tables with missing rows, dangling rows or wrong counts are repaired', async (t) => {
  const [patent] = PATENTS;
  const { patent_id, number, country, application_number } = patent!;
  const damage: [string, (store: Store) => void][] = [
    ['ids', (store) => store.ids.removeSync(patent_id)],
    ['ids to another', (store) => store.ids.putSync(patent_id, 77)],
    ['ids of a missing document', (store) => store.ids.putSync('KR1020990000001A', 5)],
    ['numbers', (store) => store.numbers.removeSync(number, patent_id)],
    ['numbers of a missing document', (store) => store.numbers.putSync('1020990000001', 'KR1020990000001A')],
    ['applications', (store) => store.applications.removeSync(country + application_number, patent_id)],
    ['all', (store) => store.ids.clearSync()],
    [
      'counts',
      (store) => {
        const manifest = store.manifest();
        store.meta.putSync('manifest', { ...manifest, documents: 3, passages: 1 });
      },
    ],
  ];
  for (const [what, harm] of damage) {
    await t.test(what, async (t) => {
      const whole = await folder(t);
      await withStore(whole.dir, harm);
      await mends(whole, { kind: 'lookup', names: /lead|counts|there are/ });
    });
  }
});

test('a missing or changed passage is cut again from the text', async (t) => {
  const whole = await folder(t);
  const documents = await documentsOf(whole.dir);
  await withStore(whole.dir, (store) => {
    store.passages.removeSync([5, 1]);
    store.passages.putSync([8, 0], { ...store.passage(8, 0)!, text: 'not what it said' });
  });
  await mends(whole, { kind: 'passages', names: /passage 1 is missing.*not as it was stored/ });
  assert.deepEqual(await documentsOf(whole.dir), documents);
});

test('a missing passage and its segment are repaired together', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => store.passages.removeSync([5, 1]));
  rmSync(segmentFile(whole, 0));
  const repaired = await priorart('check', '--data', whole.dir, '--repair', '--json');
  assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr);
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

/** Damage that only the source can repair: the message says so, and deletion followed by an ingest repairs it. */
async function needsSource(whole: Folder, patentId: string): Promise<void> {
  const repaired = await priorart('check', '--data', whole.dir, '--repair');
  assert.equal(repaired.code, 1);
  assert.match(repaired.stdout, new RegExp(`document: ${patentId}: `));
  assert.match(repaired.stdout, /cannot be rebuilt.*priorart delete.*ingest/);
  assert.equal((await priorart('delete', '--data', whole.dir, patentId)).code, 0);
  const patent = PATENTS.find(({ patent_id }) => patent_id === patentId)!;
  await withStore(whole.dir, (store) => commit(store, [patent]));
  assert.equal((await priorart('check', '--data', whole.dir)).code, 0);
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
}

test('a missing text is restored from its source only', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => store.bodies.removeSync(5));
  await needsSource(whole, PATENTS[4]!.patent_id);
});

test('after a missing text, passage and segment, the other documents are restored', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => {
    store.bodies.removeSync(5);
    store.passages.removeSync([5, 0]);
  });
  rmSync(segmentFile(whole, 0));
  await needsSource(whole, PATENTS[4]!.patent_id);
});

/** Flips a bit of a stored value, so that its checksum is wrong. */
function flipValue(store: Store, table: string, key: number | [number, number]): void {
  const values = store.root.openDB<Buffer, typeof key>({ name: table, encoding: 'binary' });
  const bytes = Buffer.from(values.get(key)!);
  bytes[bytes.length >> 1]! ^= 1;
  values.putSync(key, bytes);
}

test('a segment is rebuilt although a value of one of its documents is damaged', async (t) => {
  const damage: [string, (store: Store) => void][] = [
    ['the text', (store) => flipValue(store, 'bodies', 5)],
    [
      'text and passage',
      (store) => {
        flipValue(store, 'bodies', 5);
        flipValue(store, 'passages', [5, 0]);
      },
    ],
  ];
  for (const [what, harm] of damage) {
    await t.test(what, async (t) => {
      const whole = await folder(t);
      await withStore(whole.dir, harm);
      flip(segmentFile(whole, 0), 200);
      await needsSource(whole, PATENTS[4]!.patent_id);
    });
  }
  await t.test('the record', async (t) => {
    const whole = await folder(t);
    await withStore(whole.dir, (store) => flipValue(store, 'documents', 5));
    flip(segmentFile(whole, 0), 200);
    await withStore(whole.dir, async (store) => {
      const { repaired, problems } = await repairFolder(store, derivation);
      assert.deepEqual(problems, []);
      assert.match(repaired.join(), new RegExp(`${PATENTS[4]!.patent_id} is lost and was taken out`));
      await commit(store, [PATENTS[4]!]);
    });
    assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
  });
});

test('the only document of a segment is lost with it, and comes back from its source', async (t) => {
  const [first, ...others] = PATENTS.slice(0, 11);
  const damage: [string, (store: Store) => void][] = [
    ['missing record', (store) => store.documents.removeSync(1)],
    ['damaged record', (store) => flipValue(store, 'documents', 1)],
    [
      'missing text and passage',
      (store) => {
        store.bodies.removeSync(1);
        store.passages.removeSync([1, 0]);
      },
    ],
  ];
  for (const [what, harm] of damage) {
    await t.test(what, async (t) => {
      const dir = temporary(t);
      await newFolder(dir, [[first!], others]);
      await withStore(dir, harm);
      const [segment] = await withStore(dir, (store) => store.manifest().segments);
      flip(join(dir, 'segments', segment!.id, 'segment.bin'), 200);
      await withStore(dir, async (store) => {
        const { repaired } = await repairFolder(store, derivation);
        assert.match(repaired.join(), new RegExp(`segment ${segment!.id} was rebuilt`));
        // What `check` proposes for texts that cannot be rebuilt.
        deleteDocuments(store, [first!.patent_id]);
        assert.deepEqual((await checkFolder(store)).problems, []);
        assert.equal(store.manifest().documents, others.length);
        assert.deepEqual(await commit(store, [first!]), ['ingested']);
        assert.deepEqual((await checkFolder(store)).problems, []);
      });
    });
  }
});

async function newFolder(dir: string, batches: readonly (readonly Patent[])[]): Promise<void> {
  const store = newStore(dir);
  for (const batch of batches) await commit(store, batch);
  await store.close();
}

test('a record that differs from the stored one is reported', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => {
    store.documents.putSync(7, { ...store.documents.get(7)!, title: 'something else' });
  });
  await needsSource(whole, PATENTS[6]!.patent_id);
});

test('a missing record is removed from the index, named, and restored from its source', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => store.documents.removeSync(5));
  const id = PATENTS[4]!.patent_id;
  const found = await priorart('check', '--data', whole.dir);
  assert.equal(found.code, 1);
  assert.match(found.stdout, new RegExp(`document: ${id}: has vectors but no record`));
  const repaired = await priorart('check', '--data', whole.dir, '--repair');
  assert.equal(repaired.code, 0, repaired.stdout);
  assert.match(repaired.stdout, new RegExp(`${id} is lost and was taken out; ingest its file again`));
  assert.equal((await documentsOf(whole.dir)).size, 115);
  await withStore(whole.dir, (store) => commit(store, [PATENTS[4]!]));
  assert.equal((await priorart('check', '--data', whole.dir)).code, 0);
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

test('the command line exits with 1 for damage, and with 0 after a repair', async (t) => {
  const whole = await folder(t);
  flip(segmentFile(whole, 1), 5000);
  rmSync(indexFile(whole));
  const found = await priorart('check', '--data', whole.dir);
  assert.equal(found.code, 1, found.stderr);
  assert.match(found.stdout, /^faiss: .*the file is missing/m);
  assert.match(found.stdout, /^segment: .*wrong checksum/m);
  assert.match(found.stdout, /2 problems\.\nRun `priorart check --repair --data /);
  const repaired = await priorart('check', '--data', whole.dir, '--repair');
  assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr);
  assert.match(repaired.stdout, /repaired: the index of segment .*\nrepaired: segment .* was rebuilt/);
  assert.match(repaired.stdout, /everything is in order/);
  assert.equal((await priorart('check', '--data', whole.dir)).code, 0);
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

test('a segment of an earlier version without a column is rewritten', async (t) => {
  const dir = temporary(t);
  const documents = await prepared(PATENTS.slice(0, 20));
  const missing = COLUMNS.findIndex(({ name }) => name === 'kinds');
  const others = <T>(list: readonly T[]) => list.filter((_, n) => n !== missing);
  const store = newStore(dir);
  commitDocuments(store, MODEL, documents, (segment, firstDoc) => {
    mkdirSync(store.segmentDir(segment), { recursive: true });
    const file = join(store.segmentDir(segment), 'segment.bin');
    const writer = new native.SegmentWriter(file, MODEL.dimensions, others(COLUMNS));
    for (const [n, { patent, vectors, bags }] of documents.entries()) {
      const { terms, labels, days } = columnValues(patent);
      writer.push({
        id: firstDoc + n,
        patentId: patent.patent_id,
        application: applicationLink(patent),
        grant: isGrantPublication(patent),
        vectors,
        bags,
        terms: others(terms),
        labels: others(labels),
        days,
      });
    }
    return { id: segment, ...writer.finish(), firstDoc, lastDoc: firstDoc + documents.length - 1 };
  });
  await store.close();
  const question = { query: QUERIES[0]!, kind_codes: [PATENTS[0]!.kind_code!] };
  const before = await open(dir, { workers: 0 });
  await assert.rejects(before.search(question), {
    code: 'data_corrupt',
    message: /no column kinds.*--repair/,
  });
  await before.close();
  const found = await priorart('check', '--data', dir);
  assert.equal(found.code, 1);
  assert.match(found.stdout, /^segment: .*no column kinds/m);
  assert.equal((await priorart('check', '--data', dir, '--repair')).code, 0);
  const after = await open(dir, { workers: 0 });
  assert.ok((await after.search(question)).total > 0);
  await after.close();
});

test('all kinds of damage at once are repaired', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, (store) => {
    store.ids.clearSync();
    store.passages.removeSync([70, 0]);
  });
  rmSync(indexFile(whole));
  flip(segmentFile(whole, 1), 70);
  rmSync(segmentFile(whole, 2));
  const repaired = await priorart('check', '--data', whole.dir, '--repair', '--json');
  assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr);
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

test('leftovers are reported, are not damage, and are removed', async (t) => {
  const whole = await folder(t);
  const segments = join(whole.dir, 'segments');
  mkdirSync(join(segments, 's99999999'));
  writeFileSync(join(segments, 's99999999', 'segment.bin.tmp'), 'half a segm');
  writeFileSync(join(segments, whole.segments[1]!.id, 'index-old.faiss.tmp'), 'half an ind');
  const found = await priorart('check', '--data', whole.dir, '--json');
  assert.equal(found.code, 0, found.stderr);
  const report = JSON.parse(found.stdout) as CheckReport;
  assert.deepEqual(
    report.problems.map(({ kind, where }) => [kind, where]),
    [
      ['leftover', `${whole.segments[1]!.id}/index-old.faiss.tmp`],
      ['leftover', 's99999999'],
    ],
  );
  assert.equal((await priorart('check', '--data', whole.dir, '--repair')).code, 0);
  assert.deepEqual(
    readdirSync(segments),
    whole.segments.map(({ id }) => id),
  );
  assert.ok(!existsSync(join(segments, whole.segments[1]!.id, 'index-old.faiss.tmp')));
  assert.deepEqual(await exactAnswers(whole.dir, QUERIES), whole.answers);
});

test('a repair ignores files of a running merge', async (t) => {
  const whole = await folder(t);
  await withStore(whole.dir, async (store) => {
    const lock = lockMerging(store);
    assert.ok(lock);
    await assert.rejects(repairFolder(store, derivation), { code: 'unavailable' });
    lock.release();
    assert.deepEqual((await repairFolder(store, derivation)).problems, []);
  });
});

test('a document deleted while its segment is rebuilt stays deleted', async (t) => {
  const whole = await folder(t);
  flip(segmentFile(whole, 1), 70);
  await withStore(whole.dir, async (store) => {
    // One document that was read already and one that was not, when the tenth is embedded.
    let calls = 0;
    const derive: typeof derivation.derive = (document) => {
      calls += 1;
      const ids = [PATENTS[60]!.patent_id, PATENTS[100]!.patent_id];
      if (calls === 10) assert.deepEqual(deleteDocuments(store, ids), ids);
      return derivation.derive(document);
    };
    const report = await repairFolder(store, { ...derivation, derive });
    assert.ok(calls > 10);
    assert.deepEqual([report.problems, report.documents], [[], 114]);
  });
});

test('a folder of another format, of none, or of another model is refused', async (t) => {
  const whole = await folder(t);
  const formats: [format: number, message: RegExp][] = [
    [99, /a newer priorart \(format 99, this priorart reads 1\); upgrade priorart/],
    [0, /another program \(format 0, this priorart reads 1\); ingest into another folder/],
  ];
  await withStore(whole.dir, async (store) => {
    const manifest = store.manifest();
    for (const [format, message] of formats) {
      store.meta.putSync('manifest', { ...manifest, format });
      const { code, stderr } = await priorart('check', '--data', whole.dir);
      assert.equal(code, 1);
      assert.match(stderr, message);
      await assert.rejects(exactAnswers(whole.dir, QUERIES), { code: 'data_version' });
    }
  });
  const none = await priorart('check', '--data', join(whole.dir, 'nothing'));
  assert.deepEqual(
    [none.code, /nothing does not exist; check --data.*priorart ingest/.test(none.stderr)],
    [1, true],
    none.stderr,
  );
  await assert.rejects(exactAnswers(join(whole.dir, 'nothing'), QUERIES), { code: 'no_data' });
  assert.ok(!existsSync(join(whole.dir, 'nothing')), 'a check creates no folder');
});

test('a repair with the model that the folder had before is refused', async (t) => {
  const { dir } = await folder(t);
  await withStore(dir, async (store) => {
    const { model } = store.manifest();
    const derive = () => assert.fail('nothing is derived');
    const before = { ...derivation, derive, model: { ...model, version: 'before' } };
    const message = /the model of .* has changed while this repair began; run it again/;
    await assert.rejects(repairFolder(store, before), { code: 'unavailable', message });
    assert.ok((await repairFolder(store, { ...before, model })).ok);
  });
});

test('with any flipped bytes of segments and indexes, a search answers or refuses', async (t) => {
  const whole = await folder(t);
  const paths = [segmentFile(whole, 0), segmentFile(whole, 1), indexFile(whole)];
  const originals = paths.map((path) => readFileSync(path));
  const seed = 77;
  const next = random(seed);
  t.diagnostic(`seed ${seed}`);
  let refused = 0;
  // In separate processes, so that the test sees a crash.
  for (let round = 0; round < 14; round++) {
    paths.forEach((path, n) => {
      const bytes = Buffer.from(originals[n]!);
      for (let k = 0; k < 8; k++) bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      rmSync(path);
      writeFileSync(path, bytes);
    });
    const args = ['search', '--data', whole.dir, QUERIES[0]!, '--json', '--countries', 'KR'];
    const { code, signal, stderr } = await launch(CLI, args).ended;
    assert.equal(signal, null, stderr);
    if (code !== 0) {
      refused += 1;
      assert.match(stderr, /^priorart: .*check/m, stderr);
    }
  }
  t.diagnostic(`${refused} of 14 refused`);
});
