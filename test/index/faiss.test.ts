import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { isPriorartError } from '../../src/errors.js';
import { FaissIndex } from '../../src/index/faiss.js';
import fc from '../property.js';

const KINDS = [
  'flat',
  'ivf-flat',
  'ivf-sq8',
  'ivf-sqfp16',
  'ivf-pq',
  'ivf-pq-refine',
  'hnsw-flat',
  'hnsw-sq8',
];
const DIMS = 16;
const folder = mkdtempSync(join(tmpdir(), 'priorart-faiss-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Unit vectors around twenty centres, reproducible (mulberry32). */
function clustered(count: number, seed: number): Float32Array {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
  const centres = Array.from({ length: 20 }, () => Array.from({ length: DIMS }, next));
  const out = new Float32Array(count * DIMS);
  for (let i = 0; i < count; i++) {
    const row = centres[i % 20]!.map((c) => c + 0.6 * next());
    const norm = Math.hypot(...row);
    out.set(
      row.map((v) => v / norm),
      i * DIMS,
    );
  }
  return out;
}

const ROWS = clustered(2000, 1);
/** Rows mixed with a part of another row. */
const QUERIES = clustered(20, 1).map((v, i) => 0.9 * v + 0.1 * ROWS[(i + 5000) % ROWS.length]!);

function dot(query: number, row: number): number {
  let sum = 0;
  for (let j = 0; j < DIMS; j++) sum += QUERIES[query * DIMS + j]! * ROWS[row * DIMS + j]!;
  return sum;
}

function best(query: number, k: number, allowed: (row: number) => boolean = () => true): number[] {
  const rows = Array.from({ length: 2000 }, (_, row) => row).filter(allowed);
  return rows.sort((a, b) => dot(query, b) - dot(query, a)).slice(0, k);
}

function built(kind: string): FaissIndex {
  const index = new FaissIndex(kind, DIMS, { nlist: 16, threads: 1 });
  index.train(ROWS);
  index.add(ROWS);
  return index;
}

const ALL = { nprobe: 16, efSearch: 200, kFactor: 8 };

function rejects(code: string, message: RegExp, call: () => unknown): void {
  assert.throws(call, (error: unknown) => {
    assert.ok(isPriorartError(error), String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

for (const kind of KINDS) {
  test(`${kind} finds the rows of a brute-force scan`, () => {
    const index = built(kind);
    assert.equal(index.kind(), kind);
    assert.deepEqual([index.ntotal(), index.getDimension(), index.isTrained()], [2000, DIMS, true]);
    assert.equal(index.nlist(), kind.startsWith('ivf') ? 16 : 0);
    // The codes of ivf-pq are estimates: the ten best are among its first fifty.
    const k = kind === 'ivf-pq' ? 50 : 10;
    const { distances, labels } = index.search(QUERIES, k, ALL);
    assert.deepEqual([distances.length, labels.length], [20 * k, 20 * k]);
    let found = 0;
    for (let q = 0; q < 20; q++) {
      const rows = labels.subarray(q * k, (q + 1) * k);
      found += best(q, 10).filter((row) => rows.includes(row)).length;
      if (kind !== 'ivf-pq')
        assert.ok(
          Math.abs(distances[q * k]! - dot(q, rows[0]!)) < 0.01,
          `query ${q}: expected the score ${dot(q, rows[0]!)}: ${distances[q * k]}`,
        );
    }
    assert.ok(found >= (kind.endsWith('flat') && !kind.startsWith('hnsw') ? 200 : 185), `${found} of 200`);
  });

  test(`${kind} returns only rows that the filter allows`, () => {
    const index = built(kind);
    const filter = new Uint8Array(250);
    for (let row = 0; row < 2000; row += 3) filter[row >> 3]! |= 1 << (row & 7);
    const { labels } = index.search(QUERIES, 10, { ...ALL, filter });
    assert.ok(labels.every((row) => row === -1 || row % 3 === 0));
    assert.ok(labels.filter((row) => row >= 0).length > 150);
    const { labels: none, distances } = index.search(QUERIES, 2, { ...ALL, filter: new Uint8Array(250) });
    assert.ok(none.every((row) => row === -1) && distances.every((score) => score === -Infinity));
  });

  test(`${kind} is the same after it is written and read`, () => {
    const index = built(kind);
    const path = join(folder, `${kind}.faiss`);
    index.write(path);
    const expected = index.search(QUERIES, 5, ALL);
    for (const mmap of [false, true]) {
      const read = FaissIndex.read(path, { mmap });
      assert.equal(read.kind(), kind);
      assert.deepEqual(read.search(QUERIES, 5, ALL), expected);
      if (mmap) rejects('invalid_request', /mapped/, () => read.add(ROWS));
      else read.add(ROWS);
      assert.equal(read.ntotal(), mmap ? 2000 : 4000);
    }
    const bytes = readFileSync(path);
    // Onto the file that is mapped.
    const mapped = FaissIndex.read(path, { mmap: true });
    mapped.write(path);
    assert.deepEqual(readFileSync(path), bytes);
    assert.deepEqual(mapped.search(QUERIES, 5, ALL), expected);
    rejects('invalid_request', /No such file/, () => mapped.write(join(folder, 'none', 'x')));
    const cut = join(folder, `${kind}.cut`);
    for (const length of [0, 3, 40, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(cut, bytes.subarray(0, length));
      for (const mmap of [false, true]) {
        rejects('data_corrupt', /damaged/, () => FaissIndex.read(cut, { mmap }));
      }
    }
  });
}

test('a threshold finds every row above it', () => {
  for (const kind of ['flat', 'ivf-flat']) {
    const index = built(kind);
    const query = QUERIES.subarray(0, DIMS);
    const { labels, distances } = index.rangeSearch(query, 0.7, ALL);
    const expected = best(0, 2000).filter((row) => dot(0, row) >= 0.7);
    assert.ok(expected.length > 20);
    assert.deepEqual(
      [...labels].sort((a, b) => a - b),
      expected.sort((a, b) => a - b),
      kind,
    );
    assert.ok(distances.every((score) => score >= Math.fround(0.7)));
  }
});

test('rows are numbered in the order of adding, in any batches', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }), (parts) => {
      const index = new FaissIndex('flat', DIMS);
      let at = 0;
      for (const part of parts) {
        index.add(ROWS.subarray(at * DIMS, (at + part) * DIMS));
        at += part;
      }
      assert.equal(index.ntotal(), at);
      for (const row of [0, at - 1]) {
        const { labels } = index.search(ROWS.subarray(row * DIMS, (row + 1) * DIMS), 1);
        assert.equal(labels[0], row);
      }
    }),
    { numRuns: 50 },
  );
});

test('plain arrays work, and a k beyond the rows is padded', () => {
  const index = new FaissIndex('flat', 2);
  index.add([1, 0, 0, 1]);
  assert.deepEqual(index.search([0.6, 0.8], 3), {
    labels: Int32Array.of(1, 0, -1),
    distances: Float32Array.of(0.8, 0.6, -Infinity),
  });
});

test('invalid input is refused with a reason', () => {
  const index = new FaissIndex('flat', 4);
  index.add(new Float32Array(8));
  const query = new Float32Array(4);
  const any = (value: unknown) => value as never;
  rejects('unknown_index_kind', /'ivfflat'.*hnsw-sq8/, () => new FaissIndex('ivfflat', 4));
  rejects('invalid_request', /dimension is 0/, () => new FaissIndex('flat', 0));
  rejects('invalid_request', /65536/, () => new FaissIndex('flat', 65537));
  rejects('invalid_request', /pq_m is 3/, () => new FaissIndex('ivf-pq', 4, { pqM: 3 }));
  rejects('invalid_request', /nlist is -1/, () => new FaissIndex('ivf-flat', 4, { nlist: -1 }));
  rejects('invalid_request', /multiple of 4/, () => index.add(new Float32Array(6)));
  rejects('invalid_request', /x is object/, () => index.add(any(new Float64Array(4))));
  rejects('invalid_request', /component 2: /, () => index.add([1, 2, Number.NaN, 4]));
  rejects('invalid_request', /k is -1/, () => index.search(query, -1));
  rejects('invalid_request', /k is 1\.5/, () => index.search(query, 1.5));
  rejects('invalid_request', /nprobe is 0/, () => index.search(query, 1, { nprobe: 0 }));
  rejects('invalid_request', /filter/, () => index.search(query, 1, { filter: new Uint8Array(0) }));
  rejects('invalid_request', /filter is object/, () => index.search(query, 1, { filter: any([1]) }));
  rejects('invalid_request', /k_factor is 0/, () => index.search(query, 1, { kFactor: 0 }));
  rejects('invalid_request', /one of 4/, () => index.rangeSearch(new Float32Array(8), 0.5));
  rejects('invalid_request', /min_score/, () => index.rangeSearch(query, Number.NaN));
  rejects('invalid_request', /No such file/, () => FaissIndex.read(join(folder, 'none')));
  rejects('invalid_request', /No such file/, () => FaissIndex.read(join(folder, 'none'), { mmap: true }));
  rejects('invalid_request', /No such file/, () => index.write(join(folder, 'no', 'folder')));
  const untrained = new FaissIndex('ivf-flat', 4, { nlist: 2 });
  rejects('invalid_request', /not trained/, () => untrained.add(new Float32Array(4)));
  rejects('invalid_request', /got 1 training rows; expected at least 2/, () => untrained.train([1, 0, 0, 0]));
});

test('worker threads search the same mapped file', async () => {
  const path = join(folder, 'shared.faiss');
  built('ivf-pq').write(path);
  const expected = FaissIndex.read(path, { mmap: true }).search(QUERIES, 10, ALL).labels;
  const module = fileURLToPath(new URL('../../src/index/faiss.js', import.meta.url));
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ FaissIndex }) => {
      const index = FaissIndex.read(workerData.path, { mmap: true });
      let labels;
      for (let i = 0; i < 50; i++) labels = index.search(workerData.queries, 10, workerData.all).labels;
      parentPort.postMessage(labels);
    });`;
  const workerData = { module, path, queries: QUERIES, all: ALL };
  const answers = [0, 1, 2].map(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(code, { eval: true, workerData });
        worker.once('message', resolve);
        worker.once('error', reject);
      }),
  );
  for (const labels of await Promise.all(answers)) assert.deepEqual(labels, expected);
});

test('a file that replaces another under the same name is opened again', () => {
  const path = join(folder, 'replaced.faiss');
  const first = new FaissIndex('flat', 2);
  first.add([1, 0]);
  first.write(path);
  const old = FaissIndex.read(path, { mmap: true });
  rmSync(path);
  first.add([0, 1]);
  first.write(path);
  assert.deepEqual([old.ntotal(), FaissIndex.read(path, { mmap: true }).ntotal()], [1, 2]);
});
