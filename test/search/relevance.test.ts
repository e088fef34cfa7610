/**
 * Relevance of the results: nDCG and recall of the fixtures' judged questions, each against the publications of its
 * own language, by similarity alone and with the reranker. Prints the figures.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { SearchResult } from '../../src/search/types.js';
import { FIXTURES } from '../crash/folder.js';
import { openBefore } from './collection.js';

/** Number of results that count. */
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

/** Judgements of each question: 2 answers it, 1 is related. */
const judgements = new Map<string, Map<string, number>>();
for (const line of lines('qrels.txt')) {
  const [question = '', , patent = '', grade = '0'] = line.split(' ');
  const own = judgements.get(question) ?? new Map<string, number>();
  judgements.set(question, own.set(patent, Number(grade)));
}

const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** nDCG and recall of the first ten results; undefined without a relevant document. */
function quality(grades: number[], all: number[]): { ndcg: number; recall: number } | undefined {
  const best = [...all].sort((a, b) => b - a).filter((grade) => grade > 0);
  if (best.length === 0) return undefined;
  const dcg = (list: number[]) => list.slice(0, K).reduce((sum, grade, place) => sum + gain(grade, place), 0);
  const found = grades.slice(0, K).filter((grade) => grade > 0).length;
  return { ndcg: dcg(grades) / dcg(best), recall: found / Math.min(K, best.length) };
}

describe('relevance on the judged questions', () => {
  const opened = openBefore(FIXTURES);

  it('the reranker improves the order, and never worsens it', async () => {
    const rows: Record<
      string,
      { dense: number[]; reranked: number[]; recall: number[]; rerankedRecall: number[] }
    > = {};
    for (const { id, language, text } of questions) {
      const { results } = await opened.engine.search({ query: text, top_k: 100 });
      // An application and its grant are one result with one judgement.
      const own = results.filter(
        ({ patent_id }) => opened.collection.patents.get(patent_id)?.language === language,
      );
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
    assert.ok(reranked >= dense, 'the reranker raises the mean over all questions');
    // One question may lose a lucky hit, because the relevant patent contains none of its words.
    const lost = all.flatMap((row) => row.recall.map((before, n) => before - row.rerankedRecall[n]!));
    assert.ok(lost.reduce((sum, x) => sum + x, 0) <= 1, `recall lost: ${lost}`);
    for (const [language, row] of Object.entries(rows)) {
      // A language with few questions may change in either direction by one of them.
      const slack = row.dense.length < 15 ? 0.05 : 0;
      assert.ok(mean(row.reranked) >= mean(row.dense) - slack, language);
    }
    // The model matches words and their parts, which should suffice for most questions in one language.
    assert.ok(reranked >= 0.75, `nDCG ${reranked}`);
  });
});
