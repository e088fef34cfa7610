/**
 * `node dist/bench/ingest/stages.js FILE [TIMES]`: CPU time of each stage of reading a file on one thread, without store
 * and models: splitting into units, parsing units into records, hashing records, cutting them into passages.
 */

import { passagesOf } from '../../src/ingest/passages.js';
import type { Unit } from '../../src/ingest/readers/reader.js';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import { contentHash, storable } from '../../src/store/document.js';

const [file, times = '5'] = process.argv.slice(2);
if (!file || !(Number(times) >= 1)) {
  console.error('usage: node dist/bench/ingest/stages.js FILE [TIMES]');
  process.exit(2);
}

/** CPU seconds of this process so far, all threads. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function unitsOf(path: string): Promise<Unit[]> {
  const units: Unit[] = [];
  for await (const item of openSources([path])) {
    if (isFailure(item)) throw new Error(`${item.position}: ${item.reason}`);
    units.push(item);
  }
  return units;
}

/** Units that go through the stages together, as in an ingest, so that memory is freed early. */
const BATCH = 8;

/** CPU seconds of each stage for one pass. */
async function reading(
  path: string,
): Promise<{ seconds: Map<string, number>; bytes: number; passages: number }> {
  const seconds = new Map<string, number>();
  let before = cpuSeconds();
  const lap = (stage: string): void => {
    const now = cpuSeconds();
    seconds.set(stage, (seconds.get(stage) ?? 0) + now - before);
    before = now;
  };
  const units = await unitsOf(path);
  lap('split');
  let passages = 0;
  for (let from = 0; from < units.length; from += BATCH) {
    // The addon's memory is freed in the next turn of the event loop.
    await new Promise(setImmediate);
    before = cpuSeconds();
    const patents = units
      .slice(from, from + BATCH)
      .flatMap(({ format, bytes }) => parseUnit(format, bytes).patents);
    lap('parse');
    const clean = patents.map(storable);
    lap('storable');
    for (const patent of clean) contentHash(patent);
    lap('hash');
    for (const patent of clean) passages += passagesOf(patent).length;
    lap('passages');
  }
  const bytes = units.reduce((sum, unit) => sum + unit.bytes.length, 0);
  return { seconds, bytes, passages };
}

const best = new Map<string, number>();
let megabytes = 0;
for (let nth = 0; nth < Number(times); nth++) {
  const { seconds, bytes, passages } = await reading(file);
  if (nth === 0) console.log(`${bytes} bytes, ${passages} passages; best of ${times}, CPU time`);
  megabytes = bytes / 1e6;
  for (const [stage, took] of seconds) best.set(stage, Math.min(best.get(stage) ?? took, took));
}
for (const [stage, took] of best) {
  console.log(`${stage.padEnd(9)} ${(megabytes / took).toFixed(1).padStart(7)} MB/s`);
}
