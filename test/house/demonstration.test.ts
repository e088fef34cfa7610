/** The README's example of one question in four languages is the program's answer. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { temporary } from '../crash/folder.js';

/** Question, first patent, and others among the first six. */
const ROW = /^\| (.+?) \| ([A-Z]{2}\w+) \| ([A-Z]{2}\w+(?:, [A-Z]{2}\w+)*) \|$/gm;

/** The fixtures that `npm start` indexes. */
const FOLDERS = ['us', 'kr', 'jp', 'cn', 'ep', 'jsonl']
  .map((name) => resolve('fixtures', name))
  .filter((path) => existsSync(path));

test('one question in four languages', async (t) => {
  const rows = [...readFileSync('README.md', 'utf8').matchAll(ROW)];
  assert.equal(rows.length, 4);
  const engine = await open(join(temporary(t), 'data'), { create: true, workers: 0 });
  t.after(() => engine.close());
  await engine.ingest(FOLDERS, { drawings: false });
  for (const [, query = '', first, others = ''] of rows) {
    const { results } = await engine.search({ query, top_k: 6 });
    const found = results.map(({ patent_id }) => patent_id);
    assert.equal(found[0], first, `${query}: ${found}`);
    for (const other of others.split(', ')) assert.ok(found.includes(other), `${query}: ${found}`);
  }
});
