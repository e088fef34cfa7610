/**
 * Fits how a model's cosine becomes a similarity: `1 / (1 + exp(-slope × (cosine - midpoint)))`. The midpoint, shown
 * as 0.5, is the threshold of the best F1: whoever counts the documents from 0.5 on counts what a searcher would. The
 * slope is that of largest likelihood there, within bounds, so that scores spread and order documents for a reader.
 */
import { type Calibration, similarity } from '../embed/calibration.js';
import { PriorartError } from '../errors.js';
import { CALIBRATION } from '../limits.js';
import { quantile } from './bootstrap.js';

/** What a threshold does, over all questions together: each pair counts once, whichever question it is of. */
export interface Threshold {
  midpoint: number;
  /** Harmonic mean of precision and recall. */
  f1: number;
  /** Share of relevant pairs among those from the threshold on. */
  precision: number;
  /** Share of the relevant pairs that lie from the threshold on. */
  recall: number;
}

export interface Fit extends Threshold {
  slope: number;
  relevant: number;
  irrelevant: number;
  /** Irrelevant pairs that the slope is fitted to: the nearest of each question. */
  near: number;
  /** Similarities that 10 %, 20 %, … 90 % of the pairs do not exceed. */
  deciles: { relevant: number[]; near: number[] };
}

/**
 * The cosines of pairs of a question and a document, in single precision as models give them: 4 bytes a pair, since
 * a pool of thousands for each of hundreds of questions are millions.
 */
export class Pairs {
  readonly #relevant: Float32Array[] = [];
  readonly #irrelevant = new Map<string, Float32Array[]>();

  /**
   * Takes cosines of a question with relevant and with other documents; the same question may come again.
   * @throws RangeError for a cosine that is none
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
    // Half-precision vectors go a little beyond 1.
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
 * @throws PriorartError `calibration_failed` for too few pairs, for relevant pairs whose cosines are no higher than
 *   those of others, and where no threshold is better than to count every pair
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
 * The threshold of the best F1. Those between the same two neighbouring cosines count the same pairs, so one is
 * tried of each gap, and the middle taken of all gaps in a row that are equally good. Where several such plateaus are
 * apart, the highest wins: it counts the fewest documents.
 * @param relevant cosines, ascending, at least one
 * @param irrelevant cosines, ascending
 * @throws PriorartError `calibration_failed` where nothing is better than to count every pair
 */
export function bestThreshold(relevant: Float32Array, irrelevant: Float32Array): Threshold {
  let [hits, misses] = [0, 0];
  let best = { f1: 0, low: Number.NaN, high: Number.NaN };
  // The cosines from the greatest down; those from `cosine` on are found by a threshold between `next` and it.
  for (let cosine = highest(relevant, irrelevant, hits, misses); cosine > -Infinity; ) {
    while (last(relevant, hits) === cosine) hits++;
    while (last(irrelevant, misses) === cosine) misses++;
    const next = highest(relevant, irrelevant, hits, misses);
    // Quotients of whole numbers: equal ones are equal in floating point, too.
    const f1 = (2 * hits) / (hits + misses + relevant.length);
    if (f1 > best.f1) best = { f1, low: next, high: cosine };
    else if (f1 === best.f1 && best.low === cosine) best.low = next;
    cosine = next;
  }
  if (best.low === -Infinity) {
    // Below the least cosine a threshold parts no pairs.
    best.low = Math.min(relevant[0]!, irrelevant[0] ?? Infinity);
    if (best.low === best.high) {
      throw failed(
        `no threshold is better than to count every pair (F1 ${best.f1.toFixed(3)}); expected a model that tells ` +
          'relevant pairs from others, and enough of the others',
      );
    }
  }
  const midpoint = middle(best.low, best.high);
  const [hit, missed] = [countFrom(midpoint, relevant), countFrom(midpoint, irrelevant)];
  return { midpoint, f1: best.f1, precision: hit / (hit + missed), recall: hit / relevant.length };
}

/** How many are from a threshold on. */
function countFrom(threshold: number, values: Float32Array): number {
  return values.reduce((count, value) => count + (value >= threshold ? 1 : 0), 0);
}

/** The greatest cosine that is left when so many were taken from the upper ends; -Infinity where none is. */
function highest(relevant: Float32Array, irrelevant: Float32Array, hits: number, misses: number): number {
  return Math.max(last(relevant, hits), last(irrelevant, misses));
}

function last(values: Float32Array, taken: number): number {
  return values[values.length - 1 - taken] ?? -Infinity;
}

/** The middle between two numbers, in as few digits as stay between them. */
function middle(low: number, high: number): number {
  const exact = (low + high) / 2;
  for (let digits = CALIBRATION.midpointDigits; digits < 15; digits++) {
    const short = Number(exact.toFixed(digits));
    if (low < short && short < high) return short;
  }
  return exact;
}

/**
 * The slope of largest likelihood for a given midpoint, within the bounds of CALIBRATION. Relevant and other pairs
 * weigh alike, however many they are.
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
