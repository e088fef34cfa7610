/** Pairs for a calibration: from judged questions and a data folder, or from a table of texts with labels. */
import type { Embedder } from '../embed/embedder.js';
import { PriorartError } from '../errors.js';
import { calling } from '../index/native.js';
import { openSnapshot } from '../index/segment.js';
import { clausesOf } from '../search/filter.js';
import type { Store } from '../store/store.js';
import { Pairs } from './calibration-fit.js';
import type { Judgements } from './judgements.js';
import type { TrecQuestion } from './trec.js';

/** Selects all patents and utility models; an application and its grant count as one. */
const EVERYTHING = { docType: 'all', includeUtilityModel: true, dates: {}, values: {} } as const;

/**
 * Scores every document of a folder exactly against each question with a relevant document. Documents without a judgement
 * count as not relevant, so that incomplete judgements make the midpoint stricter.
 */
export async function pairsOfFolder(
  store: Store,
  embedder: Embedder,
  questions: readonly TrecQuestion[],
  judgements: Judgements,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<Pairs> {
  const pairs = new Pairs();
  const { native, manifest } = openSnapshot(store);
  try {
    const selection = calling(() => native.select(clausesOf(EVERYTHING, store)));
    const documents = selection.docs.reduce((sum, count) => sum + count, 0);
    const options = { documents, chunks: 1, dedupe: true, minScore: -2 };
    const scans = manifest.segments.map(() => ({}));
    for (const [n, { id, text }] of questions.entries()) {
      onProgress(n, questions.length);
      const relevant = judgements.relevantDocuments(id);
      if (relevant.size === 0) continue;
      const vector = await embedder.embed([text], 'query');
      const level = embedder.level?.(vector) ?? 0;
      const hits = calling(() => native.search(vector, selection, scans, options));
      const { docs } = hits;
      const scores = hits.scores.map((score) => score - level);
      const wanted = (_: number, at: number) => relevant.has(docs[at]!);
      const others = (_: number, at: number) => !relevant.has(docs[at]!);
      pairs.add(id, scores.filter(wanted), scores.filter(others));
    }
  } finally {
    native.close();
  }
  return pairs;
}

/** A question, a text, and whether the text answers it. */
export interface LabelledPair {
  question: string;
  passage: string;
  relevant: boolean;
}

/**
 * Reads `question<TAB>text<TAB>label`, the label 0 or 1.
 * @throws PriorartError `invalid_request` with file and line
 */
export function parsePairs(text: string, file: string): LabelledPair[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, n) => {
    if (line.trim() === '') return [];
    const [question = '', passage = '', label = '', ...more] = line.split('\t').map((field) => field.trim());
    if (question && passage && /^[01]$/.test(label) && more.length === 0) {
      return [{ question, passage, relevant: label === '1' }];
    }
    throw new PriorartError(
      'invalid_request',
      `${file}, line ${n + 1}: got ${JSON.stringify(line.slice(0, 80))}; expected question<TAB>text<TAB>0 or 1`,
    );
  });
}

/** Texts embedded at once. */
const BATCH = 64;

/**
 * Pairs of a table. Lines with the same question belong together. Texts that are not relevant represent the other
 * documents of a pool: their number for each relevant text affects the threshold.
 */
export async function pairsOfTable(
  embedder: Embedder,
  table: readonly LabelledPair[],
  onProgress: (done: number, of: number) => void = () => {},
): Promise<Pairs> {
  const pairs = new Pairs();
  for (let at = 0; at < table.length; at += BATCH) {
    onProgress(at, table.length);
    const batch = table.slice(at, at + BATCH);
    const asked = await embedder.embed(
      batch.map(({ question }) => question),
      'query',
    );
    const texts = await embedder.embed(
      batch.map(({ passage }) => passage),
      'passage',
    );
    for (const [n, pair] of batch.entries()) {
      const question = asked.subarray(n * embedder.dimensions, (n + 1) * embedder.dimensions);
      const level = embedder.level?.(question) ?? 0;
      const cosine = dot(asked, texts, n * embedder.dimensions, embedder.dimensions) - level;
      pairs.add(pair.question, pair.relevant ? [cosine] : [], pair.relevant ? [] : [cosine]);
    }
  }
  return pairs;
}

function dot(a: Float32Array, b: Float32Array, from: number, count: number): number {
  let sum = 0;
  for (let n = from; n < from + count; n++) sum += a[n]! * b[n]!;
  return sum;
}
