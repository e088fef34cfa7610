/** The fit against brute force over all thresholds and slopes, against an example by hand, and its errors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Calibration, similarity } from '../../src/embed/calibration.js';
import { random } from '../../src/eval/bootstrap.js';
import { bestThreshold, fitCalibration, Pairs, type Threshold } from '../../src/eval/calibration-fit.js';
import { CALIBRATION } from '../../src/limits.js';
import fc from '../property.js';

const SEED = 20_261_122;

const close = (actual: number, expected: number, within: number) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual}, expected ${expected}`);

const failure = (message: RegExp) => ({ code: 'calibration_failed', message });

const sorted = (values: readonly number[]) => Float32Array.from(values).sort();

const best = (relevant: readonly number[], irrelevant: readonly number[]): Threshold =>
  bestThreshold(sorted(relevant), sorted(irrelevant));

/** Numerator and denominator of F1 at a threshold, by its definition. */
function f1At(threshold: number, relevant: Float32Array, irrelevant: Float32Array): [number, number] {
  const hits = relevant.filter((cosine) => cosine >= threshold).length;
  const found = hits + irrelevant.filter((cosine) => cosine >= threshold).length;
  return [2 * hits, found + relevant.length];
}

const compare = ([a, b]: [number, number], [c, d]: [number, number]) => a * d - c * b;

/**
 * Ends of the highest plateau of best F1 among all thresholds between neighbouring cosines; undefined if there is
 * none.
 */
function plateau(
  relevant: Float32Array,
  irrelevant: Float32Array,
): { low: number; high: number } | undefined {
  const all = [...new Set([...relevant, ...irrelevant])].sort((a, b) => b - a);
  const gaps = all.slice(1).map((low, n) => {
    const high = all[n]!;
    return { low, high, f1: f1At((low + high) / 2, relevant, irrelevant) };
  });
  const everything = f1At(-2, relevant, irrelevant);
  const top = gaps.map(({ f1 }) => f1).reduce((a, b) => (compare(b, a) > 0 ? b : a), [0, 1]);
  if (compare(everything, top) > 0) return undefined;
  const first = gaps.findIndex(({ f1 }) => compare(f1, top) === 0);
  let end = first;
  while (end + 1 < gaps.length && compare(gaps[end + 1]!.f1, top) === 0) end++;
  return first < 0 ? undefined : { low: gaps[end]!.low, high: gaps[first]!.high };
}

/** Cosines of many pairs around two means, from four draws each. */
function drawn(seed: number, relevant: number, irrelevant: number, questions: number, apart = 0.25): Pairs {
  const draw = random(seed);
  const spread = (mean: number) => mean + (draw() + draw() + draw() + draw() - 2) * 0.2;
  const pairs = new Pairs();
  for (let n = 0; n < questions; n++) {
    pairs.add(
      `q${n}`,
      Array.from({ length: relevant / questions }, () => spread(apart)),
      Array.from({ length: irrelevant / questions }, () => spread(0)),
    );
  }
  return pairs;
}

/** Mean negative log likelihood, with equal weights for both classes. */
function loss(relevant: Float32Array, near: Float32Array, calibration: Calibration): number {
  const mean = (values: Float32Array, chance: (cosine: number) => number) =>
    [...values].reduce((sum, cosine) => sum - Math.log(chance(cosine)), 0) / values.length;
  return (
    mean(relevant, (cosine) => similarity(cosine, calibration)) +
    mean(near, (cosine) => 1 - similarity(cosine, calibration))
  );
}

