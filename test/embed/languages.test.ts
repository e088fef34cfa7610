import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  faultOfTable,
  type LanguageTable,
  languageOf,
  scalePassages,
  scaleQueries,
} from '../../src/embed/languages.js';
import fc from '../property.js';

const DIMENSIONS = 16;
const TABLE: LanguageTable = {
  names: ['latin', 'ko', 'ja', 'zh'],
  first: 8,
  passage: [0.9, 0.85, 0.95, 1],
  query: [
    { scale: 0.9, bias: [0, 0.1, 0.2, -0.1] },
    { scale: 0.8, bias: [0.1, 0, 0.05, 0.2] },
    { scale: 0.85, bias: [0.2, 0.1, -0.1, 0.3] },
    { scale: 0.9, bias: [0.3, 0, 0.1, 0] },
  ],
};
const TEXTS = {
  latin: 'A robot with three arms',
  ko: '배터리 관리 시스템 (BMS)',
  ja: 'ロボットの制御装置',
  zh: '一种电池管理系统',
} as const;

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, n) => sum + x * b[n]!, 0);

/** A vector of length 1 with zeros in the free dimensions. */
const vectors = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: TABLE.first, maxLength: TABLE.first })
  .filter((numbers) => Math.hypot(...numbers) > 0.1)
  .map((numbers) => {
    const length = Math.hypot(...numbers);
    return Float32Array.from({ length: DIMENSIONS }, (_, n) => (numbers[n] ?? 0) / length);
  });
const texts = fc.constantFrom(...(Object.entries(TEXTS) as [keyof typeof TEXTS, string][]));

describe('the language of a text', () => {
  for (const [text, language] of [
    ...Object.entries(TEXTS).map(([name, text]) => [text, name]),
    ['', 'latin'],
    ['12.5 % – …', 'latin'],
    ['Verfahren zur Herstellung größerer Öfen', 'latin'],
    ['A method using 水 only as a carrier', 'latin'],
    ['본 발명은 LED, OLED, CMOS 및 DRAM을 포함하는', 'ko'],
    ['리튬 이차전지'.normalize('NFD'), 'ko'],
    ['本発明は、LED を備える', 'ja'],
    ['包括LED、OLED和CMOS的装置', 'zh'],
    ['ﾛﾎﾞｯﾄ', 'ja'],
  ] as const) {
    it(`${JSON.stringify(text)} is ${language}`, () => assert.equal(languageOf(text), language));
  }
});

describe('the scale of languages', () => {
  it('adds the bias of the pair to the scaled cosine, and keeps vectors of length 1', () => {
    fc.assert(
      fc.property(vectors, vectors, texts, texts, (p, q, [ofPassage, passageText], [ofQuery, queryText]) => {
        const cosine = dot(p, q);
        const passage = scalePassages(p.slice(), DIMENSIONS, [passageText], TABLE);
        const query = scaleQueries(q.slice(), DIMENSIONS, [queryText], TABLE);
        assert.ok(
          Math.abs(Math.hypot(...passage) - 1) < 1e-5,
          `expected a vector of length 1: ${Math.hypot(...passage)}`,
        );
        assert.ok(
          Math.abs(Math.hypot(...query) - 1) < 1e-5,
          `expected a vector of length 1: ${Math.hypot(...query)}`,
        );
        const [l, k] = [TABLE.names.indexOf(ofPassage), TABLE.names.indexOf(ofQuery)];
        const scale = TABLE.passage[l]!;
        const expected =
          TABLE.query[k]!.scale * scale * cosine + Math.sqrt(1 - scale ** 2) * TABLE.query[k]!.bias[l]!;
        assert.ok(
          Math.abs(dot(passage, query) - expected) < 1e-5,
          `expected the cosine ${expected}: ${dot(passage, query)}`,
        );
      }),
    );
  });

  it('leaves a text without meaning at zero', () => {
    const rows = new Float32Array(2 * DIMENSIONS);
    rows[DIMENSIONS] = 1;
    scalePassages(rows, DIMENSIONS, ['…', 'a'], TABLE);
    assert.ok(rows.subarray(0, DIMENSIONS).every((x) => x === 0));
    assert.notEqual(rows[DIMENSIONS + TABLE.first], 0);
    assert.ok(scaleQueries(new Float32Array(DIMENSIONS), DIMENSIONS, ['…'], TABLE).every((x) => x === 0));
  });

  it('a scale that does not fit the model is refused', () => {
    assert.equal(faultOfTable(TABLE, DIMENSIONS), undefined);
    for (const wrong of [
      { ...TABLE, names: ['latin', 'ko', 'ja'] },
      { ...TABLE, first: 12 },
      { ...TABLE, passage: [1, 1, 1] },
      { ...TABLE, passage: [1, 1, 1, 2] },
      { ...TABLE, query: TABLE.query.slice(1) },
      { ...TABLE, query: TABLE.query.map(({ bias }) => ({ scale: 1, bias })) },
      { ...TABLE, query: TABLE.query.map(({ scale }) => ({ scale, bias: [0, 0, 0, Number.NaN] })) },
    ]) {
      assert.equal(typeof faultOfTable(wrong as LanguageTable, DIMENSIONS), 'string', JSON.stringify(wrong));
    }
  });
});
