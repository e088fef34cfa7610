/** Whether a count is called exact. Whole answers are in test/api, and those of a cluster in test/engine-conformance. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PublicationsInMemory } from '../../src/cluster/publications.js';
import type { NativeSnapshot } from '../../src/index/native.js';
import { countExplained } from '../../src/search/count-explanation.js';
import type { Plan, ScanKind } from '../../src/search/plan.js';
import { parseAnalytics } from '../../src/search/query.js';

function explained(scans: ScanKind[], gathered?: 'exact' | 'index') {
  const plan: Plan = {
    exact: scans.every((scan) => scan === 'exact' || scan === 'none'),
    documents: 7,
    segments: scans.map((scan, n) => ({ segment: `s${n}`, scan, allowed: 1, passages: 1 })),
  };
  const native = {
    select: () => ({ docs: [3, 4], release: () => undefined }),
    countOfAll: () => 90,
  } as unknown as NativeSnapshot;
  const reader = { gathered, store: new PublicationsInMemory('test') };
  const query = parseAnalytics({ query: 'x', explain: true });
  const { filters } = query;
  const subject = { vector: new Float32Array(), first: [], clauses: [], hidden: [] };
  return countExplained(reader, native, query, subject, { plan, filters, clauses: [], total: 1 }).explanation;
}

describe('the explanation of a count', () => {
  it('names every scan once; a count by bounds or by an index is not called exact', () => {
    const documents = 7;
    assert.deepEqual(explained(['exact', 'none', 'exact']), { exact: true, documents, scans: ['exact'] });
    const scans = ['documents', 'exact'];
    assert.deepEqual(explained(['exact', 'documents', 'documents']), { exact: false, documents, scans });
    for (const scan of ['codes', 'ivf', 'hnsw'] as const)
      assert.deepEqual(explained([scan]), { exact: false, documents, scans: [scan] });
    assert.deepEqual(explained(['none']), { exact: true, documents, scans: [] });
  });

  it('of a cluster: its own scan decides, and it counts what the filters allow', () => {
    assert.deepEqual(explained(['exact'], 'index'), { exact: false, documents: 90, scans: ['index'] });
    assert.deepEqual(explained(['exact'], 'exact'), { exact: true, documents: 90, scans: ['exact'] });
  });
});
