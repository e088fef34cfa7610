/**
 * Pins one state of the documents, which stays readable during later commits: an LMDB read transaction that is not
 * renewed. Pages that commits free cannot be reused until it is released, so the file grows with each commit. Callers
 * must limit the time.
 */
import type { Transaction } from 'lmdb';
import type { Passage } from '../patent/passage.js';
import type { DocumentBody, DocumentHead } from './document.js';
import type { Figure } from './figures.js';
import { MANIFEST } from './keys.js';
import type { Manifest } from './manifest.js';
import type { Publications } from './publications.js';
import type { SourceRecord } from './source-record.js';
import type { Store } from './store.js';

/** Read access to the documents of a state. */
export interface DocumentReader {
  head(doc: number): DocumentHead | undefined;
  passage(doc: number, number: number): Passage | undefined;
}

/** The same with what only the details of a publication show. */
export interface RecordReader extends DocumentReader {
  body(doc: number): DocumentBody | undefined;
}

/** The documents of a store's current read transaction. */
export function currentDocuments(store: Publications): RecordReader {
  return {
    head: (doc) => store.documents.get(doc),
    body: (doc) => store.bodies.get(doc),
    passage: (doc, number) => store.passage(doc, number),
  };
}

export class PinnedDocuments implements RecordReader {
  readonly generation: number;
  readonly #store: Store;
  #transaction: Transaction | undefined;

  /** Pins the newest committed state. */
  constructor(store: Store) {
    this.#store = store;
    store.refresh();
    this.#transaction = store.root.useReadTransaction();
    this.generation = (store.meta.get(MANIFEST, this.#options) as Manifest).generation;
  }

  get released(): boolean {
    return this.#transaction === undefined;
  }

  get #options(): { transaction: Transaction } {
    if (this.#transaction === undefined) throw new Error('the pinned state was released');
    return { transaction: this.#transaction };
  }

  head(doc: number): DocumentHead | undefined {
    return this.#store.documents.get(doc, this.#options);
  }

  body(doc: number): DocumentBody | undefined {
    return this.#store.bodies.get(doc, this.#options);
  }

  /** Publications behind one, by patent_id, also under those that they have taken the place of. */
  publications(after: string | undefined, limit: number): { patentId: string; doc: number }[] {
    const from = after === undefined ? {} : { start: after, exclusiveStart: true };
    const range = this.#store.ids.getRange({ ...from, limit, ...this.#options });
    return Array.from(range, ({ key, value }) => ({ patentId: key, doc: value }));
  }

  passage(doc: number, number: number): Passage | undefined {
    return this.#store.passages.get([doc, number], this.#options);
  }

  /** The figures of all publications that have some, in the order of their patent_id. */
  *allFigures(): Generator<{ patentId: string; figures: Figure[] }, void, undefined> {
    for (const { key, value } of this.#store.figures.getRange(this.#options)) {
      yield { patentId: key, figures: value.figures };
    }
  }

  /** The ledger of this state, in the order of its keys. */
  sources(): SourceRecord[] {
    return Array.from(this.#store.sources.getRange(this.#options), ({ value }) => value);
  }

  /** Releases the state. May be called more than once. */
  release(): void {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    // Closing the store ended its read transactions.
    if (!this.#store.isClosed) transaction?.done();
  }
}
