/** The measures of a folder against a second computation, and the order without a reranker. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { type Evaluation, evaluate } from '../../src/eval/evaluate.js';
import { Judgements } from '../../src/eval/judgements.js';
import { type RankedLists, rank } from '../../src/eval/rank.js';
import { parseQrels, parseQuestions } from '../../src/eval/trec.js';
import { kindClass } from '../../src/patent/kind.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from '../search/collection.js';

const questions = parseQuestions(readFileSync('fixtures/queries.tsv', 'utf8'), 'queries.tsv');
const qrels = parseQrels(readFileSync('fixtures/qrels.txt', 'utf8'), 'qrels.txt');

describe('evaluation of a data folder', () => {
  let collection: Collection;
  let engine: Engine;
  let store: Store;
  let rankings: RankedLists;
  let evaluation: Evaluation;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 2 });
    store = Store.open(collection.dir);
    rankings = await rank(engine, questions);
    evaluation = evaluate(rankings, questions, new Judgements(store, qrels), [1, 5, 100]);
  });
  after(async () => {
    await engine.close();
    await store.close();
    collection.remove();
  });

  /** Link between an application and its grant: from the records, not from the index. */
  const linkOf = (id: string) => {
    const { country, application_number } = collection.patents.get(id)!;
    return application_number ? `${country} ${application_number}` : id;
  };

  /** Mean nDCG@10 and recall@5 of some questions by hand, for documents of one language. */
  function byHand(lists: Map<string, string[]>, from?: string, to?: string) {
    const inLanguage = (id: string) => to === undefined || collection.patents.get(id)!.language === to;
    const rows = questions.flatMap(({ id, language }) => {
      if (from !== undefined && language !== from) return [];
      const grades: Record<string, number> = {};
      for (const [patent, grade] of qrels.get(id)!) {
        const { country, kind_code } = collection.patents.get(patent)!;
        if (kindClass(country, kind_code) !== 'design' && inLanguage(patent)) grades[linkOf(patent)] = grade;
      }
      const ideal = Object.values(grades).filter((grade) => grade > 0);
      if (ideal.length === 0) return [];
      const list = [...new Set(lists.get(id)!.filter(inLanguage).map(linkOf))];
      const dcg = (gains: number[]) =>
        gains.reduce((sum, gain, n) => sum + gain / (Math.log(n + 2) / Math.LN2), 0);
      const gained = list.slice(0, 10).map((link) => grades[link] ?? 0);
      const found = list.slice(0, 5).filter((link) => (grades[link] ?? 0) > 0).length;
      const best = ideal.sort((a, b) => b - a).slice(0, 10);
      return [{ ndcg: dcg(gained) / dcg(best), recall: found / ideal.length }];
    });
    const mean = (of: (row: (typeof rows)[number]) => number) =>
      rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
    return { n: rows.length, ndcg: mean((row) => row.ndcg), recall: mean((row) => row.recall) };
  }

  it('agrees with a second computation, in total and for every pair of languages', () => {
    assert.ok(evaluation.groups.length > 20);
    for (const group of [evaluation.all, ...evaluation.groups]) {
      for (const [lists, measures] of [
        [rankings.dense, group.dense],
        [rankings.reranked!, group.reranked!],
      ] as const) {
        const { n, ndcg, recall } = byHand(lists, group.from, group.to);
        assert.equal(group.questions, n);
        assert.ok(Math.abs(measures['ndcg@10']!.mean - ndcg) < 1e-9, `${group.from} ${group.to}`);
        assert.ok(
          Math.abs(measures['recall@5']!.mean - recall) < 1e-9,
          `expected the recall ${recall}: ${measures['recall@5']!.mean}`,
        );
        assert.ok(
          measures['ndcg@10']!.low <= ndcg + 1e-9 && ndcg <= measures['ndcg@10']!.high + 1e-9,
          `expected ${ndcg} in the interval from ${measures['ndcg@10']!.low} to ${measures['ndcg@10']!.high}`,
        );
      }
    }
    assert.deepEqual(evaluation.unanswerable, []);
    assert.equal(evaluation.judged.designs, 3);
    assert.equal(evaluation.all.dense['recall@100']!.mean, 1, 'there are fewer than 100 documents');
  });

  it('without a reranker the order is by similarity, and explain reports this', async () => {
    for (const { text } of questions.slice(0, 10)) {
      const request = { query: text, top_k: 20 };
      const { results } = await engine.search(request, { rerank: false });
      for (const [n, { similarity_score, rerank_score, chunks }] of results.entries()) {
        const next = results[n + 1];
        if (next)
          assert.ok(
            similarity_score >= next.similarity_score && rerank_score >= next.rerank_score,
            `expected scores of at least ${next.similarity_score} and ${next.rerank_score}: ${similarity_score}, ${rerank_score}`,
          );
        assert.equal(chunks[0]!.similarity_score, similarity_score, 'its best passage is first');
      }
      const all = await engine.search({ ...request, top_k: 100 });
      const best = Math.max(...all.results.map(({ similarity_score }) => similarity_score));
      assert.equal(results[0]!.similarity_score, best);
    }
    const request = { query: 'battery' };
    assert.equal((await engine.explain(request, { rerank: false })).reranker, 'none');
    assert.notEqual((await engine.explain(request)).reranker, 'none');
  });

  it('the served list begins with the results of any smaller top_k', async () => {
    for (const { id, text } of questions.slice(0, 10)) {
      const { results } = await engine.search({ query: text, include_utility_model: true });
      assert.deepEqual(
        rankings.reranked!.get(id)!.slice(0, 10),
        results.map(({ patent_id }) => patent_id),
      );
    }
  });

  it('an invalid question is named', async () => {
    const long = [{ id: 'long', text: 'x'.repeat(10_001) }];
    await assert.rejects(rank(engine, long), { code: 'invalid_request', message: /^question long: query/ });
  });

  it('counts judged documents that the folder lacks, in any spelling of a number', () => {
    const judged = parseQrels(
      'q01-en 0 KR10-2241906-0000B1 2\nq01-en 0 US99999999B2 1\nq02-en 0 US99999999B2 1',
      'x',
    );
    const judgements = new Judgements(store, judged);
    assert.deepEqual([...judgements.missing], ['US99999999B2']);
    assert.deepEqual([...judgements.documents], ['KR1022419060000B1']);
    const asked = questions.filter(({ id }) => id === 'q01-en' || id === 'q02-en');
    const found = evaluate(rankings, asked, judgements);
    assert.deepEqual([found.all.questions, found.unanswerable], [1, ['q02-en']]);
  });
});
