/** Presets end to end, with small models of their shape: tokenizer, inputs and dimensions. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { openOnnxEmbedder } from '../../../src/embed/onnx/embedder.js';
import { makeModels, noOnnx, referenceVectors, type VectorCase } from '../../onnx/models.js';

const QUERIES = ['cooling battery cells', '전지 셀의 냉각', '電池の冷却', '冷却电池', 'Kühlung'];
const PASSAGES = [
  'The coolant flows along the cells.',
  '냉각수는 전지 셀의 측면을 따라 흐른다.',
  '冷却液。'.repeat(300),
];

/** The expected texts, from the model cards. */
const CASES = {
  'multilingual-e5-small': {
    pooling: 'mean',
    windowTokens: 512,
    query: { before: 'query: ' },
    passage: { before: 'passage: ' },
  },
  'qwen3-embedding-0.6b': {
    pooling: 'last',
    windowTokens: 400,
    query: {
      before:
        'Instruct: Given a question about an invention, retrieve passages of patents that describe it\nQuery:',
    },
    passage: {},
  },
} as const;

describe('a preset', { skip: noOnnx }, () => {
  let models: string;
  before(() => {
    models = makeModels();
  });

  for (const [preset, { pooling, windowTokens, query, passage }] of Object.entries(CASES)) {
    it(`needs only a folder, and embeds as the model card describes: ${preset}`, async () => {
      const folder = `${models}/${preset}`;
      const common: Omit<VectorCase, 'texts'> = { folder, graph: 'onnx/model.onnx', pooling, windowTokens };
      const expected = referenceVectors([
        { ...common, ...query, texts: QUERIES },
        { ...common, ...passage, texts: PASSAGES },
      ]);
      const embedder = await openOnnxEmbedder({
        kind: 'onnx',
        preset: preset as keyof typeof CASES,
        folder,
        // The small models have fewer positions than Qwen3.
        windowTokens,
      });
      assert.equal(embedder.name, preset);
      assert.equal(embedder.calibrated, false);
      const given = [
        await embedder.embed(QUERIES, 'query', 'passed over'),
        await embedder.embed(PASSAGES, 'passage', 'passed over'),
      ];
      given.forEach((vectors, kind) => {
        expected[kind]!.forEach((wanted, n) => {
          const row = vectors.subarray(n * embedder.dimensions, (n + 1) * embedder.dimensions);
          const far = wanted.reduce((most, x, d) => Math.max(most, Math.abs(x - row[d]!)), 0);
          assert.ok(wanted.length === row.length && far < 1e-3, `text ${n} differs by ${far}`);
        });
      });
      await embedder.close();
    });
  }
});
