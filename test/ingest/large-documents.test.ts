/** Huge documents, and large ones at once: bounded and reported, while other documents are ingested. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { ingest } from '../../src/ingest/ingest.js';
import type { Preparer } from '../../src/ingest/prepare.js';
import { DOCUMENT_MAX_CHARS } from '../../src/limits.js';
import { temporary } from '../crash/folder.js';
import { MODEL, newStore } from '../store/folder.js';

const line = (number: number, text: string): string =>
  `${JSON.stringify({ patent_id: `US${number}B2`, country: 'US', kind_code: 'B2', title: `No. ${number}`, abstract: text })}\n`;

test('a document with too much text is a failure with the reason, and its neighbours are ingested', async (t) => {
  const dir = temporary(t);
  const file = join(dir, 'large.jsonl');
  const large = 'A pump that turns. '.repeat(Math.ceil(DOCUMENT_MAX_CHARS / 19));
  writeFileSync(file, line(10_000_001, 'A valve.') + line(10_000_002, large) + line(10_000_003, 'A gear.'));
  const engine = await open(join(dir, 'data'), { create: true, workers: 1 });
  t.after(() => engine.close());
  const { ingested, failed } = await engine.ingest(file);
  assert.equal(ingested, 2);
  assert.deepEqual(
    failed.map(({ position }) => position),
    ['line 2'],
  );
  assert.match(failed[0]!.reason, /^a document of 32 million characters of text; at most 32 million/);
});

test('large documents are processed one at a time, small ones concurrently', async (t) => {
  const dir = temporary(t);
  const store = newStore(join(dir, 'data'));
  t.after(() => store.close());
  const [small, large] = [300_000, 9_000_000];
  const sizes = [small, small, small, large, large, small, small, small, 20_000_000, small, large];
  const text = (size: number): string => 'A pump. '.repeat(size / 8);
  const file = join(dir, 'documents.jsonl');
  writeFileSync(file, sizes.map((size, n) => line(20_000_001 + n, text(size))).join(''));
  let working = 0;
  let most = 0;
  let batches = 0;
  let order: string[] = [];
  const preparer: Preparer = {
    parallel: 4,
    embed: () => assert.fail('nothing to embed'),
    keepImage: () => assert.fail('no image'),
    async prepare(units) {
      const bytes = units.reduce((sum, unit) => sum + unit.bytes.byteLength, 0);
      working += bytes;
      batches += 1;
      if (working !== bytes) most = Math.max(most, working);
      order = [...order, ...units.map(({ position }) => position)];
      await new Promise((resolve) => setTimeout(resolve, 50));
      working -= bytes;
      return {
        model: MODEL,
        documents: [],
        read: [],
        unchanged: units.length,
        skipped: {},
        failed: [],
        drawings: [],
      };
    },
  };
  const summary = await ingest(store, preparer, [file], { drawings: false });
  assert.equal(summary.unchanged, sizes.length);
  assert.deepEqual(
    order,
    sizes.map((_, n) => `line ${n + 1}`),
  );
  assert.ok(batches > 5, `${batches} batches`);
  // Several at once, but the one of 20 MB alone and never two of 9 MB.
  assert.ok(most > small && most < 2 * large, `${most} bytes at once`);
});
