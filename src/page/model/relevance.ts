/** How far a list of results is about the question. */
import type { SearchResult } from '../../search/public-types.js';

/** The similarity from which on a patent counts as clearly about the question: `min_score` of statistics. */
export const CLEAR = 0.5;
/** With so few clear results in a full list, the page says that the others are not. */
const FEW = 2;
const MANY = 10;

export interface Relevance {
  /** Results at `CLEAR` or above. */
  clear: number;
  /** Whether these results are all that the filters allow. */
  isWhole: boolean;
  /** Place of the first result below `CLEAR`, if none behind it is clear again; undefined if there is no such place. */
  cutAt: number | undefined;
  /** Whether next to nothing in a long list is clear. */
  isNearlyFar: boolean;
}

/** @param topK results that were asked for */
export function relevanceOf(results: readonly SearchResult[], topK: number): Relevance {
  const isClear = results.map(({ similarity_score }) => similarity_score >= CLEAR);
  const clear = isClear.filter(Boolean).length;
  // The list is in the order of another sum, so results of both kinds may alternate.
  const isSorted = isClear.slice(0, clear).every(Boolean);
  return {
    clear,
    isWhole: results.length < topK,
    cutAt: isSorted && clear > 0 && clear < results.length ? clear : undefined,
    isNearlyFar: clear > 0 && clear <= FEW && results.length >= MANY,
  };
}

/**
 * A similarity with two decimals. One that would round up to `CLEAR` from below has a third decimal, rounded down: the
 * shown number and the words beside it then say the same.
 */
export function shownSimilarity(value: number): string {
  const rounded = value.toFixed(2);
  const crosses = value < CLEAR && Number(rounded) >= CLEAR;
  return crosses ? (Math.floor(value * 1000) / 1000).toFixed(3) : rounded;
}

/** Whether the index holds nothing of the publication but its title. A title replaces a missing abstract only. */
export function isTitleOnly({ chunks }: SearchResult): boolean {
  // A result has the best passages of all passages of the publication.
  return chunks.length === 1 && chunks[0]!.section_name === 'Title';
}
