/** The reranker that keeps the embedder's order. */
import { TOP_K } from '../limits.js';
import type { Reranker } from './reranker.js';

/** Gives every document and passage the same score, so that the similarity decides. */
export function noReranker(): Reranker {
  return {
    name: 'none',
    depth: TOP_K.max,
    score: (_query, documents) => ({
      documents: new Float32Array(documents.length),
      passages: new Float32Array(documents.reduce((sum, { passages }) => sum + passages.length, 0)),
    }),
    scoreFound: (_query, { hits }) => ({
      documents: new Float32Array(hits.docs.length),
      passages: new Float32Array(hits.passages.length),
      read: 0,
    }),
    close: () => {},
  };
}
