/** Lets the disk fill up at any write: the error says so, searches go on, and with room again everything works. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AccessStore } from '../../../src/access/store.js';
import { endOf, Finding, type PartOptions, type PartResult, perform, questionsOf, random } from './part.js';
import { compileShim, shimmed } from './shim.js';
import { verify } from './truth.js';
import { NOTHING, type Operation, operations, outcome, saidIn } from './workload.js';

const OPERATIONS = 6;
const PAGE_BYTES = 4096;
/** Changes that take room in such a list of operations, about; where there were fewer, the case is repeated. */
const CHANGES = 110;

export async function fullDisks(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('full disk', options);
  const shim = compileShim(options.root);
  if ('missing' in shim) return finding.skipped(shim.missing);
  const next = random(options.seed);
  for (let n = 0; finding.cases < options.cases; n++) {
    const root = join(options.root, `full-${n}`);
    mkdirSync(root, { recursive: true });
    const list = operations(OPERATIONS, next, 1);
    const fail = 1 + Math.floor(next() * CHANGES);
    const where = {
      dir: join(root, 'data'),
      root,
      said: join(options.root, `said-${n}`),
      space: `${root}/space`,
    };
    const env = shimmed(shim.library, { root: `${root}/data`, fail, space: where.space });
    const end = await perform(where, list, env).ended;
    const said = saidIn(readFileSync(where.said, 'utf8'));
    const failed = said.find((line) => 'failed' in line);
    if (end.signal === 'SIGSEGV' && isHalfMade(where.dir))
      await verifyDead(finding, where.dir, list, said, next);
    else if (end.code !== 0) {
      const { running } = outcome(NOTHING, list, said);
      finding.fault(`write ${fail}, during ${running?.kind ?? 'open'}: ${endOf(end)}`);
    } else if (failed) await verifyFull(finding, { dir: where.dir, list, fail, next }, said, failed);
    if (end.code !== 0 || failed) finding.done();
    rmSync(root, { recursive: true });
    rmSync(where.said);
  }
  return finding.result();
}

/**
 * Package lmdb dies where it can not write the first two pages of a file that it makes. That there is room for them is
 * seen to just before (src/store/room.ts), so it takes another process to fill the disk in between.
 */
function isHalfMade(dir: string): boolean {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.mdb'),
  );
  return files.some((name) => statSync(join(dir, name)).size < 2 * PAGE_BYTES);
}

/** What there was before a file that could not be made is there, and the file can be made later. */
async function verifyDead(
  finding: Finding,
  dir: string,
  list: readonly Operation[],
  said: ReturnType<typeof saidIn>,
  next: () => number,
): Promise<void> {
  finding.count('in the instant of making a file, of which lmdb dies');
  const { known, maybe, running } = outcome(NOTHING, list, said);
  if (running?.kind === 'key') await AccessStore.open(join(dir, 'access')).close();
  const found = await verify(dir, known, maybe, questionsOf(2, next, known.documents));
  if ('fault' in found) finding.fault(`after lmdb died during ${running?.kind ?? 'open'}: ${found.fault}`);
}

async function verifyFull(
  finding: Finding,
  { dir, list, fail, next }: { dir: string; list: readonly Operation[]; fail: number; next: () => number },
  said: ReturnType<typeof saidIn>,
  failed: { failed: number; code: string; message: string },
): Promise<void> {
  const kind = list[failed.failed]?.kind ?? 'open';
  finding.count(`during ${kind}`);
  if (failed.code !== 'disk_full') finding.fault(`write ${fail}, ${kind}: ${failed.code}: ${failed.message}`);
  const { known } = outcome(NOTHING, list, said);
  // Everything went to its end in the same process, once there was room.
  const found = await verify(dir, known, known.documents, questionsOf(2, next, known.documents));
  if ('fault' in found) finding.fault(`write ${fail}, ${kind}: ${found.fault}`);
}
