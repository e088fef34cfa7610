/**
 * Opens and searches damaged index files of one kind, in every way of opening. Prints a line `mutation way outcome`
 * each time, and its beginning before the file is opened: the last line of a crashed process names the cause.
 *
 * Arguments: folder for files, index kind, seed, first mutation, mutation after the last.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError } from '../../src/errors.js';
import { FaissIndex } from '../../src/index/faiss.js';
import { calling, type NativeSnapshot, native, type SegmentScan } from '../../src/index/native.js';
import { random } from '../crash/folder.js';
import { DIMENSIONS, MUTATIONS, ROWS, unitVectors } from './mutations.js';

const ALL = { nprobe: 64, efSearch: 100, kFactor: 4 };
const SCANS: SegmentScan[] = [{ nprobe: 8, efSearch: 64, k: 20 }, { codes: true }];
function checkHits(labels: Int32Array, scores: Float32Array, rows: number): void {
  const isSound = (row: number, n: number) =>
    row === -1 || (row >= 0 && row < rows && Number.isFinite(scores[n]));
  const n = labels.findIndex((row, at) => !isSound(row, at));
  assert.ok(n < 0, `hit ${n} is row ${labels[n]} of ${rows} with score ${scores[n]}`);
}

/** FAISS has separate code for more than twenty queries, for more than a hundred hits, and for a filter. */
const SEARCHES = [
  { queries: 2, k: 10, filtered: false },
  { queries: 2, k: 150, filtered: true },
  { queries: 21, k: 10, filtered: true },
  { queries: 21, k: 150, filtered: false },
];

function searchEveryWay(index: FaissIndex): void {
  const rows = index.ntotal();
  const filter = new Uint8Array(Math.ceil(rows / 8)).fill(0x55);
  for (const { queries, k, filtered } of SEARCHES) {
    const x = unitVectors(queries, index.getDimension(), k);
    const { labels, distances } = index.search(x, k, filtered ? { ...ALL, filter } : ALL);
    checkHits(labels, distances, rows);
  }
  const { labels, distances } = index.rangeSearch(unitVectors(1, index.getDimension(), 2), 0.2, ALL);
  checkHits(labels, distances, rows);
}

/** An index in memory can be extended and written again. */
function readWhole(path: string): void {
  const index = FaissIndex.read(path);
  searchEveryWay(index);
  index.add(unitVectors(4, index.getDimension(), 3));
  const { labels, distances } = index.search(unitVectors(1, index.getDimension(), 4), 10, ALL);
  checkHits(labels, distances, index.ntotal());
  index.write(`${path}.again`);
}

function searchSegment(snapshot: NativeSnapshot, scan: SegmentScan): void {
  const query = unitVectors(1, DIMENSIONS, 5);
  const options = { documents: 10, chunks: 1, dedupe: false, minScore: -2 };
  const { docs, scores } = snapshot.search(query, snapshot.select([]), [scan], options);
  checkHits(
    Int32Array.from(docs, (id) => id - 1),
    scores,
    ROWS,
  );
}

/** Calls a function, and returns whether it threw the error of a damaged file. */
function refused(call: () => void): boolean {
  try {
    calling(call);
    return false;
  } catch (error) {
    if (isPriorartError(error) && error.code === 'data_corrupt') return true;
    throw error;
  }
}

function asIndexOfSegment(segment: string, path: string): void {
  const snapshot = new native.Snapshot([{ path: segment, indexPath: path, deleted: new Uint32Array() }]);
  try {
    for (const scan of SCANS) refused(() => searchSegment(snapshot, scan));
  } finally {
    snapshot.close();
  }
}

function main([folder, kind, foreignKind, seed, first, end]: string[]): void {
  const names = Object.keys(MUTATIONS);
  const whole = readFileSync(join(folder!, `${kind}.faiss`));
  const foreign = readFileSync(join(folder!, `${foreignKind}.faiss`));
  const path = join(folder!, `${kind}.damaged`);
  const segment = join(folder!, 'segment.bin');
  const ways = {
    read: () => readWhole(path),
    mapped: () => searchEveryWay(FaissIndex.read(path, { mmap: true })),
    segment: () => asIndexOfSegment(segment, path),
  };
  for (let n = Number(first); n < Number(end); n++) {
    const mutate = MUTATIONS[names[n % names.length]!]!;
    writeFileSync(path, mutate(Buffer.from(whole), random(Number(seed) + n), foreign));
    for (const [way, call] of Object.entries(ways)) {
      writeSync(1, `${n} ${way} `);
      writeSync(1, `${outcome(call)}\n`);
    }
  }
}

/** `refused`, `searched`, or the message of an unexpected error. */
function outcome(call: () => void): string {
  try {
    return refused(call) ? 'refused' : 'searched';
  } catch (error) {
    return String(error).split('\n', 1)[0]!;
  }
}

main(process.argv.slice(2));
