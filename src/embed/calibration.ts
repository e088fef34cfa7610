/**
 * Converts a model's cosine to a similarity in 0–1 that means the same for every model. 0.5 is the threshold with the
 * best F1 for clearly relevant documents over judged questions, which balances precision and recall. The slope is
 * gentle, so that scores spread over 0–1. Scores are not probabilities.
 */
export interface Calibration {
  /** Cosine that is shown as 0.5. */
  midpoint: number;
  /** Steepness of the logistic curve, per unit of cosine. */
  slope: number;
}

/**
 * Calibration of a model that was not measured. It is strictly monotone, so that orders are right, but its 0.5 means
 * nothing: models differ much in the cosine of unrelated texts.
 */
export const NEUTRAL_CALIBRATION: Calibration = { midpoint: 0.6, slope: 10 };

/** Similarity in 0–1 of a cosine; strictly monotone. */
export function similarity(cosine: number, { midpoint, slope }: Calibration): number {
  return 1 / (1 + Math.exp(-slope * (cosine - midpoint)));
}

/** Cosine of a similarity; the inverse of `similarity`. 0 and 1 give values below and above every cosine. */
export function cosineOf(score: number, { midpoint, slope }: Calibration): number {
  if (score <= 0) return -2;
  if (score >= 1) return 2;
  return midpoint - Math.log(1 / score - 1) / slope;
}

/** The calibration for one question, which shows its scores on the scale of an average question. */
export function calibrationFor(
  { calibration, level }: { calibration: Calibration; level?(question: Float32Array): number },
  question: Float32Array,
): Calibration {
  if (!level) return calibration;
  return { midpoint: calibration.midpoint + level(question), slope: calibration.slope };
}

/** Decimal places of a score that is shown: finer than the precision of half-precision vectors. */
export const SHOWN_DECIMALS = 6;

/** A score as it is shown. Orders and thresholds use this number, so that an answer agrees with itself. */
export function shown(score: number): number {
  const scale = 10 ** SHOWN_DECIMALS;
  return Math.round(score * scale) / scale;
}

/** The least cosine that is shown as `score` or more. */
export function leastCosine(score: number, calibration: Calibration): number {
  const scale = 10 ** SHOWN_DECIMALS;
  // The tolerance absorbs rounding: 0.1 + 0.2 must not need one step more than 0.3.
  const steps = Math.ceil(score * scale - 1e-6);
  return cosineOf((steps - 0.5) / scale, calibration);
}
