/** The pairs that a folder gives for a calibration, against cosines computed apart from its index. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { Judgements } from '../../src/eval/judgements.js';
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

it('each document counts once a question with its best passage, the rest as a pool of 10,000', async () => {
  const collection = await collect(FIXTURES);
  const store = Store.open(collection.dir);
  const { embedder } = await loadModels();
  try {
    const pairs = await pairsOfFolder(store, embedder, questions, new Judgements(store, qrels));
    const expected = { relevant: 0, irrelevant: 0, cosines: 0, weights: 0 };
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
          const cosine = question.reduce((sum, x, n) => sum + x * vectors[at + n]!, 0);
          known.cosine = Math.max(known.cosine, cosine);
        }
        known.relevant ||= (qrels.get(id)!.get(name) ?? 0) > 0;
        best.set(link, known);
      }
      for (const { cosine, relevant } of best.values()) {
        expected[relevant ? 'relevant' : 'irrelevant']++;
        expected.cosines += cosine;
      }
      expected.weights += 10_000;
    }
    assert.deepEqual([pairs.relevant, pairs.irrelevant], [expected.relevant, expected.irrelevant]);
    const found = [...pairs.bins()];
    const weights = found.reduce((sum, { relevant, irrelevant }) => sum + relevant + irrelevant, 0);
    assert.ok(Math.abs(weights - expected.weights) < 1e-3);
    // Vectors are stored in half precision.
    const cosines = found.reduce((sum, { cosine, pairs: count }) => sum + cosine * count, 0);
    assert.ok(Math.abs(cosines - expected.cosines) < 2e-4 * (expected.relevant + expected.irrelevant));
  } finally {
    await store.close();
    collection.remove();
  }
});

it('a table of pairs: the irrelevant ones stand for the pool of every question', async () => {
  const { embedder } = await loadModels();
  const table = parsePairs(
    'a battery\ta cell\t1\r\na battery\ta shoe\t0\nthe sole\ta shoe\t1\nthe sole\ta cell\t0\n',
    'x',
  );
  const pairs = await pairsOfTable(embedder, table);
  assert.deepEqual([pairs.relevant, pairs.irrelevant], [2, 2]);
  const weights = [...pairs.bins()].reduce((sum, { irrelevant }) => sum + irrelevant, 0);
  assert.ok(Math.abs(weights - 19_998) < 1e-6);
  assert.throws(() => parsePairs('a\tb\t2', 'x'), { code: 'invalid_request', message: /line 1.*0 or 1/ });
});
