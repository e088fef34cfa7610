/**
 * Fits how a model's cosine becomes a similarity: `1 / (1 + exp(-slope × (cosine - midpoint)))`, by logistic
 * regression over pairs of a question and a document. 0.5 is to be the cosine at which half of the pairs are
 * relevant when a question is scored against a pool of 10,000 documents, so pairs carry weights.
 */
import { PriorartError } from '../errors.js';
import { CALIBRATION } from '../limits.js';

/** Pairs of a question and a document: cosine, whether relevant, and for how many such pairs it stands. */
export interface Pair {
  cosine: number;
  relevant: boolean;
  weight: number;
}

export interface Fit {
  midpoint: number;
  slope: number;
  relevant: number;
  irrelevant: number;
  /** Weighted log loss a pair, in nats, of the fit, and of saying the share of relevant pairs each time. */
  logLoss: number;
  baseLogLoss: number;
  /** What was said against what was true, by tenths of the similarity; tenths without a pair are left out. */
  reliability: Reliability[];
}

export interface Reliability {
  from: number;
  to: number;
  pairs: number;
  /** Mean similarity, and share of relevant pairs, by weight. */
  said: number;
  true: number;
}

/** Counts fine enough for two parameters, however many pairs there are. */
const BINS = 20_000;

/** Pairs added up by cosine: a pool of thousands for each of hundreds of questions are millions. */
export class Pairs {
  readonly #weights = { true: new Float64Array(BINS + 1), false: new Float64Array(BINS + 1) };
  readonly #counts = { true: 0, false: 0 };
  readonly #raw = { true: new Uint32Array(BINS + 1), false: new Uint32Array(BINS + 1) };

  /** @throws RangeError for a cosine that is none, or a weight not above 0 */
  add({ cosine, relevant, weight }: Pair): void {
    // Half-precision vectors go a little beyond 1.
    if (!(Math.abs(cosine) <= 1.01) || !(weight > 0)) {
      throw new RangeError(`cosine ${cosine}, weight ${weight}`);
    }
    const bin = Math.round(((Math.min(1, Math.max(-1, cosine)) + 1) / 2) * BINS);
    this.#weights[`${relevant}`][bin]! += weight;
    this.#raw[`${relevant}`][bin]! += 1;
    this.#counts[`${relevant}`]++;
  }

  get relevant(): number {
    return this.#counts.true;
  }
  get irrelevant(): number {
    return this.#counts.false;
  }

