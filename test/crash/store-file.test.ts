/**
 * The LMDB file is cut, emptied or overwritten: LMDB maps it and can crash with SIGBUS or SIGSEGV. Each case runs in
 * a separate process, so that the test sees the crash.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dataFile } from '../../src/store/faults.js';
import { damagedPages } from '../../src/store/pages.js';
import { Store } from '../../src/store/store.js';
import { commit, newStore } from '../store/folder.js';
import { invented, priorart, random, temporary, usedBytes } from './folder.js';

const PATENTS = invented(150);

async function folder(t: TestContext): Promise<{ dir: string; file: string }> {
  const dir = join(temporary(t), 'data');
  const store = newStore(dir);
  for (let n = 0; n < 150; n += 50) await commit(store, PATENTS.slice(n, n + 50));
  await store.close();
  const file = join(dir, 'store', 'data.mdb');
  // Without the reserved space behind its pages, so that the damage affects pages.
  truncateSync(file, usedBytes(file));
  return { dir, file };
}

/** A command ends with exit code 1 and a message, for every content of the file. */
async function refuses(dir: string, message: RegExp, command: string, ...args: string[]): Promise<void> {
  const { code, signal, stdout, stderr } = await priorart(command, '--data', dir, ...args);
  assert.equal(signal, null, `${command}: ${stderr}`);
  assert.equal(code, 1, `${command}: ${stdout}${stderr}`);
  assert.match(stderr, message);
}

test('a file that is emptied, cut within the meta pages, or overwritten is refused', async (t) => {
  const damage: [string, (file: string) => void][] = [
    ['empty', (file) => truncateSync(file, 0)],
    ['one byte', (file) => truncateSync(file, 1)],
    ['one page', (file) => truncateSync(file, 4096)],
    ['within the second page', (file) => truncateSync(file, 4196)],
    ['behind the data of the second page', (file) => truncateSync(file, 5000)],
    ['garbage', (file) => writeFileSync(file, Buffer.alloc(200_000, 'garbage '))],
    ['zeros', (file) => writeFileSync(file, Buffer.alloc(200_000))],
    ['text', (file) => writeFileSync(file, 'not a database')],
  ];
  for (const [what, harm] of damage) {
    await t.test(what, async (t) => {
      const { dir, file } = await folder(t);
      harm(file);
      const message = /data\.mdb is damaged: .*(ingest the documents again|put back)/;
      await refuses(dir, message, 'check');
      if (what === 'empty' || what === 'garbage') {
        await refuses(dir, message, 'search', 'valve');
        await refuses(dir, message, 'ingest', 'fixtures/jsonl/ep.jsonl');
      }
    });
  }
});

test('a folder without the file is refused if it has segments, and is new if it has none', async (t) => {
  const { dir, file } = await folder(t);
  for (const lost of [file, dirname(file)]) {
    rmSync(lost, { recursive: true });
    const message = /data\.mdb is missing, while the segments of the index are there.* put back a copy/;
    await refuses(dir, message, 'check');
    await refuses(dir, message, 'search', 'valve');
    await refuses(dir, message, 'ingest', 'fixtures/jsonl/ep.jsonl');
    assert.throws(() => newStore(dir), { code: 'data_corrupt' });
    assert.ok(!existsSync(file), 'no new file was made');
  }
  for (const entry of readdirSync(join(dir, 'segments')))
    rmSync(join(dir, 'segments', entry), { recursive: true });
  await refuses(dir, /no index in .*data/, 'check');
  assert.equal((await priorart('ingest', '--data', dir, 'fixtures/jsonl/ep.jsonl')).code, 0);
});

test('a file that is incomplete since the creation of the folder is created again', async (t) => {
  const { dir, file } = await folder(t);
  for (const bytes of [0, 1, 4096, 4196]) {
    const half = join(temporary(t), 'data');
    cpSync(join(dir, 'store'), join(half, 'store'), { recursive: true });
    truncateSync(dataFile(half), bytes);
    assert.equal(await Store.openIfThere(half), undefined, `${bytes} bytes`);
    const store = newStore(half);
    await commit(store, PATENTS.slice(0, 2));
    assert.equal(store.manifest().documents, 2);
    await store.close();
  }
  assert.ok(statSync(file).size > 8192);
});

