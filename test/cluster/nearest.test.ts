/** The nearest documents of a cluster, compared with a scan of the same vectors in this process. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { filterOf } from '../../src/cluster/clauses.js';
import { ClusterClient } from '../../src/cluster/client.js';
import { createIndex } from '../../src/cluster/meta.js';
import { nearest } from '../../src/cluster/nearest.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { ClusterTarget } from '../../src/cluster/target.js';
import { native } from '../../src/index/native.js';
import type { Country } from '../../src/patent/country.js';
import type { PreparedDocument } from '../../src/store/document.js';
import { random } from '../crash/folder.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const MODEL = { name: 'random', version: '1', dimensions: 32 };
const DOCUMENTS = 3_000;
const PASSAGES = 3;
const QUESTIONS = 40;
const PLACES = 10;

describe('the nearest documents', { skip: await missingForCluster() }, () => {
  const next = random(11);
  let cluster: StartedCluster;
  let client: ClusterClient;
  before(async () => {
    cluster = await startedCluster();
    const index = `nearest-${randomUUID()}`;
    const address = { nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0, shards: 2 } as const;
    client = await ClusterClient.open(settingsOf(address));
    await createIndex(client, MODEL, undefined);
    const target = await ClusterTarget.open(client);
    await target.commit(MODEL, documents);
  });
  after(async () => {
    await client?.close();
    await cluster?.remove();
  });

  /** A vector of length 1 near one of some subjects. */
  const subjects = Array.from({ length: 60 }, () => Array.from({ length: MODEL.dimensions }, normal));
  function normal(): number {
    return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  }
  function vector(): Float32Array {
    const subject = subjects[Math.floor(next() * subjects.length)]!;
    const numbers = subject.map((x) => x + 0.7 * normal());
    const length = Math.hypot(...numbers);
    return Float32Array.from(numbers, (x) => x / length);
  }

  const documents = Array.from({ length: DOCUMENTS }, (_, n): PreparedDocument => {
    const country: Country = n % 10 === 0 ? 'KR' : 'US';
    const number = String(n).padStart(8, '0');
    const vectors = new Float32Array(PASSAGES * MODEL.dimensions);
    for (let row = 0; row < PASSAGES; row++) vectors.set(vector(), row * MODEL.dimensions);
    const passage = { chunk_type: 'claim', section_name: 'Claims', paragraph_numbers: [], claim_numbers: [] };
    return {
      patent: {
        patent_id: `${country}${number}B2`,
        country,
        number,
        kind_code: 'B2',
        title: `Document ${n}`,
      } as PreparedDocument['patent'],
      hash: `hash ${n}`,
      passages: Array.from({ length: PASSAGES }, () => ({ ...passage, text: 'text' })) as never,
      vectors,
    };
  });

  /** The documents in the order of their best stored passage. */
  function truth(question: Float32Array, country: Country | undefined): { id: string; score: number }[] {
    return documents
      .filter(({ patent }) => country === undefined || patent.country === country)
      .map(({ patent, vectors }) => {
        const stored = native.fromHalves(native.toHalves(vectors));
        let score = -2;
        for (let row = 0; row < PASSAGES; row++) {
          const from = row * MODEL.dimensions;
          score = Math.max(
            score,
            question.reduce((sum, x, d) => sum + x * stored[from + d]!, 0),
          );
        }
        return { id: patent.patent_id, score };
      })
      .sort((a, b) => b.score - a.score);
  }

  async function compared(scan: 'exact' | 'index', country: Country | undefined): Promise<number> {
    const clauses = country ? [{ column: 'country', test: 'exact' as const, terms: [country] }] : [];
    const filter = filterOf(clauses);
    let found = 0;
    for (let n = 0; n < QUESTIONS; n++) {
      const question = vector();
      const expected = truth(question, country);
      const scores = new Map(expected.map(({ id, score }) => [id, score]));
      const near = await client.atOneState(client.settings.index, (state) =>
        nearest(state, { vector: question, filter, scan, size: 200 }),
      );
      for (const { patentId, score } of near) {
        assert.ok(Math.abs(score - scores.get(patentId)!) < 1e-5, `${patentId}: ${score}`);
      }
      const best = new Set(near.slice(0, PLACES).map(({ patentId }) => patentId));
      found += expected.slice(0, PLACES).filter(({ id }) => best.has(id)).length;
    }
    return found / (QUESTIONS * PLACES);
  }

  test('an exact scan finds them all, with and without a filter', async () => {
    assert.equal(await compared('exact', undefined), 1);
    assert.equal(await compared('exact', 'KR'), 1);
  });

  test('the index finds at least 97 of 100, with and without a filter', async () => {
    const [all, filtered] = [await compared('index', undefined), await compared('index', 'KR')];
    assert.ok(all >= 0.97 && filtered >= 0.97, `recall@10 is ${all}, with a filter ${filtered}`);
  });

  test('an index that gives 10,000 of a shard at most leaves none out', async () => {
    const index = `many-${randomUUID()}`;
    const settings = settingsOf({ nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0 });
    const many = await ClusterClient.open(settings);
    try {
      const model = { ...MODEL, dimensions: 2 };
      await createIndex(many, model, undefined);
      const target = await ClusterTarget.open(many);
      const turned = Array.from({ length: 10_200 }, (_, n): PreparedDocument => {
        const document = documents[n % DOCUMENTS]!;
        const number = String(n).padStart(8, '0');
        const patent = { ...document.patent, patent_id: `US${number}B2`, country: 'US' as const, number };
        const angle = n / 10_200;
        const vectors = Float32Array.of(Math.cos(angle), Math.sin(angle));
        return { ...document, patent, hash: `turned ${n}`, passages: document.passages.slice(0, 1), vectors };
      });
      await target.commit(model, turned);
      const near = await many.atOneState(`${index}-1`, (state) =>
        nearest(state, { vector: Float32Array.of(1, 0), filter: [], scan: 'index', size: 12_000 }),
      );
      assert.equal(new Set(near.map(({ patentId }) => patentId)).size, turned.length);
      // A patent with long tables of sequences has more than 10,000 passages.
      const [one] = turned;
      const passages = Array.from({ length: 10_500 }, () => one!.passages[0]!);
      const long = {
        ...one!,
        hash: 'long',
        passages,
        vectors: new Float32Array(2 * passages.length).fill(0.5),
      };
      assert.deepEqual(await target.commit(model, [long]), ['updated']);
    } finally {
      await many.close();
    }
  });

  test('the documents from a threshold on are those of the truth', async () => {
    const question = vector();
    const least = 0.6;
    const expected = truth(question, undefined).filter(({ score }) => score >= least);
    const near = await client.atOneState(client.settings.index, (state) =>
      nearest(state, { vector: question, filter: [], scan: 'exact', size: DOCUMENTS, least }),
    );
    const counted = near.filter(({ score }) => score >= least);
    assert.ok(expected.length > 20);
    assert.deepEqual(
      counted.map(({ patentId }) => patentId),
      expected.map(({ id }) => id),
    );
  });
});
