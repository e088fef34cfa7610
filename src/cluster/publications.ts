/**
 * Publications in memory: those that a request needs. What is read and is not there is noted, so that it can be fetched.
 */
import type { Passage } from '../patent/passage.js';
import { applicationKeys, type DocumentBody, type DocumentHead } from '../store/document.js';
import type { StoredFigures } from '../store/figures.js';
import type { Lookup, Lookups, Publications } from '../store/publications.js';
import type { Stored } from './documents.js';

/** Keys that were read and that nothing is known of. */
export interface Missing {
  ids: Set<string>;
  numbers: Set<string>;
  applications: Set<string>;
  /** patent_ids of publications whose figures were read. */
  figures: Set<string>;
}

export class PublicationsInMemory implements Publications {
  readonly dir: string;
  readonly documents: Lookup<number, DocumentHead>;
  readonly bodies: Lookup<number, DocumentBody>;
  readonly ids: Lookup<string, number>;
  readonly numbers: Lookups;
  readonly applications: Lookups;
  readonly figures: Lookup<string, StoredFigures>;
  /** By document id, from 1. */
  readonly #stored: Stored[] = [];
  /** Documents by their own patent_id. */
  readonly #own = new Map<string, number>();
  /** The same, and by the patent_ids that they correct. */
  readonly #ids = new Map<string, number>();
  readonly #numbers = new Map<string, Set<string>>();
  readonly #applications = new Map<string, Set<string>>();
  /** Keys that were fetched, whether there was something or not. */
  readonly #known: Missing = noneMissing();
  /** By patent_id. */
  readonly #figures = new Map<string, StoredFigures>();
  #missing: Missing = noneMissing();

  /** @param name of the index, for messages */
  constructor(name: string) {
    this.dir = name;
    this.documents = { get: (doc) => this.stored(doc)?.head };
    this.bodies = { get: (doc) => this.stored(doc)?.body };
    this.ids = {
      get: (patentId) => {
        const found = this.#ids.get(patentId);
        if (found === undefined && !this.#known.ids.has(patentId)) this.#missing.ids.add(patentId);
        return found;
      },
    };
    this.figures = {
      get: (patentId) => {
        if (!this.#known.figures.has(patentId)) this.#missing.figures.add(patentId);
        return this.#figures.get(patentId);
      },
    };
    this.numbers = { getValues: (key) => this.#valuesOf('numbers', this.#numbers, key) };
    this.applications = { getValues: (key) => this.#valuesOf('applications', this.#applications, key) };
  }

  stored(doc: number): Stored | undefined {
    return this.#stored[doc - 1];
  }

  /** Document id of a publication that was added, or else of its correction; undefined if neither was. */
  docOf(patentId: string): number | undefined {
    return this.#own.get(patentId) ?? this.#ids.get(patentId);
  }

  /** Number of publications; their ids are 1 to this number. */
  get size(): number {
    return this.#stored.length;
  }

  /** Adds a publication, or fields of one that is there. @returns its document id */
  add(stored: Stored): number {
    const { head } = stored;
    const known = this.#own.get(head.patent_id);
    if (known !== undefined) {
      Object.assign(this.#stored[known - 1]!, stored);
      return known;
    }
    const doc = this.#stored.push(stored);
    this.#own.set(head.patent_id, doc);
    // A killed program may have left a publication beside its correction, which stands for both.
    if (!this.#ids.has(head.patent_id)) this.#ids.set(head.patent_id, doc);
    for (const id of head.corrects ?? []) this.#ids.set(id, doc);
    addTo(this.#numbers, head.number, head.patent_id);
    for (const key of applicationKeys(head)) addTo(this.#applications, key, head.patent_id);
    return doc;
  }

  /** Adds the figures of publications, by patent_id: of all of these, whether they have some or not. */
  addFigures(patentIds: Iterable<string>, found: ReadonlyMap<string, StoredFigures>): void {
    for (const [patentId, figures] of found) this.#figures.set(patentId, figures);
    for (const patentId of patentIds) this.#known.figures.add(patentId);
  }

  /** patent_ids under which the drawings of some documents are found, and that are not known. */
  unknownFigures(docs: readonly number[]): string[] {
    const ids = docs.flatMap((doc) => {
      const head = this.stored(doc)?.head;
      return head?.drawings?.length ? [head.patent_id, ...(head.corrects ?? [])] : [];
    });
    return [...new Set(ids)].filter((id) => !this.#known.figures.has(id));
  }

  /** Notes that everything under these keys was added. */
  know({ ids, numbers, applications, figures }: Missing): void {
    for (const id of figures) this.#known.figures.add(id);
    for (const id of ids) this.#known.ids.add(id);
    for (const number of numbers) this.#known.numbers.add(number);
    for (const key of applications) this.#known.applications.add(key);
  }

  /** What was read since the last call and is not known; undefined if nothing is missing. */
  takeMissing(): Missing | undefined {
    const missing = this.#missing;
    this.#missing = noneMissing();
    return Object.values(missing).every(({ size }) => size === 0) ? undefined : missing;
  }

  passage(doc: number, number: number): Passage | undefined {
    return this.stored(doc)?.texts?.passages[number];
  }

  refresh(): void {}

  #valuesOf(kind: 'numbers' | 'applications', values: Map<string, Set<string>>, key: string): string[] {
    if (!this.#known[kind].has(key)) this.#missing[kind].add(key);
    return [...(values.get(key) ?? [])].sort();
  }
}

export function noneMissing(): Missing {
  return { ids: new Set(), numbers: new Set(), applications: new Set(), figures: new Set() };
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.add(value);
  else map.set(key, new Set([value]));
}
