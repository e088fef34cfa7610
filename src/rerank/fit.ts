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

/** The shares for questions of a few pieces, and for longer ones. */
export interface FitByLength {
  short: ServedFit;
  longer: ServedFit;
}

/** Pieces of the model up to which a question is short: a term of one to three words. */
export const SHORT_PIECES = 6;
/** UTF-16 units of a short question, at most. Longer ones have more pieces, and need not be cut. */
export const SHORT_UNITS = 60;

/**
 * For short questions. Chosen on version 4 of the model, on the fitted halves of exact questions, terms and subjects, and on citations (`npm run bench
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

/**
 * For longer questions, in which the matches of single pieces say less. Chosen on titles that ask for a Korean document, and on
 * citations. With the shares for short questions, .803 instead of .814 of these titles have their document first, and recall@10 and
 * recall@100 of citations are .155 and .380 instead of .159 and .382. With these shares for all questions, terms have .843 instead of
 * .876 of their documents among the first ten. From 6 to 12 pieces as the limit, the figures are within .008.
 */
export const FIT_LONGER: ServedFit = {
  ...FIT,
  passage: { partners: 1.2, cosine: 0.4 },
  title: { partners: 0.8, cosine: 0.4 },
};
