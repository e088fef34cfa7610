/** The latency benchmark: intervals over runs, growth with the number of passages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overRuns } from '../../bench/estimate.js';
import { growthOf } from '../../bench/latency/latency.js';
import type { Figure } from '../../bench/result.js';

describe('the latency benchmark', () => {
  it("gives the mean of runs with the interval of Student's t", () => {
    const { mean, low, high, n } = overRuns([1, 2, 3, 4, 5]);
    assert.deepEqual([mean, n], [3, 5]);
    // t(.975, 4) = 2.776, s = √2.5
    assert.ok(Math.abs(low - (3 - 2.776 * Math.sqrt(2.5 / 5))) < 1e-9);
    assert.ok(Math.abs(high - (3 + 2.776 * Math.sqrt(2.5 / 5))) < 1e-9);
    assert.deepEqual(overRuns([4, 4, 4]), { mean: 4, low: 4, high: 4, n: 3 });
    assert.throws(() => overRuns([1]), /1 runs/);
    assert.throws(() => overRuns(Array.from({ length: 11 }, () => 1)), /11 runs/);
  });

  it('gives the growth of a request and of kNN alone', () => {
    const figure = (measure: string, metric: string, value: number): Figure => ({
      ...{ measure, metric, value, variant: 'uws', unit: 'ms', n: 1 },
    });
    const found = growthOf([
      figure('100k', 'CPU a request', 4),
      figure('100k', 'CPU of kNN alone', 0.5),
      figure('1M', 'CPU a request', 4 * 10 ** 0.12),
      figure('1M', 'CPU of kNN alone', 5),
    ]);
    const rounded = found.map(({ measure, metric, value }) => [measure, metric, Number(value.toFixed(6))]);
    assert.deepEqual(rounded, [
      ['100k to 1M', 'growth of CPU a request', 0.12],
      ['100k to 1M', 'growth of CPU of kNN alone', 1],
    ]);
  });
});
