/** What every reranker offers. */

import type {
  DocumentTexts,
  NativeSnapshot,
  RerankDocument,
  RerankScores as Scores,
  SearchHits,
  TokenBags,
} from '../index/native.js';

export type { RerankDocument };

export interface RerankScores extends Scores {
  /**
   * Documents that were scored before the deadline, from the first on; absent: all. The others keep their order
   * behind these, whatever stands in the arrays for them.
   */
  scored?: number;
  /** Documents of which the segments keep nothing for this reranker, so that it read their texts; absent: all. */
  read?: number;
}

/** How long a reranker may take. */
export interface RerankLimits {
  /** Fires when nobody waits for the scores any more; the call rejects then. */
  signal?: AbortSignal | undefined;
  /** Milliseconds since 1970 (`Date.now()`) by which the scores are wanted, as many as there are by then. */
  deadline?: number | undefined;
}

/** The documents that a search found, best first, while its state can be read: until the caller awaits. */
export interface FoundDocuments {
  readonly native: NativeSnapshot;
  readonly hits: SearchHits;
  /**
   * For each document 1 if its best passage is in another language than the question, else 0. Absent: the embedder's
   * vectors do not tell languages.
   */
  foreign?(question: string): Uint8Array;
  /** Reads the texts of one. */
  texts(n: number): RerankDocument;
}

export interface Reranker {
  readonly name: string;
  /** Documents of a search that it scores, the nearest ones; those behind them keep their order by similarity. */
  readonly depth: number;
  /** Requests that a worker should have in flight; absent: 1. */
  readonly concurrency?: number;
  /**
   * Scores documents and their passages against a query; greater is better, only the order means something.
   * Documents come in their order by similarity. Several calls may be in flight at once.
   */
  score(
    query: string,
    documents: RerankDocument[],
    limits?: RerankLimits,
  ): RerankScores | Promise<RerankScores>;
  /**
   * The same at once, out of what the segments keep: without it, the texts of all candidates are read for
   * `score`; with it, those that it asks for.
   */
  scoreFound?(query: string, found: FoundDocuments): RerankScores;
  /** What the segments are to keep of a document for it. */
  readonly bags?: { readonly model: string; of(texts: DocumentTexts): TokenBags };
  close(): void | Promise<void>;
}
