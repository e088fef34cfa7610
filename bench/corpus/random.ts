/** Reproducible random choices. A choice depends on its seeds only, not on other draws. */

export type Random = () => number;

/** A stream of random numbers in 0..1 for each combination of seeds (mulberry32 over hashed seeds). */
export function stream(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ (seed >>> 0), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13) ^ Math.floor(seed / 2 ** 32), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random integer from 0 to `count - 1`. */
export function below(next: Random, count: number): number {
  return Math.floor(next() * count);
}

/** A random element of a list. */
export function oneOf<T>(next: Random, list: readonly T[]): T {
  return list[below(next, list.length)]!;
}

/** An approximate standard normal deviate: a sum of uniform ones, limited to ±3.5. */
export function normal(next: Random): number {
  let sum = -6;
  for (let n = 0; n < 12; n++) sum += next();
  return Math.max(-3.5, Math.min(3.5, sum));
}

/** A random rank below `count`, with weight 1 / (rank + shift) ^ exponent, by inversion of the integral. */
export function zipf(next: Random, count: number, exponent: number, shift: number): number {
  const power = 1 - exponent;
  const low = shift ** power;
  const high = (count + shift) ** power;
  const at = (low + next() * (high - low)) ** (1 / power) - shift;
  return Math.min(count - 1, Math.floor(at));
}

/** Draws indexes by a list of weights in constant time (Vose's alias method). */
export class Alias {
  readonly #keep: Float64Array;
  readonly #other: Uint32Array;

  constructor(weights: ArrayLike<number>) {
    const { length } = weights;
    const sum = Array.from(weights).reduce((all, weight) => all + weight, 0);
    this.#keep = Float64Array.from(weights, (weight) => (weight * length) / sum);
    this.#other = Uint32Array.from(weights, (_, n) => n);
    const [small, large]: [number[], number[]] = [[], []];
    this.#keep.forEach((share, n) => {
      (share < 1 ? small : large).push(n);
    });
    while (small.length > 0 && large.length > 0) {
      const [low, high] = [small.pop()!, large.pop()!];
      this.#other[low] = high;
      this.#keep[high] = this.#keep[high]! + this.#keep[low]! - 1;
      (this.#keep[high]! < 1 ? small : large).push(high);
    }
    for (const n of [...small, ...large]) this.#keep[n] = 1;
  }

  draw(next: Random): number {
    const n = below(next, this.#keep.length);
    return next() < this.#keep[n]! ? n : this.#other[n]!;
  }
}

/** A distribution as its quantiles at even steps from 0 to 1. */
export type Quantiles = readonly number[];

/** Draws from a distribution by linear interpolation between its quantiles. */
export function drawn(next: Random, quantiles: Quantiles): number {
  const at = next() * (quantiles.length - 1);
  const n = Math.floor(at);
  const [low, high] = [quantiles[n]!, quantiles[Math.min(n + 1, quantiles.length - 1)]!];
  return low + (high - low) * (at - n);
}

/** Share at which the last quantile is taken, so that a single outlier does not stretch the last step. */
const LAST = 0.98;

/** Quantiles of values in `steps` steps, rounded to three digits. */
export function quantilesOf(values: readonly number[], steps = 20): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return Array.from({ length: steps + 1 }, (_, n) => Number(at(Math.min(LAST, n / steps)).toPrecision(3)));
}

export function mean(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
