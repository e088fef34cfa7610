/** Pools the vectors of a row's tokens into one. */
import type { Pooling } from './config.js';

/** Vectors of one row, token after token, padding included. */
export interface TokenVectors {
  data: Float32Array;
  /** Offset of the row's first token in `data`, in numbers. */
  start: number;
  tokens: number;
  dimensions: number;
}

/** The vector of a row. `none` is for graphs that pool and returns the vector at `start`. */
export function pool({ data, start, tokens, dimensions }: TokenVectors, pooling: Pooling): Float32Array {
  const at = (token: number) => data.subarray(start + token * dimensions, start + (token + 1) * dimensions);
  switch (pooling) {
    case 'cls':
    case 'none':
      return at(0).slice();
    case 'last':
      return at(tokens - 1).slice();
    case 'mean': {
      const sum = new Float64Array(dimensions);
      for (let n = start; n < start + tokens * dimensions; n += dimensions) {
        for (let d = 0; d < dimensions; d++) sum[d]! += data[n + d]!;
      }
      return Float32Array.from(sum, (x) => x / tokens);
    }
    case 'max': {
      const most = at(0).slice();
      for (let token = 1; token < tokens; token++) {
        const row = at(token);
        for (let d = 0; d < dimensions; d++) most[d] = Math.max(most[d]!, row[d]!);
      }
      return most;
    }
  }
}

/** Scales a vector to length 1. Returns false if it is zero or holds NaN or infinity. */
export function normalize(vector: Float32Array): boolean {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) return false;
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  return true;
}
