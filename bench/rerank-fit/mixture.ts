/** Optimises the mixture on cases: coordinate ascent over steps, from the current fit. */
import { ndcg, reciprocalRank } from '../../src/eval/measures.js';
import type { ServedFit } from '../../src/rerank/fit.js';
import { type Case, type CaseSet, RARITIES } from './cases.js';

/** Values to try for each share. The matches of the passage have the share 1. */
const STEPS = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2];
/** Values to try for the bonus of a document in another language than the question. */
const STEPS_FOREIGN = [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15];
const PARTS = ['passage', 'title', 'abstract'] as const;

/** Orders the links by a fit. Only the first `depth` candidates by similarity are reordered. */
export function order(of: Case, fit: ServedFit, depth: number): string[] {
  const rarity = RARITIES.indexOf(fit.rarity);
  const partners = of.partners[rarity]!;
  const shares = PARTS.map((part) => fit[part]);
  const count = Math.min(depth, of.links.length);
  const scores = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < count; n++) {
    for (let at = of.starts[n]!; at < of.starts[n + 1]!; at++) {
      let score = fit.similarity * of.similarities[at]! + fit.foreign * of.foreign[n]!;
      for (const [part, share] of shares.entries()) {
        score += share.partners * partners[part]![at]! + share.cosine * of.cosines[part]![at]!;
      }
      if (score > scores[n]!) scores[n] = score;
    }
  }
  const places = Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]!);
  return [...places.map((n) => of.links[n]!), ...of.links.slice(count)].filter((link) => link !== '');
}

/** nDCG@10 and reciprocal rank of a case. */
export function quality(of: Case, fit: ServedFit | undefined, depth: number): { ndcg: number; mrr: number } {
  const links = fit ? order(of, fit, depth) : of.links.filter((link) => link !== '');
  return { ndcg: ndcg(links, of.grades, 10), mrr: reciprocalRank(links, of.grades) };
}

const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/**
 * The objective of the fit: the mean of the sets' means, weighted by the square root of their sizes, because the error of
 * a mean falls with it. With equal weights, two sets of two questions would outweigh a set of a thousand.
 */
export function objective(sets: readonly CaseSet[], fit: ServedFit, depth: number): number {
  let [sum, total] = [0, 0];
  for (const { cases } of sets) {
    const weight = Math.sqrt(cases.length);
    sum += weight * mean(cases.map((of) => quality(of, fit, depth).ndcg));
    total += weight;
  }
  return sum / total;
}

/** The local optimum of changing one number at a time. */
export function ascend(sets: readonly CaseSet[], start: ServedFit, depth: number): ServedFit {
  let best = start;
  let value = objective(sets, best, depth);
  const attempt = (fit: ServedFit) => {
    const reached = objective(sets, fit, depth);
    if (reached > value + 1e-6) [best, value] = [fit, reached];
  };
  for (let before = Number.NEGATIVE_INFINITY; value > before; ) {
    before = value;
    for (const rarity of RARITIES) attempt({ ...best, rarity });
    for (const similarity of STEPS) attempt({ ...best, similarity });
    for (const foreign of STEPS_FOREIGN) attempt({ ...best, foreign });
    for (const part of PARTS) {
      for (const field of ['partners', 'cosine'] as const) {
        if (part === 'passage' && field === 'partners') continue;
        for (const step of STEPS) attempt({ ...best, [part]: { ...best[part], [field]: step } });
      }
    }
  }
  return best;
}
