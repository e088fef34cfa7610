/** The generated folders for benchmarks. Built on first use and kept beside the results. */
import { join } from 'node:path';
import { ROOT } from '../machine.js';
import { Blocks, type Question } from './blocks.js';
import { buildCorpus, type CorpusState } from './build.js';
import { readMeasured } from './shape.js';
import { readVocabulary } from './vocabulary.js';

const SEED = 1;

export interface Corpus {
  dir: string;
  /** `100k`, `1M`. */
  name: string;
  state: CorpusState;
}

export function sizeName(passages: number): string {
  return passages >= 1e6 ? `${passages / 1e6}M` : `${passages / 1e3}k`;
}

/** A folder of `passages` passages. Completes an unfinished one. */
export async function cachedCorpus(passages: number, progress: (text: string) => void): Promise<Corpus> {
  const name = sizeName(passages);
  const dir = join(ROOT, '.bench', `corpus-${name}`);
  let shown = Date.now();
  const state = await buildCorpus({
    dir,
    passages,
    seed: SEED,
    progress: (text) => {
      if (Date.now() - shown < 10_000) return;
      shown = Date.now();
      progress(`corpus ${name}: ${text}`);
    },
  });
  return { dir, name, state };
}

/** Questions about the documents of a folder, the same in every run. */
export function questionsFor({ state }: Corpus, count: number): Question[] {
  const blocks = new Blocks(readVocabulary(), readMeasured(), SEED);
  return blocks.questions(count, state.blocks);
}
