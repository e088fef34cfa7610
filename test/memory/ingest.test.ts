/** The memory of an ingest does not grow with its input: no data of a document remains after its commit. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeWeekly } from '../../bench/ingest/weekly.js';
import { launch, temporary } from '../crash/folder.js';
import type { IngestMemory } from './ingest-process.js';

const CHILD = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const skip = process.platform === 'linux' ? false : 'reads /proc, which only Linux has';

const FILE_BYTES = 12e6;
const TIMES = 8;
/** Ingests during which caches and heaps may still grow. */
const WARM = 3;
/** Bytes of memory for each byte of input. The slope was 1.7 while workers never released the addon's arrays. */
const SLOPE = 0.7;

test('memory stays flat for any amount of input', { skip }, async (t) => {
  const dir = temporary(t);
  const file = join(dir, 'weekly.xml');
  await writeWeekly(file, FILE_BYTES);
  const { code, stdout, stderr } = await launch(CHILD, [join(dir, 'data'), file, String(TIMES)]).ended;
  assert.equal(code, 0, stderr);
  const { documents, own } = JSON.parse(stdout) as IngestMemory;
  assert.ok(documents > TIMES * 100, `${documents} documents`);
  const slope = (own[TIMES - 1]! - own[WARM - 1]!) / ((TIMES - WARM) * statSync(file).size);
  const seen = own.map((bytes) => Math.round(bytes / 1e6)).join(', ');
  console.log(`${documents} publications; own memory ${seen} MB; slope ${slope.toFixed(2)}`);
  assert.ok(slope < SLOPE, `${slope.toFixed(2)} bytes of memory a byte read (${seen} MB)`);
});
