/** Configurations: presets, their fields, and invalid values. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type OnnxEmbedderConfig, onnxEmbedderSchema, settingsOf } from '../../../src/embed/onnx/config.js';
import { openOnnxEmbedder } from '../../../src/embed/onnx/embedder.js';
import { EMBEDDER_PRESETS } from '../../../src/embed/onnx/presets.js';
import {
  crossEncoderSchema,
  settingsOf as pairSettingsOf,
} from '../../../src/rerank/cross-encoder/config.js';
import { CROSS_ENCODER_PRESETS } from '../../../src/rerank/cross-encoder/presets.js';
import { makeModels, noOnnx } from '../../onnx/models.js';

describe('the configuration of ONNX models', () => {
  it('accepts every preset with only a folder, and each preset fits the schema', () => {
    for (const [preset, { settings, source }] of Object.entries(EMBEDDER_PRESETS)) {
      const config = onnxEmbedderSchema.parse({ kind: 'onnx', preset, folder: 'models/x' });
      const { name, dimensions, maxTokens, windowTokens } = settingsOf(config);
      assert.equal(name, preset);
      assert.ok(
        dimensions > 0 && windowTokens <= maxTokens,
        `expected a window of at most ${maxTokens} tokens: ${windowTokens}`,
      );
      onnxEmbedderSchema.parse({ kind: 'onnx', folder: 'models/x', ...settings });
      assert.match(source, /card of /);
    }
    for (const [preset, { settings }] of Object.entries(CROSS_ENCODER_PRESETS)) {
      pairSettingsOf(crossEncoderSchema.parse({ kind: 'onnx', preset, folder: 'models/x' }));
      crossEncoderSchema.parse({ kind: 'onnx', folder: 'models/x', ...settings });
    }
    assert.equal(
      CROSS_ENCODER_PRESETS['jina-reranker-v2-base-multilingual'].settings.licence,
      'CC BY-NC 4.0',
    );
  });

  it('gives a field precedence over the preset', () => {
    const config = {
      kind: 'onnx',
      preset: 'multilingual-e5-small',
      folder: 'x',
      query: 'q: {text}',
      name: 'mine',
    } as const;
    const { query, document, name, dimensions } = settingsOf(config);
    assert.deepEqual([query, document, name, dimensions], ['q: {text}', 'passage: {text}', 'mine', 384]);
  });

  it('refuses invalid values', () => {
    const wrong: Record<string, unknown>[] = [
      { preset: 'e5' },
      { folder: '' },
      { pooling: 'sum' },
      { query: 'no place for it' },
      { query: '{text} {text}' },
      { query: '{text} {title}' },
      { document: '{passage}' },
      { dimensions: 0 },
      { maxTokens: 1e9 },
      { windowTokens: 7.5 },
      { threads: 0 },
      { paddingSide: 'both' },
      { dense: [{}] },
      { inputs: { tokens: 'x' } },
      { calibration: { midpoint: 0.8, slope: -1 } },
      { pool: 'mean' },
    ];
    for (const fields of wrong) {
      const { success } = onnxEmbedderSchema.safeParse({ kind: 'onnx', folder: 'x', ...fields });
      assert.equal(success, false, JSON.stringify(fields));
    }
    const bare = { kind: 'onnx', folder: 'x' } as const;
    assert.throws(() => settingsOf(bare), {
      code: 'invalid_models',
      message: /lacks pooling, dimensions, maxTokens.*multilingual-e5-small/,
    });
    assert.throws(() => settingsOf({ ...bare, preset: 'bge-m3', truncatedDimensions: 2048 }), {
      message: /2048, but the model has 1024/,
    });
    assert.throws(() => pairSettingsOf(bare), { code: 'invalid_models', message: /lacks maxTokens/ });
  });
});

describe('an ONNX model that does not fit its configuration', { skip: noOnnx }, () => {
  let models: string;
  before(() => {
    models = makeModels();
  });

  const CASES: [
    what: string,
    model: string,
    config: Partial<OnnxEmbedderConfig>,
    code: string,
    message: RegExp,
  ][] = [
    [
      'other dimensions',
      'bert',
      { dimensions: 384 },
      'invalid_models',
      /vectors of 16 dimensions, configured are 384/,
    ],
    [
      'a pooled output',
      'pooled',
      { output: 'sentence_embedding' },
      'invalid_models',
      /sentence_embedding is 1 × 16.*pooling "none"/,
    ],
    [
      'an output of tokens',
      'bert',
      { pooling: 'none' },
      'invalid_models',
      /last_hidden_state is 1 × \d+ × 16.*pooling of the model card/,
    ],
    [
      'a missing output',
      'pooled',
      { output: 'logits' },
      'invalid_models',
      /no output logits; its outputs are token_embeddings, sentence_embedding/,
    ],
    [
      'inputs with other names',
      'renamed',
      {},
      'invalid_models',
      /inputs tokens_in, seen, token_type_ids; name the one with token ids/,
    ],
    [
      'an unconfigured input',
      'renamed',
      { inputs: { ids: 'tokens_in' } },
      'invalid_models',
      /nothing is configured for seen/,
    ],
    [
      'an unknown token',
      'bert',
      { endToken: '<eos>' },
      'invalid_models',
      /endToken is "<eos>", which is not a token/,
    ],
    ['unknown padding', 'bert', { padToken: '<blank>' }, 'invalid_models', /padToken is "<blank>"/],
    ['no number', 'nan', {}, 'embedding_failed', /NaN.*dtype/],
    [
      'a prompt that fills the window',
      'bert',
      { windowTokens: 10, query: 'wind turbine blades are turned by their pitch drives: {text}' },
      'invalid_models',
      /no room for a text in windows of 10/,
    ],
    ['lengths that are not 1', 'bert', { normalize: false }, 'invalid_models', /"normalize" is false/],
    [
      'a missing dense layer',
      'xlmr',
      { dense: [{ file: '2_Dense/model.safetensors' }] },
      'model_missing',
      /2_Dense.*model's own repository/,
    ],
    [
      'a dense layer of other sizes',
      'bert',
      { dense: [{ file: '3_Dense/model.safetensors' }] },
      'invalid_models',
      /takes 24 numbers but gets 16/,
    ],
    [
      'a dense layer with other names',
      'bert',
      { dense: [{ file: '2_Dense/model.safetensors', weight: 'w' }] },
      'model_damaged',
      /no tensor w; its tensors are linear\.bias, linear\.weight/,
    ],
    [
      'an invalid file of a dense layer',
      'bert',
      { dense: [{ file: 'tokenizer.json' }] },
      'model_damaged',
      /too short for a \.safetensors|header is not JSON/,
    ],
    ['an invalid graph', 'bert', { graphFile: 'tokenizer.json' }, 'model_damaged', /cannot load the graph/],
    ['no graph', 'bert', { dtype: 'q4' }, 'model_missing', /looked for model_q4\.onnx/],
  ];

  for (const [what, model, config, code, message] of CASES) {
    it(`the model is refused: ${what}`, async () => {
      const common = {
        kind: 'onnx',
        folder: `${models}/${model}`,
        pooling: 'mean',
        dimensions: 16,
        maxTokens: 96,
        threads: 1,
      } as const;
      await assert.rejects(openOnnxEmbedder({ ...common, ...config }), {
        name: 'PriorartError',
        code,
        message,
      });
    });
  }

  it('the identity is the same after a restart, and changes with the vectors', async () => {
    const common = {
      kind: 'onnx',
      folder: `${models}/bert`,
      pooling: 'mean',
      dimensions: 16,
      maxTokens: 96,
      threads: 1,
    } as const;
    const versionOf = async (config: Partial<OnnxEmbedderConfig>) => {
      const embedder = await openOnnxEmbedder({ ...common, ...config });
      await embedder.close();
      return embedder.version;
    };
    const version = await versionOf({});
    assert.equal(await versionOf({ threads: 2, batchTokens: 100, licence: 'MIT' }), version);
    assert.equal(await versionOf({ version: '3' }), '3');
    const changes: Partial<OnnxEmbedderConfig>[] = [
      { pooling: 'max' },
      { query: 'query: {text}' },
      { truncatedDimensions: 8 },
      { windowTokens: 40 },
      { dense: [{ file: '2_Dense/model.safetensors' }], dimensions: 24 },
    ];
    const others = [];
    for (const change of changes) others.push(await versionOf(change));
    assert.equal(new Set([version, ...others]).size, 1 + changes.length);
  });
});
