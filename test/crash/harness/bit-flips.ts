/**
 * Flips one bit in any file of a folder. Stored data is then answered unchanged, or refused with a message; `check`
 * finds the damage; `check --repair` rebuilds derived data. A bit in an unused byte (free pages, padding) may stay
 * unnoticed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../../src/engine.js';
import { mergeSegments } from '../../../src/index/merge.js';
import { Store } from '../../../src/store/store.js';
import { writeLines } from '../folder.js';
import type { Step } from './flip-process.js';
import { Finding, type PartOptions, type PartResult, random } from './part.js';
import { POOL, patent, SMALL } from './workload.js';

const PROCESS = fileURLToPath(new URL('./flip-process.js', import.meta.url));

export async function bitFlips(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('bit flip', options);
  const next = random(options.seed);
  const whole = join(options.root, 'whole');
  await makeFolder(whole, options.root);
  const looker = new Looker();
  try {
    const steps = await looker.look(copyOf(whole, options.root));
    const [first] = steps;
    if (first?.step !== 'answers' || !('answers' in first)) throw new Error(JSON.stringify(steps));
    const expected = first.answers;
    while (!finding.isOver) {
      const folder = copyOf(whole, options.root);
      await finding.trial(async () => {
        const flipped = flip(folder, next);
        return judge(finding, flipped, await looker.look(folder), expected);
      });
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    looker.stop();
  }
  return finding.result();
}

/** A folder with several segments, an index, replaced and deleted documents. */
async function makeFolder(dir: string, root: string): Promise<void> {
  const engine = await open(dir, { create: true, workers: 0 });
  const put = async (from: number, to: number, version: number, segmentPassages: number) => {
    const docs = Array.from({ length: to - from }, (_, n) => patent(from + n, version));
    const file = writeLines(join(root, `${version}.jsonl`), docs);
    await engine.ingest(file, { segmentPassages, indexFrom: SMALL.indexFrom, drawings: false });
  };
  await put(0, 40, 1, 1000);
  await put(30, 50, 2, 1000);
  const store = Store.open(dir);
  await mergeSegments(store, { full: true, indexFrom: SMALL.indexFrom });
  await store.close();
  await put(45, POOL, 3, 12);
  await engine.delete([3, 33, 47].map((n) => patent(n, 1).patent_id));
  await engine.close();
}

let copies = 0;

function copyOf(whole: string, root: string): string {
  // A new path each time, because the reading process may still have the last folder's files mapped.
  const folder = join(root, `flipped-${copies++}`);
  cpSync(whole, folder, { recursive: true });
  for (const name of ['data.mdb-lock', 'writers.mdb-lock'])
    rmSync(join(folder, 'store', name), { force: true });
  return folder;
}

interface Flipped {
  file: string;
  kind: 'store' | 'segment' | 'index';
  at: number;
  bit: number;
}

/** Flips a bit of a file of a random kind. Each kind has the same probability, for any sizes. */
function flip(folder: string, next: () => number): Flipped {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  const kinds = [
    ['store', files.filter((path) => path.endsWith('data.mdb'))],
    ['segment', files.filter((path) => path.endsWith('.bin'))],
    ['index', files.filter((path) => path.endsWith('.faiss'))],
  ] as const;
  const [kind, paths] = kinds[Math.floor(next() * 4) % 3]!;
  const path = paths[Math.floor(next() * paths.length)]!;
  const bytes = readFileSync(path);
  // The reserved space at the end of the store is zeros and never read.
  let used = bytes.length;
  while (used > 0 && bytes[used - 1] === 0) used--;
  const at = Math.floor(next() * used);
  const bit = Math.floor(next() * 8);
  bytes[at]! ^= 1 << bit;
  writeFileSync(path, bytes);
  return { file: relative(folder, path), kind, at, bit };
}

/** Records faults, and returns the effect of the bit. */
function judge(
  finding: Finding,
  { file, kind, at, bit }: Flipped,
  looked: readonly Step[],
  expected: string,
): string {
  const fault = (text: string) => finding.fault(`${file}, byte ${at}, bit ${bit}: ${text}`);
  const [first, check, repair, last] = looked;
  if (looked.at(-1)?.step !== 'end') {
    fault(`the process died in step ${looked.length + 1}`);
    return `${kind}: the process died`;
  }
  for (const step of looked) {
    if ('refused' in step && step.refused.startsWith('unexpected')) fault(`${step.step}: ${step.refused}`);
  }
  const isWrong = (step: Step | undefined) => step && 'answers' in step && step.answers !== expected;
  if (isWrong(first)) fault(`a wrong answer without an error: ${difference(first, expected)}`);
  const problems = check && 'problems' in check ? check.problems : undefined;
  if (problems?.length === 0) {
    if (first && 'refused' in first)
      fault(`answers were refused, but check finds no fault: ${first.refused}`);
    return `${kind}: no effect`;
  }
  const left = repair && 'problems' in repair ? repair.problems : undefined;
  if (left?.length === 0) {
    const said = (words: RegExp) =>
      repair !== undefined && 'repaired' in repair && repair.repaired.some((text) => words.test(text));
    const lost = said(/lost|ingest/);
    const forgotten = said(/ledger/);
    const isRight = !isWrong(last) || (forgotten && isWithOneSourceLess(last, expected));
    if (!lost && !isRight) fault(`wrong answer after the repair: ${difference(last, expected)}`);
    if (last && 'refused' in last) fault(`after the repair: ${last.refused}`);
    if (lost) return `${kind}: detected, a document removed`;
    return forgotten ? `${kind}: detected, an entry of the ledger removed` : `${kind}: detected and repaired`;
  }
  const derived = left?.filter(({ kind: what }) => what !== 'document' && what !== 'store') ?? [];
  for (const { where, reason } of derived) fault(`not repaired: ${where}: ${reason}`);
  return `${kind}: detected, only the sources can restore it`;
}

/** Whether all answers are unchanged except the last one, the number of sources in the ledger. */
function isWithOneSourceLess(step: Step | undefined, expected: string): boolean {
  if (!step || !('answers' in step)) return false;
  const [found, before] = [step.answers, expected].map((text) => JSON.parse(text) as unknown[]);
  const less = (before!.pop() as number) - (found!.pop() as number);
  return less === 1 && JSON.stringify(found) === JSON.stringify(before);
}

/** The position of the first difference between two texts. */
function difference(step: Step | undefined, expected: string): string {
  const found = step && 'answers' in step ? step.answers : '';
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 100), at + 60);
  return `…${around(found)}… instead of …${around(expected)}…`;
}

/** The process that reads folders, and its replacements. */
class Looker {
  #child: ChildProcess | undefined;

  /** The findings of a folder; they stop before `end` if the process died. */
  look(folder: string): Promise<Step[]> {
    this.#child ??= fork(PROCESS, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const child = this.#child;
    const steps: Step[] = [];
    return new Promise((done) => {
      const finish = () => {
        child.removeAllListeners();
        done(steps);
      };
      child.on('message', (step: Step) => {
        steps.push(step);
        if (step.step === 'end') finish();
      });
      child.once('exit', () => {
        this.#child = undefined;
        finish();
      });
      child.send(folder);
    });
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }
}
