/**
 * `prefer_countries`: which member of a family is shown. A family is found, ranked and counted by its best member; the answer
 * shows the member of the first preferred country, with the passages of that member.
 */
import type { NativeSnapshot, SearchHits, Selection } from '../index/native.js';
import { CHUNKS_PER_RESULT } from '../limits.js';
import type { Country } from '../patent/country.js';
import type { RerankScores } from '../rerank/reranker.js';
import type { DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import type { Cancellation } from './cancel.js';
import { Found } from './found.js';
import { scored } from './ranking.js';
import type { IndexReader } from './reader.js';
import type { Reranked } from './reranked.js';
import { type Shown, withRest } from './results.js';

/** The members that are shown for some candidates. */
export interface ShownInstead {
  /** The publication that is shown for each candidate: document ids. */
  docs: Uint32Array;
  /** Hits of those that are not the candidates themselves, with their best passages. */
  hits: SearchHits;
}

/**
 * The members that are shown for candidates; undefined if each is shown itself.
 * @param allowed what the filter allows
 * @param candidates document ids, the best members of their families
 * @param firsts number of candidates, from the first, that the question names: they are shown themselves
 */
export function shownInstead(
  store: Publications,
  native: NativeSnapshot,
  allowed: Selection,
  vector: Float32Array,
  candidates: Uint32Array,
  { prefer, firsts }: { prefer: readonly Country[]; firsts: number },
): ShownInstead | undefined {
  const docs = candidates.slice();
  docs.set(native.preferred(vector, allowed, candidates.subarray(firsts), [...prefer]), firsts);
  const ids = [...docs].flatMap((doc, n) =>
    doc === candidates[n] ? [] : (store.documents.get(doc)?.patent_id ?? []),
  );
  if (ids.length === 0) return undefined;
  const hits = native.search(
    vector,
    native.select([{ column: 'patent_id', test: 'exact', terms: ids }]),
    native.segments.map(() => ({})),
    { documents: ids.length, chunks: CHUNKS_PER_RESULT, dedupe: false, minScore: -2 },
  );
  return { docs, hits };
}

/** The publication that is shown instead of the nth candidate; undefined if the candidate is shown itself. */
export type ShownOf = (n: number) => Shown | undefined;

/** The publications that are shown instead of candidates. */
export class ShownMembers {
  readonly #found: Found;
  readonly #places: Map<number, number>;
  readonly #docs: Uint32Array;

  constructor(reader: IndexReader, native: NativeSnapshot, { docs, hits }: ShownInstead) {
    this.#docs = docs;
    this.#found = new Found(reader.store, native, hits, reader.embedder.languages);
    this.#places = new Map(Array.from(hits.docs, (doc, n) => [doc, n]));
  }

  /** Reads all that a reranker scores and an answer shows. A caller that awaits calls it before. */
  fetch(): void {
    this.#found.fetch();
  }

  /** The head of the publication that is shown for the nth candidate; undefined if it is the candidate itself. */
  head(n: number): DocumentHead | undefined {
    const place = this.#places.get(this.#docs[n]!);
    return place === undefined ? undefined : this.#found.head(place);
  }

  /**
   * Scores the passages that are shown for some candidates, at once unless the reranker must be awaited. The answer gives
   * that of the nth candidate; undefined if the candidate is shown itself.
   */
  score(
    reader: IndexReader,
    query: Reranked,
    candidates: readonly number[],
    cancellation: Cancellation,
  ): ShownOf | Promise<ShownOf> {
    const shown = candidates.filter((n) => this.#places.has(this.#docs[n]!));
    const found = this.#found.part(shown.map((n) => this.#places.get(this.#docs[n]!)!));
    const scoring = scored(reader, query, found, cancellation);
    const shownOf = (given: RerankScores): ShownOf => {
      const scores = withRest(given, found);
      return (n) => {
        const at = shown.indexOf(n);
        return at < 0 ? undefined : { found, n: at, scores };
      };
    };
    return scoring instanceof Promise ? scoring.then(shownOf) : shownOf(scoring);
  }
}
