import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Latencies } from '../../src/observe/latencies.js';

describe('durations of requests', () => {
  it('a single request shows its own time', () => {
    const latencies = new Latencies();
    latencies.add('semantic', 200, 144.67);
    const [row] = latencies.list();
    assert.deepEqual(row?.duration, { p50: 144.67, p95: 144.67, p99: 144.67, max: 144.67 });
  });

  it('percentiles are within 0.1 % of the exact ones, and never above the longest request', () => {
    const latencies = new Latencies();
    // From 0.1 ms to some 20 s, in no order.
    const all = Array.from({ length: 10_000 }, (_, n) => 0.1 * 1.00122 ** ((n * 7_919) % 10_000));
    for (const ms of all) latencies.add('semantic', 200, ms);
    const sorted = [...all].sort((a, b) => a - b);
    const { p50, p95, p99, max } = latencies.list()[0]!.duration!;
    for (const [share, found] of [
      [0.5, p50],
      [0.95, p95],
      [0.99, p99],
    ] as const) {
      const exact = sorted[Math.ceil(share * all.length) - 1]!;
      // Durations are shown in hundredths of a millisecond.
      assert.ok(
        found >= exact - 0.006 && found <= exact * 1.001 + 0.006,
        `${share}: ${found}, exact ${exact}`,
      );
    }
    assert.equal(max, Math.round(sorted.at(-1)! * 100) / 100);
    assert.ok(p99 <= max);
  });

  it('refused and failed requests are counted apart, and make no search look fast', () => {
    const latencies = new Latencies();
    latencies.add('semantic', 200, 50);
    for (let n = 0; n < 1_000; n++) latencies.add('semantic', n % 2 === 0 ? 429 : 403, 0.5);
    latencies.add('semantic', 503, 0.1);
    latencies.add('details', 404, 1);
    assert.deepEqual(latencies.list(), [
      {
        ...{ endpoint: 'semantic', requests: 1_002, refused: 1_000, failed: 1 },
        duration: { p50: 50, p95: 50, p99: 50, max: 50 },
      },
      { endpoint: 'details', requests: 1, refused: 1, failed: 0 },
    ]);
  });

  it('refusals by maintenance are no failures', () => {
    const latencies = new Latencies();
    latencies.add('semantic', 503, 0.1, 'maintenance');
    latencies.add('semantic', 503, 0.1, 'overloaded');
    assert.deepEqual(latencies.list(), [
      { endpoint: 'semantic', requests: 2, refused: 0, failed: 1, maintenance: 1 },
    ]);
  });

  it('takes durations of any length', () => {
    const latencies = new Latencies();
    for (const ms of [0, 1e9]) latencies.add('semantic', 200, ms);
    assert.equal(latencies.list()[0]?.duration?.max, 1e9);
  });
});
