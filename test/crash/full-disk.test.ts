/** A disk that fills up during an ingest. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { filled, smallDisk } from '../small-disk.js';
import {
  checked,
  documentsOf,
  exactAnswers,
  invented,
  launch,
  priorart,
  temporary,
  writeLines,
} from './folder.js';

const INGEST = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const PATENTS = invented(2000);
const QUERIES = invented(20, 9).map(({ abstract }) => abstract!);

test('an ingest on a full disk stops with a message, loses nothing, and continues when there is space', async (t) => {
  const root = temporary(t);
  const file = writeLines(join(root, 'a.jsonl'), PATENTS);
  const whole = join(root, 'whole');
  assert.equal((await launch(INGEST, [whole, '{}', file]).ended).code, 0);
  const [documents, answers] = [await documentsOf(whole), await exactAnswers(whole, QUERIES)];

  for (const size of [3, 4, 5]) {
    await t.test(`${size} MiB`, async (t) => {
      const disk = smallDisk(t, size);
      if (typeof disk === 'string') return t.skip(disk);
      const data = join(disk.dir, 'data');
      const options = JSON.stringify({ segmentPassages: 150, indexFrom: 500 });
      const full = await launch(INGEST, [data, options, file]).ended;
      assert.equal(full.signal, null, full.stderr);
      assert.equal(full.code, 1, full.stdout);
      assert.match(full.stderr, /PriorartError: no room to write/);
      assert.match(full.stderr, /disk_full/);

      const report = await priorart('check', '--data', data, '--json');
      assert.equal(report.code, 0, report.stdout + report.stderr);
      const there = await documentsOf(data);
      t.diagnostic(`${there.size} of ${documents.size} publications were stored`);
      assert.ok(
        there.size > 0 && there.size < documents.size,
        `expected a part of ${documents.size} documents: ${there.size}`,
      );
      for (const [id, text] of there) assert.equal(text, documents.get(id));
      const engine = await open(data, { workers: 1 });
      for (const patent of PATENTS.slice(0, 10)) {
        const { results } = await engine.search(
          { query: `${patent.title} ${patent.abstract}` },
          { exact: true },
        );
        assert.equal(results[0]!.patent_id, patent.patent_id);
      }
      await engine.close();
      const command = await priorart('ingest', '--data', data, file);
      assert.deepEqual([command.code, command.signal], [1, null], command.stderr);
      assert.match(command.stderr, /priorart: no room to write in .*Free some space/m);

      disk.grow(64);
      const rerun = await priorart('ingest', '--data', data, file);
      assert.equal(rerun.code, 0, rerun.stderr);
      assert.deepEqual((await checked(data))?.problems, []);
      assert.deepEqual(await documentsOf(data), documents);
      assert.deepEqual(await exactAnswers(data, QUERIES), answers);
      return undefined;
    });
  }
});

test('an application continues in the same process after a full disk has space again', async (t) => {
  const disk = smallDisk(t, 24);
  if (typeof disk === 'string') return t.skip(disk);
  const file = writeLines(join(temporary(t), 'a.jsonl'), PATENTS);
  const data = join(disk.dir, 'data');
  const engine = await open(data, { create: true, workers: 1 });
  // First too little space for the segment, then enough for it but too little for the records. The structures of
  // the first records are written in a transaction that then fails.
  for (const left of [0, 300, 500, 700, 900]) {
    const empty = filled(disk.dir, left);
    await assert.rejects(engine.ingest(file, { segmentPassages: 1000 }), (error) => {
      assert.ok(isPriorartError(error), String(error));
      assert.equal(error.code, 'disk_full');
      return true;
    });
    empty();
  }
  assert.equal((await engine.ingest(file, { segmentPassages: 1000 })).ingested, PATENTS.length);
  const again = filled(disk.dir);
  const [first] = PATENTS;
  assert.equal(
    (await engine.search({ query: `${first!.title} ${first!.abstract}` })).results[0]!.patent_id,
    first!.patent_id,
  );
  again();
  await engine.close();
  const report = await checked(data);
  assert.deepEqual([report?.problems, report?.documents], [[], PATENTS.length]);
  return undefined;
});
