/**
 * Fits the conversion of a model's cosine to a similarity: `1 / (1 + exp(-slope × (cosine - midpoint)))`. The midpoint,
 * shown as 0.5, is the threshold with the best F1, so that a count of documents from 0.5 on is close to the number of
 * relevant ones. The slope is the most likely one at that midpoint, within bounds, so that scores spread over 0–1.
 */
import { type Calibration, similarity } from '../embed/calibration.js';
import { PriorartError } from '../errors.js';
import { CALIBRATION } from '../limits.js';
import { quantile } from './bootstrap.js';

/** The quality of a threshold over the pairs of all questions. Every pair counts once. */
export interface Threshold {
  midpoint: number;
  /** Harmonic mean of precision and recall. */
  f1: number;
  /** Share of relevant pairs among all pairs at or above the threshold. */
  precision: number;
  /** Share of the relevant pairs that are at or above the threshold. */
  recall: number;
}

export interface Fit extends Threshold {
  slope: number;
  relevant: number;
  irrelevant: number;
  /** Number of irrelevant pairs that the slope is fitted to: the nearest of each question. */
  near: number;
  /** Similarities that 10 %, 20 %, … 90 % of the pairs do not exceed. */
  deciles: { relevant: number[]; near: number[] };
}

/**
 * The cosines of pairs of a question and a document. Stored in single precision, 4 bytes a pair, because hundreds of
 * questions with thousands of documents each make millions of pairs.
 */
export class Pairs {
  readonly #relevant: Float32Array[] = [];
  readonly #irrelevant = new Map<string, Float32Array[]>();

  /**
   * Adds the cosines of a question with relevant and with other documents. A question may be added several times.
   * @throws RangeError for a value that is not a cosine
   */
  add(question: string, relevant: ArrayLike<number>, irrelevant: ArrayLike<number>): void {
    this.#relevant.push(cosines(relevant));
    const known = this.#irrelevant.get(question) ?? [];
    this.#irrelevant.set(question, known);
    known.push(cosines(irrelevant));
  }

