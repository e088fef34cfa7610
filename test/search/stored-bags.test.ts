/** Reranking from token bags of segments: equal to reading the texts, for old folders and after every rebuilding. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open } from '../../src/engine.js';
import { checkFolder } from '../../src/index/check.js';
import { mergeSegments } from '../../src/index/merge.js';
import { repairFolder } from '../../src/index/repair.js';
import { derivationBy } from '../../src/ingest/prepare.js';
import { closeModels, loadModels, type Models } from '../../src/models/load.js';
import { withSimilarity } from '../../src/rerank/late-interaction.js';
import type { FoundDocuments, Reranker, RerankScores } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

describe('token bags', () => {
  let models: Models;
  let collection: Collection;
  const asked = [...questions(8), '???'];
  before(async () => {
    models = await loadModels();
    collection = await collect(FIXTURES);
  });
  after(async () => {
    await closeModels(models);
    collection.remove();
  });

  /** Answers, and the number of documents whose texts the reranker read. */
  async function answers(reranker: Reranker) {
    const folder = new Folder(collection.dir);
    try {
      const reader = new IndexReader(folder, { embedder: models.embedder, reranker });
      const all = [];
      let read = 0;
      for (const query of asked) {
        const { response, explanation } = await searchSemantic(reader, parseSemantic({ query, top_k: 20 }));
        all.push(response);
        read += explanation.read;
      }
      return { all, read };
    } finally {
      await folder.close();
    }
  }

  const textsOf = (found: FoundDocuments) => Array.from(found.hits.docs, (_, n) => found.texts(n));

  /** The same scorer without access to the segments. */
  const reading = (): Reranker => ({
    name: 'reading',
    depth: models.reranker.depth,
    takesWords: true,
    ...(models.reranker.rounds ? { rounds: models.reranker.rounds } : {}),
    score: (query, documents) => models.reranker.score(query, documents),
    scoreFound: (query, found) => {
      const { passages } = models.reranker.score(query, textsOf(found)) as RerankScores;
      const served = withSimilarity(passages, found.hits, found.foreign?.(query));
      return { ...served, read: found.hits.docs.length };
    },
    close: () => {},
  });

  async function repaired(bagsModel: string | undefined): Promise<string[]> {
    const store = Store.open(collection.dir);
    try {
      return (await repairFolder(store, { ...derivationBy(models), bagsModel })).repaired;
    } finally {
      await store.close();
    }
  }

  it('bags give the answers of the texts, without reading a text', async () => {
    const [stored, texts] = [await answers(models.reranker), await answers(reading())];
    assert.ok(stored.all.some(({ total }) => total === 20));
    assert.deepEqual(stored.all, texts.all);
    assert.equal(stored.read, 0);
    assert.ok(texts.read > 50, `expected more than 50 texts read: ${texts.read}`);
  });

  it('the reranker makes the bags if the embedder makes none', async () => {
    const [document] = [...collection.patents.values()];
    assert.ok(document);
    const { bags, embed } = models.embedder;
    const texts = {
      title: document.title ?? '',
      passages: ['고체 전해질', 'battery'],
      firstIsAbstract: true,
    };
    const both = bags!.embed(texts);
    assert.deepEqual(models.reranker.bags!.of(texts), both.bags);
    assert.deepEqual(await embed(texts.passages, 'passage', texts.title), both.vectors);
  });

  it('bags of another model are not used; a repair makes missing ones, a merge keeps them', async () => {
    const expected = (await answers(models.reranker)).all;
    const store = Store.open(collection.dir);
    const other = { ...derivationBy(models), bagsModel: 'another' };
    // As written by a program without bags, or with another reranker.
    const bare = {
      ...other,
      derive: async (document: Parameters<typeof other.derive>[0]) => {
        const { vectors, bags } = await derivationBy(models).derive(document);
        const renamed = document.patent.country === 'KR' ? undefined : { ...bags!, model: 'another' };
        return { vectors, bags: renamed };
      },
    };
    await repairFolder(store, bare);
    assert.equal((await checkFolder(store)).ok, true, 'a folder without bags is undamaged');
    const old = await answers(models.reranker);
    assert.deepEqual(old.all, expected);
    assert.ok(old.read > 50, `expected more than 50 texts read: ${old.read}`);

    // One new segment among old ones, then all in one: each document keeps its bags.
    const engine = await open(collection.dir, { workers: 1 });
    const [newest] = collection.patents.keys();
    assert.deepEqual((await engine.delete([newest!])).deleted, [newest]);
    await engine.ingest(FIXTURES);
    await engine.close();
    store.refresh();
    await mergeSegments(store, { full: true });
    assert.equal(store.manifest().segments.length, 1);
    const merged = await answers(models.reranker);
    assert.deepEqual(merged.all, expected);
    assert.ok(merged.read > 50 && merged.read < old.read, `${merged.read} of ${old.read}`);
    await store.close();

    assert.equal((await repaired(models.reranker.bags!.model)).length, 1);
    assert.deepEqual(await answers(models.reranker), { all: expected, read: 0 });
    assert.deepEqual(await repaired(models.reranker.bags!.model), []);
  });
});
