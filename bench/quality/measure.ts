/** Input and output of a measure of search quality. */
import type { Embedder } from '../../src/embed/embedder.js';
import { type Estimate, estimate } from '../../src/eval/bootstrap.js';
import type { Figure, Panels, Setting } from '../result.js';
import type { QuestionSet } from './retrieval.js';

export interface ModelUnderTest {
  label: string;
  /** models.json; undefined: the models of the package. */
  file: string | undefined;
  embedder: Embedder;
  /** Kind of the reranker. */
  reranker: string;
}

export interface Context extends Setting {
  underTest: ModelUnderTest[];
  /** Temporary folder of the measure, removed at its end. */
  temporary: string;
  /** Called with documents and questions of a retrieval measure, instead of measuring. */
  instead?(sources: readonly string[], sets: readonly QuestionSet[]): Promise<void>;
}

export interface Measure {
  id: string;
  title: string;
  about: string;
  /** Required files and folders, relative to the corpora. */
  needs: string[];
  run(context: Context): Promise<Figure[] | Drawn>;
}

/** Figures and their charts. */
export interface Drawn {
  figures: Figure[];
  panels: Panels[];
}

/** Converts an estimate to a figure. */
export function figureOf(
  place: Pick<Figure, 'measure' | 'metric' | 'variant' | 'model'>,
  { mean, low, high, n }: Estimate,
): Figure {
  return { ...place, value: mean, low, high, n };
}

/**
 * Figures of an engine, by similarity alone ("dense") and as a search answers ("reranked").
 * @param scoresOf scores of the questions by metric, with or without reranking
 */
export async function bothVariants(
  measure: string,
  scoresOf: (rerank: boolean) => Promise<Record<string, number[]>>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [variant, rerank] of [
    ['dense', false],
    ['reranked', true],
  ] as const) {
    for (const [metric, values] of Object.entries(await scoresOf(rerank))) {
      figures.push(figureOf({ measure, metric, variant, model: 'default' }, estimate(values)));
    }
  }
  return figures;
}

/** Texts embedded at once. */
const BATCH = 64;

/** Embeds texts in batches. */
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
