/** The ledger: the files that were read, and those that a later run skips. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { READER_VERSIONS } from '../../src/ingest/readers/registry.js';
import { Tallies } from '../../src/ingest/tally.js';
import { enterSources, isRead, registryDigest, sourceRecords } from '../../src/store/ledger.js';
import { FAILURES_KEPT } from '../../src/store/source-record.js';
import { Store } from '../../src/store/store.js';
import { CLI, launch, priorart } from '../crash/folder.js';

const line = (number: number, title: string) =>
  `${JSON.stringify({ patent_id: `US${number}B2`, country: 'US', kind_code: 'B2', title, abstract: `${title} that turns.` })}\n`;

describe('the ledger of an ingest', () => {
  let dir: string;
  let incoming: string;
  let engine: Engine;
  const file = (name: string) => join(incoming, name);
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-ledger-'));
    incoming = mkdtempSync(join(tmpdir(), 'priorart-incoming-'));
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
  });
  after(async () => {
    await engine.close();
    for (const folder of [dir, incoming]) rmSync(folder, { recursive: true });
  });

  it('a file with a document that could not be stored for now is read again', () => {
    const tallies = new Tallies();
    const ended = (path: string) => ({
      file: { path, bytes: 1, modified: '2026-01-01T00:00:00.000Z' },
      name: path,
      joined: false,
    });
    tallies.count('/stored', 'ingested');
    tallies.failed({ file: '/bad', position: 'line 1', reason: 'is empty' });
    tallies.failedForNow({ file: '/crowded', position: 'US1', reason: 'not stored; ingest it again' });
    for (const path of ['/stored', '/bad', '/crowded']) tallies.end(ended(path));
    const entered = tallies.takeEnded();
    assert.deepEqual(
      entered.map(({ path, failed }) => [path, failed]),
      [
        ['/stored', 0],
        ['/bad', 1],
      ],
    );
    tallies.end(ended('/crowded'));
    assert.deepEqual(
      tallies.takeEnded().map(({ failed, failures }) => [failed, failures]),
      [[0, undefined]],
    );
  });

  it('the ledger holds the outcome of each file, also if one commit contains several', async () => {
    writeFileSync(file('a.jsonl'), `${line(10_000_001, 'A pump')}${line(10_000_002, 'A valve')}{"x": 1}\n`);
    writeFileSync(file('b.jsonl'), line(10_000_003, 'A gear') + line(10_000_001, 'A pump'));
    writeFileSync(file('c.xml'), '<recipe><step/></recipe>');
    const { documents, failed } = await engine.ingest(incoming);
    assert.deepEqual([documents, failed.length], [4, 2]);
    const [a, b, c] = engine.sources();
    assert.deepEqual([a!.path, b!.path, c!.path], ['a.jsonl', 'b.jsonl', 'c.xml'].map(file));
    assert.deepEqual(
      [a!.ingested, a!.unchanged, a!.failed, a!.readers],
      [2, 0, 1, { jsonl: READER_VERSIONS['jsonl'] }],
    );
    assert.equal(b!.ingested + b!.unchanged, 2);
    assert.deepEqual([c!.failed, c!.readers, c!.readings], [1, {}, 1]);
    assert.ok(Date.now() - Date.parse(c!.last_read) < 60_000);
    assert.deepEqual(
      [a!.failures?.length, a!.failures?.[0]?.position, b!.failures],
      [1, 'line 3', undefined],
    );
    assert.deepEqual(
      [a!.failures![0]!.reason, c!.failures![0]!.reason],
      [file('a.jsonl'), file('c.xml')].map((path) => failed.find((one) => one.file === path)!.reason),
    );
    assert.equal(new Set([a!.run, b!.run, c!.run]).size, 1, 'one run');
    assert.ok(a!.run! <= a!.last_read, `${a!.run} ${a!.last_read}`);
  });

  it('a run skips known files, and reads changed or new ones', async () => {
    const none = await engine.ingest(incoming, { onlyNew: true });
    assert.deepEqual([none.documents, none.failed.length, none.known_files], [0, 0, 3]);
    appendFileSync(file('a.jsonl'), line(10_000_004, 'A spring'));
    writeFileSync(file('d.jsonl'), line(10_000_005, 'A bolt'));
    const some = await engine.ingest(incoming, { onlyNew: true });
    assert.deepEqual([some.ingested, some.unchanged, some.known_files], [2, 2, 2]);
    assert.equal(engine.sources().find(({ path }) => path === file('a.jsonl'))!.readings, 2);
    // The same size, another time.
    utimesSync(file('d.jsonl'), new Date(), new Date(Date.now() - 60_000));
    assert.equal((await engine.ingest(incoming, { onlyNew: true })).unchanged, 1);
    assert.equal((await engine.ingest(incoming)).known_files, undefined, 'without it all files are read');
  });

  it('the ledger keeps a bounded number of failures of the last reading, with bounded texts', async () => {
    const bad = file('bad.jsonl');
    const wrong = `{"title": "A part", "patent_id": "${'9'.repeat(5_000)}"}\n`;
    writeFileSync(bad, line(10_000_009, 'A washer') + wrong.repeat(FAILURES_KEPT + 50));
    await engine.ingest(bad);
    const kept = () => engine.sources().find(({ path }) => path === bad)!;
    assert.deepEqual([kept().failed, kept().failures?.length], [FAILURES_KEPT + 50, FAILURES_KEPT]);
    assert.ok(JSON.stringify(kept()).length < 100_000);
    const { stdout } = await priorart('ingest', '--data', join(dir, 'data'), '--status');
    assert.match(stdout, /bad\.jsonl.*1 new, 150 failed\n {6}line 2.*\n.*\n.*\n {6}… and 147 more/);
    writeFileSync(bad, line(10_000_009, 'A washer'));
    await engine.ingest(bad);
    assert.deepEqual([kept().failed, kept().failures], [0, undefined]);
    rmSync(bad);
  });

  it('a run skips files that are still being written', async () => {
    writeFileSync(file('e.jsonl'), line(10_000_006, 'A nut'));
    const early = await engine.ingest(file('e.jsonl'), { onlyNew: true, settledMs: 60_000 });
    assert.equal(early.documents, 0);
    assert.equal((await engine.ingest(file('e.jsonl'), { onlyNew: true, settledMs: 0 })).ingested, 1);
  });

  it('a run reads a folder although the time of a file in it is in the future', async () => {
    const folder = join(incoming, 'ahead');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.jsonl'), line(10_000_016, 'A rivet'));
    const later = new Date(Date.now() + 9 * 3_600_000);
    utimesSync(join(folder, 'a.jsonl'), later, later);
    assert.equal((await engine.ingest(folder, { onlyNew: true, settledMs: 60_000 })).ingested, 1);
    rmSync(folder, { recursive: true });
  });

  it('a changed table makes a run read all tables of its folder, because one table alone would remove data of the others', async () => {
    const tables = join(incoming, 'tables');
    cpSync('fixtures/formats/kipris-tables', tables, { recursive: true });
    assert.equal((await engine.ingest(tables, { onlyNew: true })).ingested, 3);
    const idle = await engine.ingest(tables, { onlyNew: true });
    const names = readdirSync(tables);
    assert.deepEqual([idle.documents, idle.known_files], [0, names.length], 'no table if none has changed');
    const request = { patent_ids: ['KR1021110010000B1'] };
    const whole = await engine.details(request);
    for (const name of ['Bibliographic.txt', 'IPC.txt']) {
      appendFileSync(join(tables, name), '\n');
      const again = await engine.ingest(tables, { onlyNew: true });
      assert.deepEqual([again.unchanged, again.updated, again.failed], [3, 0, []], name);
      assert.equal(again.known_files, 0, name);
    }
    writeFileSync(join(tables, 'Another.txt'), readFileSync(join(tables, 'IPC.txt')));
    assert.equal((await engine.ingest(tables, { onlyNew: true })).unchanged, 3, 'a new table');
    rmSync(join(tables, 'Another.txt'));
    const busy = await engine.ingest(tables, { onlyNew: true, settledMs: 60_000 });
    assert.equal(busy.documents, 0, 'no table while one of them may still be written');
    assert.deepEqual(await engine.details(request), whole);
  });

  it('the ledger does not hold a file whose reading was interrupted', async () => {
    const lines = Array.from({ length: 400 }, (_, n) => line(10_100_000 + n, `Part ${n}`)).join('');
    writeFileSync(file('long.jsonl'), lines);
    const controller = new AbortController();
    const stopped = engine.ingest(file('long.jsonl'), {
      signal: controller.signal,
      segmentPassages: 50,
      onProgress: ({ documents }) => documents > 100 && controller.abort(),
    });
    await assert.rejects(stopped, { code: 'cancelled' });
    assert.ok(!engine.sources().some(({ path }) => path === file('long.jsonl')));
    const again = await engine.ingest(file('long.jsonl'), { onlyNew: true });
    assert.ok(again.unchanged > 0 && again.ingested > 0, 'the other documents are ingested');
    assert.equal(again.ingested + again.unchanged, 400);
  });

  it('a run reads a file again if its reader has changed, or if it had no reader before', async () => {
    const store = Store.open(join(dir, 'data'));
    try {
      const entry = {
        ...{ path: '/x/y.xml', bytes: 5, modified: '2026-01-01T00:00:00.000Z' },
        ...{ ingested: 1, updated: 0, unchanged: 0, skipped: 0, failed: 0 },
        readers: { one: 1 },
        registry: registryDigest({ one: 1, two: 1 }),
      };
      const long = { ...entry, path: `/${'x'.repeat(3000)}`, failed: 1 };
      const unknown = { ...entry, path: '/x/z.csv', ingested: 0, readers: {} };
      enterSources(store, [entry, long, unknown]);
      assert.ok(isRead(store, unknown, { one: 1, two: 1 }));
      assert.ok(!isRead(store, unknown, { one: 1, two: 1, three: 1 }), 'a new reader may know it');
      assert.ok(isRead(store, entry, { one: 1, two: 1 }));
      assert.ok(isRead(store, entry, { one: 1, two: 2 }));
      assert.ok(!isRead(store, entry, { one: 2, two: 1 }));
      assert.ok(!isRead(store, { ...entry, bytes: 6 }, { one: 1, two: 1 }));
      assert.ok(isRead(store, long, { two: 1, one: 1 }));
      assert.ok(!isRead(store, long, { one: 1, two: 1, three: 1 }));
      assert.ok(sourceRecords(store).some(({ path }) => path === long.path));
    } finally {
      await store.close();
    }
  });

  it('ingest --status shows the ledger', async () => {
    const { code, stdout } = await priorart('ingest', '--data', join(dir, 'data'), '--status');
    assert.equal(code, 0);
    assert.match(stdout, /^\d+ files read into /);
    assert.match(stdout, /a\.jsonl {2}\d+ B {2}jsonl v\d+: .*3 unchanged.*1 failed, read \d times$/m);
    const json = await priorart('ingest', '--data', join(dir, 'data'), '--status', '--json');
    assert.ok(JSON.parse(json.stdout).files.length >= 5);
  });

  it('a watch ingests new files, and ends with a signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'priorart-watch-'));
    const watching = launch(CLI, [
      'ingest',
      '--data',
      join(dir, 'watched'),
      '--watch',
      '1',
      '--json',
      folder,
    ]);
    try {
      let shown = '';
      const rounds = (wanted: number) =>
        new Promise<void>((found, fail) => {
          const look = () => void (shown.split('\n').length > wanted && found());
          watching.child.stdout!.on('data', (text) => {
            shown += text;
            look();
          });
          void watching.ended.then((end) => fail(new Error(`the watch ended: ${end.stderr}`)));
          look();
        });
      await rounds(1);
      const old = new Date(Date.now() - 60_000);
      writeFileSync(join(folder, 'new.jsonl'), line(10_000_007, 'A washer'));
      utimesSync(join(folder, 'new.jsonl'), old, old);
      await rounds(2);
      const last = JSON.parse(shown.trim().split('\n').at(-1)!);
      assert.deepEqual([last.ingested, last.known_files], [1, 0]);
    } finally {
      watching.child.kill('SIGTERM');
      assert.equal((await watching.ended).code, 0);
      rmSync(folder, { recursive: true });
    }
  });
});
