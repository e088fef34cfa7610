/** What late interaction over the static model is fitted to. */
import type { RerankFit } from '../index/native.js';

/**
 * Chosen on version 1 of the model among the mixtures that `npm run bench -- rerank-fit` tries, kept for version 2: over
 * whole sets it is worse than the similarity alone only for questions that repeat a title word for word (nDCG@10 .976
 * for .981) and, within chance, for papers among full texts (.978 for .985). More weight on titles, which a fit anew on
 * half of the questions asks for, finds translated titles better still (.872 for .825) and loses in abstracts (.875 for
 * .892) and full texts (.950 for .966). The optimum is flat, and only the order of documents depends on it.
 */
export const FIT: RerankFit = {
  passage: { partners: 1, cosine: 0.7 },
  title: { partners: 0.7, cosine: 0.7 },
  abstract: { partners: 0, cosine: 0.3 },
  rarity: 2,
};
