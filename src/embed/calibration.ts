/**
 * From the cosine of a model to a similarity in 0–1 that means the same for every model: 0.5 is the threshold that
 * balances precision and recall, the one of the best F1 of clearly relevant documents over judged questions. The
 * slope is gentle, so that scores spread over 0–1 and order documents for a reader; they are no probabilities.
 */
export interface Calibration {
  /** Cosine that is shown as 0.5. */
  midpoint: number;
  /** Steepness of the logistic curve, per unit of cosine. */
  slope: number;
}

/**
 * For a model whose calibration nobody measured: strictly monotone like every other, so that orders are right, but
 * its 0.5 means nothing. Models differ much in the cosine of unrelated texts.
 */
export const NEUTRAL_CALIBRATION: Calibration = { midpoint: 0.6, slope: 10 };

/** Similarity in 0–1 of a cosine; strictly monotone. */
export function similarity(cosine: number, { midpoint, slope }: Calibration): number {
  return 1 / (1 + Math.exp(-slope * (cosine - midpoint)));
}

/** Cosine of a similarity; `similarity` undone. 0 and 1 give the ends of the scale beyond any cosine. */
export function cosineOf(score: number, { midpoint, slope }: Calibration): number {
  if (score <= 0) return -2;
  if (score >= 1) return 2;
  return midpoint - Math.log(1 / score - 1) / slope;
}

/** The calibration for one question: its scores are shown as those of an average question would be. */
export function calibrationFor(
  { calibration, level }: { calibration: Calibration; level?(question: Float32Array): number },
  question: Float32Array,
): Calibration {
  if (!level) return calibration;
  return { midpoint: calibration.midpoint + level(question), slope: calibration.slope };
}

/** Digits behind the point of a score that is shown: finer than half-precision vectors are. */
export const SHOWN_DECIMALS = 6;

/** A score as it is shown. Orders and thresholds go by this number, so that an answer agrees with itself. */
export function shown(score: number): number {
  const scale = 10 ** SHOWN_DECIMALS;
  return Math.round(score * scale) / scale;
}

/** The least cosine that is shown as `score` or more. */
export function leastCosine(score: number, calibration: Calibration): number {
  const scale = 10 ** SHOWN_DECIMALS;
  // A hair off, since 0.1 + 0.2 must not ask for one step more than 0.3.
  const steps = Math.ceil(score * scale - 1e-6);
  return cosineOf((steps - 0.5) / scale, calibration);
}
