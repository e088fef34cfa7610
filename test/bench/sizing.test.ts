/** The simulation of larger indexes, against figures that were worked out by hand. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sizingFigures, sizingOf, vectorBytes } from '../../bench/cluster/sizing.js';

const MEASURED = { passages: 100_000, documents: 5_000, bytes: 300e6, searchCpuMs: 20 };

describe('sizes of larger indexes', () => {
  test('memory of a vector, as in the documentation of OpenSearch: a million of 256 dimensions, m = 16', () => {
    const gigabytes = (each: number) => (vectorBytes(each, 256) * 1e6) / 1e9;
    assert.ok(Math.abs(gigabytes(4) - 1.267) < 0.001);
    assert.ok(Math.abs(gigabytes(1) - 0.422) < 0.001);
  });

  test('shards, disk and memory grow with the passages', () => {
    const { shards, diskBytes, memory } = sizingOf([MEASURED], 100e6);
    // 3,000 bytes a passage: 300 GB, in shards of 30 GB; two copies, and as much again for merges.
    assert.deepEqual([shards, diskBytes], [10, 1.2e12]);
    // Two copies of 126.7 GB, and 16.5 GB of a node are for vectors.
    const { bytes, nodes } = memory[0]!;
    assert.ok(Math.abs(bytes - 253.4e9) < 0.1e9 && nodes === 16, `${bytes}, ${nodes}`);
    assert.ok(memory.every((one, n) => n === 0 || one.bytes < memory[n - 1]!.bytes));
  });

  test('a search costs a part that stays and a part for each passage', () => {
    const smaller = { ...MEASURED, passages: 50_000, searchCpuMs: 19 };
    const cost = (passages: number) => sizingOf([smaller, MEASURED], passages).searchCpuMs;
    assert.ok(Math.abs(cost(100_000)! - 20) < 1e-9);
    assert.ok(Math.abs(cost(200_000)! - 22) < 1e-9);
    // Noise that hides the growth, or one size, gives no cost.
    assert.equal(sizingOf([{ ...smaller, searchCpuMs: 25 }, MEASURED], 1e9).searchCpuMs, undefined);
    assert.equal(sizingOf([MEASURED], 1e9).searchCpuMs, undefined);
    assert.equal(sizingFigures([smaller, MEASURED]).filter(({ value }) => !(value > 0)).length, 0);
  });
});
