/** What late interaction over the static model is fitted to. */
import type { RerankFit } from '../index/native.js';

/**
 * Chosen on version 1 of the model among the mixtures that `npm run bench -- rerank-fit` tries, kept for versions 2 and 3.
 * The optimum is flat, and only the order of documents depends on it. Fitted anew for version 3 on half of the questions,
 * KIPRIS in the pool of mixed languages, more weight on titles finds translated titles better (nDCG@10 .893 for .855 on
 * the other half) and loses papers among abstracts (.933 for .952) and what examiners cited (.522 for .577, 12 questions).
 */
export const FIT: RerankFit = {
  passage: { partners: 1, cosine: 0.7 },
  title: { partners: 0.7, cosine: 0.7 },
  abstract: { partners: 0, cosine: 0.3 },
  rarity: 2,
};
