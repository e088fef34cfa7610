/**
 * Every reader on documents written for this project in the offices' formats: each file of `fixtures/formats` is
 * compared with its records in `fixtures/formats/golden`, which were checked by eye. After an intended change,
 * `PRIORART_GOLDEN=write node --test dist/test/ingest/readers/golden.test.js` writes them again; read the difference
 * before you commit it.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parseUnit, READERS } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';

const FORMATS = resolve('fixtures/formats');
const GOLDEN = join(FORMATS, 'golden');
const names = readdirSync(FORMATS).filter((name) => name !== 'golden');

async function recordsOf(name: string): Promise<object[]> {
  const found: object[] = [];
  for await (const item of openSources([join(FORMATS, name)])) {
    if (isFailure(item)) found.push({ position: item.position, failed: item.reason });
    else found.push({ position: item.position, format: item.format, ...parseUnit(item.format, item.bytes) });
  }
  return found;
}

describe('golden records', () => {
  for (const name of names) {
    it(name, async () => {
      const records = await recordsOf(name);
      const golden = join(GOLDEN, `${name}.golden.json`);
      if (process.env['PRIORART_GOLDEN'] === 'write')
        writeFileSync(golden, `${JSON.stringify(records, null, 2)}\n`);
      assert.ok(existsSync(golden), `no golden record ${golden}`);
      assert.deepEqual(JSON.parse(JSON.stringify(records)), JSON.parse(readFileSync(golden, 'utf8')));
    });
  }

  it('every golden record has a document', () => {
    const expected = names.map((name) => `${name}.golden.json`).sort();
    assert.deepEqual(readdirSync(GOLDEN).sort(), expected);
  });

  it('every reader of an office has a document', async () => {
    const used = new Set<string>();
    for (const name of names)
      for (const record of await recordsOf(name)) used.add((record as { format: string }).format);
    const elsewhere = ['us-patent-grant', 'us-patent-application', 'kipris-json', 'jsonl'];
    assert.deepEqual(
      READERS.map(({ format }) => format).filter(
        (format) => !used.has(format) && !elsewhere.includes(format),
      ),
      [],
    );
  });
});
