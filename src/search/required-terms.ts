/** The `must_terms` of a request in the documents that it found: where they are, to explain and highlight them. */
import { calling, type NativeSnapshot, native, type Words } from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import type { Cancellation } from './cancel.js';
import { WORDS } from './filter-rows.js';
import type { Wanted } from './hit-explanation.js';
import type { Filters } from './query.js';
import { countOf } from './selections.js';
import type { HitExplanation } from './types.js';

/** A part of a document that holds a term. */
type Part = NonNullable<HitExplanation['must_terms']>[number]['in'][number];

/** The parts by their bits in `partsHolding`. */
const PARTS: readonly Part[] = ['names', 'title', 'claims', 'text'];

export interface RequiredTerms {
  /** As the request has them. */
  terms: readonly string[];
  words: Words;
  /** Number of documents that hold each term, before other filters. */
  documents: readonly number[];
  /** Of the nth hit: the parts that hold each term. */
  parts: (n: number) => { term: string; in: Part[] }[];
}

/**
 * Looks for the required terms in some documents; undefined if there are none, or nothing of them is shown.
 * @param cancellation checked before each term
 */
export function requiredTerms(
  snapshot: NativeSnapshot,
  filters: Filters,
  docs: Uint32Array,
  { explain, highlight }: Partial<Wanted>,
  cancellation: Cancellation,
): RequiredTerms | undefined {
  const terms = filters.values.must_terms;
  if (terms === undefined || !(explain || highlight)) return undefined;
  const translate = filters.translateTerms === true;
  if (translate) openTranslations();
  const words = native.Words.ofPhrases(terms, translate);
  const documents = terms.map((term) => {
    cancellation.check();
    const clause = { column: WORDS, test: 'holds' as const, terms: [term], translate };
    return calling(() => countOf(snapshot, [clause]));
  });
  const bits = explain ? calling(() => snapshot.partsHolding(words, docs)) : new Uint8Array();
  const parts = (n: number) =>
    terms.map((term, at) => {
      const held = bits[n * terms.length + at] ?? 0;
      return { term, in: PARTS.filter((_, bit) => (held >> bit) & 1) };
    });
  return { terms, words, documents, parts };
}