test('a file cut anywhere never crashes a command, and all damage is reported', async (t) => {
  const { dir, file } = await folder(t);
  const size = statSync(file).size;
  const seed = 5;
  const next = random(seed);
  t.diagnostic(`seed ${seed}`);
  for (let round = 0; round < 8; round++) {
    const copy = join(dir, `../cut-${round}`);
    cpSync(dir, copy, { recursive: true });
    const at = 8192 + Math.floor(next() * (size - 8192));
    truncateSync(join(copy, 'store', 'data.mdb'), at);
    const { code, signal, stdout, stderr } = await priorart('check', '--data', copy);
    assert.equal(signal, null, `cut at ${at}: ${stderr}`);
    // The last pages of a file may be free pages.
    if (code === 0) assert.ok(at > size / 2, `cut at ${at} of ${size}, but reported as whole?`);
    else assert.match(stdout + stderr, /damaged|missing|not as it was stored|lead|there are/);
    rmSync(copy, { recursive: true });
  }
});

test('pages with zeros, noise or changed bytes never crash a command, and check names them', async (t) => {
  const { dir, file } = await folder(t);
  const whole = readFileSync(file);
  const pages = whole.length / 4096;
  const seed = 6;
  const next = random(seed);
  t.diagnostic(`seed ${seed}, ${pages} pages`);
  let named = 0;
  for (let round = 0; round < 9; round++) {
    const bytes = Buffer.from(whole);
    const at = 4096 * (2 + Math.floor(next() * (pages - 2)));
    if (round % 3 === 0) bytes.fill(0, at, at + 4096);
    else if (round % 3 === 1) for (let n = 0; n < 4096; n++) bytes[at + n] = Math.floor(next() * 256);
    else for (let n = 0; n < 4; n++) bytes[at + Math.floor(next() * 64)] = Math.floor(next() * 256);
    rmSync(file);
    writeFileSync(file, bytes);
    rmSync(`${file}-lock`, { force: true });
    const check = await priorart('check', '--data', dir);
    assert.equal(check.signal, null, `page ${at / 4096}: ${check.stderr}`);
    if (check.code === 1) named += 1;
    const search = await priorart('search', '--data', dir, PATENTS[3]!.abstract!);
    assert.equal(search.signal, null, `page ${at / 4096}: ${search.stderr}`);
    assert.ok(search.code === 0 || /^priorart: /m.test(search.stderr), search.stderr);
  }
  // Changes in free pages and unused bytes are harmless.
  assert.ok(named >= 6, `${named} of 9 named`);
});

test('an export of a store with damaged pages ends with one message that says what to do', async (t) => {
  const { dir, file } = await folder(t);
  const bytes = readFileSync(file);
  // Of the tables that name this publication. The store opens without them.
  for (let page = 0; page < bytes.length; page += 4096) {
    const content = bytes.subarray(page, page + 4096);
    if (content.includes(PATENTS[75]!.patent_id)) content.fill(0);
  }
  writeFileSync(file, bytes);
  for (const args of [[], ['--countries', 'KR']]) {
    const { code, signal, stderr } = await priorart('export', '--data', dir, ...args);
    assert.deepEqual([code, signal], [1, null], stderr);
    assert.match(stderr, /^priorart: .*data\.mdb is damaged: .*put back a copy/m);
    assert.doesNotMatch(stderr, /^ +at /m);
  }
});

test('the page walk reads every page type that LMDB writes', async (t) => {
  const dir = join(temporary(t), 'data');
  const store = newStore(dir);
  const ids = Array.from({ length: 3000 }, (_, n) => `KR${String(n).padStart(13, '0')}A`);
  store.root.transactionSync(() => {
    // Duplicates within a page, duplicates in a separate tree, values on overflow pages, deep trees.
    for (const id of ids) store.numbers.putSync(Number(id.slice(2, 15)) % 7 ? 'many' : id, id);
    for (const [n, id] of ids.entries()) store.meta.putSync(['big', id], new Uint8Array(n * 5));
  });
  store.root.transactionSync(() => {
    for (const id of ids.slice(500, 2500)) store.meta.removeSync(['big', id]);
  });
  assert.deepEqual(damagedPages(dataFile(dir)), []);
  store.root.transactionSync(() => {
    for (const id of ids) store.meta.removeSync(['big', id]);
  });
  assert.deepEqual(damagedPages(dataFile(dir)), []);
  await store.close();
});

test('a lock file that is overwritten, empty or missing is replaced or reported', async (t) => {
  const { dir, file } = await folder(t);
  for (const harm of [
    () => rmSync(`${file}-lock`, { force: true }),
    () => writeFileSync(`${file}-lock`, ''),
  ]) {
    harm();
    assert.equal((await priorart('check', '--data', dir)).code, 0);
  }
  // No process has the file open, so LMDB creates it again or reports an invalid file.
  writeFileSync(`${file}-lock`, Buffer.alloc(8192, 0x77));
  const { code, signal, stderr } = await priorart('check', '--data', dir);
  assert.deepEqual([signal, code === 0 || /^priorart: /m.test(stderr)], [null, true], stderr);
});
