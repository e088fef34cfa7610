/** The common parts of the harness: a seed, a working folder, a row for each trial. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOtherModel } from '../../embed/other-model.js';
import { type Ended, launch, random } from '../folder.js';
import { writeSources } from './plan.js';
import {
  type Operation,
  OTHER_DIMENSIONS,
  OTHER_NAME,
  otherModel,
  POOL,
  patent,
  type State,
} from './workload.js';

export const PROCESS = fileURLToPath(new URL('./workload-process.js', import.meta.url));

/** Timeout of a process, ms: long enough for a busy machine. */
const PROCESS_MS = 600_000;

export interface PartOptions {
  /** Number of trials. */
  cases: number;
  seed: number;
  /** Working folder; the caller removes it. */
  root: string;
  /** Stops at the first fault. */
  first?: boolean | undefined;
  /** Called after each trial, because a long run may be interrupted. */
  onTrial?: ((trial: Trial) => void) | undefined;
}

/** A trial and its outcome: a row of the table. */
export interface Trial {
  part: string;
  /** From 1. Seed, part and trial number reproduce a trial. */
  trial: number;
  seed: number;
  /** Description of the trial. */
  what: string;
  /** `failed`: the harness could not judge the trial, which counts as a fault. */
  outcome: 'passed' | 'fault' | 'failed';
  /** Descriptions of lost, wrong or unnoticed data. */
  faults: string[];
}

/** The findings of a part. */
export interface PartResult {
  part: string;
  cases: number;
  trials: Trial[];
  /** Faults of all trials, each with its trial. */
  faults: string[];
  /** Number of trials by description, and further counts. */
  counts: Record<string, number>;
  seconds: number;
  /** Reason why the part did not run. */
  skipped?: string;
}

/** Collects the findings of a part. */
export class Finding {
  readonly #options: PartOptions;
  readonly #part: string;
  readonly #started = performance.now();
  readonly #trials: Trial[] = [];
  readonly #counts: Record<string, number> = {};
  /** Faults of the running trial; undefined between trials. */
  #faults: string[] | undefined;
  /** Passed cases without a row: thousands of answers of the soak. */
  #passed = 0;

  constructor(part: string, options: PartOptions) {
    this.#part = part;
    this.#options = options;
  }

  count(what: string, by = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + by;
  }

  /** Number of events of a kind. */
  counted(what: string): number {
    return this.#counts[what] ?? 0;
  }

  /** Adds a fault to the running trial, or as a row of its own between trials. */
  fault(text: string): void {
    if (this.#faults) this.#faults.push(text);
    else this.#add({ what: 'beside the others', outcome: 'fault', faults: [text] });
  }

  /** Counts a case without a row. */
  passed(): void {
    this.#passed++;
  }

  /**
   * Runs a trial. Its outcome includes any thrown error, so the next trial can begin.
   * @param work returns a description of the trial; undefined if it has no result and must be repeated
   * @returns whether there was a fault
   */
  async trial(work: () => Promise<string | undefined> | string | undefined): Promise<boolean> {
    const faults: string[] = [];
    this.#faults = faults;
    let what: string | undefined;
    let outcome: Trial['outcome'] = 'passed';
    try {
      what = await work();
      if (faults.length > 0) outcome = 'fault';
    } catch (error) {
      outcome = 'failed';
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    this.#faults = undefined;
    if (what === undefined && outcome === 'passed') return false;
    this.#add({ what: what ?? 'the harness failed', outcome, faults });
    return outcome !== 'passed';
  }

  #add(found: Pick<Trial, 'what' | 'outcome' | 'faults'>): void {
    const trial = {
      ...{ part: this.#part, trial: this.#trials.length + 1, seed: this.#options.seed },
      ...found,
    };
    this.#trials.push(trial);
    this.count(found.what);
    this.#options.onTrial?.(trial);
  }

  get cases(): number {
    return this.#trials.length + this.#passed;
  }

  /** Whether the part has ended. */
  get isOver(): boolean {
    if (this.cases >= this.#options.cases) return true;
    return this.#options.first === true && this.#trials.some(({ outcome }) => outcome !== 'passed');
  }

  result(): PartResult {
    const seconds = Math.round((performance.now() - this.#started) / 100) / 10;
    const [trials, counts] = [this.#trials, this.#counts];
    return { part: this.#part, cases: this.cases, trials, faults: trials.flatMap(inWords), counts, seconds };
  }

  skipped(why: string): PartResult {
    return { ...this.result(), skipped: why };
  }
}

/** The faults of a trial, each with its trial. */
export function inWords({ part, trial, seed, what, faults }: Trial): string[] {
  return faults.map((text) => `${part} ${trial}, seed ${seed}, ${what}: ${text}`);
}

/** Writes the model for re-embeddings. */
export async function prepare(root: string): Promise<void> {
  await writeOtherModel(otherModel(root), OTHER_NAME, OTHER_DIMENSIONS);
}

/** Questions of a run: texts of publications, of any version. */
export function questionsOf(count: number, next: () => number, state: State): string[] {
  const there = [...state];
  return Array.from({ length: count }, () => {
    const [n, version] = there[Math.floor(next() * there.length)] ?? [Math.floor(next() * POOL), 1];
    return patent(n, version).abstract!;
  });
}

/** Starts the workload in a separate process; SIGABRT ends it after a timeout. */
export async function perform(
  where: { dir: string; root: string; said: string; space?: string },
  list: readonly Operation[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ReturnType<typeof launch>> {
  await writeSources(where.root, list);
  const file = join(where.root, 'operations.json');
  writeFileSync(file, JSON.stringify(list));
  const args = [where.dir, file, where.said, ...(where.space === undefined ? [] : [where.space])];
  const launched = launch(PROCESS, args, env);
  const timer = setTimeout(() => launched.child.kill('SIGABRT'), PROCESS_MS);
  timer.unref();
  launched.ended.finally(() => clearTimeout(timer)).catch(() => {});
  return launched;
}

/** Describes how a process ended. */
export function endOf({ code, signal, stderr }: Ended): string {
  const reason = signal === 'SIGABRT' ? `, which the harness sends after ${PROCESS_MS / 1000} s` : '';
  return `it ended with ${signal ?? code}${reason}: ${stderr.slice(-1500)}`;
}

export { random };
