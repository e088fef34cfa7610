/** The same documents in another order, from other files and in other segments give the same index. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { open } from '../../src/engine.js';
import { mergeSegments } from '../../src/index/merge.js';
import type { IngestOptions } from '../../src/index.js';
import type { Patent } from '../../src/patent/record.js';
import { Store } from '../../src/store/store.js';
import {
  checked,
  documentsOf,
  exactAnswers,
  FIXTURES,
  invented,
  questions,
  random,
  temporary,
  writeLines,
} from './folder.js';

async function ingested(dir: string, paths: readonly string[], options: IngestOptions = {}) {
  const engine = await open(dir, { create: true, workers: 1 });
  try {
    const { seconds: _, ...summary } = await engine.ingest(paths, options);
    return summary;
  } finally {
    await engine.close();
  }
}

function manifestOf(dir: string) {
  const store = Store.open(dir);
  const manifest = store.manifest();
  return store.close().then(() => manifest);
}

function shuffled<T>(items: readonly T[], next: () => number): T[] {
  return items
    .map((item) => [next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

test('a second run of the fixtures changes nothing', async (t) => {
  const dir = temporary(t);
  const first = await ingested(dir, FIXTURES);
  assert.ok(first.ingested >= 100, `${first.ingested}`);
  assert.deepEqual(first.failed, []);
  const [manifest, documents, answers] = [
    await manifestOf(dir),
    await documentsOf(dir),
    await exactAnswers(dir, questions(30)),
  ];
  const second = await ingested(dir, FIXTURES);
  const { drawings } = first;
  assert.deepEqual(second, {
    ...first,
    ...{ ingested: 0, updated: 0, unchanged: first.documents - first.skipped },
    ...(drawings ? { drawings: { ...drawings, stored: 0, unchanged: drawings.stored } } : {}),
  });
  assert.deepEqual(await manifestOf(dir), manifest, 'nothing was committed');
  assert.deepEqual(await documentsOf(dir), documents);
  assert.deepEqual(await exactAnswers(dir, questions(30)), answers);
});

test('order, files, compression, segments and merges make no difference', async (t) => {
  const root = temporary(t);
  const patents = invented(500);
  const queries = invented(30, 9).map(({ abstract }) => abstract!);
  const next = random(8);
  const straight = join(root, 'straight');
  await ingested(straight, [writeLines(join(root, 'all.jsonl'), patents)]);
  const documents = await documentsOf(straight);
  const answers = await exactAnswers(straight, queries);
  assert.equal(documents.size, 500);

  const packed = (name: string, part: readonly Patent[]) => {
    const path = join(root, name);
    writeFileSync(path, gzipSync(part.map((patent) => `${JSON.stringify(patent)}\n`).join('')));
    return path;
  };
  const variants: [string, string[], IngestOptions][] = [];
  const mixed = shuffled(patents, next);
  variants.push(['one shuffled file', [writeLines(join(root, 'mixed.jsonl'), mixed)], {}]);
  const parts = Array.from({ length: 7 }, (_, n) => mixed.filter((_, at) => at % 7 === n));
  const files = parts.map((part, n) => packed(`${n}.jsonl.gz`, part));
  variants.push(['seven compressed files, many segments', files, { segmentPassages: 40 }]);
  variants.push(['backwards, with indexes', files.toReversed(), { segmentPassages: 40, indexFrom: 100 }]);
  // The same document twice in one run, in one file and in two.
  const repeated = [...patents.slice(0, 50), ...mixed, ...patents.slice(450)];
  variants.push([
    'repeated',
    [writeLines(join(root, 'rep.jsonl'), repeated), files[3]!],
    { segmentPassages: 90 },
  ]);
  for (const [name, paths, options] of variants) {
    await t.test(name, async () => {
      const dir = join(root, name);
      const summary = await ingested(dir, paths, options);
      assert.deepEqual([summary.ingested, summary.updated, summary.failed], [500, 0, []]);
      assert.deepEqual((await checked(dir))?.problems, []);
      assert.deepEqual(await documentsOf(dir), documents);
      assert.deepEqual(await exactAnswers(dir, queries), answers);
      const store = Store.open(dir);
      await mergeSegments(store, { full: true });
      await store.close();
      assert.deepEqual(await exactAnswers(dir, queries), answers);
    });
  }
});

test('versions: the last version read stays, even if earlier ones are read again', async (t) => {
  const root = temporary(t);
  const dir = join(root, 'data');
  const files = [1, 2, 3].map((version) =>
    writeLines(join(root, `${version}.jsonl`), invented(60, 1, version)),
  );
  const counts = async (paths: string[]) => {
    const { ingested: fresh, updated, unchanged } = await ingested(dir, paths, { segmentPassages: 50 });
    return [fresh, updated, unchanged];
  };
  assert.deepEqual(await counts(files), [60, 120, 0]);
  const documents = await documentsOf(dir);
  assert.deepEqual(await counts(files), [0, 0, 180]);
  assert.deepEqual(await counts([files[0]!]), [0, 0, 60]);
  assert.deepEqual(await documentsOf(dir), documents);
  assert.deepEqual((await checked(dir))?.problems, []);

  const last = join(root, 'last');
  await ingested(last, [files[2]!]);
  const queries = invented(20, 1, 3).map(({ abstract }) => abstract!);
  assert.deepEqual(await exactAnswers(dir, queries), await exactAnswers(last, queries));
});
