/** What a measure of search quality gets and gives. */
import type { Embedder } from '../../src/embed/embedder.js';
import type { Estimate } from '../../src/eval/bootstrap.js';
import type { Figure, Panels, Setting } from '../result.js';
import type { QuestionSet } from './retrieval.js';

export interface ModelUnderTest {
  label: string;
  /** models.json; undefined is what comes with the package. */
  file: string | undefined;
  embedder: Embedder;
  /** Its kind. */
  reranker: string;
}

export interface Context extends Setting {
  underTest: ModelUnderTest[];
  /** A folder of this measure's own, removed when it ends. */
  temporary: string;
  /** Gets documents and questions of retrieval in place of measuring. */
  instead?(sources: readonly string[], sets: readonly QuestionSet[]): Promise<void>;
}

export interface Measure {
  id: string;
  title: string;
  about: string;
  /** Files and folders below the corpora without which nothing can be measured. */
  needs: string[];
  run(context: Context): Promise<Figure[] | Drawn>;
}

/** Figures with what is drawn of them. */
export interface Drawn {
  figures: Figure[];
  panels: Panels[];
}

/** A figure of an estimate. */
export function figureOf(
  place: Pick<Figure, 'measure' | 'metric' | 'variant' | 'model'>,
  { mean, low, high, n }: Estimate,
): Figure {
  return { ...place, value: mean, low, high, n };
}

/** Texts that are embedded at a time. */
const BATCH = 64;

/** Vectors of many texts, one after another. */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  kind: 'query' | 'passage',
): Promise<Float32Array> {
  const out = new Float32Array(texts.length * embedder.dimensions);
  for (let at = 0; at < texts.length; at += BATCH) {
    out.set(await embedder.embed(texts.slice(at, at + BATCH), kind), at * embedder.dimensions);
  }
  return out;
}

/** Inner product of two rows. */
export function dot(a: Float32Array, i: number, b: Float32Array, j: number, dimensions: number): number {
  let sum = 0;
  for (let n = 0; n < dimensions; n++) sum += a[i * dimensions + n]! * b[j * dimensions + n]!;
  return sum;
}
