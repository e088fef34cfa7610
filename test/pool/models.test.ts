/** The default model on the fixtures' questions in several languages. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/index.js';

const judgements = new Map<string, Map<string, number>>();
for (const line of readFileSync('fixtures/qrels.txt', 'utf8').trim().split('\n')) {
  const [query, , document, grade] = line.split(/\s+/) as [string, string, string, string];
  if (!judgements.has(query)) judgements.set(query, new Map());
  judgements.get(query)!.set(document, Number(grade));
}

/** nDCG of the first ten. */
function ndcg(ids: readonly string[], judged: ReadonlyMap<string, number>): number {
  const gain = (grades: number[]) =>
    grades.slice(0, 10).reduce((sum, grade, n) => sum + grade / Math.log2(n + 2), 0);
  return gain(ids.map((id) => judged.get(id) ?? 0)) / gain([...judged.values()].sort((a, b) => b - a));
}

describe('the default models', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-models-'));
  let engine: Engine;
  before(async () => {
    engine = await open(dir, { create: true, workers: 1 });
    await engine.ingest(['fixtures/us', 'fixtures/kr', 'fixtures/jsonl']);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  it('find across languages, and the reranker ranks the relevant patents higher', async (t) => {
    const reranked: number[] = [];
    const dense: number[] = [];
    for (const line of readFileSync('fixtures/queries.tsv', 'utf8').trim().split('\n').slice(1)) {
      const [id, , query] = line.split('\t') as [string, string, string];
      const { results } = await engine.search({ query, top_k: 50, include_utility_model: true });
      const order = (by: typeof results) => by.map(({ patent_id }) => patent_id);
      reranked.push(ndcg(order(results), judgements.get(id)!));
      dense.push(
        ndcg(
          order([...results].sort((a, b) => b.similarity_score - a.similarity_score)),
          judgements.get(id)!,
        ),
      );
    }
    const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
    t.diagnostic(`nDCG@10 dense ${mean(dense).toFixed(4)}, reranked ${mean(reranked).toFixed(4)}`);
    assert.ok(mean(dense) >= 0.6, `expected a mean of at least 0.6: ${mean(dense)}`);
    assert.ok(
      mean(reranked) >= mean(dense) + 0.01,
      `expected a better mean than ${mean(dense)}: ${mean(reranked)}`,
    );
  });

  it('answer a Korean question with Japanese, Chinese and English patents', async () => {
    const query = '황화수소가 적게 발생하는 황화물계 고체 전해질';
    const { results } = await engine.search({ query, top_k: 20 });
    const countries = new Set(results.slice(0, 10).map(({ country }) => country));
    for (const country of ['KR', 'JP', 'CN', 'US']) assert.ok(countries.has(country as never), country);
  });
});
