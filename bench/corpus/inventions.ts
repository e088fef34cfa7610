/** The subject of a document: a field, a topic in it, and concepts of its own. */
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
  /** From 0 to 1: how narrow the subject is. */
  unity: number;
  /** Seed of the author's choice of common words. */
  style: number;
}

/** Constants chosen so that vectors are distributed like real ones; `--only statistics` of the benchmark compares. */
const FIELD_ANCHORS = 5;
const FIELD_CONCEPTS = 140;
const GROUPS = 16;
const GROUP_ANCHORS = 3;
const GROUP_CONCEPTS = 32;
/** Number of concepts of an invention with the narrowest subject, and how many more the widest one has. */
const OWN_CONCEPTS = { least: 10, more: 80 };
/** Shares of an invention's concepts from its topic and from its field. The rest are random. */
const OF_GROUP = 0.78;
const OF_FIELD = 0.14;

/** Streams of random numbers. Draws from one do not affect another. */
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

  /** A further code for a document with the given first code. */
  otherTopic(next: Random, { subclass }: Topic, sameSubclass: boolean): Topic {
    const field = sameSubclass ? this.#codes.indexOf(subclass) : this.#subclasses.draw(next);
    const { number } = this.#group(field, zipf(next, GROUPS, 0.95, 1));
    return { subclass: this.#codes[field]!, group: number };
  }

  /** Concepts of a subclass: some anchors and the concepts close to them. */
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
