/**
 * Measures of ranked lists, as trec_eval computes them. Documents without a judgement count as not relevant, grades above
 * 0 as relevant. A list names each document once, best first.
 */

/** Grades of the judged documents of one question. */
export type Grades = ReadonlyMap<string, number>;

/** Number of relevant documents of a question. */
export function relevantIn(grades: Grades): number {
  let count = 0;
  for (const grade of grades.values()) if (grade > 0) count++;
  return count;
}

/** Share of the relevant documents that are among the first k. NaN if no document is relevant. */
export function recall(ranking: readonly string[], grades: Grades, k: number): number {
  const found = ranking.slice(0, k).filter((document) => (grades.get(document) ?? 0) > 0).length;
  return found / relevantIn(grades);
}

/**
 * Normalised discounted cumulative gain of the first k (Järvelin and Kekäläinen 2002, with the discount
 * log2(1 + place) and the grade as gain, as trec_eval's ndcg_cut). NaN if no document is relevant.
 */
export function ndcg(ranking: readonly string[], grades: Grades, k: number): number {
  const found = ranking.slice(0, k).map((document) => grades.get(document) ?? 0);
  const best = [...grades.values()].sort((a, b) => b - a).slice(0, k);
  return gain(found) / gain(best);
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, n) => sum + Math.max(0, grade) / Math.log2(n + 2), 0);
}

/** 1 / place of the first relevant document; 0 if the list has none. NaN if no document is relevant. */
export function reciprocalRank(ranking: readonly string[], grades: Grades): number {
  if (relevantIn(grades) === 0) return Number.NaN;
  const at = ranking.findIndex((document) => (grades.get(document) ?? 0) > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

/**
 * Place of one candidate among all by score, from 1. Equal scores count against it, so that a model with the same vector
 * for every text gains nothing. Accuracy@1 is the share of places that are 1.
 */
export function placeOf(scores: ArrayLike<number>, wanted: number): number {
  const own = scores[wanted]!;
  let place = 0;
  for (let n = 0; n < scores.length; n++) if (!(scores[n]! < own)) place++;
  return place;
}

/** Arithmetic mean; NaN without values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

/**
 * Spearman's rank correlation: Pearson's correlation of the ranks. Equal values share their mean rank. NaN if all values
 * of a side are equal.
 */
export function spearman(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new RangeError(`${a.length} values against ${b.length}`);
  return pearson(ranks(a), ranks(b));
}

function ranks(values: readonly number[]): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((i, j) => values[i]! - values[j]!);
  const out = new Float64Array(values.length);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && values[order[end]!] === values[order[first]!]) end++;
    for (let n = first; n < end; n++) out[order[n]!] = (first + 1 + end) / 2;
    first = end;
  }
  return out;
}

function pearson(a: Float64Array, b: Float64Array): number {
  // Ranks have the mean (n + 1) / 2, with or without ties.
  const middle = (a.length + 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let n = 0; n < a.length; n++) {
    const [x, y] = [a[n]! - middle, b[n]! - middle];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}
