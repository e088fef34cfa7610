/** The times when the coverage document is counted, and the number of counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { CoverageDocument } from '../../src/pool/coverage.js';
import type { Answers } from '../../src/pool/pool.js';
import type { Store } from '../../src/store/store.js';

/** A store with only a generation, and workers that count on request. */
function parts(): {
  state: { generation: number; counts: number; failure?: PriorartError };
  document: CoverageDocument;
} {
  const state: ReturnType<typeof parts>['state'] = { generation: 1, counts: 0 };
  const store = { refresh: () => {}, manifest: () => ({ generation: state.generation }) } as unknown as Store;
  const ask = async () => {
    state.counts += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (state.failure) throw state.failure;
    const { generation } = state;
    return Buffer.from(JSON.stringify({ index: { generation }, generated_at: String(state.counts) }));
  };
  return { state, document: new CoverageDocument(store, { ask } as unknown as Answers, 0) };
}

describe('the coverage document', () => {
  it('coverage is counted once for all concurrent callers, and again only after a commit', async () => {
    const { state, document } = parts();
    const bodies = await Promise.all(Array.from({ length: 10 }, () => document.body()));
    assert.equal(state.counts, 1);
    assert.equal(new Set(bodies).size, 1);
    assert.equal(document.body(), bodies[0], 'the body is immediate, not a promise');
    state.generation = 2;
    const fresh = await document.body();
    assert.equal(state.counts, 2);
    assert.notEqual(fresh.etag, bodies[0]!.etag);
  });

  it('a state has one ETag, for any time of counting', async () => {
    const [a, b] = [parts(), parts()];
    b.state.counts = 7;
    const [first, second] = [await a.document.body(), await b.document.body()];
    assert.notDeepEqual(first.json, second.json);
    assert.equal(first.etag, second.etag);
  });

  it("the previous coverage is returned if the workers' queue is full, and counted again later; other errors are thrown", async () => {
    const { state, document } = parts();
    state.failure = new PriorartError('overloaded', 'full');
    await assert.rejects(async () => document.body(), { code: 'overloaded' });
    delete state.failure;
    const first = await document.body();
    state.generation = 2;
    state.failure = new PriorartError('overloaded', 'full');
    assert.equal(await document.body(), first);
    state.failure = new PriorartError('data_corrupt', 'damaged');
    await assert.rejects(async () => document.body(), { code: 'data_corrupt' });
    delete state.failure;
    assert.notEqual((await document.body()).etag, first.etag);
  });
});
