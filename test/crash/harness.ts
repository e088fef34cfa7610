/**
 * The crash harness: breaks data folders in many ways and reports losses. Usage: `node dist/test/crash/harness.js
 * --kills 300 --power-cuts 300 --full-disks 60 --bit-flips 60 --minutes 60`. harness.test.ts runs a few trials in
 * each test run. A part without a number is skipped. The table is printed at the end, also after SIGINT and SIGTERM.
 * With --rows FILE, each trial is written when it ends, so that SIGKILL loses no row.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bitFlips } from './harness/bit-flips.js';
import { fullDisks } from './harness/full-disks.js';
import { kills } from './harness/kills.js';
import { inWords, type PartOptions, type PartResult, type Trial } from './harness/part.js';
import { powerCuts } from './harness/power-cuts.js';
import { soak } from './harness/soak.js';
import { isFaulty, type Progress, report } from './harness/table.js';

const PARTS: Record<string, (options: PartOptions) => Promise<PartResult>> = {
  kills,
  'power-cuts': powerCuts,
  'full-disks': fullDisks,
  'bit-flips': bitFlips,
  // A duration in minutes instead of a number of trials.
  minutes: (options) => soak({ ...options, seconds: 60 * options.cases }),
};

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(PARTS).map((part) => [part, { type: 'string' as const }])),
    seed: { type: 'string', default: '1' },
    rows: { type: 'string' },
    first: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
}) as { values: Record<string, string | boolean | undefined> };

if (values['help']) {
  console.log(
    'node dist/test/crash/harness.js [--kills N] [--power-cuts N] [--full-disks N] [--bit-flips N] [--minutes M]\n' +
      '  [--seed N] [--first] [--rows FILE] [--json] [--keep]\n' +
      'Breaks data folders, searches one for M minutes while it changes, and prints lost, wrong or unnoticed data.\n' +
      'With --first a part ends with its first fault. --rows FILE gets a line of JSON for each trial when it ends.\n' +
      'Exit codes: 0 without faults, 1 with faults, 130 after an interruption.',
  );
  process.exit(0);
}

const EXIT = { faults: 1, interrupted: 130 };
const root = mkdtempSync(join(tmpdir(), 'priorart-harness-'));
const parts: Progress[] = [];
let began = 0;

const secondsSince = (start: number) => Math.round((performance.now() - start) / 100) / 10;

/** Writes a trial to the file of rows. */
function take(trial: Trial): void {
  const part = parts.at(-1)!;
  part.trials.push(trial);
  part.seconds = secondsSince(began);
  if (typeof values['rows'] === 'string') appendFileSync(values['rows'], `${JSON.stringify(trial)}\n`);
  for (const fault of inWords(trial)) process.stderr.write(`\n${fault}\n`);
  const done = part.trials.length;
  if (done % 25 === 0) {
    const faults = part.trials.filter(isFaulty).length;
    process.stderr.write(`${part.name}: ${done} of ${values[part.name]}, ${faults} faults\n`);
  }
}

/** An uncaught exception as a failed trial. */
function failed(error: unknown): void {
  const { name, trials } = parts.at(-1) ?? { name: 'harness', trials: [] };
  if (parts.length === 0) parts.push({ name, trials: [], seconds: 0 });
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const trial = trials.length + 1;
  const what = 'the harness failed';
  take({
    ...{ part: name, trial, seed: Number(values['seed']) },
    ...{ what, outcome: 'failed', faults: [text] },
  });
}

process.on('uncaughtException', failed);
process.on('unhandledRejection', failed);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(EXIT.interrupted));
// Uncaught exceptions and signals.
process.on('exit', (code) => {
  console.log(values['json'] ? JSON.stringify(parts, null, 2) : report(parts));
  const isClean = parts.every(({ trials, result }) => result !== undefined && !trials.some(isFaulty));
  const hasFault = parts.some(({ trials }) => trials.some(isFaulty));
  if (hasFault || (code === 0 && !isClean)) process.exitCode = EXIT.faults;
  // A running process may still write into it.
  if (!values['keep']) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

for (const [name, part] of Object.entries(PARTS)) {
  const cases = Number(values[name] ?? 0);
  if (!(cases > 0)) continue;
  mkdirSync(join(root, name));
  const progress: Progress = { name, trials: [], seconds: 0 };
  parts.push(progress);
  began = performance.now();
  const options = { seed: Number(values['seed']), first: values['first'] === true, onTrial: take };
  try {
    progress.result = await part({ ...options, cases, root: join(root, name) });
    progress.seconds = progress.result.seconds;
  } catch (error) {
    failed(error);
  }
}
