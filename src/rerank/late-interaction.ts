/**
 * Late interaction, in Rust: each token of the question is matched with the most similar token of the passage, and rare
 * tokens weigh more. It compares single words, which one vector for a whole passage cannot.
 */
import { calling, type NativeStaticModel, type SearchHits } from '../index/native.js';
import { RERANK_DEPTH, RERANK_ROUNDS } from '../limits.js';
import { bestOfPassages } from './best-passages.js';
import { FIT, FIT_LONGER, type FitByLength, type ServedFit, SHORT_PIECES, SHORT_UNITS } from './fit.js';
import type { FoundDocuments, Reranker, RerankScores } from './reranker.js';

/**
 * A reranker by the pieces of a static model, which match across languages. Title, abstract and the cosine of the whole
 * texts count too. It scores from the segments' token bags. It reads the texts of documents without bags of this model.
 * Closing the reranker closes its handle of the model.
 */
export function staticReranker(
  model: NativeStaticModel,
  fits: FitByLength = { short: FIT, longer: FIT_LONGER },
): Reranker {
  const { bagsModel } = model;
  const isShort = (query: string) =>
    query.length <= SHORT_UNITS && model.tokenize([query]).ids.length <= SHORT_PIECES;
  const fitFor = (query: string) => (isShort(query) ? fits.short : fits.longer);
  const scoreFound = (query: string, found: FoundDocuments): RerankScores => {
    const { native, hits } = found;
    const fit = fitFor(query);
    const texts = Array.from(native.withoutBags(hits.docs, bagsModel), (n) => found.texts(n));
    const { passages } = model.lateInteractionFound(query, native, hits, texts, fit);
    return { ...withSimilarity(passages, hits, found.foreign?.(query), fit), read: texts.length };
  };
  return {
    name: 'late-interaction-static',
    depth: RERANK_DEPTH.lateInteraction,
    takesWords: true,
    rounds: RERANK_ROUNDS,
    score: (query, documents) => calling(() => model.lateInteraction(query, documents, fitFor(query))),
    scoreFound: (query, found) => calling(() => scoreFound(query, found)),
    bags: { model: bagsModel, of: (texts) => calling(() => model.bags(texts)) },
    close: () => model.close(),
  };
}

/**
 * Adds to the scores of late interaction a share of the similarity, and a bonus for documents in another language. The
 * score of a document is that of its best passage.
 * @param foreign for each document 1 if it is in another language than the question; undefined if the languages are
 *   unknown: then similarities have no common scale either, and the scores stay as they are
 */
export function withSimilarity(
  partners: Float32Array,
  { docs, passageAt, passageScores }: Pick<SearchHits, 'docs' | 'passageAt' | 'passageScores'>,
  foreign: Uint8Array | undefined,
  fit: ServedFit = FIT,
): { documents: Float32Array; passages: Float32Array } {
  if (!foreign) return { documents: bestOfPassages(partners, passageAt), passages: partners };
  const passages = new Float32Array(partners.length);
  for (let n = 0; n < docs.length; n++) {
    for (let at = passageAt[n]!; at < passageAt[n + 1]!; at++)
      passages[at] = partners[at]! + fit.similarity * passageScores[at]! + fit.foreign * foreign[n]!;
  }
  return { documents: bestOfPassages(passages, passageAt), passages };
}
