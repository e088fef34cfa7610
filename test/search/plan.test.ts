/**
 * The planner: its plan for each share of the passages, by numbers alone, and on a folder with explained searches of
 * different selectivity. Costs are fixed, so that the plans are the same on every machine.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { indexKindFor } from '../../src/index/kinds.js';
import { mergeSegments } from '../../src/index/merge.js';
import { writeSegment } from '../../src/index/segment.js';
import { RERANK_ROUNDS } from '../../src/limits.js';
import { identityOf, loadModels } from '../../src/models/load.js';
import type { AnswerObserver, RecallCount } from '../../src/observe/observations.js';
import type { Patent } from '../../src/patent/record.js';
import { planOf, type ScanKind } from '../../src/search/plan.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { commitDocuments } from '../../src/store/commit.js';
import { contentHash, type PreparedDocument } from '../../src/store/document.js';
import { MANIFEST } from '../../src/store/keys.js';
import type { IndexCosts, IndexFile, Manifest, SegmentEntry } from '../../src/store/manifest.js';
import { Store } from '../../src/store/store.js';
import { random } from '../crash/folder.js';
import { until } from '../until.js';
import { costsOf } from './index-costs.js';

const INDEX: Omit<IndexFile, 'costs'> = {
  kind: 'ivf-pq',
  file: 'index.faiss',
  bytes: 1,
  checksum: '',
  lists: 2_000,
  nprobe: 40,
  efSearch: 200,
  recall: 0.99,
};

/** The plan for one segment of 20 passages a document. */
function planned(
  passages: number,
  share: number,
  wanted: number,
  index: Partial<IndexFile> | null = {},
  above?: number,
  sure?: number,
  indexKind = 'auto',
  hasSketches = false,
) {
  const docs = passages / 20;
  const entry: SegmentEntry = { id: 's', docs, passages, firstDoc: 1, lastDoc: docs, bytes: 1 };
  if (index) {
    const file = { ...INDEX, ...index };
    entry.index = { ...file, costs: index.costs ?? costsOf(file) };
  }
  const allowed = Math.round(docs * share);
  const selection = { docs: [allowed], passages: [allowed * 20] };
  const opened = [{ docs, passages, hasIndex: index !== null, hasSketches }];
  return planOf([entry], opened, selection, wanted, { share: above, sure, indexKind });
}

const scanOf = (...args: Parameters<typeof planned>): ScanKind => planned(...args).segments[0]!.scan;

