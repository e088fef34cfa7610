/** What late interaction over the static model is fitted to. */
import type { RerankFit } from '../index/native.js';

/** The mixture of late interaction, and what a search adds to it. */
export interface ServedFit extends RerankFit {
  /** Share of a passage's similarity, the inner product that the search found it by. */
  similarity: number;
  /**
   * Added to a document in another language than the question: its pieces find no exact partners, so that late
   * interaction gives it about .2 less than an equally relevant document in the question's language.
   */
  foreign: number;
}

/**
 * `npm run bench -- rerank-fit` tries mixtures. Passage, title, abstract and rarity were chosen on version 1 of the
 * model and kept since: the optimum is flat. `similarity` and `foreign` were chosen on version 3, on citations, KIPRIS
 * in a mixed pool, papers and fixtures, with 200 documents reranked: .5 to 1 and .04 to .06 do about the same.
 */
export const FIT: ServedFit = {
  passage: { partners: 1, cosine: 0.7 },
  title: { partners: 0.7, cosine: 0.7 },
  abstract: { partners: 0, cosine: 0.3 },
  rarity: 2,
  similarity: 0.75,
  foreign: 0.05,
};
