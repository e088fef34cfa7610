/** Approximate searches of an engine on a cluster, compared with a scan of all vectors in a data folder. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Blocks } from '../../bench/corpus/blocks.js';
import { buildCorpus } from '../../bench/corpus/build.js';
import { readMeasured } from '../../bench/corpus/shape.js';
import { readVocabulary } from '../../bench/corpus/vocabulary.js';
import { ClusterEngine } from '../../src/cluster/engine.js';
import { migrateToCluster } from '../../src/cluster/migrate.js';
import { type Engine, open } from '../../src/engine.js';
import type { Explanation } from '../../src/search/explanation.js';
import { parseAnalytics, parseSemantic } from '../../src/search/query.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import type { AnalyticsResponse, SearchResponse } from '../../src/search/types.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const PASSAGES = 10_000;
const SEED = 5;
const QUESTIONS = 40;
const PLACES = 10;
/** The cluster adds products in another order. */
const ROUNDING = 2e-6;

describe('recall of approximate searches', { skip: await missingForCluster() }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-recall-'));
  let cluster: StartedCluster;
  let blocks = 0;
  let approximate: ClusterEngine;
  let folder: Engine;
  before(async () => {
    cluster = await startedCluster();
    ({ blocks } = await buildCorpus({ dir, passages: PASSAGES, seed: SEED }));
    const index = `recall-${randomUUID()}`;
    const address = { nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0, shards: 2 } as const;
    await migrateToCluster(dir, address);
    approximate = await ClusterEngine.open(address, { exactPassages: 0 });
    folder = await open(dir, { workers: 0 });
  });
  after(async () => {
    await Promise.all([approximate?.close(), folder?.close()]);
    await cluster?.remove();
    rmSync(dir, { recursive: true });
  });

  async function searched(request: SemanticRequest, exact: boolean) {
    const query = { ...parseSemantic(request), exact, rerank: 'off' as const };
    const { json } = await approximate.searchBody(query, {});
    return (JSON.parse(Buffer.from(json).toString()) as SearchResponse).results;
  }

  /** Share of the best places whose similarity reaches that of the last exact one. */
  async function recallOf(filter: Partial<SemanticRequest>): Promise<number> {
    const questions = new Blocks(readVocabulary(), readMeasured(), SEED).questions(QUESTIONS, blocks);
    let [good, all] = [0, 0];
    for (const { text } of questions) {
      const request = { query: text, top_k: PLACES, ...filter };
      const exact = (await folder.search(request, { exact: true, rerank: false })).results;
      const found = await searched(request, false);
      const scores = new Map(exact.map(({ patent_id, similarity_score }) => [patent_id, similarity_score]));
      for (const { patent_id, similarity_score } of found) {
        const score = scores.get(patent_id) ?? similarity_score;
        assert.ok(Math.abs(similarity_score - score) <= ROUNDING, patent_id);
      }
      const least = exact.at(-1)!.similarity_score;
      good += found.filter(({ similarity_score }) => similarity_score >= least - ROUNDING).length;
      all += exact.length;
    }
    return good / all;
  }

  test('what is found by the index is not called exact, and an exact scan counts as a folder does', async () => {
    const request = { query: 'a device that stores energy', min_score: 0.3, explain: true };
    const counted = async (exact: boolean) => {
      const { json } = await approximate.analyticsBody({ ...parseAnalytics(request), exact }, { owner: '' });
      return JSON.parse(Buffer.from(json).toString()) as AnalyticsResponse;
    };
    const truth = await folder.analyze(request);
    const [byIndex, byScan] = [await counted(false), await counted(true)];
    const documents = truth.explanation?.documents;
    assert.deepEqual(byIndex.explanation, { exact: false, documents, scans: ['index'] });
    assert.deepEqual(byScan.explanation, { exact: true, documents, scans: ['exact'] });
    assert.equal(byScan.total_matched, truth.total_matched);
    const query = parseSemantic({ query: request.query });
    const explained = async (exact: boolean) =>
      JSON.parse(
        Buffer.from(await approximate.explainBody({ ...query, exact }, {})).toString(),
      ) as Explanation;
    for (const exact of [true, false]) {
      const { plan, gathered } = await explained(exact);
      assert.deepEqual([plan.exact, gathered], [exact, exact ? 'exact' : 'index']);
    }
  });

  test('at least 97 of 100 of the ten best are found, with and without a filter', async (t) => {
    const filters = [{}, { countries: ['US' as const] }, { doc_type: 'grant' as const }];
    for (const filter of filters) {
      const recall = await recallOf(filter);
      t.diagnostic(`${JSON.stringify(filter)}: recall@10 is ${recall}`);
      assert.ok(recall >= 0.97 && recall <= 1);
    }
  });

  test('an index is asked, and not every passage is compared', async () => {
    const scans = async () => {
      const answer = await fetch(`${cluster.urls[0]}/_plugins/_knn/stats?stat=script_query_requests`);
      const { nodes } = (await answer.json()) as { nodes: Record<string, { script_query_requests: number }> };
      return Object.values(nodes).reduce((sum, node) => sum + node.script_query_requests, 0);
    };
    const before = await scans();
    await searched({ query: 'a battery that swells' }, false);
    assert.equal(await scans(), before);
    await searched({ query: 'a battery that swells' }, true);
    assert.ok((await scans()) > before);
  });
});
