/** Blocks of generated documents. The seed and the number of a block determine its content. */
import { passagesOf } from '../../src/ingest/passages.js';
import { type DerivingModels, derive, textsOf } from '../../src/ingest/prepare.js';
import type { Patent } from '../../src/patent/record.js';
import { contentHash, type PreparedDocument } from '../../src/store/document.js';
import { Inventions } from './inventions.js';
import { Publications } from './publications.js';
import { below, oneOf, stream } from './random.js';
import type { Measured } from './shape.js';
import { Texts } from './texts.js';
import { LANGUAGES, type Language, type Vocabulary } from './vocabulary.js';

/** Inventions in a block, about 2,000 passages. */
export const BLOCK = 64;
const INVENTION_STREAM = 1;
const QUESTION_STREAM = 2;
/** Share of the questions that are in the language of their target. The others are in a random language. */
const IN_ITS_LANGUAGE = 0.6;

export interface Question {
  text: string;
  language: Language;
  /** The application of the invention that the question is about. */
  target: Patent;
}

export class Blocks {
  readonly #seed: number;
  readonly #inventions: Inventions;
  readonly #texts: Texts;
  readonly #publications: Publications;

  constructor(vocabulary: Vocabulary, measured: Measured, seed: number) {
    this.#seed = seed;
    this.#inventions = new Inventions(vocabulary, measured.texts.subclasses, seed);
    this.#texts = new Texts(vocabulary);
    this.#publications = new Publications(this.#inventions, this.#texts, measured.texts);
  }

  /** The records of a block. */
  patents(block: number): Patent[] {
    const first = block * BLOCK;
    return Array.from({ length: BLOCK }, (_, n) => this.#published(first + n)).flat();
  }

  /** Questions about inventions of the first `blocks` blocks, each with its target. */
  questions(count: number, blocks: number): Question[] {
    return Array.from({ length: count }, (_, n) => {
      const next = stream(this.#seed, QUESTION_STREAM, n);
      const nth = below(next, Math.max(1, blocks) * BLOCK);
      const target = this.#published(nth)[0]!;
      const own = target.language as Language;
      const language = next() < IN_ITS_LANGUAGE ? own : oneOf(next, LANGUAGES);
      const invention = this.#inventions.draw(stream(this.#seed, INVENTION_STREAM, nth));
      return { text: this.#texts.question(next, language, invention), language, target };
    });
  }

  #published(nth: number): Patent[] {
    return this.#publications.of(stream(this.#seed, INVENTION_STREAM, nth), nth);
  }
}

/** Prepares records for a commit as an ingest does: cuts them into passages and embeds them. */
export async function prepared(
  models: DerivingModels,
  patents: readonly Patent[],
): Promise<PreparedDocument[]> {
  const found: PreparedDocument[] = [];
  for (const patent of patents) {
    const passages = passagesOf(patent);
    const derived = await derive(models, textsOf({ patent, passages }));
    found.push({ patent, hash: contentHash(patent), passages, ...derived });
  }
  return found;
}