describe('plans by selectivity, number of documents and kind of index', () => {
  it('a million passages with codes', () => {
    const scans = [1, 0.5, 0.1, 0.01, 0.001, 0.0001, 0].map((share) => scanOf(1e6, share, 50));
    assert.deepEqual(scans, ['ivf', 'ivf', 'exact', 'exact', 'exact', 'exact', 'none']);
  });

  it('searches less for documents without guaranteed recall', () => {
    const [fifty] = planned(1e6, 1, 50).segments;
    const [more] = planned(1e6, 1, 200, {}, undefined, 50).segments;
    assert.deepEqual([more!.scan, more!.nprobe], [fifty!.scan, fifty!.nprobe]);
    assert.notEqual(planned(1e6, 1, 200).segments[0]!.nprobe, fifty!.nprobe);
  });

  it('thousands of documents: full PQ scan if few of the passages pass, otherwise exact scan', () => {
    const scans = [1, 0.5, 0.1, 0.01].map((share) => scanOf(1e6, share, 10_000));
    assert.deepEqual(scans, ['exact', 'exact', 'exact', 'exact']);
    const larger = [1, 0.5, 0.1, 0.01].map((share) => scanOf(1e7, share, 10_000));
    assert.deepEqual(larger, ['codes', 'codes', 'exact', 'exact']);
  });

  it('thousands of documents, few above the threshold: by estimates, otherwise exact scan', () => {
    const scans = [0.0001, 0.02, 0.5].map((share) => scanOf(1e6, 1, 10_000, {}, share));
    assert.deepEqual(scans, ['codes', 'codes', 'exact']);
    assert.equal(planned(1e6, 0.1, 10_000, {}, 0.02).above, 100);
    assert.equal(planned(1e6, 0.1, 10_000).above, undefined);
    // A small expected number must not lower the recall.
    const cheap = { costs: { ...costsOf(INDEX), code: 3 } };
    const { scan, nprobe, lists } = planned(1e6, 1, 10_000, cheap, 0.0001).segments[0]!;
    assert.deepEqual([scan, nprobe], ['ivf', lists]);
  });

  it('a full PQ scan if most lists would be probed', () => {
    assert.equal(scanOf(1e6, 1, 50, { nprobe: 1_500 }), 'codes');
  });

  it('a graph if nearly all passages pass, never for few', () => {
    const graph = { kind: 'hnsw-flat', lists: 0, nprobe: 1 };
    assert.equal(scanOf(1e6, 1, 50, graph), 'hnsw');
    assert.equal(scanOf(1e6, 0.09, 50, graph), 'exact');
    assert.equal(scanOf(1e6, 1, 10_000, graph), 'exact');
  });

  it('sketches, unless few passages pass or another scan costs less', () => {
    const scanOf = (
      passages: number,
      share: number,
      wanted: number,
      index: Partial<IndexFile> | null,
      kind?: string,
    ) => planned(passages, share, wanted, index, undefined, undefined, kind, true).segments[0]!.scan;
    const scans = [1, 0.1, 0.02, 0.001].map((share) => scanOf(1e6, share, 50, null));
    assert.deepEqual(scans, ['documents', 'documents', 'documents', 'exact']);
    // Most documents would be visited for ten thousand.
    assert.deepEqual(
      [1_000, 2_500, 10_000].map((wanted) => scanOf(1e6, 1, wanted, null)),
      ['documents', 'documents', 'exact'],
    );
    assert.equal(scanOf(1e6, 1, 50, {}), 'documents');
    assert.equal(scanOf(1e6, 1, 50, {}, 'ivf-pq'), 'ivf');
    assert.equal(scanOf(1e6, 1, 50, { recall: 0.8 }), 'documents');
    const boundsOf = (wanted: number, sure: number) => {
      const [plan] = planned(1e6, 1, wanted, null, undefined, sure, 'auto', true).segments;
      return [plan!.deviations, plan!.deviationsOfSeveral];
    };
    const bounds = [boundsOf(50, 50), boundsOf(200, 50), boundsOf(2_500, 2_500)];
    assert.deepEqual(bounds, [
      [3, 1.5],
      [2, 0.5],
      [4, 2],
    ]);
  });

  it('a count by sketches with wide bounds, or exactly, but by an index only without sketches', () => {
    const file = { ...INDEX, lists: 1_264, nprobe: 64 };
    const countOf = (hasSketches: boolean, wanted: number) => {
      const [docs, passages] = [1e6, 1e6];
      const entry: SegmentEntry = {
        ...{ id: 's', docs, passages, firstDoc: 1, lastDoc: docs, bytes: 1 },
        index: { ...file, costs: costsOf(file) },
      };
      const opened = [{ docs, passages, hasIndex: true, hasSketches }];
      const options = { counts: true, share: 0.0001 };
      return planOf([entry], opened, { docs: [docs], passages: [passages] }, wanted, options).segments[0]!;
    };
    for (const [wanted, otherwise] of [
      [100, 'ivf'],
      [10_000, 'codes'],
    ] as const) {
      const { scan, deviations, deviationsOfSeveral } = countOf(true, wanted);
      assert.deepEqual([scan, deviations, deviationsOfSeveral], ['documents', 5, 5]);
      assert.equal(countOf(false, wanted).scan, otherwise);
    }
  });

  it('documents of one passage: scattered ones by sketches, since an exact scan waits for memory', () => {
    const scanOf = (allowed: number) => {
      const [docs, passages] = [200_000, 200_000];
      const entry: SegmentEntry = { id: 's', docs, passages, firstDoc: 1, lastDoc: docs, bytes: 1 };
      const opened = [{ docs, passages, hasIndex: false, hasSketches: true }];
      return planOf([entry], opened, { docs: [allowed], passages: [allowed] }, 50).segments[0]!.scan;
    };
    assert.deepEqual([20_000, 2_000].map(scanOf), ['documents', 'exact']);
  });

  it('small segments beside a large one: by sketches like it, unless all are small together', () => {
    const scansOf = (...sizes: number[]) => {
      const entries = sizes.map((docs, n) => ({
        id: `s${n}`,
        docs,
        passages: docs,
        firstDoc: 1,
        lastDoc: docs,
        bytes: 1,
      }));
      const opened = sizes.map((docs) => ({ docs, passages: docs, hasIndex: false, hasSketches: true }));
      const plan = planOf(entries, opened, { docs: sizes, passages: sizes }, 200, { sure: 50 });
      return plan.segments.map(({ scan }) => scan);
    };
    assert.deepEqual(scansOf(80_000, 14_000, 11_000, 7_000, 200), Array(5).fill('documents'));
    assert.deepEqual(scansOf(9_000, 9_000, 1_999), ['exact', 'exact', 'exact']);
  });

  it('documents of one passage under a filter: by sketches, since codes in more lists are read', () => {
    const scanOf = (allowed: number, wanted: number) => {
      const [docs, passages] = [80_000, 100_000];
      const file: IndexFile = { ...INDEX, lists: 670, nprobe: 40, costs: costsOf({ ...INDEX, lists: 670 }) };
      const entry: SegmentEntry = {
        id: 's',
        docs,
        passages,
        firstDoc: 1,
        lastDoc: docs,
        bytes: 1,
        index: file,
      };
      const opened = [{ docs, passages, hasIndex: true, hasSketches: true }];
      const selection = { docs: [allowed], passages: [allowed * 1.25] };
      return planOf([entry], opened, selection, wanted, { sure: 50 }).segments[0]!.scan;
    };
    assert.deepEqual([scanOf(80_000, 50), scanOf(40_000, 200)], ['ivf', 'documents']);
  });

  it('an index with low recall is not used', () => {
    assert.equal(scanOf(1e6, 1, 50, { recall: 0.8 }), 'codes');
    assert.equal(scanOf(1e6, 1, 50, { kind: 'ivf-sq8', recall: 0.8 }), 'exact');
  });

  it('without an index all scans are exact; with few passages, the index is not used', () => {
    assert.equal(scanOf(1e4, 1, 50, null), 'exact');
    assert.equal(planned(1e4, 1, 50, null).exact, true);
    assert.equal(scanOf(2e4, 1, 50, { kind: 'ivf-sq8', lists: 280, nprobe: 60 }), 'exact');
  });

  it('says why a segment is scanned as it is', () => {
    const whyOf = (...args: Parameters<typeof planned>) => {
      const { scan, why } = planned(...args).segments[0]!;
      return `${scan}: ${why}`;
    };
    const bare = (passages: number, kind?: string, hasSketches?: boolean) =>
      whyOf(passages, 1, 50, null, undefined, undefined, kind, hasSketches);
    assert.equal(whyOf(1e6, 0, 50), 'none: nothing_allowed');
    assert.equal(bare(19_980), 'exact: small');
    assert.equal(bare(19_980, 'auto', true), 'exact: small');
    assert.equal(bare(20_000), 'exact: no_sketches');
    assert.equal(bare(1e6, 'flat', true), 'exact: flat');
    assert.equal(bare(1e6, 'auto', true), 'documents: cheapest');
    assert.equal(whyOf(1e6, 1, 50), 'ivf: cheapest');
    assert.equal(whyOf(1e6, 0.001, 50), 'exact: cheapest');
    assert.equal(whyOf(1e6, 1, 50, { recall: 0.8 }), 'codes: poor_recall');
    assert.equal(whyOf(1e6, 1, 50, { kind: 'ivf-sq8', recall: 0.8 }), 'exact: poor_recall');
    assert.equal(whyOf(1e6, 0.09, 50, { kind: 'hnsw-flat', lists: 0, nprobe: 1 }), 'exact: graph_filter');
    // As the exact score gets dearer, the exact scan is first the cheapest, then nearly as cheap, then not chosen.
    const reasons = Array.from({ length: 60 }, (_, n) => {
      const costs = { ...costsOf(INDEX), row: 0.2 * (n + 1) };
      const { scan, why, expected } = planned(1e6, 1, 50, { costs }).segments[0]!;
      const cheapest = expected![scan] === Math.min(...Object.values(expected!));
      assert.equal(why, cheapest ? 'cheapest' : 'nearly_as_cheap', `row ${costs.row}`);
      return `${scan}: ${why}`;
    });
    assert.deepEqual([...new Set(reasons)], ['exact: cheapest', 'exact: nearly_as_cheap', 'ivf: cheapest']);
  });

  it('measured costs decide', () => {
    const costs = costsOf(INDEX);
    // Free exact scores need no estimates.
    assert.equal(scanOf(1e6, 1, 50, { costs: { ...costs, row: 0.1 } }), 'exact');
    // Codes that take longer to read than rows are not read.
    assert.equal(scanOf(1e6, 1, 50, { costs: { ...costs, code: 400 } }), 'exact');
    assert.ok(planned(1e6, 1, 50, { costs }).segments[0]!.expected!.ivf! > 0);
  });
});

