/** The fused score: what words add, and what documents in other languages get instead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UsedWord } from '../../src/index/native.js';
import { FIT, fuse, lexicalWeight, type Scored } from '../../src/search/fusion.js';
import fc from '../property.js';

interface Candidate {
  reranker: number;
  lexical: number;
  similarity: number;
  foreign: boolean;
}

const unit = fc.double({ min: 0, max: 1, noNaN: true }).map(Math.fround);
const candidates = fc.array(
  fc.record({ reranker: unit, lexical: unit, similarity: unit, foreign: fc.boolean() }),
  { maxLength: 120 },
);

function scoredOf(list: readonly Candidate[], weight: number, rare = false, codes = 0): Scored {
  return {
    reranker: Float32Array.from(list, ({ reranker }) => reranker),
    lexical: Float32Array.from(list, ({ lexical }) => lexical),
    similarity: Float32Array.from(list, ({ similarity }) => similarity),
    foreign: Uint8Array.from(list, ({ foreign }) => Number(foreign)),
    weight,
    rare,
    codes,
  };
}

/** Value at x of the line of least squares with a ridge, from the normal equations. */
function lineAt(points: readonly { x: number; y: number }[], x: number): number {
  const n = points.length;
  if (n === 0) return 0;
  const sum = (value: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + value(point), 0);
  if (n < FIT.group) return sum(({ y }) => y) / n;
  const [sx, sy] = [sum((p) => p.x), sum((p) => p.y)];
  const [sxx, sxy] = [sum((p) => p.x * p.x), sum((p) => p.x * p.y)];
  const slope = (sxy - (sx * sy) / n) / (sxx - (sx * sx) / n + FIT.ridge);
  return sy / n + slope * (x - sx / n);
}

describe('the fused score', () => {
  it('adds the weighted lexical score in the language of the question, and the definition in others', () => {
    fc.assert(
      fc.property(candidates, fc.double({ min: 0.1, max: 2.1, noNaN: true }), (list, weight) => {
        const { scores, language } = fuse(scoredOf(list, weight));
        const own = list.filter(({ foreign }) => !foreign);
        const others = list.filter(({ foreign }) => foreign);
        const points = (of: Candidate[], y: (candidate: Candidate) => number) =>
          of.map((candidate) => ({ x: candidate.similarity, y: y(candidate) }));
        const plain = ({ reranker, lexical }: Candidate) => reranker + weight * lexical;
        for (const [n, candidate] of list.entries()) {
          const { similarity: x, foreign } = candidate;
          let wanted = 0;
          if (foreign) {
            const few = own.length < FIT.group;
            const least = weight * FIT.foreign;
            const whole = lineAt(points(own, plain), x) - lineAt(points(others, plain), x);
            wanted = few ? least : (1 - FIT.whole) * least + FIT.whole * whole;
          }
          assert.ok(
            Math.abs(language[n]! - wanted) < 1e-4,
            `language of ${n}: ${language[n]}, not ${wanted}`,
          );
          assert.ok(Math.abs(scores[n]! - plain(candidate) - language[n]!) < 1e-5, `score of ${n}`);
        }
      }),
    );
  });

  it('a question of rare words gives documents in other languages a least lexical score', () => {
    fc.assert(
      fc.property(candidates, unit, (list, codes) => {
        const { language } = fuse(scoredOf(list, FIT.rare, true, codes));
        for (const [n, { foreign, lexical }] of list.entries()) {
          const wanted = foreign ? FIT.rare * Math.max(0, FIT.foreign * (1 - codes) - lexical) : 0;
          assert.ok(
            Math.abs(language[n]! - wanted) < 1e-5,
            `language of ${n}: ${language[n]}, not ${wanted}`,
          );
        }
      }),
    );
  });

  it('languages that are unknown change nothing', () => {
    const { foreign: _, ...scored } = scoredOf(
      [{ reranker: 0.5, lexical: 0.25, similarity: 0.5, foreign: true }],
      2,
    );
    assert.deepEqual(fuse(scored), { scores: Float32Array.of(1), language: Float32Array.of(0) });
  });

  it('the weight grows with the words of a long question and with the rarity of a short one', () => {
    const words = (count: number, documents: number, holding = documents) =>
      Array.from({ length: count }, (_, n) => {
        const place = { from: 4 * n, to: 4 * n + 2 };
        return { word: n, text: `w${n}`, ...place, documents, holding, share: 1 / count, isExtra: false };
      });
    const ordinary = (weight: number) => ({ weight, rare: false, codes: 0 });
    const rare = (codes: number) => ({ weight: FIT.rare, rare: true, codes });
    const all = 100_000;
    assert.deepEqual(lexicalWeight([], all), ordinary(FIT.least));
    assert.deepEqual(lexicalWeight(words(6, 50_000), all), ordinary(FIT.least));
    assert.deepEqual(lexicalWeight(words(100, 50_000), all), ordinary(FIT.most));
    assert.deepEqual(lexicalWeight(words(1, 500), all), rare(1));
    // A word that few documents hold is not rare if many hold a translation.
    assert.deepEqual(lexicalWeight(words(1, 5, 1000), all), ordinary(FIT.least));
    const near = (used: number, documents: number, expected: number) => {
      const { weight } = lexicalWeight(words(used, documents), all);
      assert.ok(Math.abs(weight - expected) < 1e-9, `expected ${expected}, not ${weight}`);
    };
    // Between .005 and .01 of the documents it falls with the logarithm of their number.
    assert.deepEqual(lexicalWeight(words(1, 1000), all), ordinary(FIT.least));
    near(1, 700, FIT.rare * Math.log2(10 / 7));
    // If few documents hold the words, it rises with the logarithm of their number, up to half as much again.
    near(1, 100, FIT.rare);
    near(1, 50, FIT.rare * (1 + 0.5 * Math.log10(2)));
    for (const holding of [10, 5, 1]) near(1, holding, FIT.rare * 1.5);
    // Of more rare words it falls with the square of their number.
    assert.deepEqual(lexicalWeight(words(4, 500), all), ordinary((FIT.rare * 9) / 16));
    assert.deepEqual(lexicalWeight(words(6, 500), all), ordinary(FIT.rare / 4));
    assert.deepEqual(lexicalWeight(words(100, 500), all), ordinary(FIT.most));
    const [code, word] = words(2, 500);
    assert.deepEqual(lexicalWeight([code!, { ...word!, text: 'lidar' }], all), rare(0.5));
    // Two words beside each other are no word, unless nothing else is scored.
    const pair = { ...word!, word: 4, text: 'w0 w1', documents: 400, holding: 400, isExtra: true };
    assert.deepEqual(lexicalWeight([...words(4, 500), pair], all), lexicalWeight(words(4, 500), all));
    assert.deepEqual(lexicalWeight([pair], all), rare(1));
    // A part of a longer word does not count as a word. `oil` beside `boiler` does, although `boiler` has its letters.
    const [whole, part, other] = words(3, 500);
    const rareOf = (...used: UsedWord[]) => lexicalWeight(used, all).weight;
    const joined = { ...whole!, text: 'oilboiler', from: 0, to: 9 };
    assert.equal(
      rareOf(joined, { ...part!, text: 'oil', from: 0, to: 3, documents: 50_000, holding: 50_000 }),
      FIT.rare,
    );
    const oil = { ...other!, text: 'oil', from: 0, to: 3, documents: 50_000, holding: 50_000 };
    assert.equal(rareOf({ ...whole!, text: 'boiler', from: 4, to: 10 }, oil), FIT.rare / 2);
  });
});
