/** A search and its answer use one state, for any delay of the reranker. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Embedder } from '../../src/embed/embedder.js';
import { loadModels } from '../../src/models/load.js';
import type { Reranker } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { searchSemantic } from '../../src/search/semantic.js';
import type { SearchResponse } from '../../src/search/types.js';
import { deleteDocuments } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

const QUERY = 'solid electrolyte battery';
/** The answer shows other members of families than those that were ranked. */
const FAMILIES: Partial<SemanticRequest> = { collapse: 'family', prefer_countries: ['JP', 'KR'] };

describe('an asynchronous reranker', () => {
  let embedder: Embedder;
  let reranker: Reranker;
  let collection: Collection;
  /** The folder of the running search. */
  let searched: Folder | undefined;
  before(async () => {
    ({ embedder, reranker } = await loadModels());
    collection = await collect(FIXTURES);
  });
  after(() => {
    collection.remove();
  });

  async function search(
    with_: Reranker,
    topK: number,
    fields: Partial<SemanticRequest> = {},
  ): Promise<SearchResponse> {
    const folder = new Folder(collection.dir);
    searched = folder;
    const reader = new IndexReader(folder, { embedder, reranker: with_ });
    try {
      const query = { ...parseSemantic({ query: QUERY, top_k: topK, ...fields }), exact: false };
      return (await searchSemantic(reader, query)).response;
    } finally {
      await folder.close();
    }
  }

  /** Scores texts, as an asynchronous reranker does. */
  const atOnce = (): Reranker => ({
    name: 'at once',
    depth: reranker.depth,
    score: (query, documents) => reranker.score(query, documents),
    close: () => {},
  });

  it('an asynchronous reranker gives the answers of a synchronous one', async () => {
    const later: Reranker = {
      name: 'later',
      depth: reranker.depth,
      score: async (query, documents) => reranker.score(query, documents),
      close: () => {},
    };
    for (const fields of [{}, FAMILIES]) {
      assert.deepEqual(await search(later, 7, fields), await search(atOnce(), 7, fields));
    }
  });

  it('shows other members of families than the best ones', async () => {
    const shown = (await search(atOnce(), 20, { ...FAMILIES, explain: true })).results;
    const others = shown.filter(({ explanation }) => explanation!.ranked_by !== undefined);
    assert.ok(others.length > 0);
    for (const { chunks } of others) assert.ok(chunks.every((chunk) => chunk.rerank_score !== 0));
  });

  it('shows texts of the searched state, although all of them are deleted meanwhile', async () => {
    const expected = await search(atOnce(), 20, FAMILIES);
    const writer = Store.open(collection.dir);
    let calls = 0;
    const deletesFirst: Reranker = {
      name: 'deletes first',
      depth: reranker.depth,
      async score(query, documents) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        // It is called again for the members that are shown.
        const left = calls++ === 0 ? [...collection.patents.keys()].sort() : [];
        assert.deepEqual(deleteDocuments(writer, [...collection.patents.keys()]).sort(), left);
        // As another search of the thread does: it closes the segments of the state before.
        searched?.snapshot();
        return reranker.score(query, documents);
      },
      close: () => {},
    };
    assert.deepEqual(await search(deletesFirst, 20, FAMILIES), expected);
    assert.equal(calls, 2);
    await writer.close();
    assert.equal((await search(reranker, 20)).total, 0, 'the documents are deleted now');
  });

  it('late interaction reads its segments at once, although they are closed in the next microtask', async () => {
    const collected = await collect(FIXTURES);
    const folder = new Folder(collected.dir);
    try {
      const closes: Reranker = {
        ...reranker,
        scoreFound: (query, found) => {
          queueMicrotask(() => found.native.close());
          return reranker.scoreFound!(query, found);
        },
      };
      const reader = new IndexReader(folder, { embedder, reranker: closes });
      // More than the second round has.
      const { response } = await searchSemantic(reader, parseSemantic({ query: QUERY, top_k: 60 }));
      assert.equal(response.total, 60);
      assert.ok(response.results.every(({ chunks }) => chunks.length > 0));
    } finally {
      await folder.close();
      collected.remove();
    }
  });
});