describe('the kind of index that a segment gets', () => {
  const gigabytes = 2 ** 30;
  const kindOf = (passages: number, memory: number, dimensions = 256) =>
    indexKindFor('auto', { docs: passages / 2, passages, dimensions }, undefined, memory);

  it('the kind of index depends on the size', () => {
    assert.deepEqual(
      [1_000, 19_999, 20_000, 49_999, 50_000, 10_000_000].map((passages) => kindOf(passages, 16 * gigabytes)),
      [undefined, undefined, 'ivf-sq8', 'ivf-sq8', 'ivf-pq', 'ivf-pq'],
    );
  });

  it('with many passages a document, sketches need no index', () => {
    const kindFor = (docs: number) =>
      indexKindFor('auto', { docs, passages: 1e6, dimensions: 256 }, undefined, 1e11);
    assert.deepEqual([1e6, 250_001, 250_000, 50_000].map(kindFor), [
      'ivf-pq',
      'ivf-pq',
      undefined,
      undefined,
    ]);
  });

  it('the kind of index depends on the available memory', () => {
    // 72 bytes a passage of 256 dimensions, 264 of 1,024.
    assert.equal(kindOf(14_000_000, 4 * gigabytes), 'ivf-pq');
    assert.equal(kindOf(15_000_000, 4 * gigabytes), 'ivf-sq8');
    assert.equal(kindOf(4_000_000, 4 * gigabytes, 1_024), 'ivf-pq');
    assert.equal(kindOf(5_000_000, 4 * gigabytes, 1_024), 'ivf-sq8');
  });

  it('a configured kind of index takes precedence', () => {
    assert.equal(
      indexKindFor('hnsw-sq8', { docs: 5, passages: 1e9, dimensions: 256 }, undefined, 1),
      'hnsw-sq8',
    );
    assert.equal(indexKindFor('flat', { docs: 5, passages: 1e9, dimensions: 256 }), undefined);
    assert.equal(indexKindFor('hnsw-sq8', { docs: 5, passages: 10, dimensions: 256 }), undefined);
  });
});

