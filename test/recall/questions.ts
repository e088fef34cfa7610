/** Questions for recall tests. */
import { loadModels } from '../../src/models/load.js';
import type { Patent } from '../../src/patent/record.js';
import { random } from '../crash/folder.js';

export const { embedder } = await loadModels();

/** A question with the patent that it asks about. */
export interface Question {
  vector: Float32Array;
  patent: Patent;
}

/** Titles of random patents, in the languages that a record has, as questions. */
export async function titleQuestions(
  patents: readonly Patent[],
  count: number,
  seed: number,
): Promise<Question[]> {
  const next = random(seed);
  const titles = patents.flatMap((patent) =>
    [patent.title, ...Object.values(patent.titles ?? {})].flatMap((title) =>
      title ? [{ title, patent }] : [],
    ),
  );
  const questions: Question[] = [];
  for (let n = 0; n < count; n++) {
    const { title, patent } = titles[Math.floor(next() * titles.length)]!;
    questions.push({ vector: await embedder.embed([title], 'query'), patent });
  }
  return questions;
}