describe('threshold of the best F1', () => {
  it('the threshold equals the result of brute force over all thresholds', () => {
    // Few distinct numbers produce ties and plateaus, many produce none.
    const coarse = fc.integer({ min: -4, max: 4 }).map((n) => n / 4);
    const cosine = fc.oneof(coarse, fc.double({ min: -1, max: 1, noNaN: true }));
    const lists = [coarse, cosine].map((one) =>
      fc.tuple(fc.array(one, { minLength: 1, maxLength: 25 }), fc.array(one, { maxLength: 60 })),
    );
    let parted = 0;
    fc.assert(
      fc.property(fc.oneof(...lists), ([one, other]) => {
        const [relevant, irrelevant] = [sorted(one), sorted(other)];
        const expected = plateau(relevant, irrelevant);
        if (expected === undefined) {
          assert.throws(() => bestThreshold(relevant, irrelevant), failure(/counting every pair/));
          return;
        }
        parted++;
        const { midpoint, f1, precision, recall } = bestThreshold(relevant, irrelevant);
        const { low, high } = expected;
        assert.ok(low < midpoint && midpoint < high, `${low} < ${midpoint} < ${high}`);
        close(midpoint, (low + high) / 2, 0.5 * 10 ** -CALIBRATION.midpointDigits + 1e-12);
        const [double, sum] = f1At(midpoint, relevant, irrelevant);
        assert.equal(f1, double / sum);
        assert.equal(recall, double / 2 / relevant.length);
        assert.equal(precision, double / 2 / (sum - relevant.length));
      }),
      { numRuns: 3000, seed: SEED },
    );
    assert.ok(parted > 1000, `${parted} cases have a threshold`);
  });

  it('the threshold equals the result of an example by hand', () => {
    // Found: 1 of 1, 2 of 2, 2 of 3, 3 of 4, 3 of 5 … of 3 relevant: F1 2/4, 4/5, 4/6, 6/7, 6/8.
    const example = best([0.9, 0.8, 0.6], [0.7, 0.5, 0.4, 0.1]);
    assert.deepEqual(example, { midpoint: 0.55, f1: 6 / 7, precision: 3 / 4, recall: 1 });
  });

  it('the threshold is the middle of adjacent gaps with equal F1, and of the highest of separate plateaus', () => {
    // F1 is 2/4 above 0.8, and again above 0.4 with one more relevant and three other pairs of that cosine.
    const row = best([0.8, 0.4, 0.2], [0.4, 0.4, 0.4, 0.3, 0.3, 0.3]);
    assert.deepEqual(row, { midpoint: 0.55, f1: 0.5, precision: 1, recall: 1 / 3 });
    // F1 2/3 above 0.9 and above 0.5, lower in between.
    const apart = best([0.9, 0.5], [0.7, 0.6, 0.3]);
    assert.deepEqual(apart, { midpoint: 0.8, f1: 2 / 3, precision: 1, recall: 1 / 2 });
  });

  it('the threshold has the number of digits that fits between the cosines', () => {
    const { midpoint } = best([0.25 + 2 ** -20], [0.25]);
    assert.equal(midpoint, 0.2500005);
  });
});

