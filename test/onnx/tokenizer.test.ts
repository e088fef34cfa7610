/** Ids against Python's tokenizers, and invalid files. PRIORART_TEST_TEXTS sets the number of real texts. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Tokenizer } from '../../src/onnx/tokenizer.js';
import { noPython } from '../house/python.js';
import fc from '../property.js';
import { makeModels, referenceIds } from './models.js';

const DATA = resolve('../shared/data/parallel');
const COUNT = Number(process.env['PRIORART_TEST_TEXTS'] ?? 3_000);

/** Fields of lines of every file, evenly. */
function realTexts(count: number): string[] {
  const files = readdirSync(DATA).filter((name) => name.endsWith('.tsv.gz'));
  return files.flatMap((name) => {
    const fields = gunzipSync(readFileSync(join(DATA, name)))
      .toString('utf8')
      .split(/[\t\n]/)
      .filter(Boolean);
    const step = Math.max(1, Math.floor((fields.length * files.length) / count));
    return fields.filter((_, n) => n % step === 0);
  });
}

describe('tokenizer.json', { skip: noPython }, () => {
  let models: string;
  before(() => {
    models = makeModels('--minilm');
  });

  const FAMILIES = {
    WordPiece: 'bert',
    Unigram: 'xlmr',
    'byte-level BPE': 'qwen',
    'the published WordPiece of MiniLM': 'minilm',
  };

  for (const [family, model] of Object.entries(FAMILIES)) {
    it(`gives Python's ids for random Unicode: ${family}`, () => {
      // Python's strings contain no lone surrogates; the embedder's test covers these.
      const draw = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text).toString());
      const texts = fc.sample(fc.oneof(draw, fc.string({ unit: 'grapheme', maxLength: 40 })), 3_000);
      same(model, texts);
    });

    it(`gives Python's ids for real texts: ${family}`, {
      skip: existsSync(DATA) ? false : `no texts at ${DATA}`,
    }, (t) => {
      const texts = realTexts(COUNT);
      assert.ok(texts.length > 500);
      same(model, texts);
      t.diagnostic(`${texts.length} texts`);
    });
  }

  function same(model: string, texts: readonly string[]): void {
    const tokenizer = new Tokenizer(`${models}/${model}/tokenizer.json`);
    const wanted = referenceIds(`${models}/${model}`, texts);
    for (const [n, { ids }] of tokenizer.encode(texts).entries()) {
      assert.deepEqual([...ids], wanted[n], JSON.stringify(texts[n]));
    }
    tokenizer.close();
  }
});

describe('an unusable tokenizer file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-tokenizer-'));
  after(() => rmSync(folder, { recursive: true }));

  it('an unusable file is an error with its path and the remedy', () => {
    const path = join(folder, 'tokenizer.json');
    for (const text of ['', '{', '{"version":"1.0"}', '[]', 'x'.repeat(10_000)]) {
      writeFileSync(path, text);
      assert.throws(() => new Tokenizer(path), {
        code: 'model_damaged',
        message: /tokenizer\.json.*undamaged/,
      });
    }
    assert.throws(() => new Tokenizer(join(folder, 'none.json')), {
      code: 'model_damaged',
      message: /none\.json/,
    });
  });
});
