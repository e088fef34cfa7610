/** Kills the process with SIGKILL at random moments of random operations, hundreds of times, over one folder. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endOf, Finding, type PartOptions, type PartResult, perform, questionsOf, random } from './part.js';
import { verify } from './truth.js';
import { type Known, NOTHING, type Operation, operations, outcome, type Said, saidIn } from './workload.js';

/** A folder is thrown away after so many kills. */
const KILLS_A_FOLDER = 25;
/** Operations before the one that is killed, at most. */
const BEFORE = 3;

export async function kills(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('kill', options);
  const next = random(options.seed);
  /** ms that an operation takes. */
  let span = 60;
  let version = 1;
  let known: Known = NOTHING;
  let dir = join(options.root, 'killed-0');
  for (let n = 0; finding.cases < options.cases; n++) {
    if (n % KILLS_A_FOLDER === 0) {
      rmSync(dir, { recursive: true, force: true });
      dir = join(options.root, `killed-${n}`);
      known = NOTHING;
    }
    const target = Math.floor(next() * (BEFORE + 1));
    const list = operations(target + 3, next, version);
    version += list.length;
    const share = next() * 1.3;
    const { said, signal, end, took } = await killed({ dir, root: options.root }, list, target, share * span);
    if (took !== undefined) span = 0.8 * span + 0.2 * took;
    if (signal === null && end) {
      finding.fault(end);
      known = NOTHING;
      n = Math.ceil((n + 1) / KILLS_A_FOLDER) * KILLS_A_FOLDER - 1;
      finding.done();
      continue;
    }
    const { known: now, maybe, running } = outcome(known, list, said);
    const found = await verify(dir, now, maybe, questionsOf(2, next, now.documents));
    if ('fault' in found) {
      finding.fault(found.fault);
      // What comes after would only repeat it.
      n = Math.ceil((n + 1) / KILLS_A_FOLDER) * KILLS_A_FOLDER - 1;
    } else known = { ...now, documents: found.state };
    if (signal === 'SIGKILL') {
      finding.count(running ? `during ${running.kind}` : 'between operations');
      finding.done();
    }
  }
  return finding.result();
}

/** Runs operations and kills the process so many ms after it began one of them. */
async function killed(
  where: { dir: string; root: string },
  list: readonly Operation[],
  target: number,
  ms: number,
): Promise<{ said: Said[]; signal: string | null; end: string | undefined; took: number | undefined }> {
  const { child, ended } = perform({ ...where, said: '-' }, list);
  const times: number[] = [];
  let seen = 0;
  let text = '';
  child.stdout!.on('data', (part: string) => {
    text += part;
    const said = saidIn(text);
    for (const line of said.slice(seen)) {
      if ('begin' in line) times.push(performance.now());
      if ('begin' in line && line.begin === target) setTimeout(() => child.kill('SIGKILL'), ms);
    }
    seen = said.length;
  });
  const end = await ended;
  const took = times.length > 1 ? (times.at(-1)! - times[0]!) / (times.length - 1) : undefined;
  const failed = end.signal === null && end.code !== 0 ? endOf(end) : undefined;
  return { said: saidIn(end.stdout), signal: end.signal, end: failed, took };
}
