/**
 * Cuts the power: of a process's recorded changes any number has been made, of those that no sync has made certain
 * any part has reached the disk. What is then there is opened and verified.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Disk, type Luck } from './disk.js';
import { type Change, readLog } from './log.js';
import { endOf, Finding, type PartOptions, type PartResult, perform, questionsOf, random } from './part.js';
import { compileShim, shimmed } from './shim.js';
import { verify } from './truth.js';
import { type Known, NOTHING, type Operation, operations, outcome, saidIn } from './workload.js';

/** Operations of one recording, and cuts of it. */
const OPERATIONS = 14;
const CUTS = 60;

export async function powerCuts(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('power cut', options);
  const shim = compileShim(options.root);
  if ('missing' in shim) return finding.skipped(shim.missing);
  const next = random(options.seed);
  for (let recording = 0; finding.cases < options.cases; recording++) {
    const root = join(options.root, `recorded-${recording}`);
    mkdirSync(root, { recursive: true });
    const list = operations(OPERATIONS, next, 1);
    const log = join(options.root, 'changes');
    const where = { dir: join(root, 'data'), root: options.root, said: join(root, 'said') };
    const end = await perform(where, list, shimmed(shim.library, { root, log })).ended;
    if (end.code !== 0) {
      finding.fault(endOf(end));
      finding.done();
    } else {
      const changes = readLog(log);
      finding.count('changes recorded', changes.length);
      const wanted = Math.min(CUTS, options.cases - finding.cases);
      await cutsOf(finding, { root, changes, list, cuts: wanted, next });
    }
    rmSync(root, { recursive: true });
    rmSync(log, { force: true });
  }
  return finding.result();
}

interface Recording {
  root: string;
  changes: readonly Change[];
  list: readonly Operation[];
  cuts: number;
  next: () => number;
}

async function cutsOf(finding: Finding, { root, changes, list, cuts, next }: Recording): Promise<void> {
  const moments = Array.from({ length: cuts }, () => Math.floor(next() * (changes.length + 1))).sort(
    (a, b) => a - b,
  );
  const disk = new Disk(root);
  const saidInode = changes.find((change) => change.kind === 'create' && change.path === join(root, 'said'));
  let said = '';
  let made = 0;
  for (const moment of moments) {
    for (; made < moment; made++) {
      const change = changes[made]!;
      disk.apply(change);
      if (change.kind !== 'write' || saidInode?.kind !== 'create' || change.inode !== saidInode.inode)
        continue;
      said += change.bytes.toString();
    }
    const luck: Luck = (['none', 'all', 'some', 'some', 'some'] as const)[Math.floor(next() * 5)]!;
    const into = `${root}.cut`;
    disk.cut(into, next, luck);
    // It is mapped, so what it held is not known; whoever opens it first makes it anew.
    for (const lock of ['store/data.mdb-lock', 'store/writers.mdb-lock', 'access/keys.db-shm']) {
      rmSync(join(into, 'data', lock), { force: true });
    }
    const { known, maybe, running } = outcome(NOTHING as Known, list, saidIn(said));
    const found = await verify(join(into, 'data'), known, maybe, questionsOf(1, next, known.documents));
    if ('fault' in found) {
      const doing = running ? `during ${JSON.stringify(running)}` : 'between operations';
      finding.fault(`after change ${moment} of ${changes.length}, ${doing}, luck ${luck}: ${found.fault}`);
    }
    finding.count(`luck ${luck}`);
    finding.done();
    rmSync(into, { recursive: true, force: true });
  }
}
