/** What the parts of the harness have in common: a seed, a folder to work in, a row of the table in the end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, launch, random } from '../folder.js';
import { type Operation, POOL, patent, type State } from './workload.js';

export const PROCESS = fileURLToPath(new URL('./workload-process.js', import.meta.url));

export interface PartOptions {
  /** Cases to go through. */
  cases: number;
  seed: number;
  /** Folder for what is made; its owner removes it. */
  root: string;
  /** Told after each case. */
  onProgress?: ((done: number, faults: number) => void) | undefined;
  /** Told of each fault at once: a long run is not waited for. */
  onFault?: ((fault: string) => void) | undefined;
}

/** What a part has found. */
export interface PartResult {
  part: string;
  cases: number;
  /** Each thing that was lost, wrong or not noticed, with the case it happened in. */
  faults: string[];
  /** What else there is to say of the cases, counted. */
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
  readonly #faults: string[] = [];
  readonly #counts: Record<string, number> = {};
  #cases = 0;

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

  fault(text: string): void {
    const fault = `${this.#part} ${this.#cases}, seed ${this.#options.seed}: ${text}`;
    this.#faults.push(fault);
    this.#options.onFault?.(fault);
  }

  done(): void {
    this.#cases += 1;
    this.#options.onProgress?.(this.#cases, this.#faults.length);
  }

  get cases(): number {
    return this.#cases;
  }

  result(): PartResult {
    const seconds = Math.round((performance.now() - this.#started) / 100) / 10;
    const [faults, counts] = [this.#faults, this.#counts];
    return { part: this.#part, cases: this.#cases, faults, counts, seconds };
  }

  skipped(why: string): PartResult {
    return { ...this.result(), skipped: why };
  }
}

/** Questions of a run: texts of publications, of any version. */
export function questionsOf(count: number, next: () => number, state: State): string[] {
  const there = [...state];
  return Array.from({ length: count }, () => {
    const [n, version] = there[Math.floor(next() * there.length)] ?? [Math.floor(next() * POOL), 1];
    return patent(n, version).abstract!;
  });
}

/** Starts the workload in a process of its own. */
export function perform(
  where: { dir: string; root: string; said: string; space?: string },
  list: readonly Operation[],
  env: NodeJS.ProcessEnv = process.env,
): ReturnType<typeof launch> {
  const file = join(where.root, 'operations.json');
  writeFileSync(file, JSON.stringify(list));
  const args = [where.dir, file, where.said, ...(where.space === undefined ? [] : [where.space])];
  return launch(PROCESS, args, env);
}

/** How a process ended, in words. */
export function endOf({ code, signal, stderr }: Ended): string {
  return `it ended with ${signal ?? code}: ${stderr.slice(-1500)}`;
}

export { random };
