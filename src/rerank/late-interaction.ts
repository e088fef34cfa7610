/**
 * Late interaction, in Rust: each token of the question looks for its best partner in the passage, and rare
 * tokens weigh more. It sees the single words that a passage's one vector blurs.
 */
import { calling, type NativeStaticModel, type RerankFit } from '../index/native.js';
import { FIT } from './fit.js';
import type { FoundDocuments, Reranker, RerankScores } from './reranker.js';

/**
 * By the pieces of a static model, whose partners are found across languages; title, abstract and the cosine
 * of the whole texts count too. Scores out of the segments' token bags; of documents that have none, or those of
 * another model, it reads the texts. Closing the reranker closes its handle of the model.
 */
export function staticReranker(model: NativeStaticModel, fit: RerankFit = FIT): Reranker {
  const { bagsModel } = model;
  const scoreFound = (query: string, found: FoundDocuments): RerankScores => {
    const { native, hits } = found;
    const texts = Array.from(native.withoutBags(hits.docs, bagsModel), (n) => found.texts(n));
    return { ...model.lateInteractionFound(query, native, hits, texts, fit), read: texts.length };
  };
  return {
    name: 'late-interaction-static',
    score: (query, documents) => calling(() => model.lateInteraction(query, documents, fit)),
    scoreFound: (query, found) => calling(() => scoreFound(query, found)),
    bags: { model: bagsModel, of: (texts) => calling(() => model.bags(texts)) },
    close: () => model.close(),
  };
}
