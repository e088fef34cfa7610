/** What every embedding model offers, whether it is a table, an ONNX graph or a server. */
import type { DocumentTexts, TokenBags } from '../index/native.js';
import type { Calibration } from './calibration.js';
import type { Language } from './languages.js';

export interface Embedder {
  /** Stable name and version: an index belongs to exactly one. */
  readonly name: string;
  readonly version: string;
  readonly dimensions: number;
  /** How a cosine becomes the similarity shown. */
  readonly calibration: Calibration;
  /** Whether the calibration was measured for this model; else it is the neutral one of calibration.ts. */
  readonly calibrated: boolean;
  /**
   * How much higher the scores of a question are than those of an average one, whatever it is compared with: short and
   * general questions are near to more. The similarity shown makes up for it. Absent: 0.
   * @param question a vector that `embed` gave for a query
   */
  level?(question: Float32Array): number;
  /**
   * The vector of a passage in the n-th of these languages has its greatest number, of the dimensions from `first` on that
   * belong to languages, at `first + n`. Absent: vectors do not tell languages.
   */
  readonly languages?: { readonly first: number; readonly names: readonly Language[] };
  /**
   * Requests that a worker should have in flight, so that a model that computes batches sees several texts at
   * once. Absent: 1.
   */
  readonly concurrency?: number;
  /**
   * One L2-normalised vector a text, row after row (texts × dimensions). A text with nothing to embed gives
   * the zero vector. Text beyond the model's window is embedded in windows and pooled. Several calls may be in
   * flight at once.
   * @param titles of the patent whose passages the texts are: a claim rarely says what it is about. A model
   *   may let them colour each passage; others pass them over.
   * @param signal fires when nobody waits for the vectors any more
   */
  embed(
    texts: readonly string[],
    kind: 'query' | 'passage',
    titles?: string,
    signal?: AbortSignal,
  ): Float32Array | Promise<Float32Array>;
  /**
   * Vectors of a document's passages and, of the same pass over the texts, its token bags: where a reranker of
   * the same model, told by `model`, keeps these.
   */
  readonly bags?: {
    readonly model: string;
    embed(texts: DocumentTexts): { vectors: Float32Array; bags: TokenBags };
  };
  close(): void | Promise<void>;
}
