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

  it('explains documents that the reranker did not reach', async () => {
    for (const scored of [3, 10]) {
      const found = await search(
        { query: 'solid electrolyte battery', top_k: 40, explain: true },
        slow(scored),
      );
      assert.equal(found.length, 40);
      for (const { explanation, rerank_score } of found) {
        const { reranker: own, lexical, lexical_weight, language } = explanation!;
        assert.deepEqual([own, lexical * lexical_weight, language], [rerank_score, 0, 0]);
      }
    }
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

  it('adds twice the scores by the publications of like to those by the question', async () => {
    const [example] = [...collection.patents.values()].filter(({ abstract = '' }) => abstract.length > 200);
    const query = 'waterproof';
    const texts: string[] = [];
    /** Scores of the question are equal; those of other texts tell documents apart. */
    const fake: Reranker = {
      ...reranker,
      scoreFound: (text, { hits }) => {
        texts.push(text);
        const ofDocument = (doc: number) => (text === query ? 0.25 : doc % 7);
        const documents = Float32Array.from(hits.docs, ofDocument);
        const passages = Float32Array.from(hits.passages, (_, at) =>
          ofDocument(hits.docs[hits.passageAt.findIndex((from) => from > at) - 1]!),
        );
        return { documents, passages };
      },
    };
    const request = { query, like: [example!.patent_id], explain: true, top_k: 100 };
    const results = await search(request, fake);
    assert.ok(results.length > 30);
    assert.ok(texts.some((text) => text.startsWith(example!.title!)) && texts.includes(query));
    const kinds = new Set(results.map(({ explanation }) => explanation!.reranker));
    assert.deepEqual(
      [...kinds].sort((a, b) => a - b),
      [0.25, 2.25, 4.25, 6.25, 8.25, 10.25, 12.25],
    );
    for (const { chunks, explanation } of results)
      for (const chunk of chunks) assert.equal(chunk.rerank_score, explanation!.reranker);
    texts.length = 0;
    const { takesWords: _, ...another } = fake;
    const others = await search(request, another);
    assert.deepEqual(new Set(others.map(({ explanation }) => explanation!.reranker)), new Set([0.25]));
    assert.deepEqual(new Set(texts), new Set([query]));
  });

  it('finds more of the class of the publication in like beside a word than for the word alone', async () => {
    const examples = [...collection.patents.values()].filter(({ abstract = '' }) => abstract.length > 200);
    const subclass = (codes: readonly string[] = []) => codes[0]?.slice(0, 4);
    let [alone, beside] = [0, 0];
    for (const { patent_id, ipc_codes } of examples) {
      const count = async (request: object) => {
        const results = await search({ ...request, top_k: 10 });
        return results.filter(
          (one) => one.patent_id !== patent_id && subclass(one.ipc_codes) === subclass(ipc_codes),
        ).length;
      };
      alone += await count({ query: 'temperature' });
      beside += await count({ query: 'temperature', like: [patent_id] });
    }
    assert.ok(beside > 2 * alone, `${beside} and ${alone} of ${examples.length} examples`);
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
