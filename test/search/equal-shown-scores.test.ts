/**
 * An application and its grant whose scores differ by less than an answer shows: the grant represents the pair. The
 * vectors come from an embedding server that this test runs.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { TOP_K } from '../../src/limits.js';

const DIMENSIONS = 8;
const PAIRS = 150;
/** The question's second component: what a passage has there counts this much less. */
const SLIGHT = 2 ** -6;
/** Of three applications two are better than their grants: one by less than is shown, one by more. */
const BETTER = [2 ** -17, 2 ** -6, 0];

/** The vector of a text that names its pair and its kind; of any other text that of the question. */
function vectorOf(text: string): number[] {
  const [, pair, kind] = /pair(\d+)(A|B1)/.exec(text) ?? [];
  const vector = new Array<number>(DIMENSIONS).fill(0);
  if (pair === undefined) {
    vector[0] = Math.sqrt(1 - SLIGHT ** 2);
    vector[1] = SLIGHT;
    return vector;
  }
  vector[0] = 0.3 + Number(pair) / 512;
  vector[1] = kind === 'A' ? BETTER[Number(pair) % BETTER.length]! : 0;
  vector[2] = Math.sqrt(1 - vector[0] ** 2);
  return vector;
}

const publications = Array.from({ length: PAIRS }, (_, pair) =>
  ['A', 'B1'].map((kind) => ({
    patent_id: kind === 'A' ? `KR102020${1_000_000 + pair}A` : `KR10${1_000_000 + pair}0000B1`,
    country: 'KR' as const,
    kind_code: kind,
    application_number: `10-2019-${1_000_000 + pair}`,
    filing_date: '2019-03-01',
    publication_date: kind === 'A' ? '2020-09-01' : '2021-09-01',
    title: `pair${pair}${kind}`,
    abstract: `pair${pair}${kind}`,
  })),
).flat();

describe('an application and its grant', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-equal-'));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { inputs } = JSON.parse(Buffer.concat(chunks).toString()) as { inputs: string[] };
      response.end(JSON.stringify(inputs.map(vectorOf)));
    });
  });
  let engine: Engine;
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`;
    const embedder = {
      kind: 'http',
      protocol: 'tei',
      url,
      dimensions: DIMENSIONS,
      name: 'pairs',
      version: '1',
    };
    const models = join(dir, 'models.json');
    writeFileSync(models, JSON.stringify({ embedder, reranker: { kind: 'none' } }));
    engine = await open(join(dir, 'data'), { create: true, models, workers: 0 });
    const { ingested } = await engine.ingest(publications);
    assert.equal(ingested, publications.length);
  });
  after(async () => {
    await engine.close();
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true });
  });

  /** Scores as shown, by patent_id, of all that a search for one kind finds. */
  async function scoresOf(doc_type: 'application' | 'grant'): Promise<Map<string, number>> {
    const scores = new Map<string, number>();
    for (let page = 1; scores.size < PAIRS; page++) {
      const { results } = await engine.analyze({
        query: 'question',
        doc_type,
        min_score: 0,
        page,
        page_size: 100,
      });
      assert.notEqual(results.length, 0);
      for (const { patent_id, similarity_score } of results) scores.set(patent_id, similarity_score);
    }
    return scores;
  }

  /** Which publication is to represent each pair. */
  async function representatives(): Promise<Map<string, number>> {
    const [applications, grants] = [await scoresOf('application'), await scoresOf('grant')];
    let equal = 0;
    const expected = new Map<string, number>();
    for (let pair = 0; pair < PAIRS; pair++) {
      const [application, grant] = [publications[2 * pair]!.patent_id, publications[2 * pair + 1]!.patent_id];
      const ofGrant = grants.get(grant)! >= applications.get(application)!;
      if (grants.get(grant) === applications.get(application) && pair % BETTER.length === 0) equal++;
      const represented = ofGrant ? grant : application;
      expected.set(represented, Math.max(grants.get(grant)!, applications.get(application)!));
    }
    assert.ok(equal > PAIRS / 6, `${equal} applications are better by less than is shown`);
    assert.ok([...expected.keys()].some((id) => id.endsWith('A')));
    return expected;
  }

  it('is represented in statistics by the grant if both show the same score', async () => {
    const expected = await representatives();
    for (const max_results of [7, 20, PAIRS]) {
      const { results, total_matched } = await engine.analyze({
        query: 'question',
        ...{ min_score: 0, max_results, page_size: 100 },
      });
      assert.equal(total_matched, max_results);
      for (const { patent_id, similarity_score } of results) {
        assert.equal(similarity_score, expected.get(patent_id), patent_id);
      }
      const best = [...expected.values()].sort((a, b) => b - a).slice(0, Math.min(max_results, 100));
      assert.deepEqual(
        results.map(({ similarity_score }) => similarity_score),
        best,
      );
    }
  });

  it('is represented in a search by the grant if both show the same score, whatever top_k is', async () => {
    const expected = await representatives();
    const { results } = await engine.search({ query: 'question', top_k: TOP_K.max });
    assert.equal(results.length, TOP_K.max);
    for (const { patent_id, similarity_score } of results) {
      assert.equal(similarity_score, expected.get(patent_id), patent_id);
    }
    for (const top_k of [1, 5, 50]) {
      const some = await engine.search({ query: 'question', top_k });
      assert.deepEqual(some.results, results.slice(0, top_k));
    }
  });
});
