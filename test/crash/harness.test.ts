/**
 * A short run of each part of the crash harness, with the same seed in each run. harness.ts runs any number of
 * trials.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporary } from './folder.js';
import { bitFlips } from './harness/bit-flips.js';
import { fullDisks } from './harness/full-disks.js';
import { kills } from './harness/kills.js';
import type { PartResult } from './harness/part.js';
import { powerCuts } from './harness/power-cuts.js';
import { soak } from './harness/soak.js';

/** Seconds of the soak, if a longer one is requested. */
const SOAK_SECONDS = Number(process.env['PRIORART_TEST_SOAK_SECONDS'] ?? 8);

const PARTS: [string, (root: string) => Promise<PartResult>][] = [
  ['kills', (root) => kills({ root, cases: 5, seed: 3 })],
  ['power cuts', (root) => powerCuts({ root, cases: 24, seed: 3 })],
  ['full disks', (root) => fullDisks({ root, cases: 3, seed: 3 })],
  ['bit flips', (root) => bitFlips({ root, cases: 8, seed: 3 })],
  ['soak', (root) => soak({ root, cases: 0, seconds: SOAK_SECONDS, seed: 3 })],
];

for (const [name, part] of PARTS) {
  test(`the crash harness: ${name}`, async (t) => {
    const { faults, cases, counts, skipped } = await part(temporary(t));
    if (skipped !== undefined) return t.skip(skipped);
    t.diagnostic(`${cases} cases: ${JSON.stringify(counts)}`);
    assert.deepEqual(faults, []);
    assert.ok(cases > 0);
    return undefined;
  });
}
