/** Data folders of released formats open, answer, pass every check and take new documents: docs/versions.md. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../src/engine.js';
import { reembed } from '../../src/pool/reembed.js';
import { FORMAT } from '../../src/store/keys.js';
import { checked, invented, writeLines } from '../crash/folder.js';

const HERE = resolve('test/compat');
const FOLDERS = readdirSync(HERE).filter((name) => name.startsWith('format-'));
const BYTES_MAX = 300_000;

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sizes = entries.map((name) => statSync(join(folder, name))).filter((entry) => entry.isFile());
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

it('a small folder of the current format is committed', () => {
  assert.ok(FOLDERS.includes(`format-${FORMAT}`), 'make it with `node dist/test/compat/make.js`');
  for (const name of FOLDERS) assert.ok(bytesOf(join(HERE, name)) < BYTES_MAX, name);
});

for (const name of FOLDERS) {
  describe(`data folder ${name}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-compat-'));
    const data = join(dir, 'data');
    // A copy, because opening a folder creates lock files in it.
    before(() => cpSync(join(HERE, name), data, { recursive: true }));
    after(() => rmSync(dir, { recursive: true, force: true }));

    it('the folder of an older default model says what to do, and gets vectors of the installed one', async () => {
      await assert.rejects(open(data, { workers: 0 }), {
        code: 'model_mismatch',
        message:
          /with priorart-static 3 .* is priorart-static \d+ .* now; give it new vectors with reembed\(\), with the option models/,
        inCommand: /`priorart reembed --data \S+`, with --models FILE if/,
      });
      assert.equal((await reembed(data, { workers: 0 })).embedded, 9);
      await assert.rejects(reembed(data, { workers: 0 }), {
        code: 'usage',
        message: /the folder has the installed version of its model/,
      });
    });

    it('the folder can be searched', async () => {
      const engine = await open(data, { workers: 0 });
      try {
        const query = 'sulfide solid electrolyte for a lithium secondary battery';
        const { results } = await engine.search({ query, top_k: 5 });
        assert.ok(results[0]!.similarity_score > 0.5, `${results[0]!.similarity_score}`);
        const japanese = await engine.search({ query, top_k: 5, countries: ['JP'] });
        assert.ok(japanese.results.every(({ country }) => country === 'JP'));
        assert.ok(japanese.results.length > 0);
        const { patents } = await engine.details({ patent_ids: [results[0]!.patent_id] });
        assert.ok('content' in patents[0]! && patents[0].content !== undefined);
        assert.equal((await engine.coverage()).total, 9);
        const { total_matched } = await engine.analyze({ query, min_score: 0 });
        assert.ok(total_matched > 0);
      } finally {
        await engine.close();
      }
    });

    it('the folder passes every check', async () => {
      const report = await checked(data);
      assert.deepEqual(report?.problems, []);
      assert.equal(report?.documents, 9);
    });

    it('the folder accepts new documents and deletions', async () => {
      const engine = await open(data, { workers: 0 });
      try {
        const { ingested } = await engine.ingest(writeLines(join(dir, 'new.jsonl'), invented(5)));
        assert.equal(ingested, 5);
        const first = invented(1)[0]!.patent_id;
        assert.deepEqual((await engine.delete([first])).deleted, [first]);
        assert.equal((await engine.coverage()).total, 13);
      } finally {
        await engine.close();
      }
      assert.deepEqual((await checked(data))?.problems, []);
    });
  });
}
