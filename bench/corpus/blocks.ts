/** Blocks of documents, each the same whoever makes it and whatever was made before. */
import { passagesOf } from '../../src/ingest/passages.js';
import { type DerivingModels, derive, textsOf } from '../../src/ingest/prepare.js';
import type { Patent } from '../../src/patent/record.js';
import { contentHash, type PreparedDocument } from '../../src/store/document.js';
import { Inventions } from './inventions.js';
import { Publications } from './publications.js';
import { stream } from './random.js';
import type { Measured } from './shape.js';
import { Texts } from './texts.js';
import type { Vocabulary } from './vocabulary.js';

/** Inventions of a block: some 2,000 passages. */
export const BLOCK = 64;
const INVENTION_STREAM = 1;

export class Blocks {
  readonly #seed: number;
  readonly #publications: Publications;

  constructor(vocabulary: Vocabulary, measured: Measured, seed: number) {
    this.#seed = seed;
    const inventions = new Inventions(vocabulary, measured.texts.subclasses, seed);
    this.#publications = new Publications(inventions, new Texts(vocabulary), measured.texts);
  }

  /** The records of a block. */
  patents(block: number): Patent[] {
    const first = block * BLOCK;
    return Array.from({ length: BLOCK }, (_, n) => first + n).flatMap((nth) =>
      this.#publications.of(stream(this.#seed, INVENTION_STREAM, nth), nth),
    );
  }
}

/** Records ready to be committed: cut into passages and embedded, as an ingest does it. */
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
