/** Calibration pairs of a folder, against cosines computed without its index. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { clearlyRelevant, Judgements } from '../../src/eval/judgements.js';
import { pairsOfFolder, pairsOfTable, parsePairs } from '../../src/eval/pool-pairs.js';
import { parseQrels, parseQuestions } from '../../src/eval/trec.js';
import { passagesOf } from '../../src/ingest/passages.js';
import { loadModels } from '../../src/models/load.js';
import { kindClass } from '../../src/patent/kind.js';
import { titlesOf } from '../../src/patent/record.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES } from '../crash/folder.js';
import { collect } from '../search/collection.js';

const questions = parseQuestions(readFileSync('fixtures/queries.tsv', 'utf8'), 'q').slice(0, 12);
const qrels = parseQrels(readFileSync('fixtures/qrels.txt', 'utf8'), 'r');

it('each document counts once a question with its best passage; it is relevant if it is clearly relevant', async () => {
  const collection = await collect(FIXTURES);
  const store = Store.open(collection.dir);
  const { embedder } = await loadModels();
  try {
    const judgements = new Judgements(store, clearlyRelevant(qrels));
    const pairs = await pairsOfFolder(store, embedder, questions, judgements);
    const expected: Record<'relevant' | 'irrelevant', number[]> = { relevant: [], irrelevant: [] };
    for (const { id, text } of questions) {
      const question = await embedder.embed([text], 'query');
      const best = new Map<string, { cosine: number; relevant: boolean }>();
      for (const [name, patent] of collection.patents) {
        if (kindClass(patent.country, patent.kind_code) === 'design') continue;
        const texts = passagesOf(patent).map((passage) => passage.text);
        const vectors = await embedder.embed(texts, 'passage', titlesOf(patent));
        const link = patent.application_number ? patent.country + patent.application_number : name;
        const known = best.get(link) ?? { cosine: -2, relevant: false };
        for (let at = 0; at < vectors.length; at += 256) {
          const product = question.reduce((sum, x, n) => sum + x * vectors[at + n]!, 0);
          const cosine = product - (embedder.level?.(question) ?? 0);
          known.cosine = Math.max(known.cosine, cosine);
        }
        known.relevant ||= qrels.get(id)!.get(name) === 2;
        best.set(link, known);
      }
      for (const { cosine, relevant } of best.values()) {
        expected[relevant ? 'relevant' : 'irrelevant'].push(cosine);
      }
    }
    assert.ok(expected.relevant.length > 10);
    for (const kind of ['relevant', 'irrelevant'] as const) {
      const found = pairs[kind]();
      const wanted = expected[kind].sort((a, b) => a - b);
      assert.equal(found.length, wanted.length, kind);
      // Vectors are stored in half precision.
      found.forEach((cosine, n) => {
        assert.ok(Math.abs(cosine - wanted[n]!) < 1e-3, `${kind} ${n}: ${cosine}, expected ${wanted[n]}`);
      });
    }
  } finally {
    await store.close();
    collection.remove();
  }
});

it('a table of pairs: each line counts once, with others of its question', async () => {
  const { embedder } = await loadModels();
  const table = parsePairs(
    'a battery\ta cell\t1\r\na battery\ta shoe\t0\nthe sole\ta shoe\t1\nthe sole\ta cell\t0\na battery\ta boat\t0\n',
    'x',
  );
  const pairs = await pairsOfTable(embedder, table);
  assert.deepEqual([pairs.relevant().length, pairs.irrelevant().length, pairs.near(1).length], [2, 3, 2]);
  const [asked, text] = [
    await embedder.embed(['the sole'], 'query'),
    await embedder.embed(['a cell'], 'passage'),
  ];
  const product = asked.reduce((sum, x, n) => sum + x * text[n]!, 0);
  const cosine = product - (embedder.level?.(asked) ?? 0);
  assert.ok(pairs.near(1).some((near) => Math.abs(near - cosine) < 1e-6));
  assert.throws(() => parsePairs('a\tb\t2', 'x'), { code: 'invalid_request', message: /line 1.*0 or 1/ });
});

it('clearly relevant is grade 2, or the first grade if the judgements have no second one', () => {
  const of = (text: string) => [...clearlyRelevant(parseQrels(text, 'x'))];
  const graded = of('a 0 X 2\na 0 Y 1\nb 0 X 0\nb 0 Z 3\nc 0 Z 1\n');
  assert.deepEqual(graded, [
    [
      'a',
      new Map([
        ['X', 1],
        ['Y', 0],
      ]),
    ],
    [
      'b',
      new Map([
        ['X', 0],
        ['Z', 1],
      ]),
    ],
    ['c', new Map([['Z', 0]])],
  ]);
  const binary = of('a 0 X 1\na 0 Y 0\na 0 Z -1\n');
  assert.deepEqual(binary, [
    [
      'a',
      new Map([
        ['X', 1],
        ['Y', 0],
        ['Z', 0],
      ]),
    ],
  ]);
});
