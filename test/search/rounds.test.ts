/** The two rounds of late interaction, compared with one round over all passages. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BestPassages, SearchHits } from '../../src/index/native.js';
import { closeModels, loadModels, type Models } from '../../src/models/load.js';
import type { Reranker } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { withPassages } from '../../src/search/hits.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { forSecondRound } from '../../src/search/rounds.js';
import { searchSemantic } from '../../src/search/semantic.js';
import type { SearchResult } from '../../src/search/types.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

/** Documents of the second round: few, so that results lie behind it. */
const SECOND = 5;

describe('rounds of reranking', () => {
  let models: Models;
  let collection: Collection;
  before(async () => {
    models = await loadModels();
    collection = await collect(FIXTURES);
  });
  after(async () => {
    await closeModels(models);
    collection.remove();
  });

  async function search(request: object, rounds: Reranker['rounds'] | undefined): Promise<SearchResult[]> {
    const folder = new Folder(collection.dir);
    const { rounds: _, ...one } = models.reranker;
    const reranker: Reranker = rounds ? { ...one, rounds } : one;
    try {
      const reader = new IndexReader(folder, { embedder: models.embedder, reranker });
      const query = parseSemantic({ ...request, explain: true });
      return (await searchSemantic(reader, query)).response.results;
    } finally {
      await folder.close();
    }
  }

  const two = { passages: 1, documents: SECOND };
  const idsOf = (results: SearchResult[]) => results.map(({ patent_id }) => patent_id);
  const byId = (results: SearchResult[]) => new Map(results.map((result) => [result.patent_id, result]));

  it('the best have the scores of one round, the others those of their nearest passage', async () => {
    let [lower, behind] = [0, 0];
    for (const query of questions(12)) {
      const all = byId(await search({ query, top_k: 100 }, undefined));
      const results = await search({ query, top_k: 100 }, two);
      assert.equal(results.length, all.size);
      for (const [n, { patent_id, chunks, explanation, similarity_score }] of results.entries()) {
        const label = `${query}: ${patent_id}`;
        const other = all.get(patent_id)!;
        assert.deepEqual(chunks, other.chunks, label);
        assert.equal(similarity_score, other.similarity_score, label);
        const { reranker, decided_by: decidedBy } = explanation!;
        assert.ok(Math.abs(chunks[decidedBy!]!.rerank_score - reranker) < 2e-6, label);
        const nearest = Math.max(...chunks.map((chunk) => chunk.similarity_score));
        if (n < SECOND) assert.equal(reranker, other.explanation!.reranker, label);
        else if (decidedBy !== 0) assert.equal(chunks[decidedBy!]!.similarity_score, nearest, label);
        behind += Number(n >= SECOND);
        lower += Number(reranker < other.explanation!.reranker);
      }
    }
    assert.ok(behind > 500 && lower > behind / 10, `${lower} of ${behind}`);
  });

  it('an answer is the beginning of a longer one', async () => {
    for (const query of questions(6)) {
      const all = await search({ query, top_k: 60 }, two);
      for (const count of [1, SECOND, SECOND + 2, 30]) {
        assert.deepEqual(await search({ query, top_k: count }, two), all.slice(0, count), query);
      }
    }
  });

  it('all candidates in the second round have the scores of one round', async () => {
    // The part for the language is another: it is fitted to the scores of the first round.
    const parts = (results: SearchResult[]) =>
      new Map(results.map((result) => [result.patent_id, [result.chunks, result.explanation!.reranker]]));
    for (const query of [...questions(6), 'LiPF6', 'KR102113653B1']) {
      const one = await search({ query, top_k: 100 }, undefined);
      const both = await search({ query, top_k: 100 }, { passages: 1, documents: 1_000 });
      assert.deepEqual(new Set(idsOf(both)), new Set(idsOf(one)), query);
      assert.deepEqual(parts(both), parts(one), query);
    }
  });

  it('results of each country by turns show all their passages', async () => {
    const request = { query: questions(1)[0], top_k: 100, balance: 'country' };
    const [one, both] = [await search(request, undefined), await search(request, two)];
    const all = byId(one);
    assert.ok(both.length > 20);
    for (const { patent_id, chunks } of both) assert.deepEqual(chunks, all.get(patent_id)?.chunks);
  });
});

describe('candidates of the second round', () => {
  const scores = Float32Array.of(0.5, 3, 1, 2, 2, 0);

  it('are the best, equal ones in their order, and the first ones always', () => {
    assert.deepEqual(forSecondRound(2, scores, undefined, 0), [1, 3]);
    assert.deepEqual(forSecondRound(3, scores, undefined, 1), [0, 1, 3, 4]);
    assert.deepEqual(forSecondRound(9, scores, undefined, 0), [0, 1, 2, 3, 4, 5]);
  });

  it('of an answer by turns are the best of each group', () => {
    const groupOf = (n: number) => (n < 3 ? 'US' : 'KR');
    assert.deepEqual(forSecondRound(3, scores, undefined, 0, groupOf), [1, 2, 3]);
    assert.deepEqual(forSecondRound(4, scores, undefined, 0, groupOf), [1, 2, 3, 4]);
  });

  it('of rare words, also the best that hold a word', () => {
    const lexical = Float32Array.of(0, 0, 0.2, 0, 0, 0.4);
    assert.deepEqual(forSecondRound(1, scores, lexical, 0), [1, 5]);
    assert.deepEqual(forSecondRound(4, scores, lexical, 0), [1, 2, 3, 4, 5]);
    // By turns, also of a group whose lexical scores are lower.
    const groupOf = (n: number) => (n === 1 ? 'US' : 'KR');
    const lower = Float32Array.of(0, 0.1, 0.2, 0, 0, 0.4);
    assert.deepEqual(forSecondRound(2, Float32Array.of(3, 1, 0, 0, 2, 0), lower, 0, groupOf), [0, 1, 5]);
  });
});

describe('hits with other passages', () => {
  it('keep those of the other documents, and get the score of a better passage', () => {
    const hits: SearchHits = {
      docs: Uint32Array.of(7, 3, 9),
      scores: Float32Array.of(0.75, 0.5, 0.25),
      passageAt: Uint32Array.of(0, 1, 2, 3),
      passages: Uint32Array.of(4, 0, 2),
      passageScores: Float32Array.of(0.75, 0.5, 0.25),
      rowsScored: 10,
      visited: 0,
      candidates: 0,
      widened: 0,
      rescanned: 0,
    };
    const best: BestPassages = {
      passageAt: Uint32Array.of(0, 2, 3),
      passages: Uint32Array.of(1, 4, 2),
      passageScores: Float32Array.of(0.875, 0.75, 0.25),
      rowsScored: 5,
    };
    assert.deepEqual(withPassages(hits, [0, 2], best), {
      ...hits,
      scores: Float32Array.of(0.875, 0.5, 0.25),
      passageAt: Uint32Array.of(0, 2, 3, 4),
      passages: Uint32Array.of(1, 4, 0, 2),
      passageScores: Float32Array.of(0.875, 0.75, 0.5, 0.25),
      rowsScored: 15,
    });
  });
});
