/** The crash harness finds a build that lacks a durability step. sabotage.ts tests all such builds. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporary } from './folder.js';
import { compileShim } from './harness/shim.js';
import { type Found, firstFault, patchedFiles, sabotaged } from './sabotage/build.js';
import { VARIANTS } from './sabotage/variants.js';

test('every step that a sabotaged build lacks occurs once in this build', () => {
  assert.ok(VARIANTS.length >= 10);
  for (const variant of VARIANTS)
    assert.ok(patchedFiles(variant).size > 0, `expected that ${variant.name} changes a file`);
});

const TRIALS: [variant: string, part: 'power-cuts' | 'bit-flips', most: number, fault: RegExp][] = [
  ['half-batch', 'power-cuts', 60, /none of \d+ possible states/],
  ['no-checksum', 'bit-flips', 40, /a wrong answer without an error|wrong checksum|unexpected/],
];

for (const [name, part, most, expected] of TRIALS) {
  test(`the harness finds the build "${name}" by ${part}`, async (t) => {
    const top = temporary(t);
    const shim = compileShim(top);
    if ('missing' in shim) return t.skip(shim.missing);
    const folder = join(top, name);
    sabotaged(folder, VARIANTS.find((variant) => variant.name === name)!);
    const { trials, fault }: Found = await firstFault(folder, part, most, 1);
    t.diagnostic(`${trials} trials: ${fault?.slice(0, 300)}`);
    assert.match(fault ?? 'no fault', expected);
    return undefined;
  });
}
