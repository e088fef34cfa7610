/** The interface of every embedding model: static table, ONNX graph or server. */
import type { DocumentTexts, TokenBags } from '../index/native.js';
import type { Calibration } from './calibration.js';
import type { Language } from './languages.js';

export interface Embedder {
  /** Stable name and version: an index belongs to exactly one. */
  readonly name: string;
  readonly version: string;
  readonly dimensions: number;
  /** Converts a cosine to the similarity shown. */
  readonly calibration: Calibration;
  /** Whether the calibration was measured for this model. If not, it is the neutral one of calibration.ts. */
  readonly calibrated: boolean;
  /**
   * How much higher the scores of a question are than those of an average question: short and general questions are
   * close to more texts. The similarity shown corrects for it. Absent: 0.
   * @param question a vector that `embed` gave for a query
   */
  level?(question: Float32Array): number;
  /**
   * Dimensions that encode a passage's language. Each language has one dimension, from `first` on, in the order of
   * `names`. The largest of them is that of the passage's language. Absent: vectors do not encode languages.
   */
  readonly languages?: { readonly first: number; readonly names: readonly Language[] };
  /**
   * Requests that a worker should have in flight, so that a model that computes in batches gets several texts at once.
   * Absent: 1.
   */
  readonly concurrency?: number;
  /**
   * Embeds texts: one L2-normalised vector per text, row after row (texts × dimensions). A text with nothing to embed
   * gives the zero vector. A text longer than the model's window is embedded in windows, which are pooled. Several
   * calls may be in flight at once.
   * @param titles of the patent that the passages belong to: a claim rarely states its subject. A model may add them to
   *   each passage or ignore them.
   * @param signal fires when the vectors are no longer needed
   */
  embed(
    texts: readonly string[],
    kind: 'query' | 'passage',
    titles?: string,
    signal?: AbortSignal,
  ): Float32Array | Promise<Float32Array>;
  /**
   * Computes the vectors of a document's passages and its token bags in one pass over the texts. Used if the reranker
   * stores bags of the same `model`.
   */
  readonly bags?: {
    readonly model: string;
    embed(texts: DocumentTexts): { vectors: Float32Array; bags: TokenBags };
  };
  close(): void | Promise<void>;
}
