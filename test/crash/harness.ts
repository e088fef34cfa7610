/**
 * The crash harness: breaks data folders in every way it knows and says what was lost. By hand
 * `node dist/test/crash/harness.js --kills 300 --power-cuts 300 --full-disks 60 --bit-flips 60 --minutes 60`; harness.test.ts runs a
 * little of it in each test run. A part that is given no number is left out.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bitFlips } from './harness/bit-flips.js';
import { fullDisks } from './harness/full-disks.js';
import { kills } from './harness/kills.js';
import type { PartOptions, PartResult } from './harness/part.js';
import { powerCuts } from './harness/power-cuts.js';
import { soak } from './harness/soak.js';

const PARTS: Record<string, (options: PartOptions) => Promise<PartResult>> = {
  kills,
  'power-cuts': powerCuts,
  'full-disks': fullDisks,
  'bit-flips': bitFlips,
  // Not a number of cases but for how many minutes.
  minutes: (options) => soak({ ...options, seconds: 60 * options.cases }),
};

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(PARTS).map((part) => [part, { type: 'string' as const }])),
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
}) as { values: Record<string, string | boolean | undefined> };

if (values['help']) {
  console.log(
    'node dist/test/crash/harness.js [--kills N] [--power-cuts N] [--full-disks N] [--bit-flips N] [--minutes M]\n' +
      '  [--seed N] [--json] [--keep]\n' +
      'Breaks data folders, searches one for M minutes while it changes, and prints what was lost, wrong or not noticed.',
  );
  process.exit(0);
}

/** Faults shown of each part. */
const SHOWN = 10;

function table(results: readonly PartResult[]): string {
  const rows = [['part', 'cases', 'faults', 'seconds', 'of which']];
  for (const { part, cases, faults, seconds, counts, skipped } of results) {
    const which = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    rows.push([part, `${cases}`, `${faults.length}`, `${seconds}`, skipped ?? which.sort().join(', ')]);
  }
  const widths = rows[0]!.map((_, at) =>
    Math.max(...rows.slice(0, at === 4 ? 1 : undefined).map((row) => row[at]!.length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const root = mkdtempSync(join(tmpdir(), 'priorart-harness-'));
const results: PartResult[] = [];
try {
  for (const [name, part] of Object.entries(PARTS)) {
    const cases = Number(values[name] ?? 0);
    if (!(cases > 0)) continue;
    mkdirSync(join(root, name));
    results.push(
      await part({
        cases,
        seed: Number(values['seed']),
        root: join(root, name),
        onFault: (fault) => process.stderr.write(`\n${fault}\n`),
        onProgress: (done, faults) => {
          if (process.stderr.isTTY || done % 25 === 0) {
            const [from, to] = process.stderr.isTTY ? ['\r', ' '] : ['', '\n'];
            const so =
              name === 'minutes' ? `${cases} minutes: ${done} answers` : `${name}: ${done} of ${cases}`;
            process.stderr.write(`${from}${so}, ${faults} faults${to}`);
          }
        },
      }),
    );
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
} finally {
  if (!values['keep']) rmSync(root, { recursive: true, force: true });
}
if (values['json']) console.log(JSON.stringify(results, null, 2));
else {
  for (const { faults } of results) for (const fault of faults.slice(0, SHOWN)) console.log(fault);
  console.log(table(results));
}
if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
