/** What a document is about: a field, a topic in it, and concepts of its own. */
import { Alias, below, oneOf, type Random, stream, zipf } from './random.js';
import { NEAR, type Vocabulary } from './vocabulary.js';

export interface Topic {
  /** `H01M`. */
  subclass: string;
  /** `10` of `H01M 10/0525`. */
  group: number;
}

export interface Invention extends Topic {
  /** Most important first. */
  concepts: number[];
  /** From 0 to 1: whether all of it is about one thing, or much of it about other things. */
  unity: number;
  /** What its author's choice of ordinary words is drawn from. */
  style: number;
}

/** Choices that make vectors lie as real ones do; `--only statistics` of the benchmark shows how well they do. */
const FIELD_ANCHORS = 5;
const FIELD_CONCEPTS = 140;
const GROUPS = 16;
const GROUP_ANCHORS = 3;
const GROUP_CONCEPTS = 32;
/** Of an invention that is about one thing, and so many more of one about many. */
const OWN_CONCEPTS = { least: 10, more: 80 };
/** Of an invention's concepts: those of its topic, of its field; the rest are any. */
const OF_GROUP = 0.78;
const OF_FIELD = 0.14;

/** Streams of random numbers: what is drawn of one does not shift another. */
const FIELD_STREAM = 11;
const GROUP_STREAM = 12;

export class Inventions {
  readonly #vocabulary: Vocabulary;
  readonly #seed: number;
  readonly #codes: string[];
  readonly #subclasses: Alias;
  readonly #fields = new Map<number, number[]>();
  readonly #groups = new Map<number, { number: number; concepts: number[] }>();

  constructor(vocabulary: Vocabulary, subclasses: Readonly<Record<string, number>>, seed: number) {
    this.#vocabulary = vocabulary;
    this.#seed = seed;
    this.#codes = Object.keys(subclasses);
    this.#subclasses = new Alias(Object.values(subclasses));
  }

  draw(next: Random): Invention {
    const field = this.#subclasses.draw(next);
    const group = zipf(next, GROUPS, 0.95, 1);
    const { number, concepts } = this.#group(field, group);
    const unity = next();
    const own = new Set<number>();
    const { least, more } = OWN_CONCEPTS;
    while (own.size < least + (1 - unity) * more) {
      const kind = next();
      if (kind < OF_GROUP) own.add(concepts[zipf(next, concepts.length, 0.6, 2)]!);
      else if (kind < OF_GROUP + OF_FIELD) own.add(oneOf(next, this.#field(field)));
      else own.add(below(next, this.#vocabulary.concepts));
    }
    return {
      subclass: this.#codes[field]!,
      group: number,
      concepts: [...own],
      unity,
      style: next() * 2 ** 32,
    };
  }

  /** Another code of a document whose first one is given. */
  otherTopic(next: Random, { subclass }: Topic, sameSubclass: boolean): Topic {
    const field = sameSubclass ? this.#codes.indexOf(subclass) : this.#subclasses.draw(next);
    const { number } = this.#group(field, zipf(next, GROUPS, 0.95, 1));
    return { subclass: this.#codes[field]!, group: number };
  }

  /** Concepts of a subclass: some places of the space of meanings, and what lies around them. */
  #field(field: number): number[] {
    const known = this.#fields.get(field);
    if (known) return known;
    const next = stream(this.#seed, FIELD_STREAM, field);
    const made = this.#around(
      next,
      (n) => below(n, this.#vocabulary.concepts),
      FIELD_ANCHORS,
      FIELD_CONCEPTS,
    );
    this.#fields.set(field, made);
    return made;
  }

  #group(field: number, group: number): { number: number; concepts: number[] } {
    const key = field * GROUPS + group;
    const known = this.#groups.get(key);
    if (known) return known;
    const next = stream(this.#seed, GROUP_STREAM, key);
    const concepts = this.#field(field);
    const made = {
      number: 1 + group * 6 + below(next, 6),
      concepts: this.#around(next, (n) => oneOf(n, concepts), GROUP_ANCHORS, GROUP_CONCEPTS),
    };
    this.#groups.set(key, made);
    return made;
  }

  #around(next: Random, anchor: (next: Random) => number, anchors: number, count: number): number[] {
    const { near } = this.#vocabulary;
    const centres = Array.from({ length: anchors }, () => anchor(next));
    const found = new Set(centres);
    for (let tries = 0; found.size < count && tries < count * 20; tries++) {
      const from = next() < 0.7 ? oneOf(next, centres) : oneOf(next, [...found]);
      found.add(near[from * NEAR + below(next, NEAR)]!);
    }
    return [...found];
  }
}
