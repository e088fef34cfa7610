/** A search that is cancelled ends at once, also while its results are put together. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { closeModels, loadModels, type Models } from '../../src/models/load.js';
import { uncancelled } from '../../src/search/cancel.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

describe('a cancelled search', () => {
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

  it('is asked about before each result', async () => {
    const folder = new Folder(collection.dir);
    try {
      const reader = new IndexReader(folder, models);
      /** Number of checks of a search that is cancelled at one of them. */
      const search = async (topK: number, cancelledAt = Number.POSITIVE_INFINITY): Promise<number> => {
        let checks = 0;
        const check = () => {
          checks += 1;
          if (checks === cancelledAt) throw new Error('cancelled');
        };
        const query = parseSemantic({ query: 'lithium battery', top_k: topK, highlight: true });
        await searchSemantic(reader, query, { ...uncancelled, check });
        return checks;
      };
      const [few, many] = [await search(1), await search(20)];
      assert.equal(many, few + 19);
      await assert.rejects(search(20, many), /cancelled/);
    } finally {
      await folder.close();
    }
  });
});
