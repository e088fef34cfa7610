/** A search and its answer use one state, for any delay of the reranker. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Embedder } from '../../src/embed/embedder.js';
import { loadModels } from '../../src/models/load.js';
import type { Reranker } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import type { SearchResponse } from '../../src/search/types.js';
import { deleteDocuments } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

const QUERY = 'solid electrolyte battery';

describe('an asynchronous reranker', () => {
  let embedder: Embedder;
  let reranker: Reranker;
  let collection: Collection;
  before(async () => {
    ({ embedder, reranker } = await loadModels());
    collection = await collect(FIXTURES);
  });
  after(() => {
    collection.remove();
  });

  async function search(with_: Reranker, topK: number): Promise<SearchResponse> {
    const folder = new Folder(collection.dir);
    const reader = new IndexReader(folder, { embedder, reranker: with_ });
    try {
      const query = { ...parseSemantic({ query: QUERY, top_k: topK }), exact: false };
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
    assert.deepEqual(await search(later, 7), await search(atOnce(), 7));
  });

  it('shows texts of the searched state, although all of them are deleted meanwhile', async () => {
    const expected = await search(atOnce(), 20);
    const writer = Store.open(collection.dir);
    const deletesFirst: Reranker = {
      name: 'deletes first',
      depth: reranker.depth,
      async score(query, documents) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const all = [...collection.patents.keys()];
        assert.deepEqual(deleteDocuments(writer, all).sort(), all.sort());
        return reranker.score(query, documents);
      },
      close: () => {},
    };
    assert.deepEqual(await search(deletesFirst, 20), expected);
    await writer.close();
    assert.equal((await search(reranker, 20)).total, 0, 'the documents are deleted now');
  });
});
