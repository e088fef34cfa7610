/**
 * One question from several vectors: the weighted sum of examples that are wanted and, with negative weights, of examples
 * that are not (Rocchio, "Relevance feedback in information retrieval", 1971).
 */

/**
 * The pooled vector. Its length is the mean length of the vectors with positive weights, so that its scores are on the scale
 * of one question. Dimensions from `reserved` on hold corrections by language (embed/languages.ts), not meaning: they are
 * the mean of those vectors. A vector of zeros has no meaning and does not count.
 * @param rows vectors, one after another, as many as `weights`; at least one weight is positive
 */
export function pooled(rows: Float32Array, weights: readonly number[], reserved: number): Float32Array {
  const dimensions = rows.length / weights.length;
  const out = new Float32Array(dimensions);
  let [wanted, length] = [0, 0];
  for (const [n, weight] of weights.entries()) {
    const row = rows.subarray(n * dimensions, (n + 1) * dimensions);
    const own = norm(row.subarray(0, reserved));
    if (own === 0) continue;
    for (let d = 0; d < reserved; d++) out[d]! += (weight * row[d]!) / own;
    if (weight <= 0) continue;
    wanted += weight;
    length += weight * own;
    for (let d = reserved; d < dimensions; d++) out[d]! += weight * row[d]!;
  }
  const sum = norm(out.subarray(0, reserved));
  if (wanted === 0 || sum === 0) return new Float32Array(dimensions);
  for (let d = 0; d < reserved; d++) out[d]! *= length / wanted / sum;
  for (let d = reserved; d < dimensions; d++) out[d]! /= wanted;
  return out;
}

/** Length of a vector. */
export function norm(vector: Float32Array): number {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
}
