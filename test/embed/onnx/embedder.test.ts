/** The vectors of an ONNX embedder against Python's tokenizers, onnxruntime and NumPy. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Embedder } from '../../../src/embed/embedder.js';
import type { OnnxEmbedderConfig } from '../../../src/embed/onnx/config.js';
import { openOnnxEmbedder } from '../../../src/embed/onnx/embedder.js';
import { makeModels, noOnnx, referenceVectors, type VectorCase } from '../../onnx/models.js';
import fc from '../../property.js';

const TEXTS = [
  'A solid electrolyte layer between the electrodes',
  'The method of claim 1.',
  '황화물계 고체 전해질층은 양극과 음극 사이에 배치된다.',
  '硫化物固体電解質層は正極と負極の間に配置される。',
  '电池单元由冷却液冷却',
  'Eine Festelektrolytschicht für Größe und Straße',
  'x',
  '…!?',
];
/** More tokens than the windows of 40 below. */
const LONG = [
  'The coolant flows along the sides of the battery cells during charging of the battery. '.repeat(9).trim(),
  '냉각수는 전지 셀의 측면을 따라 흐른다 '.repeat(12).trim(),
  '固体电解质层位于正极和负极之间'.repeat(8),
];

type Form = Partial<OnnxEmbedderConfig> & { reference?: Partial<VectorCase> };

/** Forms of model and configuration; `reference` holds the arguments for Python. */
const FORMS: Record<string, { model: string; form: Form }> = {
  mean: { model: 'bert', form: { pooling: 'mean' } },
  'cls, with token types': { model: 'bert', form: { pooling: 'cls' } },
  last: { model: 'xlmr', form: { pooling: 'last' } },
  max: { model: 'xlmr', form: { pooling: 'max' } },
  'prefixes (WordPiece)': {
    model: 'bert',
    form: { pooling: 'mean', query: 'query: {text}', reference: { before: 'query: ' } },
  },
  'prefixes (Unigram)': {
    model: 'xlmr',
    form: { pooling: 'mean', query: 'query: {text}', reference: { before: 'query: ' } },
  },
  'a template around the text': {
    model: 'xlmr',
    form: {
      pooling: 'cls',
      query: 'task: {task} | query: {text} | none',
      task: 'search result',
      reference: { before: 'task: search result | query: ', after: ' | none' },
    },
  },
  'left padding, position ids, empty cache': {
    model: 'qwen',
    form: {
      pooling: 'last',
      paddingSide: 'left',
      query: 'Instruct: {task}\nQuery:{text}',
      task: 'search',
      reference: { before: 'Instruct: search\nQuery:' },
    },
  },
  'an end token that the tokenizer does not add': {
    model: 'no-end',
    form: {
      pooling: 'last',
      paddingSide: 'left',
      endToken: '<|endoftext|>',
      reference: { endToken: '<|endoftext|>' },
    },
  },
  'left padding with mean': { model: 'qwen', form: { pooling: 'mean', paddingSide: 'left' } },
  'dense layers': {
    model: 'bert',
    form: {
      pooling: 'mean',
      dimensions: 12,
      dense: [
        { file: '2_Dense/model.safetensors', activation: 'tanh' },
        { file: '3_Dense/model.safetensors' },
      ],
    },
  },
  'dense layers from NumPy files': {
    model: 'bert',
    form: {
      pooling: 'mean',
      dimensions: 24,
      dense: [{ file: '2_Dense/weight.npy', bias: '2_Dense/bias.npy' }],
    },
  },
  'truncated dimensions': { model: 'xlmr', form: { pooling: 'mean', truncatedDimensions: 5 } },
  'int32 inputs': { model: 'int32', form: { pooling: 'mean' } },
  'half precision': { model: 'half', form: { pooling: 'mean', dtype: 'fp16' } },
  'bytes as output': { model: 'bytes', form: { pooling: 'mean' } },
  'other names': {
    model: 'renamed',
    form: { pooling: 'mean', inputs: { ids: 'tokens_in', mask: 'seen' }, output: 'hidden' },
  },
  'a pooled output': {
    model: 'pooled',
    form: { pooling: 'mean', reference: { pooling: 'none' } },
  },
  'token vectors of a graph with a pooled output': {
    model: 'pooled',
    form: { pooling: 'max', output: 'token_embeddings' },
  },
};

