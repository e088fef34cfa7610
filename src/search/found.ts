/** The documents that a search found. Their records and texts are read from the store on demand, once. */
import type { Embedder } from '../embed/embedder.js';
import { languageOf } from '../embed/languages.js';
import { PriorartError } from '../errors.js';
import type { BestPassages, NativeSnapshot, RerankDocument, SearchHits } from '../index/native.js';
import type { Passage } from '../patent/passage.js';
import { titlesOf } from '../patent/record.js';
import type { FoundDocuments } from '../rerank/reranker.js';
import type { DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { someHits, withPassages } from './hits.js';
import { representativeFigure } from './show.js';

/**
 * The documents found, best first. Their texts are of the state that was searched until the caller awaits. A caller that
 * awaits calls `fetch` before.
 */
export class Found implements FoundDocuments {
  readonly native: NativeSnapshot;
  readonly hits: SearchHits;
  readonly foreign?: (question: string) => Uint8Array;
  readonly #store: Publications;
  readonly #languages: Embedder['languages'] | undefined;
  readonly #heads: DocumentHead[] = [];
  readonly #passages: Passage[][] = [];
  readonly #figures: { name: string | undefined }[] = [];
  readonly #abstracts: string[] = [];
  /** Language of each document, by its place in the embedder's list. */
  #languageOf: Uint8Array | undefined;

  /** @param languages of the embedder that the vectors are of */
  constructor(
    store: Publications,
    native: NativeSnapshot,
    hits: SearchHits,
    languages?: Embedder['languages'] | undefined,
  ) {
    // The reranker and the weight of words both ask for it.
    if (languages) this.foreign = (question) => this.#foreign(question, languages);
    this.#store = store;
    this.#languages = languages;
    this.native = native;
    this.hits = hits;
  }

  /** Some of the documents, with what was read of them. */
  part(places: readonly number[]): Found {
    const part = new Found(this.#store, this.native, someHits(this.hits, places), this.#languages);
    const known = this.#documentLanguages();
    part.#languageOf = known && Uint8Array.from(places, (n) => known[n]!);
    for (const [at, n] of places.entries()) {
      const [head, passages] = [this.#heads[n], this.#passages[n]];
      const [figure, abstract] = [this.#figures[n], this.#abstracts[n]];
      if (head) part.#heads[at] = head;
      if (passages) part.#passages[at] = passages;
      if (figure) part.#figures[at] = figure;
      if (abstract !== undefined) part.#abstracts[at] = abstract;
    }
    return part;
  }

  /** The same documents, some of them with other passages. */
  withPassages(places: readonly number[], best: BestPassages): Found {
    const hits = withPassages(this.hits, places, best);
    const found = new Found(this.#store, this.native, hits, this.#languages);
    found.#languageOf = this.#documentLanguages();
    Object.assign(found.#heads, this.#heads);
    Object.assign(found.#passages, this.#passages);
    Object.assign(found.#figures, this.#figures);
    Object.assign(found.#abstracts, this.#abstracts);
    for (const n of places) delete found.#passages[n];
    return found;
  }

  #foreign(question: string, { names }: NonNullable<Embedder['languages']>): Uint8Array {
    const asked = names.indexOf(languageOf(question));
    return this.#documentLanguages()!.map((language) => (language === asked ? 0 : 1));
  }

  /**
   * The language of each document is that of the passage that was nearest first, also if further rounds find a nearer one:
   * a document in two languages is in one of them for a whole search.
   */
  #documentLanguages(): Uint8Array | undefined {
    if (!this.#languages) return undefined;
    const { docs, passages, passageAt } = this.hits;
    const { first, names } = this.#languages;
    const best = () => Uint32Array.from(docs, (_, n) => passages[passageAt[n]!]!);
    this.#languageOf ??= this.native.languages(docs, best(), first, names.length);
    return this.#languageOf;
  }

  /** Place of a candidate's first passage in the list of all candidates' passages. */
  firstPassage(n: number): number {
    return this.hits.passageAt[n]!;
  }

  head(n: number): DocumentHead {
    const doc = this.hits.docs[n]!;
    this.#heads[n] ??= this.#store.documents.get(doc) ?? missing(doc);
    return this.#heads[n];
  }

  /** The best passages of a candidate, best similarity first. */
  passages(n: number): Passage[] {
    const { docs, passages } = this.hits;
    const doc = docs[n]!;
    this.#passages[n] ??= Array.from(
      passages.subarray(this.firstPassage(n), this.firstPassage(n + 1)),
      (number) => this.#store.passage(doc, number) ?? missing(doc),
    );
    return this.#passages[n];
  }

  /** File name of a candidate's representative figure. */
  figure(n: number): string | undefined {
    this.#figures[n] ??= { name: representativeFigure(this.#store, this.head(n)) };
    return this.#figures[n].name;
  }

  #abstract(n: number): string {
    this.#abstracts[n] ??= abstractOf(this.#store, this.hits.docs[n]!);
    return this.#abstracts[n];
  }

  texts(n: number): RerankDocument {
    return {
      title: titlesOf(this.head(n)),
      abstract: this.#abstract(n),
      passages: this.passages(n).map(({ text }) => text),
    };
  }

  /** Reads all that a reranker scores and a result shows, of all candidates. Afterwards nothing is read of the segments. */
  fetch(): RerankDocument[] {
    this.#documentLanguages();
    return Array.from(this.hits.docs, (_, n) => {
      this.figure(n);
      return this.texts(n);
    });
  }
}

/** The abstract: the first passage of a document that has one. */
function abstractOf(store: Publications, doc: number): string {
  const first = store.passage(doc, 0) ?? missing(doc);
  return first.chunk_type === 'abstract' ? first.text : '';
}

function missing(doc: number): never {
  throw new PriorartError(
    'data_corrupt',
    `document ${doc} has vectors but no text; run \`priorart check --repair\``,
  );
}
