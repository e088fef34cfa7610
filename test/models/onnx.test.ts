/** A user's own models through the whole program: models.json, ingest, search, and the reopened folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../src/index.js';
import { makeModels, noOnnx } from '../onnx/models.js';

const PATENTS = [
  [
    'US11777158B2',
    'Immersion-cooled battery module',
    'Battery cells are immersed in a dielectric liquid that flows along their sides and cools them.',
  ],
  [
    'EP03539467A1',
    'Surgical stapler',
    'A stapler has a cartridge that holds rows of staples and an anvil that forms them.',
  ],
  [
    'US10000001B2',
    'Robot vacuum cleaner',
    'A vacuum cleaning robot finds its charging station by an infrared signal and docks at it.',
  ],
  [
    'US10000002B2',
    'Pitch drive of a wind turbine',
    'The blades of a wind turbine are turned out of the wind when it becomes too strong.',
  ],
].map(([patent_id, title, abstract]) => ({
  patent_id,
  country: patent_id!.slice(0, 2),
  kind_code: patent_id!.slice(-2),
  title,
  abstract,
}));

const QUESTIONS = {
  'cooling the cells of a battery with a fluid': 'US11777158B2',
  'closing a wound with staples': 'EP03539467A1',
  'how a cleaning robot returns to its dock': 'US10000001B2',
  'protecting a wind power plant in a storm': 'US10000002B2',
};

describe('models of a user', { skip: noOnnx }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-own-models-'));
  after(() => rmSync(dir, { recursive: true }));
  const [data, file, patents] = ['data', 'models.json', 'patents.jsonl'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  let models: string;

  before(() => {
    models = makeModels('--minilm');
    const embedder = { kind: 'onnx', name: 'minilm', pooling: 'mean', dimensions: 384, maxTokens: 512 };
    // Relative to the file, as docs/models.md says.
    const folder = `../${basename(models)}`;
    const configuration = {
      embedder: { ...embedder, folder: `${folder}/minilm` },
      reranker: { kind: 'onnx', name: 'tiny', folder: `${folder}/pairs`, maxTokens: 96 },
    };
    writeFileSync(file, JSON.stringify(configuration));
    writeFileSync(patents, PATENTS.map((patent) => JSON.stringify(patent)).join('\n'));
  });

  it('models find by meaning, answer concurrent questions, and are stored with the folder', async () => {
    const engine = await open(data, { create: true, workers: 1, models: file });
    const { ingested, failed } = await engine.ingest([patents]);
    assert.deepEqual([ingested, failed], [PATENTS.length, []]);
    await engine.close();

    const again = await open(data, { workers: 1 });
    const answers = await Promise.all(
      Object.keys(QUESTIONS).map((query) => again.search({ query, top_k: 4 })),
    );
    Object.values(QUESTIONS).forEach((wanted, n) => {
      const [nearest] = answers[n]!.results.toSorted((a, b) => b.similarity_score - a.similarity_score);
      assert.equal(nearest!.patent_id, wanted);
      const scores = answers[n]!.results.map(({ rerank_score }) => rerank_score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      assert.ok(new Set(scores).size > 1, 'the cross-encoder distinguishes patents');
    });
    const explanation = await again.explain({ query: 'battery' });
    assert.match(explanation.model, /^minilm [0-9a-f]{12}$/);
    assert.equal(explanation.reranker, 'tiny');
    await again.close();
  });

  it('a model with another pooling is another model', async () => {
    const other = {
      kind: 'onnx',
      name: 'minilm',
      pooling: 'cls',
      dimensions: 384,
      maxTokens: 512,
      folder: `${models}/minilm`,
    } as const;
    await assert.rejects(
      async () => {
        const engine = await open(data, { workers: 1, models: { embedder: other } });
        await engine.search({ query: 'battery' }).finally(() => engine.close());
      },
      { code: 'model_mismatch' },
    );
  });
});
