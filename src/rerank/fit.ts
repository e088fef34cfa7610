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
 * Chosen on version 4 of the model, on the fitted halves of exact questions, terms and subjects, and on citations (`npm run bench
 * -- quality`; `rerank-fit` fits them on fixtures). The partners' shares were 1 and .7 and the cosines' .7 before. With them, exact
 * questions have an nDCG of .943 instead of .965, terms .851 instead of .890; subjects and citations differ by .006 at most.
 * With the shares before, citations score about the same for `similarity` from .4 to 1.25 and for `foreign` from .03 to .08.
 */
export const FIT: ServedFit = {
  passage: { partners: 1.5, cosine: 0.4 },
  title: { partners: 1, cosine: 0.4 },
  abstract: { partners: 0, cosine: 0.2 },
  rarity: 2,
  similarity: 0.75,
  foreign: 0.05,
};
