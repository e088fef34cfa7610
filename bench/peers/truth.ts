/** Brute force, and the recall of answers against it. It judges every library alike. */
import type { Asked, Case, Exported } from './export.js';

/** Scores that differ by less count as equal: libraries sum in different orders. */
const TIE = 1e-6;

export type Judged = Pick<
  Exported,
  'unit' | 'rows' | 'dimensions' | 'k' | 'vectors' | 'questions' | 'masks' | 'docs'
>;

/** Whether a row passes the filter of a question. */
function passes(
  row: number,
  { mask }: Pick<Asked, 'mask'>,
  { rows, masks }: Pick<Judged, 'rows' | 'masks'>,
): boolean {
  if (mask === undefined) return true;
  return ((masks[mask * Math.ceil(rows / 8) + (row >> 3)]! >> (row & 7)) & 1) === 1;
}

/** Inner product of a row and a question. */
function scoreOf(row: number, question: number, { dimensions, vectors, questions }: Judged): number {
  const [a, b] = [row * dimensions, question * dimensions];
  let [even, odd] = [0, 0];
  let n = 0;
  for (; n + 1 < dimensions; n += 2) {
    even += vectors[a + n]! * questions[b + n]!;
    odd += vectors[a + n + 1]! * questions[b + n + 1]!;
  }
  if (n < dimensions) even += vectors[a + n]! * questions[b + n]!;
  return even + odd;
}

/**
 * The best `k` scores of each question of each case among the rows that pass its filter, in the order of `cases`, by an
 * exact scan of the vectors in float32. If documents are asked for, the best score of each document counts. NaN if fewer
 * pass.
 */
export function bestScores(data: Judged & { cases: readonly Case[] }): Float32Array {
  const { rows, k, cases, unit, docs } = data;
  const grouped = unit === 'documents';
  const count = cases.reduce((sum, { asked }) => sum + asked.length, 0);
  const found = new Float32Array(count * k).fill(Number.NaN);
  /** Where the answer to each question is written, with its filter. */
  const places = new Map<number, { at: number; one: Asked }[]>();
  let at = 0;
  for (const { asked } of cases) {
    for (const one of asked) {
      const list = places.get(one.question) ?? places.set(one.question, []).get(one.question)!;
      list.push({ at: at++ * k, one });
    }
  }
  const scores = new Float32Array(rows);
  for (const [question, list] of places) {
    for (let row = 0; row < rows; row++) scores[row] = scoreOf(row, question, data);
    for (const { at: start, one } of list) {
      const best = new Best(k);
      let document = Number.NEGATIVE_INFINITY;
      for (let row = 0; row < rows; row++) {
        if (passes(row, one, data)) document = Math.max(document, scores[row]!);
        if (grouped && row + 1 < rows && docs[row + 1] === docs[row]) continue;
        if (document > best.least) best.add(document);
        document = Number.NEGATIVE_INFINITY;
      }
      found.set(best.scores, start);
    }
  }
  return found;
}

/** The best `k` of the scores that it was given, in descending order. */
class Best {
  readonly scores: number[] = [];
  readonly #k: number;

  constructor(k: number) {
    this.#k = k;
  }

  /** A score must exceed it to be added. */
  get least(): number {
    return this.scores.length < this.#k ? Number.NEGATIVE_INFINITY : this.scores[this.#k - 1]!;
  }

  add(score: number): void {
    let at = this.scores.length;
    while (at > 0 && this.scores[at - 1]! < score) at--;
    this.scores.splice(at, 0, score);
    this.scores.length = Math.min(this.scores.length, this.#k);
  }
}

/** A library returned a row that it must not return. Its figures of that case are not used. */
export class ForbiddenRow extends Error {}

/**
 * Share of the best `depth` rows that are among the first `depth` of an answer. A row counts if its score reaches that of
 * the last of them. Fewer than `depth` count if fewer rows pass the filter.
 * @param answer rows, best first; a negative number ends it
 * @param truth the best scores, descending, then NaN
 * @throws ForbiddenRow if the answer has a row twice, one that is none, one that the filter forbids, or, if documents are
 * asked for, two of one document
 */
export function recallOf(
  answer: ArrayLike<number>,
  truth: ArrayLike<number>,
  one: Pick<Asked, 'question' | 'mask'>,
  depth: number,
  data: Judged,
): number {
  let wanted = 0;
  while (wanted < Math.min(depth, truth.length) && !Number.isNaN(truth[wanted]!)) wanted++;
  if (wanted === 0) throw new Error('no row passes the filter');
  const least = truth[wanted - 1]! - TIE;
  const seen = new Set<number>();
  let good = 0;
  for (let n = 0; n < answer.length && answer[n]! >= 0; n++) {
    const row = answer[n]!;
    if (row >= data.rows) throw new ForbiddenRow(`row ${row} of ${data.rows}`);
    const grouped = data.unit === 'documents';
    const result = grouped ? data.docs[row]! : row;
    if (seen.has(result)) throw new ForbiddenRow(`${grouped ? 'document' : 'row'} ${result} twice`);
    if (!passes(row, one, data)) throw new ForbiddenRow(`row ${row}, which the filter forbids`);
    seen.add(result);
    if (n < wanted && scoreOf(row, one.question, data) >= least) good += 1;
  }
  return good / wanted;
}
