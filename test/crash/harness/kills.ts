/** Kills the process with SIGKILL at random moments of random operations, hundreds of times, over one folder. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Judge } from './judge.js';
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
import { type Known, NOTHING, type Operation, outcome, type Said, saidIn } from './workload.js';

/** Kills after which a folder is replaced by a new one. */
const KILLS_A_FOLDER = 25;
/** Maximum number of operations before the killed one. */
const BEFORE = 3;
/** Assumed duration of an operation before the first measurement, ms. */
const SPAN_MS = 60;

export async function kills(options: PartOptions): Promise<PartResult> {
  const finding = new Finding('kill', options);
  const next = random(options.seed);
  const folder = new Folder(options.root);
  const judge = new Judge();
  await prepare(options.root);
  try {
    while (!finding.isOver) {
      const isFaulty = await finding.trial(() => trial(finding, folder, judge, next));
      // Later faults in the same folder would repeat this one.
      if (isFaulty) folder.begin();
    }
  } finally {
    judge.stop();
  }
  return finding.result();
}

/** The folder of repeated kills, and its known state. */
class Folder {
  readonly root: string;
  /** Duration of operations by kind, ms. */
  readonly spans = new Map<string, number>();
  known: Known = NOTHING;
  version = 1;
  #number = -1;
  #kills = 0;

  constructor(root: string) {
    this.root = root;
    this.begin();
  }

  get dir(): string {
    return join(this.root, `killed-${this.#number}`);
  }

  /** Replaces the folder by a new one. */
  begin(): void {
    rmSync(this.dir, { recursive: true, force: true });
    rmSync(join(this.root, 'sources'), { recursive: true, force: true });
    this.#number++;
    this.#kills = 0;
    this.known = NOTHING;
  }

  killed(): void {
    if (++this.#kills === KILLS_A_FOLDER) this.begin();
  }
}

async function trial(
  finding: Finding,
  folder: Folder,
  judge: Judge,
  next: () => number,
): Promise<string | undefined> {
  const target = Math.floor(next() * (BEFORE + 1));
  const list = operations(target + 3, next, folder.version);
  folder.version += list.length;
  const span = folder.spans.get(list[target]!.kind) ?? SPAN_MS;
  const { said, signal, end, spans } = await killed(folder, list, target, next() * 1.3 * span);
  for (const [kind, ms] of spans) {
    const before = folder.spans.get(kind) ?? ms;
    folder.spans.set(kind, 0.8 * before + 0.2 * ms);
  }
  if (end !== undefined) {
    finding.fault(end);
    return 'undisturbed';
  }
  const found = outcome(folder.known, list, said);
  const { dir, root } = folder;
  const queries = questionsOf(2, next, found.known.documents);
  const verdict = await judge.judge({ ...found, dir, root, queries, loss: 'kill' });
  if ('fault' in verdict) finding.fault(verdict.fault);
  else folder.known = verdict.known;
  if (signal === null && !('fault' in verdict)) return undefined;
  folder.killed();
  return found.running ? `during ${found.running.kind}` : 'between operations';
}

interface Killed {
  said: Said[];
  signal: string | null;
  /** Description of an end that was neither a kill nor a normal exit. */
  end: string | undefined;
  /** Duration of operations of each kind, ms. */
  spans: [kind: string, ms: number][];
}

/** Runs operations and kills the process some ms after one of them began. */
async function killed(
  where: { dir: string; root: string },
  list: readonly Operation[],
  target: number,
  ms: number,
): Promise<Killed> {
  const { child, ended } = await perform({ dir: where.dir, root: where.root, said: '-' }, list);
  const spans: [string, number][] = [];
  let began = 0;
  let seen = 0;
  let text = '';
  child.stdout!.on('data', (part: string) => {
    text += part;
    const said = saidIn(text);
    for (const line of said.slice(seen)) {
      if ('begin' in line) began = performance.now();
      if ('done' in line) spans.push([list[line.done]!.kind, performance.now() - began]);
      if ('begin' in line && line.begin === target) setTimeout(() => child.kill('SIGKILL'), ms);
    }
    seen = said.length;
  });
  const end = await ended;
  const isWell = end.signal === 'SIGKILL' || end.code === 0;
  return { said: saidIn(end.stdout), signal: end.signal, end: isWell ? undefined : endOf(end), spans };
}
