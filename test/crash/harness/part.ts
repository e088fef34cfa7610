/** What the parts of the harness have in common: a seed, a folder to work in, a row for each trial. */
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

/** A process that takes longer hangs, ms. */
const PROCESS_MS = 180_000;

export interface PartOptions {
  /** Trials to go through. */
  cases: number;
  seed: number;
  /** Folder for what is made; its owner removes it. */
  root: string;
  /** Ends with the first fault. */
  first?: boolean | undefined;
  /** Told of each trial at once: a long run is not waited for, and may be ended. */
  onTrial?: ((trial: Trial) => void) | undefined;
}

/** One trial and what came of it: a row of the table. */
export interface Trial {
  part: string;
  /** From 1; with seed and part it can be repeated. */
  trial: number;
  seed: number;
  /** What was going on. */
  what: string;
  /** `failed`: the harness itself could not judge it, which counts as a fault. */
  outcome: 'passed' | 'fault' | 'failed';
  /** What was lost, wrong or not noticed. */
  faults: string[];
}

/** What a part has found. */
export interface PartResult {
  part: string;
  cases: number;
  trials: Trial[];
  /** Those of all trials, each with its trial. */
  faults: string[];
  /** What was going on in how many trials, and what else there is to count. */
  counts: Record<string, number>;
  seconds: number;
  /** Why the part did not run. */
  skipped?: string;
}

/** Collects what a part finds. */
export class Finding {
  readonly #options: PartOptions;
  readonly #part: string;
  readonly #started = performance.now();
  readonly #trials: Trial[] = [];
  readonly #counts: Record<string, number> = {};
  /** Of the trial that runs; undefined between trials. */
  #faults: string[] | undefined;
  /** Cases that passed and have no row: answers of the soak, of which there are thousands. */
  #passed = 0;

  constructor(part: string, options: PartOptions) {
    this.#part = part;
    this.#options = options;
  }

  count(what: string, by = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + by;
  }

  /** How often it was counted. */
  counted(what: string): number {
    return this.#counts[what] ?? 0;
  }

  /** Of the trial that runs; a row of its own where none does. */
  fault(text: string): void {
    if (this.#faults) this.#faults.push(text);
    else this.#add({ what: 'beside the others', outcome: 'fault', faults: [text] });
  }

  /** A case without a row. */
  passed(): void {
    this.#passed++;
  }

  /**
   * Runs a trial; whatever it throws is the trial's outcome, and the next one can begin.
   * @param work returns what was going on, or undefined where it came to nothing and is to be repeated
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

  /** Whether there is nothing more to do. */
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

/** The faults of a trial, each with the trial it happened in. */
export function inWords({ part, trial, seed, what, faults }: Trial): string[] {
  return faults.map((text) => `${part} ${trial}, seed ${seed}, ${what}: ${text}`);
}

/** Writes the model that re-embeddings change to. */
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

/** Starts the workload in a process of its own; one that hangs is killed with SIGABRT. */
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

/** How a process ended, in words. */
export function endOf({ code, signal, stderr }: Ended): string {
  return `it ended with ${signal ?? code}: ${stderr.slice(-1500)}`;
}

export { random };
