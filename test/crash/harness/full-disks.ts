/** Fills the disk at any write: the error says so, searches continue, and with space everything works again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AccessStore } from '../../../src/access/store.js';
import { Judge } from './judge.js';
import { endOf, Finding, type PartOptions, type PartResult, perform, questionsOf, random } from './part.js';
import { operations } from './plan.js';
import { compileShim, shimmed } from './shim.js';
import { NOTHING, type Operation, type Outcome, outcome, type Said, saidIn } from './workload.js';

const OPERATIONS = 6;
const PAGE_BYTES = 4096;
/** Approximate number of space-consuming changes in such a list of operations. With fewer, the case is repeated. */
const CHANGES = 110;

export async function fullDisks(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('full disk', options);
  const shim = compileShim(options.root);
  if ('missing' in shim) return finding.skipped(shim.missing);
  const next = random(options.seed);
  const judge = new Judge();
  try {
    for (let n = 0; !finding.isOver; n++) {
      const root = join(options.root, `full-${n}`);
      // test/access/full-disk.test.ts covers a server on a full disk.
      const list = operations(OPERATIONS, next, 1, { all: false });
      const fail = 1 + Math.floor(next() * CHANGES);
      await finding.trial(() => trial(finding, judge, { shim: shim.library, root, list, fail, next }));
      rmSync(root, { recursive: true, force: true });
    }
  } finally {
    judge.stop();
  }
  return finding.result();
}

interface Filled {
  shim: string;
  root: string;
  list: readonly Operation[];
  /** Number of the first change without space. */
  fail: number;
  next: () => number;
}

async function trial(finding: Finding, judge: Judge, filled: Filled): Promise<string | undefined> {
  const { shim, root, list, fail, next } = filled;
  mkdirSync(root, { recursive: true });
  const where = { dir: join(root, 'data'), root, said: join(root, 'said'), space: `${root}/space` };
  const env = shimmed(shim, { root: where.dir, fail, space: where.space });
  const { ended } = await perform(where, list, env);
  const end = await ended;
  // A process that died before its first message has made no folder.
  const said = existsSync(where.said) ? saidIn(readFileSync(where.said, 'utf8')) : [];
  const found = outcome(NOTHING, list, said);
  const { known, running } = found;
  const look = async (what: Outcome) => {
    const queries = questionsOf(2, next, known.documents);
    const verdict = await judge.judge({ ...what, dir: where.dir, root, queries, loss: 'kill' });
    if ('fault' in verdict) finding.fault(`write ${fail}: ${verdict.fault}`);
  };
  if (end.signal === 'SIGSEGV' && isHalfMade(where.dir)) {
    // If a file could not be created, the earlier content is intact, and the file can be created later.
    if (running?.kind === 'key') await AccessStore.open(join(where.dir, 'access')).close();
    await look(found);
    return 'during the creation of a file, which crashes lmdb';
  }
  if (end.code !== 0) {
    finding.fault(`write ${fail}: ${endOf(end)}`);
    return `during ${running?.kind ?? 'open'}`;
  }
  const failed = said.find((line): line is Extract<Said, { failed: number }> => 'failed' in line);
  if (!failed) return undefined;
  if (failed.code !== 'disk_full') finding.fault(`write ${fail}: ${failed.code}: ${failed.message}`);
  // The operations completed in the same process after space was freed.
  await look(found);
  return `during ${list[failed.failed]?.kind ?? 'open'}`;
}

/**
 * Package lmdb crashes if it cannot write the first two pages of a new file. src/store/room.ts checks the space just
 * before, so only another process can fill the disk in between.
 */
function isHalfMade(dir: string): boolean {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.mdb'),
  );
  return files.some((name) => statSync(join(dir, name)).size < 2 * PAGE_BYTES);
}
