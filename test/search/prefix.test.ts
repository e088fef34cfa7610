/** An answer for a small top_k is the beginning of the answer for a large one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { TOP_K } from '../../src/limits.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';

const QUESTIONS = ['solid electrolyte battery', '로봇 청소기', '半導体パッケージ', '无人机', 'method'];

describe('top_k', () => {
  let collection: Collection;
  let engine: Engine;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 0 });
  });
  after(async () => {
    await engine.close();
    collection.remove();
  });

  for (const rerank of [true, false]) {
    it(`changes the length of an answer only, ${rerank ? 'reranked' : 'by similarity'}`, async () => {
      for (const query of QUESTIONS) {
        const ask = async (top_k: number) => (await engine.search({ query, top_k }, { rerank })).results;
        const all = await ask(TOP_K.max);
        assert.ok(all.length > 50, `${query}: ${all.length} results`);
        for (const topK of [1, 5, 49, 50, 51, 99]) {
          assert.deepEqual(await ask(topK), all.slice(0, topK), `${query}, top_k ${topK}`);
        }
      }
    });
  }
});
