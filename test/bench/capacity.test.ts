/** The capacity model and the benchmark pages, without measurements. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, cpuMsOf, fitCost, fitTail, type Model, p99MsOf } from '../../bench/capacity/model.js';
import { plotOf } from '../../bench/plot.js';
import fc from '../property.js';

const model: Model = {
  fixedMs: 2,
  perPassageMs: 0.002,
  power: 0.5,
  tail: { base: 2, slope: 3 },
  memory: { processBytes: 1e8, workerBytes: 1e7, passageBytes: 900, textBytes: 2_000 },
  passagesPerPatent: 20,
};

describe('the capacity model', () => {
  it('recovers the costs that generated the samples', () => {
    for (const made of [
      { fixedMs: 3, perPassageMs: 0.01, power: 0.5 },
      { fixedMs: 1, perPassageMs: 2e-5, power: 1 },
      { fixedMs: 4, perPassageMs: 0, power: 1 },
    ]) {
      const sizes = [1e4, 1e5, 1e6, 1e7];
      const found = fitCost(sizes.map((passages) => ({ passages, cpuMs: cpuMsOf(made, passages) })));
      for (const passages of [3e4, 3e6]) {
        const [want, got] = [cpuMsOf(made, passages), cpuMsOf(found, passages)];
        assert.ok(Math.abs(got / want - 1) < 0.02, `${got} for ${want} at ${passages}`);
      }
    }
  });

  it('recovers the tail that generated the samples', () => {
    const samples = [0.2, 0.5, 0.8].map((busy) => ({
      busy,
      cpuMs: 5,
      p99Ms: 5 * (2 + (3 * busy) / (1 - busy)),
    }));
    const { base, slope } = fitTail(samples);
    assert.ok(
      Math.abs(base - 2) < 1e-9 && Math.abs(slope - 3) < 1e-9,
      `expected the line 2 + 3x: ${base} + ${slope}x`,
    );
  });

  it('returns the smallest sufficient number of processors, and a larger number for a larger load', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 1e7 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 50, max: 2_000 }),
        (patents, rate, p99Ms) => {
          const needed = answer(model, { patents, rate, p99Ms });
          const more = answer(model, { patents: patents * 2, rate: rate * 2, p99Ms });
          if (needed.cores === undefined) {
            assert.ok(p99MsOf(model, needed.passages, 0.02) > p99Ms * 0.9);
            return;
          }
          assert.ok(needed.p99Ms! <= p99Ms && needed.busy! <= 0.7 + 1e-9);
          const fewer = needed.cores - 1;
          if (fewer > 0) {
            const busy = (rate * needed.cpuMs) / 1000 / fewer;
            assert.ok(
              busy > 0.7 || p99MsOf(model, needed.passages, busy) > p99Ms,
              `expected that a core less is too few: ${busy} busy`,
            );
          }
          assert.ok(
            more.cores === undefined || more.cores >= needed.cores,
            `expected at least ${needed.cores} cores: ${more.cores}`,
          );
          assert.ok(
            more.memoryBytes > needed.memoryBytes || more.cores === undefined,
            `expected more than ${needed.memoryBytes} bytes of memory: ${more.memoryBytes}`,
          );
        },
      ),
    );
  });
});

describe('plots', () => {
  it('a plot draws every point inside the frame, on linear and logarithmic axes', () => {
    const points = fc.array(
      fc.tuple(
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(points, fc.boolean(), fc.boolean(), (list, x, y) => {
        const svg = plotOf({
          title: 'a <b>',
          x: { label: 'x', log: x },
          y: { label: 'y', log: y },
          series: [{ name: 'one & two', points: list }],
        });
        assert.ok(!svg.includes('<b>') && !svg.includes('NaN') && !svg.includes('Infinity'));
        const circles = [...svg.matchAll(/<circle cx="([\d.-]+)" cy="([\d.-]+)"/g)];
        assert.equal(circles.length, list.length);
        for (const [, cx, cy] of circles) {
          assert.ok(
            Number(cx) >= 61 && Number(cx) <= 627 && Number(cy) >= 13 && Number(cy) <= 257,
            `${cx}, ${cy}`,
          );
        }
      }),
      {
        examples: [
          [
            [
              [0.001, 999999.9999999986],
              [0.001, 999999.9999999981],
            ],
            false,
            false,
          ],
        ],
      },
    );
  });

  it('a plot without points is empty', () => {
    assert.equal(
      plotOf({ title: '', x: { label: '' }, y: { label: '' }, series: [{ name: '', points: [] }] }),
      '',
    );
  });
});
