/** The interface of every reranker. */

import type {
  DocumentTexts,
  LateInteractionScores,
  NativeSnapshot,
  RerankDocument,
  SearchHits,
  TokenBags,
} from '../index/native.js';

export type { RerankDocument };

export interface RerankScores extends LateInteractionScores {
  /**
   * Number of documents, from the first, that were scored before the deadline. Absent: all. The others keep their order
   * behind these; their entries in the arrays are ignored.
   */
  scored?: number;
  /** Number of documents whose texts were read, because segments hold no bags for this reranker. Absent: all. */
  read?: number;
}

/** Time limits of a reranker. */
export interface RerankLimits {
  /** Fires when the scores are no longer needed; the call then rejects. */
  signal?: AbortSignal | undefined;
  /** Milliseconds since 1970 (`Date.now()`) when scoring stops; documents not yet scored stay without a score. */
  deadline?: number | undefined;
}

/** The documents that a search found, best first. Readable until the caller next awaits. */
export interface FoundDocuments {
  readonly native: NativeSnapshot;
  readonly hits: SearchHits;
  /**
   * For each document 1 if its best passage is in another language than the question, else 0. Absent: the embedder's
   * vectors do not encode languages.
   */
  foreign?(question: string): Uint8Array;
  /** Reads the texts of the nth document. */
  texts(n: number): RerankDocument;
}

export interface Reranker {
  readonly name: string;
  /** Number of documents that are scored, the most similar ones. The others keep their order by similarity. */
  readonly depth: number;
  /** Requests that a worker should have in flight; absent: 1. */
  readonly concurrency?: number;
  /**
   * Scores documents and their passages against a query. Greater is better; only the order has a meaning. Documents are
   * passed in order of similarity. Several calls may be in flight at once.
   */
  score(
    query: string,
    documents: RerankDocument[],
    limits?: RerankLimits,
  ): RerankScores | Promise<RerankScores>;
  /**
   * The synchronous form of `score`, from the token bags in the segments. It reads only the texts that it needs. Absent:
   * the texts of all candidates are read for `score`.
   */
  scoreFound?(query: string, found: FoundDocuments): RerankScores;
  /**
   * With `scoreFound`: it scores in two rounds. The first scores all documents by this number of their nearest passages,
   * the second the best `documents` of them by all passages that a result shows. The second must not lower a score.
   * Absent: one round by all these passages.
   */
  readonly rounds?: { readonly passages: number; readonly documents: number };
  /** Whether its scores are on the scale for which the weight of the lexical score was fitted (search/fusion.ts). */
  readonly takesWords?: true;
  /** Token bags that segments store of each document for this reranker. */
  readonly bags?: { readonly model: string; of(texts: DocumentTexts): TokenBags };
  close(): void | Promise<void>;
}