const GRAPHS: Record<string, string> = {
  half: 'onnx/model_fp16.onnx',
  bytes: 'onnx/model_quantized.onnx',
  pooled: 'onnx/model.onnx',
};

describe('an ONNX embedder', { skip: noOnnx }, () => {
  let models: string;
  const expected: Record<string, number[][]> = {};

  before(() => {
    models = makeModels();
    const answers = referenceVectors(Object.values(FORMS).map(caseOf));
    Object.keys(FORMS).forEach((name, n) => {
      expected[name] = answers[n]!;
    });
  });

  function caseOf({ model, form }: { model: string; form: Form }): VectorCase {
    const { pooling = 'mean', output, inputs, dense, truncatedDimensions, reference } = form;
    return {
      folder: `${models}/${model}`,
      graph: GRAPHS[model] ?? 'model.onnx',
      texts: [...TEXTS, ...LONG],
      pooling,
      windowTokens: 40,
      ...(output === undefined ? {} : { output }),
      ...(inputs === undefined ? {} : { inputs: inputs as Record<string, string> }),
      ...(dense === undefined ? {} : { dense }),
      ...(truncatedDimensions === undefined ? {} : { truncatedDimensions }),
      ...reference,
    };
  }

  function open(model: string, form: Partial<OnnxEmbedderConfig>): Promise<Embedder> {
    const common = { folder: `${models}/${model}`, dimensions: 16, maxTokens: 96, windowTokens: 40 };
    return openOnnxEmbedder({ kind: 'onnx', ...common, threads: 1, ...form });
  }

  for (const [name, { model, form }] of Object.entries(FORMS)) {
    it(`has the vectors of Python: ${name}`, async () => {
      const { reference: _, ...config } = form;
      const embedder = await open(model, config);
      const vectors = await embedder.embed([...TEXTS, ...LONG], 'query');
      for (const [n, text] of [...TEXTS, ...LONG].entries())
        near(rowOf(vectors, n, embedder), expected[name]![n]!, text);
      await embedder.close();
    });
  }

  it('puts the title of the patent into the template if it has a placeholder for it', async () => {
    const template = {
      pooling: 'mean',
      document: 'title: {title} | text: {text}',
      emptyTitle: 'none',
    } as const;
    const embedder = await open('bert', template);
    const base = caseOf({ model: 'bert', form: { pooling: 'mean' } });
    const asked = ['Battery', 'none', 'none'].map((title) => ({
      ...base,
      before: `title: ${title} | text: `,
    }));
    const [titled, untitled] = referenceVectors(asked);
    const texts = [...TEXTS, ...LONG];
    const check = async (titles: string | undefined, wanted: number[][]) => {
      const vectors = await embedder.embed(texts, 'passage', titles);
      for (const [n, text] of texts.entries()) near(rowOf(vectors, n, embedder), wanted[n]!, text);
    };
    await check('  Battery \n배터리', titled!);
    await check(undefined, untitled!);
    // A title is shortened to half of a window, so that it displaces less text.
    await check('battery electrode '.repeat(20), untitled!);
    await embedder.close();
  });

  it('ignores placeholders in user texts', async () => {
    const embedder = await open('bert', { pooling: 'mean', document: '{title}: {text}' });
    const odd = await embedder.embed(['{title} $& {text}'], 'passage', '{text}');
    const [[wanted]] = referenceVectors([
      { ...caseOf({ model: 'bert', form: {} }), texts: ['{title} $& {text}'], before: '{text}: ' },
    ]) as [[number[]]];
    near(odd, wanted, 'braces');
    await embedder.close();
  });

  it('embeds a text equally alone, among others, and in any order', async () => {
    for (const [model, paddingSide] of [
      ['xlmr', 'right'],
      ['qwen', 'left'],
    ] as const) {
      const embedder = await open(model, { pooling: 'mean', paddingSide });
      const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom(...TEXTS, ...LONG));
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), async (texts) => {
          const together = await embedder.embed(texts, 'query');
          const single = await Promise.all(texts.map((one) => embedder.embed([one], 'query')));
          for (const [n, one] of texts.entries()) near(rowOf(together, n, embedder), [...single[n]!], one);
        }),
        { numRuns: 40 },
      );
      await embedder.close();
    }
  });

  it('gives unusual texts a vector of length 1, or zero if they have no tokens', async () => {
    const megabyte = 1 << 20;
    const odd: Record<string, string> = {
      empty: '',
      blank: ' \t\n\u3000',
      zeroWidth: '\u200b\u200d\ufeff',
      punctuation: '…!?—',
      control: '\u0000\u0001',
      surrogates: 'solid \udc00 electrolyte \ud800',
      hebrew: 'שלום עולם',
      arabic: 'مرحبا بالعالم',
      mixed: 'Battery 전지 電池 电池 батарея μπαταρία',
      emoji: '😀👩‍👩‍👧',
      special: '[CLS] [PAD] <s> </s> <|endoftext|>',
      combining: '\u0301'.repeat(1000),
      long: 'solid electrolyte '.repeat(megabyte / 18),
      unbroken: '전해질'.repeat(megabyte / 9),
    };
    const texts = Object.values(odd);
    for (const [model, paddingSide] of [
      ['bert', 'right'],
      ['xlmr', 'right'],
      ['qwen', 'left'],
    ] as const) {
      const embedder = await open(model, { pooling: 'mean', paddingSide, windowTokens: 96 });
      const vectors = await embedder.embed(texts, 'passage', '전지');
      Object.keys(odd).forEach((name, n) => {
        const length = Math.hypot(...rowOf(vectors, n, embedder));
        const nothing = name === 'empty' || name === 'blank';
        if (nothing) assert.equal(length, 0, `${model}: ${name}`);
        else assert.ok(length === 0 || Math.abs(length - 1) < 1e-5, `${model}: ${name} has length ${length}`);
        if (!['empty', 'blank', 'zeroWidth', 'control', 'combining'].includes(name))
          assert.ok(length > 0, name);
      });
      await embedder.close();
    }
    const embedder = await open('bert', { pooling: 'mean' });
    await assert.rejects(async () => embedder.embed(['a'.repeat(5 << 20)], 'query'), /5242880 characters/);
    await embedder.close();
  });

  it('drops a cancelled request, and computes the others', async () => {
    const embedder = await open('bert', { pooling: 'mean', batchTokens: 24 });
    const aborted = new AbortController();
    const long = Array.from({ length: 200 }, () => LONG[0]!);
    const given = embedder.embed(long, 'passage', undefined, aborted.signal);
    const kept = embedder.embed(TEXTS, 'passage');
    aborted.abort();
    await assert.rejects(async () => given, { code: 'cancelled' });
    near(rowOf(await kept, 0, embedder), expected['mean']![0]!, 'the other request');
    await embedder.close();
  });

  it('a graph with fewer tokens than its tokenizer is refused at once', async () => {
    const opening = openOnnxEmbedder({
      kind: 'onnx',
      folder: `${models}/narrow`,
      pooling: 'mean',
      dimensions: 16,
      maxTokens: 96,
      threads: 1,
    });
    await assert.rejects(opening, {
      code: 'embedding_failed',
      message: /does not know a token of its tokenizer.*different models/,
    });
  });
});

function rowOf(vectors: Float32Array, n: number, { dimensions }: Embedder): Float32Array {
  return vectors.subarray(n * dimensions, (n + 1) * dimensions);
}

function near(vector: ArrayLike<number>, expected: readonly number[], what: string): void {
  assert.equal(vector.length, expected.length, what);
  const far = expected.map((x, d) => Math.abs(x - vector[d]!)).reduce((a, b) => Math.max(a, b), 0);
  assert.ok(far < 1e-3, `${what.slice(0, 40)}: differs by ${far}`);
}