describe('fit of a calibration', () => {
  it('the slope has maximum likelihood at the midpoint', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: 0.1, max: 0.5, noNaN: true }), (seed, apart) => {
        const pairs = drawn(seed, 120, 2400, 12, apart);
        const fit = fitCalibration(pairs);
        const near = pairs.near(CALIBRATION.nearest);
        assert.deepEqual([fit.relevant, fit.irrelevant, fit.near, near.length], [120, 2400, 600, 600]);
        const at = (slope: number) => loss(pairs.relevant(), near, { midpoint: fit.midpoint, slope });
        const { slopeMin, slopeMax } = CALIBRATION;
        const steps = Array.from({ length: 361 }, (_, n) => slopeMin + (n * (slopeMax - slopeMin)) / 360);
        const least = Math.min(...steps.map(at));
        assert.ok(
          slopeMin <= fit.slope && fit.slope <= slopeMax,
          `expected a slope from ${slopeMin} to ${slopeMax}: ${fit.slope}`,
        );
        assert.ok(at(fit.slope) <= least + 1e-6, `slope ${fit.slope}: ${at(fit.slope)}, least ${least}`);
      }),
      { numRuns: 20, seed: SEED },
    );
  });

  it('the slope is not close to a bound for typical pairs', () => {
    const { slope, midpoint, deciles, f1 } = fitCalibration(drawn(1, 200, 4000, 80));
    assert.ok(4.5 < slope && slope < 39, `${slope}`);
    assert.ok(
      0 < midpoint && midpoint < 0.4 && f1 > 0.3,
      `expected a midpoint below 0.4 and F1 above 0.3: ${midpoint}, ${f1}`,
    );
    for (const row of [deciles.relevant, deciles.near]) {
      assert.equal(row.length, 9);
      assert.deepEqual(
        row.toSorted((a, b) => a - b),
        row,
      );
    }
    deciles.relevant.forEach((own, n) => {
      assert.ok(own > deciles.near[n]!, `decile ${n}: expected more than ${deciles.near[n]}: ${own}`);
    });
  });

  it('the fit uses the nearest pairs of each question', () => {
    const pairs = new Pairs();
    pairs.add('a', [], [0.5, 0.1, 0.3]);
    pairs.add('b', [0.9], [0.2]);
    pairs.add('a', [0.8], [0.4, 0.6]);
    assert.deepEqual(pairs.near(2), sorted([0.2, 0.5, 0.6]));
    assert.deepEqual(pairs.near(9), pairs.irrelevant());
    assert.deepEqual(pairs.irrelevant(), sorted([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]));
    assert.deepEqual(pairs.relevant(), sorted([0.8, 0.9]));
  });

  /** 200 relevant and 2,000 other pairs. */
  const filled = (cosineOf: (relevant: boolean, n: number) => number) => {
    const cosines = (relevant: boolean, length: number) =>
      Array.from({ length }, (_, n) => cosineOf(relevant, n));
    const pairs = new Pairs();
    pairs.add('q', cosines(true, 200), cosines(false, 2000));
    return pairs;
  };

  it('the slope is the steepest for separable pairs, and the gentlest if others are closer than relevant ones', () => {
    const parted = fitCalibration(filled((relevant) => (relevant ? 0.9 : 0.1)));
    assert.deepEqual(
      [parted.midpoint, parted.slope, parted.f1, parted.precision, parted.recall],
      [0.5, CALIBRATION.slopeMax, 1, 1, 1],
    );
    assert.ok(
      parted.deciles.relevant.every((value) => value > 0.99),
      `expected deciles above 0.99: ${parted.deciles.relevant}`,
    );
    const muddled = fitCalibration(filled((relevant, n) => (relevant ? 0.5 : n < 50 ? 0.6 : 0.1)));
    assert.deepEqual([muddled.midpoint, muddled.slope], [0.3, CALIBRATION.slopeMin]);
  });

  it('the fit refuses unsuitable pairs', () => {
    const refuses = (pairs: Pairs, message: RegExp) =>
      assert.throws(() => fitCalibration(pairs), failure(message));
    const one = (relevant: number, irrelevant: number) => {
      const pairs = new Pairs();
      pairs.add('q', new Float32Array(relevant), new Float32Array(irrelevant));
      return pairs;
    };
    refuses(new Pairs(), /got 0 relevant and 0 other pairs; expected at least 100 and 1000/);
    refuses(one(3000, 0), /got 3000 relevant and 0 other pairs/);
    refuses(one(0, 3000), /got 0 relevant and 3000 other pairs/);
    refuses(
      filled(() => 0.5),
      /no higher cosines than others \(0\.500 and 0\.500 on average\)/,
    );
    refuses(
      filled((relevant, n) => (n % 100) / 200 + (relevant ? 0 : 0.3)),
      /no higher cosines/,
    );
    // The relevant pairs are slightly closer, but leaving out the lowest pairs does not raise F1.
    const many = new Pairs();
    const cosines = (count: number, low: number) =>
      Array.from({ length: count }, (_, n) => (n < low ? 0.1 : 0.9));
    many.add('q', cosines(3000, 100), cosines(1000, 60));
    refuses(many, /counting every pair \(F1 0\.857\)/);
    for (const cosine of [Number.NaN, 1.2, -1.2]) {
      assert.throws(() => new Pairs().add('q', [cosine], []), RangeError);
      assert.throws(() => new Pairs().add('q', [], [cosine]), RangeError);
    }
    const beyond = new Pairs();
    beyond.add('q', [1.005], []);
    assert.deepEqual(beyond.relevant(), sorted([1]));
  });
});
