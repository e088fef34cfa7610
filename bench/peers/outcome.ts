/** The outcomes of the libraries: read, judged by brute force, and compared. */
import { readFileSync } from 'node:fs';
import { type Estimate, quantile, random } from '../../src/eval/bootstrap.js';
import { BOOTSTRAP } from '../../src/limits.js';
import type { Exported } from './export.js';
import { recallOf } from './truth.js';

/** What a library prints: about its index, about one case, or the reason of a failure. */
export interface Line {
  library: string;
  about?: string;
  builtSeconds?: number;
  builtCpuSeconds?: number;
  failed?: string;
  /** Processor time of a search of one row, ms. */
  callMs?: number;
  case?: string;
  /** The setting of the search that was measured. */
  setting?: string;
  /** Files with answers (`.i32`) and times (`.f64`), without ending. */
  file?: string;
  /** Every nth question of the case was measured. */
  every?: number;
  questions?: number;
  /** Why the case was not measured, and the best recalls that were seen. */
  unreached?: string;
  best?: number[];
}

/** Recall that a library has to reach, at 10 and at 50. */
export interface Need {
  at10: number;
  at50: number;
}

/** The recall goal of this project's plans. */
export const GOAL: Need = { at10: 0.99, at50: 0.97 };

/** One library in one case: values by question. */
export interface Outcome {
  library: string;
  case: string;
  setting: string;
  /** Every nth question of the case was measured. */
  every: number;
  at10: number[];
  at50: number[];
  /** Processor time, time on the clock, and processor time with a ready filter, ms. */
  cpu: number[];
  wall: number[];
  ready: number[];
}

/**
 * Reads the answers and times of a line, and computes the recall of every answer.
 * @throws ForbiddenRow
 */
export function judged(
  line: Required<Pick<Line, 'library' | 'case' | 'file' | 'every'>> & Line,
  data: Exported,
): Outcome {
  const { k, cases } = data;
  const at = cases.findIndex(({ name }) => name === line.case);
  const before = cases.slice(0, at).reduce((sum, { asked }) => sum + asked.length, 0);
  const asked = cases[at]!.asked.flatMap((one, n) => (n % line.every === 0 ? [{ one, n: before + n }] : []));
  const answers = new Int32Array(aligned(`${line.file}.i32`));
  const times = new Float64Array(aligned(`${line.file}.f64`));
  if (answers.length !== asked.length * k) throw new Error(`${line.file}: ${answers.length} rows`);
  const columns = times.length / asked.length;
  const column = (wanted: number) => asked.map((_, n) => times[n * columns + Math.min(wanted, columns - 1)]!);
  const recalls = (depth: number) =>
    asked.map(({ one, n: nth }, n) => {
      const truth = data.truth.subarray(nth * k, (nth + 1) * k);
      try {
        return recallOf(answers.subarray(n * k, (n + 1) * k), truth, one, depth, data);
      } catch (error) {
        throw Object.assign(error as Error, {
          message: `${line.library}, ${line.case}, question ${one.question}: ${(error as Error).message}`,
        });
      }
    });
  return {
    library: line.library,
    case: line.case,
    setting: line.setting ?? '',
    every: line.every,
    at10: recalls(10),
    at50: recalls(50),
    cpu: column(0),
    wall: column(1),
    // The peers have ready filters anyway.
    ready: columns > 2 ? column(2) : column(0),
  };
}

function aligned(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The recall that the peers have to reach: the goal, or what this project reached if that is lower. */
export function needOf(own: Outcome): Need {
  return { at10: Math.min(GOAL.at10, meanOf(own.at10)), at50: Math.min(GOAL.at50, meanOf(own.at50)) };
}

/** Rounding of sums of recalls. */
const ROUNDING = 1e-9;

/** Whether an outcome reaches a recall at both depths. */
export function reaches({ at10, at50 }: Outcome, need: Need): boolean {
  return meanOf(at10) >= need.at10 - ROUNDING && meanOf(at50) >= need.at50 - ROUNDING;
}

/** The peer with the least processor time of those that reach the recall over all questions. */
export function bestPeer(outcomes: readonly Outcome[], name: string, own: Outcome): Outcome | undefined {
  const need = needOf(own);
  return outcomes
    .filter(
      (one) => one.case === name && one.library !== own.library && one.every === 1 && reaches(one, need),
    )
    .sort((a, b) => meanOf(a.cpu) - meanOf(b.cpu))[0];
}

/** Times of two libraries for the same questions. */
export interface Pair {
  ours: readonly number[];
  theirs: readonly number[];
}

/**
 * The geometric mean over cases of the ratio of the mean times, theirs to ours, with the 95 % interval of the bootstrap
 * over the questions of each case. Both times of a question are drawn together.
 */
export function ratioOf(pairs: readonly Pair[], resamples: number = BOOTSTRAP.resamples): Estimate {
  const draw = random(BOOTSTRAP.seed);
  const logOf = ({ ours, theirs }: Pair, pick: (n: number, count: number) => number) => {
    if (ours.length !== theirs.length) throw new Error(`${ours.length} and ${theirs.length} questions`);
    let [own, other] = [0, 0];
    for (let n = 0; n < ours.length; n++) {
      const at = pick(n, ours.length);
      own += ours[at]!;
      other += theirs[at]!;
    }
    return Math.log(other / own);
  };
  const geometric = (pick: (n: number, count: number) => number) =>
    Math.exp(pairs.reduce((sum, pair) => sum + logOf(pair, pick), 0) / pairs.length);
  const drawn = Float64Array.from({ length: resamples }, () =>
    geometric((_, count) => Math.floor(draw() * count)),
  ).sort();
  return {
    mean: geometric((n) => n),
    low: quantile(drawn, 0.025),
    high: quantile(drawn, 0.975),
    n: pairs.length,
  };
}