const DOCUMENTS = 6_000;
const PASSAGES = 4;
/** High costs for an exact score and a scan of all codes, so that the lists of an index are faster for this small folder. */
const COSTS: IndexCosts = { row: 2_000, start: 20_000, code: 12, scan: 3_000 };

/** Documents around some topics, of one day each, with ready vectors. */
function documents(dimensions: number): PreparedDocument[] {
  const next = random(3);
  const normal = () => next() + next() + next() + next() - 2;
  const topics = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, normal));
  return Array.from({ length: DOCUMENTS }, (_, n) => {
    const topic = topics[Math.floor(next() * topics.length)]!;
    const vectors = new Float32Array(PASSAGES * dimensions);
    for (let row = 0; row < PASSAGES; row++) {
      const part = vectors.subarray(row * dimensions, (row + 1) * dimensions);
      for (let i = 0; i < dimensions; i++) part[i] = topic[i]! + 0.8 * normal();
      const length = Math.hypot(...part);
      for (let i = 0; i < dimensions; i++) part[i]! /= length;
    }
    const number = String(10_000_000 + n);
    const filed = new Date(Date.UTC(2000, 0, 1 + n)).toISOString().slice(0, 10);
    const patent: Patent = {
      patent_id: `US${number}B2`,
      country: 'US',
      number,
      kind_code: 'B2',
      title: `Document ${n}`,
      filing_date: filed,
      publication_date: filed,
    };
    const passage = { chunk_type: 'claim' as const, section_name: 'Claims', text: `Passage of ${n}` };
    return { patent, hash: contentHash(patent), passages: Array(PASSAGES).fill(passage), vectors };
  });
}

