/**
 * Proof that the crash harness finds what it is for: builds that lack one durability step each, and what it says of them.
 * `node dist/test/crash/sabotage.js [VARIANT…]`, from the repository's root. Ends with 0 where every such build was found
 * and the build as it is passed the same trials.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { harnessOf, sabotaged } from './sabotage/build.js';
import { VARIANTS } from './sabotage/variants.js';

const PARTS = ['power-cuts', 'kills', 'bit-flips', 'full-disks'] as const;
type Part = (typeof PARTS)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'power-cuts': { type: 'string', default: '180' },
    kills: { type: 'string', default: '25' },
    'bit-flips': { type: 'string', default: '50' },
    'full-disks': { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    /** Goes on to the next build when one part has found it. */
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

interface Found {
  trials: number;
  /** The first fault. */
  fault: string | undefined;
}

/** Runs a part of a build's harness until its first fault. */
function run(folder: string, part: Part): Promise<Found> {
  const args = [harnessOf(folder), `--${part}`, values[part], '--seed', values.seed, '--first', '--json'];
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: temporary },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', () => {
      const [{ trials }] = JSON.parse(text) as [{ trials: { what: string; faults: string[] }[] }];
      const [first] = trials.flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
      done({ trials: trials.length, fault: first });
    });
  });
}

const root = mkdtempSync(join(tmpdir(), 'priorart-sabotage-'));
let isProven = true;

async function judge(name: string, step: string, shouldFail: boolean): Promise<void> {
  const folder = join(root, name);
  sabotaged(folder, VARIANTS.find((variant) => variant.name === name) ?? { name, patches: [] });
  const began = performance.now();
  const finders: string[] = [];
  for (const part of PARTS) {
    if (Number(values[part]) === 0) continue;
    const { trials, fault } = await run(folder, part);
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
  for (const { name, step } of chosen) await judge(name, step, true);
  if (positionals.length === 0) await judge('as it is', 'nothing is removed', false);
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = isProven ? 0 : 1;