  /** Every cosine that occurs, with the weights and counts of its pairs. */
  *bins(): Generator<{ cosine: number; relevant: number; irrelevant: number; pairs: number }> {
    for (let bin = 0; bin <= BINS; bin++) {
      const [relevant, irrelevant] = [this.#weights.true[bin]!, this.#weights.false[bin]!];
      const pairs = this.#raw.true[bin]! + this.#raw.false[bin]!;
      if (pairs > 0) yield { cosine: (bin / BINS) * 2 - 1, relevant, irrelevant, pairs };
    }
  }
}

type Bin = ReturnType<Pairs['bins']> extends Generator<infer B> ? B : never;

/**
 * The fit of largest likelihood.
 * @throws PriorartError `calibration_failed` for too few pairs, pairs that a threshold parts without an error
 *   (the slope would be infinite), and pairs whose relevance does not rise with the cosine
 */
export function fitCalibration(pairs: Pairs): Fit {
  const { relevant, irrelevant } = pairs;
  if (relevant < CALIBRATION.relevantMin || irrelevant < CALIBRATION.irrelevantMin) {
    throw failed(
      `got ${relevant} relevant and ${irrelevant} other pairs; expected at least ` +
        `${CALIBRATION.relevantMin} and ${CALIBRATION.irrelevantMin}, or the fit would be chance`,
    );
  }
  const bins = [...pairs.bins()];
  checkOverlap(bins);
  const { intercept, slope } = maximum(bins);
  if (!(slope > 0)) {
    throw failed(
      `relevant pairs have no higher cosines than others (slope ${slope.toFixed(3)}); expected a model ` +
        'that tells them apart. Check that the judgements belong to these texts',
    );
  }
  const midpoint = -intercept / slope;
  const total = sum(bins, (bin) => bin.relevant + bin.irrelevant);
  const share = sum(bins, (bin) => bin.relevant) / total;
  return {
    midpoint: Number(midpoint.toFixed(4)),
    slope: Number(slope.toPrecision(5)),
    relevant,
    irrelevant,
    logLoss: loss(bins, intercept, slope) / total,
    baseLogLoss: -(share * Math.log(share) + (1 - share) * Math.log(1 - share)),
    reliability: reliability(bins, intercept, slope),
  };
}

/** Newton's method with halved steps: the loss is convex, so it can not end in the wrong place. */
function maximum(bins: readonly Bin[]): { intercept: number; slope: number } {
  let [intercept, slope] = [0, 0];
  let current = loss(bins, intercept, slope);
  for (let round = 0; round < CALIBRATION.roundsMax; round++) {
    const [step0, step1] = newtonStep(bins, intercept, slope);
    if (!Number.isFinite(step0 + step1)) break;
    let share = 1;
    let next = loss(bins, intercept - step0, slope - step1);
    while (!(next <= current) && share > 1e-9) {
      share /= 2;
      next = loss(bins, intercept - share * step0, slope - share * step1);
    }
    intercept -= share * step0;
    slope -= share * step1;
    const gained = current - next;
    current = next;
    if (Math.abs(step0) + Math.abs(step1) < 1e-9 * (1 + Math.abs(slope)) || gained === 0) {
      return { intercept, slope };
    }
  }
  throw failed(`the fit did not settle in ${CALIBRATION.roundsMax} rounds; expected more varied pairs`);
}

/** Gradient through the inverse of the second derivatives. */
function newtonStep(bins: readonly Bin[], intercept: number, slope: number): [number, number] {
  let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0];
  for (const { cosine, relevant, irrelevant } of bins) {
    const p = 1 / (1 + Math.exp(-(intercept + slope * cosine)));
    const error = (relevant + irrelevant) * p - relevant;
    const curve = (relevant + irrelevant) * p * (1 - p);
    g0 += error;
    g1 += error * cosine;
    h00 += curve;
    h01 += curve * cosine;
    h11 += curve * cosine * cosine;
  }
  const determinant = h00 * h11 - h01 * h01;
  return [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
}

/** Negative log likelihood, weighted. */
function loss(bins: readonly Bin[], intercept: number, slope: number): number {
  return sum(bins, ({ cosine, relevant, irrelevant }) => {
    const x = intercept + slope * cosine;
    return relevant * softplus(-x) + irrelevant * softplus(x);
  });
}

/** log(1 + exp(x)), without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

function reliability(bins: readonly Bin[], intercept: number, slope: number): Reliability[] {
  const rows = Array.from({ length: 10 }, () => ({ pairs: 0, weight: 0, said: 0, true: 0 }));
  for (const { cosine, relevant, irrelevant, pairs } of bins) {
    const said = 1 / (1 + Math.exp(-(intercept + slope * cosine)));
    const row = rows[Math.min(9, Math.floor(said * 10))]!;
    row.pairs += pairs;
    row.weight += relevant + irrelevant;
    row.said += (relevant + irrelevant) * said;
    row.true += relevant;
  }
  return rows.flatMap(({ pairs, weight, said, true: hit }, n) =>
    pairs === 0 ? [] : [{ from: n / 10, to: (n + 1) / 10, pairs, said: said / weight, true: hit / weight }],
  );
}

function checkOverlap(bins: readonly Bin[]): void {
  const least = bins.find((bin) => bin.relevant > 0)!.cosine;
  const most = bins.findLast((bin) => bin.irrelevant > 0)!.cosine;
  if (least > most) {
    throw failed(
      `every relevant pair lies above every other (${least.toFixed(3)} and more, ${most.toFixed(3)} and ` +
        'less), so any steepness fits; expected harder pairs as well: documents near the questions that do ' +
        'not answer them',
    );
  }
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

function failed(reason: string): PriorartError {
  return new PriorartError('calibration_failed', `no calibration: ${reason}`);
}
