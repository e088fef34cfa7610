/**
 * Verifies the crash harness with builds that lack one durability step each. Usage, from the repository's root: `node
 * dist/test/crash/sabotage.js [VARIANT…]`. The exit code is 0 if every such build was found and the complete build
 * passed the same trials.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstFault, PARTS, sabotaged } from './sabotage/build.js';
import { NOTHING_REMOVED, VARIANTS, type Variant } from './sabotage/variants.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'power-cuts': { type: 'string', default: '180' },
    kills: { type: 'string', default: '25' },
    'bit-flips': { type: 'string', default: '50' },
    'full-disks': { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    /** Continues with the next build after one part has found this one. */
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(
    'node dist/test/crash/sabotage.js [VARIANT…] [--power-cuts N] [--kills N] [--bit-flips N] [--full-disks N] [--seed N] [--quick]\n' +
      'Runs the crash harness on builds that lack a durability step, and on the build as it is.\n' +
      `Variants: ${VARIANTS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(0);
}

const unknown = positionals.find((name) => !VARIANTS.some((variant) => variant.name === name));
if (unknown !== undefined) throw new Error(`there is no variant ${unknown}`);

const root = mkdtempSync(join(tmpdir(), 'priorart-sabotage-'));
let isProven = true;

async function judge(variant: Variant, shouldFail: boolean): Promise<void> {
  const { name, step } = variant;
  const folder = join(root, name.replaceAll(' ', '-'));
  sabotaged(folder, variant);
  const began = performance.now();
  const finders: string[] = [];
  for (const part of new Set([variant.by, ...PARTS])) {
    if (Number(values[part]) === 0) continue;
    const { trials, fault } = await firstFault(folder, part, Number(values[part]), Number(values.seed));
    if (fault === undefined) continue;
    finders.push(`${part} (trial ${trials})`);
    console.log(`  ${part}: ${fault.split('\n')[0]!.slice(0, 240)}`);
    if (values.quick && shouldFail) break;
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  const isRight = finders.length > 0 === shouldFail;
  isProven &&= isRight;
  const verdict = finders.length > 0 ? `found by ${finders.join(', ')}` : 'no fault';
  console.log(`${isRight ? 'ok ' : 'NO '} ${name}, ${step}: ${verdict} in ${seconds} s`);
  rmSync(folder, { recursive: true, force: true });
}

try {
  const chosen = VARIANTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  for (const variant of chosen) await judge(variant, true);
  if (positionals.length === 0) await judge(NOTHING_REMOVED, false);
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = isProven ? 0 : 1;
