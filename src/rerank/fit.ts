/** The fitted parameters of late interaction over the static model. */
import type { RerankFit } from '../index/native.js';

/** Shares of the parts of late interaction, and of the signals that a search adds. */
export interface ServedFit extends RerankFit {
  /** Share of a passage's similarity, its inner product with the question. */
  similarity: number;
  /**
   * Bonus of a document in another language than the question. Its pieces have no exact matches, so that late
   * interaction scores it about .2 lower than an equally relevant document in the question's language.
   */
  foreign: number;
}

/**
 * `npm run bench -- rerank-fit` fits these values. Passage, title, abstract and rarity were chosen on version 1 of the
 * model and kept since: the optimum is flat. `similarity` and `foreign` were chosen on version 3, on citations, KIPRIS
 * in a mixed pool, papers and fixtures, with 200 documents reranked: .5 to 1 and .04 to .06 score about the same.
 */
export const FIT: ServedFit = {
  passage: { partners: 1, cosine: 0.7 },
  title: { partners: 0.7, cosine: 0.7 },
  abstract: { partners: 0, cosine: 0.3 },
  rarity: 2,
  similarity: 0.75,
  foreign: 0.05,
};
