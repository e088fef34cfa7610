/** Sums of vectors. */

/** Adds rows to a vector, each times a weight, and brings the sum to length 1. In place. */
export function addRows(vector: Float32Array, rows: Float32Array, weight: number): void {
  const { length } = vector;
  let squares = 0;
  for (let d = 0; d < length; d++) {
    for (let at = d; at < rows.length; at += length) vector[d]! += weight * rows[at]!;
    squares += vector[d]! ** 2;
  }
  const norm = Math.sqrt(squares);
  if (norm > 0) for (let d = 0; d < length; d++) vector[d]! /= norm;
}
