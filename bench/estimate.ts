/** The mean of a few runs with its interval. */
import type { Estimate } from '../src/eval/bootstrap.js';

/** 97.5 % quantile of Student's t for 1, 2, … degrees of freedom. */
const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/**
 * The mean of a value over runs, with the 95 % interval of Student's t. A bootstrap over so few values is too narrow.
 * @param values one value a run, 2 to 10
 */
export function overRuns(values: readonly number[]): Estimate {
  const n = values.length;
  const t = T[n - 2];
  if (t === undefined) throw new Error(`${n} runs; expected 2 to ${T.length + 1}`);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = t * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half, n };
}

/** The middle of the values, the upper of two; NaN without values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
