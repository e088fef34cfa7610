/** The results that a list shows, of those that an answer has, in the order that the visitor chose. */
import type { SearchResult } from '../../search/public-types.js';
import type { Search } from './fields.js';
import { isTitleOnly } from './relevance.js';

/** @param results in the order of the answer, which equal results keep */
export function shownResults(
  results: readonly SearchResult[],
  { sort, titles }: Pick<Search, 'sort' | 'titles'>,
): readonly SearchResult[] {
  const shown = titles === 'hidden' ? results.filter((result) => !isTitleOnly(result)) : [...results];
  if (sort === 'similarity') return shown.sort((a, b) => b.similarity_score - a.similarity_score);
  if (sort === 'best') return shown;
  const later = sort === 'newest' ? -1 : 1;
  return shown.sort((a, b) => {
    const [one, two] = [a.publication_date, b.publication_date];
    // Without a date, last in both orders.
    if (!one || !two) return Number(!one) - Number(!two);
    return one === two ? 0 : one < two ? -later : later;
  });
}
