/** The scores of cross-encoders against Python's tokenizers and onnxruntime, and the resulting order. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { CrossEncoderConfig } from '../../../src/rerank/cross-encoder/config.js';
import { openCrossEncoder } from '../../../src/rerank/cross-encoder/reranker.js';
import type { RerankDocument, Reranker, RerankScores } from '../../../src/rerank/reranker.js';
import { makeModels, noOnnx, type PairCase, referenceScores } from '../../onnx/models.js';

const QUERY = 'battery electrode 전지';

const partly = (scored: number | undefined, all: number): scored is number =>
  scored !== undefined && scored > 0 && scored < all;
const DOCUMENTS: RerankDocument[] = [
  {
    title: 'Battery\n배터리',
    abstract: 'A solid electrolyte layer lies between the electrodes.',
    passages: ['The method of claim 1.', 'The coolant flows.', 'Electrodes'],
  },
  { title: 'Wind turbine', abstract: '', passages: ['turbine blades are turned by their drives'] },
  {
    title: '硫化物固体電解質',
    abstract: '電池セルは冷却液によって冷却される。',
    passages: ['電池セルは冷却液によって冷却される。'],
  },
  { title: 'Only a title', abstract: '', passages: [] },
];
/** The input text of each document with two passages: title and text. */
const READ = [
  [
    'Battery\nThe method of claim 1.',
    'Battery\nThe coolant flows.',
    'Battery\nA solid electrolyte layer lies between the electrodes.',
  ],
  ['Wind turbine\nturbine blades are turned by their drives'],
  ['硫化物固体電解質\n電池セルは冷却液によって冷却される。'],
  ['Only a title\n'],
];

const CHAT = {
  before: '<|im_start|>judge\n',
  pair: '<Query>: {query}\n<Document>: {document}',
  after: '<|im_end|>\n',
};

const FORMS: Record<
  string,
  { config: Partial<CrossEncoderConfig>; reference: Omit<PairCase, 'pairs' | 'folder'> & { model: string } }
> = {
  'a pair, Unigram': { config: {}, reference: { model: 'pairs', graph: 'model.onnx', form: 'pair' } },
  'a pair with token types, the second of three scores': {
    config: { scoreIndex: 1 },
    reference: { model: 'pairs-types', graph: 'model.onnx', form: 'pair', scoreIndex: 1 },
  },
  'yes and no of a language model': {
    config: { form: 'causal', ...CHAT, yesToken: 'yes', noToken: 'no' },
    reference: {
      model: 'causal',
      graph: 'onnx/model_quantized.onnx',
      form: 'causal',
      ...CHAT,
      yes: 'yes',
      no: 'no',
    },
  },
};

