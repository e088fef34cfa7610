/** The fit against scikit-learn, against data of a known curve, and what it refuses. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { similarity } from '../../src/embed/calibration.js';
import { random } from '../../src/eval/bootstrap.js';
import { fitCalibration, Pairs } from '../../src/eval/calibration-fit.js';

const close = (actual: number, expected: number, within: number) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual}, expected ${expected}`);

/** Pairs drawn from a curve: what a fit has to find again. */
function drawn(midpoint: number, slope: number, seed: number, count = 40_000): Pairs {
  const draw = random(seed);
  const pairs = new Pairs();
  for (let n = 0; n < count; n++) {
    const cosine = draw() * 2 - 1;
    pairs.add({ cosine, relevant: draw() < similarity(cosine, { midpoint, slope }), weight: 1 });
  }
  return pairs;
}

describe('fit of a calibration', () => {
  it('is that of scikit-learn', () => {
    const draw = random(5);
    const pairs = new Pairs();
    for (let n = 0; n < 5000; n++) {
      const relevant = draw() < 0.05;
      const spread = (draw() + draw() + draw() + draw()) / 4;
      pairs.add({ cosine: spread * 0.8 + (relevant ? 0.25 : -0.05), relevant, weight: relevant ? 1 : 10 });
    }
    const fit = fitCalibration(pairs);
    // LogisticRegression(C=1e12, solver='newton-cholesky') and log_loss of scikit-learn 1.9.1
    assert.equal(fit.relevant, 228);
    close(fit.midpoint, 0.70898514868449, 1e-4);
    close(fit.slope, 27.275923488853284, 2e-3);
    close(fit.logLoss, 0.014383591158933508, 1e-7);
    assert.ok(fit.logLoss < fit.baseLogLoss);
  });

  it('finds the curve that the pairs were drawn from', () => {
    const midpoints = fc.double({ min: -0.5, max: 0.8, noNaN: true });
    const slopes = fc.double({ min: 3, max: 40, noNaN: true });
    fc.assert(
      fc.property(midpoints, slopes, fc.nat(1000), (midpoint, slope, seed) => {
        const fit = fitCalibration(drawn(midpoint, slope, seed));
        close(fit.midpoint, midpoint, 0.03);
        close(fit.slope / slope, 1, 0.15);
        // Said and true agree, tenth by tenth, as far as so many pairs can tell.
        for (const { said, true: hit, pairs } of fit.reliability) {
          close(said, hit, 5 * Math.sqrt(0.25 / pairs) + 0.02);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('a pair of weight 3 counts as three pairs', () => {
    const [heavy, many] = [new Pairs(), new Pairs()];
    const draw = random(9);
    for (let n = 0; n < 3000; n++) {
      const cosine = draw();
      const relevant = draw() < cosine / 2;
      heavy.add({ cosine, relevant, weight: 3 });
      for (let copy = 0; copy < 3; copy++) many.add({ cosine, relevant, weight: 1 });
    }
    const [a, b] = [fitCalibration(heavy), fitCalibration(many)];
    close(a.midpoint, b.midpoint, 1e-4);
    close(a.slope, b.slope, 1e-3);
    close(a.logLoss, b.logLoss, 1e-9);
  });

  it('refuses what can not be fitted', () => {
    const refuses = (pairs: Pairs, message: RegExp) =>
      assert.throws(() => fitCalibration(pairs), { code: 'calibration_failed', message });
    const filled = (cosineOf: (relevant: boolean, n: number) => number) => {
      const pairs = new Pairs();
      for (let n = 0; n < 200; n++) pairs.add({ cosine: cosineOf(true, n), relevant: true, weight: 1 });
      for (let n = 0; n < 2000; n++) pairs.add({ cosine: cosineOf(false, n), relevant: false, weight: 1 });
      return pairs;
    };
    refuses(new Pairs(), /got 0 relevant and 0 other pairs; expected at least 100 and 1000/);
    refuses(
      filled((relevant) => (relevant ? 0.9 : 0.1)),
      /every relevant pair lies above/,
    );
    refuses(
      filled((relevant, n) => (n % 100) / 200 + (relevant ? 0 : 0.3)),
      /no higher cosines/,
    );
    assert.throws(() => new Pairs().add({ cosine: Number.NaN, relevant: true, weight: 1 }), RangeError);
  });
});
