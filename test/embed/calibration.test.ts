import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cosineOf, leastCosine, shown, similarity } from '../../src/embed/calibration.js';
import fc from '../property.js';

const calibration = { midpoint: 0.453, slope: 23 };
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const calibrations = fc.record({
  midpoint: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  slope: fc.double({ min: 2, max: 40, noNaN: true }),
});

describe('calibration', () => {
  it('the similarity is 0.5 at the midpoint, rises with the cosine, and stays within 0 and 1', () => {
    assert.equal(similarity(calibration.midpoint, calibration), 0.5);
    fc.assert(
      fc.property(cosine, cosine, calibrations, (a, b, c) => {
        const [x, y] = [similarity(a, c), similarity(b, c)];
        assert.ok(x >= 0 && x <= 1, `expected a similarity from 0 to 1: ${x}`);
        assert.ok(a <= b ? x <= y : x >= y, `expected the order of the cosines ${a}, ${b}: ${x}, ${y}`);
      }),
    );
  });

  it('cosineOf is the inverse of the similarity', () => {
    fc.assert(
      fc.property(cosine, calibrations, (x, c) => {
        const score = similarity(x, c);
        // Close to 1, a double cannot represent the difference from 1.
        if (score < 0.999)
          assert.ok(
            Math.abs(cosineOf(score, c) - x) < 1e-9,
            `expected the cosine ${x} again: ${cosineOf(score, c)}`,
          );
      }),
    );
  });

  it('a threshold counts exactly the scores that are shown as its value or more', () => {
    const threshold = fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 1_000_000 }).map((steps) => steps / 1e6),
    );
    fc.assert(
      fc.property(cosine, threshold, calibrations, (x, least, c) => {
        const number = similarity(x, c) * 1e6;
        // The double may be on either side of the border between two shown numbers.
        fc.pre(Math.abs(number - Math.floor(number) - 0.5) > 1e-6);
        assert.equal(x >= leastCosine(least, c), shown(similarity(x, c)) >= least - 1e-12);
      }),
      { numRuns: 2000 },
    );
  });

  it('a threshold counts a score that is shown as its value', () => {
    fc.assert(
      fc.property(cosine, calibrations, (x, c) => {
        const number = shown(similarity(x, c));
        fc.pre(number > 0);
        assert.ok(
          x >= leastCosine(number, c),
          `expected a cosine of at least ${leastCosine(number, c)}: ${x}`,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