describe('a cross-encoder', { skip: noOnnx }, () => {
  let models: string;
  before(() => {
    models = makeModels();
  });

  function open(model: string, config: Partial<CrossEncoderConfig>): Promise<Reranker> {
    const common = { folder: `${models}/${model}`, maxTokens: 96, passages: 2, threads: 1 };
    return openCrossEncoder({ kind: 'onnx', ...common, ...config });
  }

  for (const [name, { config, reference }] of Object.entries(FORMS)) {
    it(`gives the scores of Python: ${name}`, async () => {
      const { model, ...asked } = reference;
      const pairs = READ.flat().map((text) => [QUERY, text] as const);
      const [flat] = referenceScores([{ ...asked, folder: `${models}/${model}`, pairs }]) as [number[]];
      let at = 0;
      const expected = READ.map((texts) => texts.map(() => flat[at++]!));
      const reranker = await open(model, config);
      const { documents, passages, scored } = await reranker.score(QUERY, DOCUMENTS);
      assert.equal(scored, undefined);
      for (const [n, scores] of expected.entries()) near(documents[n]!, Math.max(...scores));
      near(passages[0]!, expected[0]![0]!);
      near(passages[1]!, expected[0]![1]!);
      near(passages[3]!, expected[1]![0]!);
      near(passages[4]!, expected[2]![0]!);
      assert.ok(passages[2]! < Math.min(...flat), 'an unread passage follows the read ones');
      await reranker.close();
    });
  }

  it('gives probabilities on request, in the same order', async () => {
    const [plain, bounded] = await Promise.all([open('pairs', {}), open('pairs', { sigmoid: true })]);
    const logits = await plain.score(QUERY, DOCUMENTS);
    const chances = await bounded.score(QUERY, DOCUMENTS);
    for (const [n, x] of logits.documents.entries()) near(chances.documents[n]!, 1 / (1 + Math.exp(-x)));
    await Promise.all([plain.close(), bounded.close()]);
  });

  it('scores concurrent questions together, each with its own scores', async () => {
    const reranker = await open('pairs', {});
    const questions = ['battery', '전지', 'Welche Elektrode?', '风力', 'a', ''];
    const alone: RerankScores[] = [];
    for (const question of questions) alone.push(await reranker.score(question, DOCUMENTS));
    const together = await Promise.all(questions.map((question) => reranker.score(question, DOCUMENTS)));
    together.forEach(({ documents }, n) => {
      for (const [d, x] of documents.entries()) near(x, alone[n]!.documents[d]!);
    });
    await reranker.close();
  });

  it('at the deadline, keeps the order of unscored documents after the scored ones, and reports their number', async () => {
    const reranker = await open('pairs', { batchTokens: 16 });
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      ...DOCUMENTS[1]!,
      passages: [`blade number ${n}`],
    }));
    const taken = async (limits: { deadline?: number } = {}) => {
      const started = Date.now();
      const scores = await reranker.score(QUERY, many, limits);
      return { scores, ms: Date.now() - started };
    };
    // The duration depends on the machine's load. If the deadline was too late, the next one is earlier.
    let { scores, ms } = await taken();
    assert.equal(scores.scored, undefined);
    for (let tries = 0; tries < 20 && !partly(scores.scored, many.length); tries++) {
      const allowed = scores.scored === 0 ? ms * 2 : ms / 2;
      scores = (await taken({ deadline: Date.now() + allowed })).scores;
      ms = allowed;
    }
    const { documents, passages, scored } = scores;
    assert.ok(partly(scored, many.length), `${scored} were scored`);
    const least = Math.min(...documents.subarray(0, scored));
    for (let n = scored; n < many.length; n++) {
      assert.ok(documents[n]! < (n === scored ? least : documents[n - 1]!), `document ${n}`);
      assert.ok(passages[n]! < least);
    }
    const past = await reranker.score(QUERY, DOCUMENTS, { deadline: Date.now() - 1 });
    assert.equal(past.scored, 0);
    await reranker.close();
  });

  it('stops when its signal aborts', async () => {
    const reranker = await open('pairs', { batchTokens: 16 });
    const aborted = new AbortController();
    const many = Array.from({ length: 2_000 }, () => DOCUMENTS[0]!);
    const given = reranker.score(QUERY, many, { signal: aborted.signal });
    setTimeout(() => aborted.abort(), 20);
    await assert.rejects(async () => given, { code: 'cancelled' });
    await reranker.close();
  });

  it('accepts an empty list, unusual texts, and texts far beyond its window', async () => {
    for (const [model, config] of [
      ['pairs', {}],
      ['causal', FORMS['yes and no of a language model']!.config],
    ] as const) {
      const reranker = await open(model, config);
      assert.equal((await reranker.score(QUERY, [])).documents.length, 0);
      const odd = ['', '…', '\ud800', '\u200b', 'שלום', '{query} {document}', 'electrode '.repeat(50_000)];
      const texts = odd.map((text) => ({ title: text, abstract: text, passages: [text, `${text} blade`] }));
      for (const question of odd) {
        const { documents, passages } = await reranker.score(question, texts);
        assert.ok([...documents, ...passages].every(Number.isFinite), question.slice(0, 20));
      }
      await reranker.close();
    }
  });

  it('reports differences between configuration and model', async () => {
    const cases: [model: string, config: Partial<CrossEncoderConfig>, expected: RegExp][] = [
      ['pairs', { scoreIndex: 1 }, /logits of the cross-encoder is 1 × 1; .*more than 1 scores.*scoreIndex/],
      ['pairs', { output: 'score' }, /has the outputs logits, not score/],
      ['causal', { form: 'pair' }, /correct form/],
      ['causal', { form: 'causal' }, /needs pair, yesToken and noToken/],
      [
        'causal',
        { ...FORMS['yes and no of a language model']!.config, yesToken: 'certainly' },
        /yesToken is "certainly", which is not a token/,
      ],
      [
        'pairs',
        { form: 'causal', ...CHAT, yesToken: 'a', noToken: 'a', before: 'battery '.repeat(99) },
        /no room/,
      ],
      ['bert', {}, /form "pair" expects pairs/],
      ['pairs', { graphFile: 'rerank.onnx' }, /looked for rerank\.onnx/],
    ];
    for (const [model, config, expected] of cases) {
      await assert.rejects(open(model, config), { name: 'PriorartError', message: expected });
    }
  });
});

function near(score: number, expected: number): void {
  assert.ok(Math.abs(score - expected) < 1e-3, `${score}, expected ${expected}`);
}