describe('ten searches of a folder, explained', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-plan-'));
  let engine: Engine;

  before(async () => {
    const { embedder } = await loadModels();
    const model = identityOf(embedder);
    const store = Store.openOrCreate(dir, model, 'ivf-pq');
    const made = documents(embedder.dimensions);
    commitDocuments(store, model, made, (segment, first) => writeSegment(store, segment, first, made));
    await mergeSegments(store, { indexFrom: 5_000 });
    const manifest: Manifest = structuredClone(store.manifest());
    const { index } = manifest.segments[0]!;
    for (const cost of Object.values(index!.costs)) assert.ok(cost > 0, `measured ${JSON.stringify(index)}`);
    index!.costs = COSTS;
    store.root.transactionSync(() => store.meta.putSync(MANIFEST, manifest));
    await store.close();
    engine = await open(dir, { workers: 0 });
  });
  after(async () => {
    await engine?.close();
    rmSync(dir, { recursive: true });
  });

  /** The first documents of a sequence with one filing day each. */
  const first = (count: number): SemanticRequest => ({
    query: 'a bearing of sintered metal',
    filing_date_to: new Date(Date.UTC(2000, 0, count)).toISOString().slice(0, 10),
  });

  const CASES: [string, SemanticRequest, number, ScanKind][] = [
    ['no filter', { query: 'a bearing of sintered metal' }, DOCUMENTS, 'ivf'],
    ['all days', first(DOCUMENTS), DOCUMENTS, 'ivf'],
    ['90 %', first(0.9 * DOCUMENTS), 0.9 * DOCUMENTS, 'ivf'],
    ['a half', first(DOCUMENTS / 2), DOCUMENTS / 2, 'exact'],
    ['a tenth', first(DOCUMENTS / 10), DOCUMENTS / 10, 'exact'],
    ['a hundredth', first(DOCUMENTS / 100), DOCUMENTS / 100, 'exact'],
    ['a thousandth', first(DOCUMENTS / 1_000), DOCUMENTS / 1_000, 'exact'],
    ['one', { query: 'a bearing', publication_number: 'US10000007B2' }, 1, 'exact'],
    ['none', { query: 'a bearing', countries: ['KR'] }, 0, 'none'],
    ['a hundred documents', { query: 'a bearing of sintered metal', top_k: 100 }, DOCUMENTS, 'ivf'],
  ];

  for (const [name, request, allowed, scan] of CASES) {
    it(`${name}: ${scan}`, async () => {
      const { plan, scored, candidates } = await engine.explain(request);
      const [segment] = plan.segments;
      assert.equal(plan.documents, allowed);
      assert.equal(segment?.allowed, allowed * PASSAGES);
      assert.equal(segment?.scan, scan, JSON.stringify(segment));
      assert.equal(plan.exact, scan === 'exact' || scan === 'none');
      // All passages, and those of the second round again.
      const exactly = (allowed + Math.min(allowed, RERANK_ROUNDS.documents)) * PASSAGES;
      if (plan.exact) assert.deepEqual({ scored, candidates }, { scored: exactly, candidates: 0 });
      else assert.ok(scored < allowed * PASSAGES && candidates > 0, `${scored} of ${candidates}`);
      // The question is unrelated to the topics, which is the hardest case for lists.
      const found = await engine.search(request, { rerank: false });
      const truth = await engine.search(request, { rerank: false, exact: true });
      const ids = new Set(truth.results.map(({ patent_id }) => patent_id));
      const good = found.results.filter(({ patent_id }) => ids.has(patent_id)).length;
      assert.ok(good >= (plan.exact ? 1 : 0.7) * ids.size, `${good} of ${ids.size}`);
    });
  }

  it('explains why: by cost, by the filter, and because the caller asked', async () => {
    const why = async (request: SemanticRequest, exact = false) =>
      (await engine.explain(request, { exact })).plan.segments[0]!.why;
    assert.equal(await why({ query: 'a bearing' }), 'cheapest');
    assert.equal(await why({ query: 'a bearing' }, true), 'asked');
    assert.equal(await why({ query: 'a bearing', countries: ['KR'] }), 'nothing_allowed');
  });

  for (const workers of [0, 1]) {
    it(`some are repeated exactly after the answer, with ${workers} workers`, async () => {
      const counts: RecallCount[] = [];
      const observe: AnswerObserver = ({ recall }) => {
        if (recall) counts.push(recall);
      };
      const watched = await open(dir, { workers, recallCheck: 1, observe });
      try {
        // A later answer includes the result of a check.
        await until(async () => {
          await watched.search({ query: 'a bearing of sintered metal' });
          return counts.length > 0;
        }, 'a search is checked');
      } finally {
        await watched.close();
      }
      const [{ checks, failed, wanted, found }] = counts as [RecallCount];
      assert.equal(failed, 0);
      assert.equal(wanted, checks * 10);
      assert.ok(found >= 0.7 * wanted, `${found} of ${wanted}`);
    });
  }

  it('only a share of the searches is checked', async () => {
    for (const recallCheck of [-0.1, 1.1, Number.NaN, 'all' as unknown as number]) {
      await assert.rejects(
        open(dir, { workers: 0, recallCheck }),
        /recallCheck: got .*; expected a number from 0 to 1/,
      );
    }
  });

  it('statistics over thousands miss no document', async () => {
    // 0 allows all documents: all of them, or the best thousand.
    const all = await engine.analyze({ query: 'a bearing', min_score: 0 });
    assert.equal(all.total_matched, DOCUMENTS);
    const best = await engine.analyze({ query: 'a bearing', min_score: 0, max_results: 1_000 });
    assert.equal(best.total_matched, 1_000);
    assert.equal(best.results[0]!.similarity_score, all.results[0]!.similarity_score);
  });
});

