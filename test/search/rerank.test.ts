/** The field `rerank` of a search. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Embedder } from '../../src/embed/embedder.js';
import { loadModels } from '../../src/models/load.js';
import { noReranker } from '../../src/rerank/none.js';
import type { Reranker } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { parseFilter, parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import type { SearchResult } from '../../src/search/types.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

describe('rerank', () => {
  let embedder: Embedder;
  let reranker: Reranker;
  let collection: Collection;
  before(async () => {
    ({ embedder, reranker } = await loadModels());
    collection = await collect(FIXTURES);
  });
  after(() => collection.remove());

  async function search(request: object, with_ = reranker): Promise<SearchResult[]> {
    const folder = new Folder(collection.dir);
    try {
      const reader = new IndexReader(folder, { embedder, reranker: with_ });
      return (await searchSemantic(reader, parseSemantic(request))).response.results;
    } finally {
      await folder.close();
    }
  }

  /** Scores only the first documents before its time runs out. */
  const slow = (scored: number): Reranker => ({
    name: 'slow',
    depth: 10,
    score: (query, documents) => ({ ...noReranker().score(query, documents), scored }),
    close: () => {},
  });

  it('off orders by similarity, as an index without a reranker does; auto and on are the default', async () => {
    let moved = 0;
    for (const query of questions(10)) {
      const off = await search({ query, rerank: 'off' });
      const ids = (results: SearchResult[]) => results.map(({ patent_id }) => patent_id);
      assert.deepEqual(ids(off), ids(await search({ query }, noReranker())), query);
      const similarities = off.map(({ similarity_score }) => similarity_score);
      assert.deepEqual(
        similarities,
        similarities.toSorted((a, b) => b - a),
      );
      const reranked = await search({ query });
      assert.deepEqual(await search({ query, rerank: 'auto' }), reranked);
      assert.deepEqual(await search({ query, rerank: 'on' }), reranked);
      moved += Number(ids(off).join() !== ids(reranked).join());
    }
    assert.ok(moved > 0, 'the reranker changes the order of some answers');
  });

  it('off explains and highlights words, but they do not count', async () => {
    const query = 'solid electrolyte battery';
    const off = await search({ query, rerank: 'off', explain: true, highlight: true });
    const plain = await search({ query, rerank: 'off' });
    const ids = (results: SearchResult[]) => results.map(({ patent_id }) => patent_id);
    assert.deepEqual(ids(off), ids(plain));
    let matches = 0;
    for (const { explanation, chunks, rerank_score } of off) {
      assert.ok(explanation);
      const { reranker: own, lexical, lexical_weight, language } = explanation;
      assert.deepEqual([own, lexical, lexical_weight, language], [rerank_score, 0, 0, 0]);
      matches += explanation.matches.length;
      assert.equal(
        chunks.some(({ highlights = [] }) => highlights.length > 0),
        explanation.matches.length > 0,
      );
    }
    assert.ok(matches > 0, 'some passages hold words of the question');
  });

  it('on refuses an answer that is not reranked completely', async () => {
    const query = 'solid electrolyte battery';
    await assert.rejects(search({ query, rerank: 'on' }, noReranker()), {
      code: 'invalid_request',
      message: 'rerank: got "on"; expected "auto" or "off", because this index has no reranker',
    });
    await assert.rejects(search({ query, rerank: 'on' }, slow(3)), {
      code: 'overloaded',
      retryAfter: 1,
      message: /scored 3 of 10 documents in time/,
    });
    assert.equal((await search({ query, rerank: 'on' }, slow(10))).length, 10);
    assert.equal((await search({ query, rerank: 'auto' }, slow(3))).length, 10);
    assert.ok((await search({ query: 'H01M', rerank: 'on' })).length > 0, 'a class has no text to rerank by');
  });

  it('reranks by the publications of like if there is no question, and never a class', async () => {
    const examples = [...collection.patents.values()].filter(({ abstract = '' }) => abstract.length > 200);
    const idsOf = async (request: object, rerank: 'auto' | 'off') =>
      (await search({ ...request, rerank })).map(({ patent_id }) => patent_id).join();
    let moved = 0;
    for (const { patent_id } of examples.slice(0, 8)) {
      const request = { like: [patent_id] };
      moved += Number((await idsOf(request, 'auto')) !== (await idsOf(request, 'off')));
      const ofClass = { ...request, query: 'H01M' };
      assert.equal(await idsOf(ofClass, 'auto'), await idsOf(ofClass, 'off'));
    }
    assert.ok(moved > 0, 'the reranker changes the order of some answers');
  });

  it('refuses other values, and fields that a filter does not have', () => {
    assert.throws(() => parseSemantic({ query: 'a', rerank: true }), {
      code: 'invalid_request',
      message: /auto, on, off/,
    });
    for (const field of [{ rerank: 'on' }, { explain: true }, { highlight: true }]) {
      assert.throws(() => parseFilter(field), { code: 'invalid_request' });
    }
  });
});
