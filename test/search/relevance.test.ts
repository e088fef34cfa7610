/**
 * Whether what is found answers the question: nDCG and recall of the fixtures' judged questions, each against the
 * publications of its own language, by similarity alone and with the reranker. Prints the figures.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import type { SearchResult } from '../../src/search/types.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

/** Places that count. */
const K = 10;

interface Question {
  id: string;
  language: string;
  text: string;
}

const lines = (file: string) => readFileSync(resolve('fixtures', file), 'utf8').trim().split('\n');

const questions = lines('queries.tsv')
  .slice(1)
  .map((line): Question => {
    const [id = '', language = '', text = ''] = line.split('\t');
    return { id, language, text };
  });

/** Judgements of each question: 2 answers it, 1 touches it. */
const judgements = new Map<string, Map<string, number>>();
for (const line of lines('qrels.txt')) {
  const [question = '', , patent = '', grade = '0'] = line.split(' ');
  const own = judgements.get(question) ?? new Map<string, number>();
  judgements.set(question, own.set(patent, Number(grade)));
}

const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** nDCG and recall of the first ten places; undefined where nothing relevant is there to be found. */
function quality(grades: number[], all: number[]): { ndcg: number; recall: number } | undefined {
  const best = [...all].sort((a, b) => b - a).filter((grade) => grade > 0);
  if (best.length === 0) return undefined;
  const dcg = (list: number[]) => list.slice(0, K).reduce((sum, grade, place) => sum + gain(grade, place), 0);
  const found = grades.slice(0, K).filter((grade) => grade > 0).length;
  return { ndcg: dcg(grades) / dcg(best), recall: found / Math.min(K, best.length) };
}

describe('relevance on the judged questions', () => {
  let collection: Collection;
  let engine: Engine;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 2 });
  });
  after(async () => {
    await engine.close();
    collection.remove();
  });

  it('the reranker makes it better, never worse', async () => {
    const rows: Record<
      string,
      { dense: number[]; reranked: number[]; recall: number[]; rerankedRecall: number[] }
    > = {};
    for (const { id, language, text } of questions) {
      const { results } = await engine.search({ query: text, top_k: 100 });
      // An application and its grant are one result, judged alike.
      const own = results.filter(({ patent_id }) => collection.patents.get(patent_id)?.language === language);
      const gradeOf = ({ patent_id }: SearchResult) => judgements.get(id)?.get(patent_id) ?? 0;
      const bySimilarity = [...own].sort((a, b) => b.similarity_score - a.similarity_score);
      const all = own.map(gradeOf);
      const dense = quality(bySimilarity.map(gradeOf), all);
      const reranked = quality(own.map(gradeOf), all);
      if (!dense || !reranked) continue;
      rows[language] ??= { dense: [], reranked: [], recall: [], rerankedRecall: [] };
      const row = rows[language];
      row.dense.push(dense.ndcg);
      row.reranked.push(reranked.ndcg);
      row.recall.push(dense.recall);
      row.rerankedRecall.push(reranked.recall);
    }
    const figures = (values: number[]) => mean(values).toFixed(3);
    for (const [language, row] of Object.entries(rows)) {
      console.log(
        `${language}: ${row.dense.length} questions, nDCG@${K} ${figures(row.dense)} by similarity, ` +
          `${figures(row.reranked)} reranked; recall@${K} ${figures(row.recall)}, ${figures(row.rerankedRecall)}`,
      );
    }
    const all = Object.values(rows);
    const over = (of: (row: (typeof all)[number]) => number[]) => mean(all.flatMap(of));
    const [dense, reranked] = [over((row) => row.dense), over((row) => row.reranked)];
    console.log(`all: nDCG@${K} ${dense.toFixed(3)} by similarity, ${reranked.toFixed(3)} reranked`);
    assert.ok(reranked >= dense, 'over all questions the reranker helps');
    // One question may lose what it found by luck: none of its words are in the patent that answers it.
    const lost = all.flatMap((row) => row.recall.map((before, n) => before - row.rerankedRecall[n]!));
    assert.ok(lost.reduce((sum, x) => sum + x, 0) <= 1, `recall lost: ${lost}`);
    for (const [language, row] of Object.entries(rows)) {
      // A language of a handful of questions may go either way by one of them.
      const slack = row.dense.length < 15 ? 0.05 : 0;
      assert.ok(mean(row.reranked) >= mean(row.dense) - slack, language);
    }
    // The model matches words and word parts: within a language that must carry most questions.
    assert.ok(reranked >= 0.75, `nDCG ${reranked}`);
  });
});
