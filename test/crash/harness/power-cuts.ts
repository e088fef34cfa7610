/**
 * Cuts the power. A cut comes after any of a process's recorded changes; any part of the unsynced ones has reached
 * the disk. The resulting folder is opened and verified.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Disk, type Luck } from './disk.js';
import { Judge } from './judge.js';
import { type Change, readLog } from './log.js';
import {
  endOf,
  Finding,
  type PartOptions,
  type PartResult,
  perform,
  prepare,
  questionsOf,
  random,
} from './part.js';
import { operations } from './plan.js';
import { compileShim, shimmed } from './shim.js';
import { NOTHING, type Operation, outcome, saidIn } from './workload.js';

/** Operations of one recording, and cuts of it. */
const OPERATIONS = 14;
const CUTS = 60;

/**
 * Files of locks and shared memory. They are mapped, so their writes are not recorded; a process creates them again.
 */
const GONE = [
  'store/data.mdb-lock',
  'store/writers.mdb-lock',
  'access/keys.db-shm',
  'access/counters.db-shm',
  'access/log.db-shm',
];

export async function powerCuts(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('power cut', options);
  const shim = compileShim(options.root);
  if ('missing' in shim) return finding.skipped(shim.missing);
  const next = random(options.seed);
  const judge = new Judge();
  await prepare(options.root);
  try {
    for (let recording = 0; !finding.isOver; recording++) {
      const root = join(options.root, `recorded-${recording}`);
      const log = join(options.root, 'changes');
      const list = operations(OPERATIONS, next, 1);
      const changes = await recorded(finding, { shim: shim.library, root, log, list });
      if (changes) await cutsOf(finding, judge, { root, changes, list, next });
      rmSync(root, { recursive: true, force: true });
      rmSync(log, { force: true });
    }
  } finally {
    judge.stop();
  }
  return finding.result();
}

/** Runs the operations; undefined if the process fails, which is a failed trial. */
async function recorded(
  finding: Finding,
  { shim, root, log, list }: { shim: string; root: string; log: string; list: readonly Operation[] },
): Promise<Change[] | undefined> {
  let changes: Change[] | undefined;
  await finding.trial(async () => {
    mkdirSync(root, { recursive: true });
    const where = { dir: join(root, 'data'), root: join(root, '..'), said: join(root, 'said') };
    const { ended } = await perform(where, list, shimmed(shim, { root, log }));
    const end = await ended;
    if (end.code === 0) {
      changes = readLog(log);
      finding.count('changes recorded', changes.length);
      return undefined;
    }
    finding.fault(endOf(end));
    return 'undisturbed';
  });
  return changes;
}

interface Recording {
  root: string;
  changes: readonly Change[];
  list: readonly Operation[];
  next: () => number;
}

async function cutsOf(finding: Finding, judge: Judge, recording: Recording): Promise<void> {
  const { root, changes, next } = recording;
  const moments = Array.from({ length: CUTS }, () => Math.floor(next() * (changes.length + 1))).sort(
    (a, b) => a - b,
  );
  const disk = new Disk(root);
  const saidInode = changes.find((change) => change.kind === 'create' && change.path === join(root, 'said'));
  let said = '';
  let made = 0;
  for (const moment of moments) {
    if (finding.isOver) return;
    await finding.trial(async () => {
      for (; made < moment; made++) {
        const change = changes[made]!;
        disk.apply(change);
        if (change.kind !== 'write' || saidInode?.kind !== 'create' || change.inode !== saidInode.inode)
          continue;
        said += change.bytes.toString();
      }
      return cut(finding, judge, recording, { disk, moment, said });
    });
  }
}

let cuts = 0;

async function cut(
  finding: Finding,
  judge: Judge,
  { root, changes, list, next }: Recording,
  { disk, moment, said }: { disk: Disk; moment: number; said: string },
): Promise<string> {
  const luck: Luck = (['none', 'all', 'some', 'some', 'some'] as const)[Math.floor(next() * 5)]!;
  // A new path each time, because the judge may still have the last folder's files mapped.
  const into = `${root}.cut-${cuts++}`;
  disk.cut(into, next, luck);
  const dir = join(into, 'data');
  for (const name of GONE) rmSync(join(dir, name), { recursive: true, force: true });
  const found = outcome(NOTHING, list, saidIn(said));
  const queries = questionsOf(1, next, found.known.documents);
  const verdict = await judge.judge({ ...found, dir, root: join(root, '..'), queries, loss: 'power cut' });
  const { running } = found;
  finding.count(`luck ${luck}`);
  if ('fault' in verdict) {
    const doing = running ? `during ${JSON.stringify(running)}` : 'between operations';
    finding.fault(`after change ${moment} of ${changes.length}, ${doing}, luck ${luck}: ${verdict.fault}`);
  }
  rmSync(into, { recursive: true, force: true });
  return running ? `during ${running.kind}` : 'between operations';
}