describe('results of a search by sketches', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-sketches-'));
  let engine: Engine;

  before(async () => {
    const { embedder } = await loadModels();
    const model = identityOf(embedder);
    const store = Store.openOrCreate(dir, model, 'auto');
    const made = documents(embedder.dimensions);
    commitDocuments(store, model, made, (segment, first) => writeSegment(store, segment, first, made));
    await store.close();
    engine = await open(dir, { workers: 0 });
  });
  after(async () => {
    await engine?.close();
    rmSync(dir, { recursive: true });
  });

  it('have the similarity of their best passage, and name the passage that decided', async () => {
    // Words find some of the candidates, which are then scored by their sketches.
    const numbers = Array.from({ length: 60 }, (_, n) => `passage ${97 * n} document ${31 * n}`);
    for (const query of [...numbers, 'a bearing of sintered metal']) {
      const { plan } = await engine.explain({ query });
      assert.equal(plan.segments[0]!.scan, 'documents', query);
      const { results } = await engine.search({ query, top_k: 100, explain: true });
      assert.equal(results.length, 100);
      for (const [n, { patent_id, chunks, explanation, similarity_score }] of results.entries()) {
        const label = `${query}: ${patent_id}`;
        const similarities = chunks.map((chunk) => chunk.similarity_score);
        assert.equal(similarity_score, Math.max(...similarities), label);
        const { decided_by: decidedBy, reranker } = explanation!;
        assert.ok(Math.abs(chunks[decidedBy!]!.rerank_score - reranker) < 2e-6, label);
        if (n < RERANK_ROUNDS.documents) assert.equal(decidedBy, 0, label);
      }
      const short = await engine.search({ query, top_k: 7, explain: true });
      assert.deepEqual(short.results, results.slice(0, 7), query);
    }
  });
});