  /** Cosines of all relevant pairs, ascending. */
  relevant(): Float32Array {
    return ascending(this.#relevant);
  }

  /** Cosines of all other pairs, ascending. */
  irrelevant(): Float32Array {
    return ascending([...this.#irrelevant.values()].flat());
  }

  /** Cosines of the nearest irrelevant pairs of each question, at most `most` of one; ascending. */
  near(most: number): Float32Array {
    return ascending([...this.#irrelevant.values()].map((parts) => ascending(parts).slice(-most)));
  }
}

function cosines(values: ArrayLike<number>): Float32Array {
  return Float32Array.from(values, (cosine) => {
    // Cosines of half-precision vectors can slightly exceed 1.
    if (!(Math.abs(cosine) <= 1.01)) throw new RangeError(`cosine ${cosine}`);
    return Math.min(1, Math.max(-1, cosine));
  });
}

function ascending(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/**
 * The calibration of some pairs, and how well it fits them.
 * @throws PriorartError `calibration_failed` if there are too few pairs, if the cosines of relevant pairs are not higher
 *   than those of the others, or if no threshold is better than counting every pair
 */
export function fitCalibration(pairs: Pairs): Fit {
  const [relevant, irrelevant] = [pairs.relevant(), pairs.irrelevant()];
  if (relevant.length < CALIBRATION.relevantMin || irrelevant.length < CALIBRATION.irrelevantMin) {
    throw failed(
      `got ${relevant.length} relevant and ${irrelevant.length} other pairs; expected at least ` +
        `${CALIBRATION.relevantMin} and ${CALIBRATION.irrelevantMin}, or the fit would be chance`,
    );
  }
  const itself = (cosine: number) => cosine;
  const [own, others] = [meanOf(relevant, itself), meanOf(irrelevant, itself)];
  if (!(own > others)) {
    throw failed(
      `relevant pairs have no higher cosines than others (${own.toFixed(3)} and ${others.toFixed(3)} on average); ` +
        'expected a model that tells them apart. Check that the judgements belong to these texts',
    );
  }
  const threshold = bestThreshold(relevant, irrelevant);
  const near = pairs.near(CALIBRATION.nearest);
  const { midpoint } = threshold;
  const slope = Number(likeliestSlope(relevant, near, midpoint).toPrecision(4));
  return {
    ...threshold,
    slope,
    relevant: relevant.length,
    irrelevant: irrelevant.length,
    near: near.length,
    deciles: {
      relevant: deciles(relevant, { midpoint, slope }),
      near: deciles(near, { midpoint, slope }),
    },
  };
}

/**
 * The threshold with the best F1. All thresholds between two neighbouring cosines count the same pairs, so one is tried
 * for each gap. If adjacent gaps are equally good, the middle of all of them is taken. If separate ranges are equally
 * good, the highest wins, because it counts the fewest documents.
 * @param relevant cosines, ascending, at least one
 * @param irrelevant cosines, ascending
 * @throws PriorartError `calibration_failed` if no threshold is better than counting every pair
 */
export function bestThreshold(relevant: Float32Array, irrelevant: Float32Array): Threshold {
  let [hits, misses] = [0, 0];
  let best = { f1: 0, low: Number.NaN, high: Number.NaN };
  // Goes down from the greatest cosine. A threshold between `next` and `cosine` counts the pairs from `cosine` on.
  for (let cosine = highest(relevant, irrelevant, hits, misses); cosine > -Infinity; ) {
    while (last(relevant, hits) === cosine) hits++;
    while (last(irrelevant, misses) === cosine) misses++;
    const next = highest(relevant, irrelevant, hits, misses);
    // A quotient of integers: equal values are also equal in floating point.
    const f1 = (2 * hits) / (hits + misses + relevant.length);
    if (f1 > best.f1) best = { f1, low: next, high: cosine };
    else if (f1 === best.f1 && best.low === cosine) best.low = next;
    cosine = next;
  }
  if (best.low === -Infinity) {
    // A threshold below the least cosine separates no pairs.
    best.low = Math.min(relevant[0]!, irrelevant[0] ?? Infinity);
    if (best.low === best.high) {
      throw failed(
        `no threshold is better than counting every pair (F1 ${best.f1.toFixed(3)}); expected a model that tells ` +
          'relevant pairs from irrelevant ones, and enough irrelevant pairs',
      );
    }
  }
  const midpoint = middle(best.low, best.high);
  const [hit, missed] = [countFrom(midpoint, relevant), countFrom(midpoint, irrelevant)];
  return { midpoint, f1: best.f1, precision: hit / (hit + missed), recall: hit / relevant.length };
}

/** Number of values at or above a threshold. */
function countFrom(threshold: number, values: Float32Array): number {
  return values.reduce((count, value) => count + (value >= threshold ? 1 : 0), 0);
}

/** The greatest cosine after the `hits` and `misses` greatest are taken away; -Infinity if none is left. */
function highest(relevant: Float32Array, irrelevant: Float32Array, hits: number, misses: number): number {
  return Math.max(last(relevant, hits), last(irrelevant, misses));
}

function last(values: Float32Array, taken: number): number {
  return values[values.length - 1 - taken] ?? -Infinity;
}

/** The middle between two numbers, rounded to the fewest digits that keep it between them. */
function middle(low: number, high: number): number {
  const exact = (low + high) / 2;
  for (let digits = CALIBRATION.midpointDigits; digits < 15; digits++) {
    const short = Number(exact.toFixed(digits));
    if (low < short && short < high) return short;
  }
  return exact;
}

/**
 * The most likely slope for a midpoint, within the bounds of CALIBRATION. Relevant and other pairs have the same total
 * weight.
 */
function likeliestSlope(relevant: Float32Array, near: Float32Array, midpoint: number): number {
  // The loss is convex, so its rise with the slope changes sign at most once.
  const rise = (slope: number) =>
    meanOf(near, (x) => (x - midpoint) * similarity(x, { midpoint, slope })) -
    meanOf(relevant, (x) => (x - midpoint) * (1 - similarity(x, { midpoint, slope })));
  let { slopeMin: low, slopeMax: high } = CALIBRATION as { slopeMin: number; slopeMax: number };
  if (rise(low) >= 0) return low;
  if (rise(high) <= 0) return high;
  while (high - low > 1e-6) {
    const slope = (low + high) / 2;
    if (rise(slope) < 0) low = slope;
    else high = slope;
  }
  return (low + high) / 2;
}

function meanOf(values: Float32Array, of: (value: number) => number): number {
  let sum = 0;
  for (const value of values) sum += of(value);
  return sum / values.length;
}

function deciles(cosines: Float32Array, calibration: Calibration): number[] {
  const similarities = Float64Array.from(cosines, (cosine) => similarity(cosine, calibration));
  return Array.from({ length: 9 }, (_, n) => Number(quantile(similarities, (n + 1) / 10).toFixed(4)));
}

function failed(reason: string): PriorartError {
  return new PriorartError('calibration_failed', `no calibration: ${reason}`);
}
