/**
 * Confidence intervals of means over questions: the percentile bootstrap (Efron and Tibshirani 1993, chapter 13) over
 * questions. It is seeded, so that a figure always has the same interval.
 */
import { BOOTSTRAP } from '../limits.js';
import { mean } from './measures.js';

export interface Estimate {
  mean: number;
  /** Ends of the 95 % interval. */
  low: number;
  high: number;
  /** Number of values. */
  n: number;
}

/** The mean of one value a question, with its interval. All NaN without values. */
export function estimate(values: readonly number[], resamples: number = BOOTSTRAP.resamples): Estimate {
  const n = values.length;
  if (n === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, n };
  const draw = random(BOOTSTRAP.seed);
  const means = new Float64Array(resamples);
  for (let at = 0; at < resamples; at++) {
    let sum = 0;
    for (let drawn = 0; drawn < n; drawn++) sum += values[Math.floor(draw() * n)]!;
    means[at] = sum / n;
  }
  means.sort();
  return { mean: mean(values), low: quantile(means, 0.025), high: quantile(means, 0.975), n };
}

/** Quantile of ascending values, interpolated between neighbours (type 7 of Hyndman and Fan 1996). */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const at = share * (ascending.length - 1);
  const below = Math.floor(at);
  const [low, high] = [ascending[below]!, ascending[Math.min(below + 1, ascending.length - 1)]!];
  return low + (high - low) * (at - below);
}

/** Seeded random numbers in 0..1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
