/** Searches to which a patent leads. They keep the filters of the search from which the visitor comes. */
import { emptySearch, isAsked, type Search } from './fields.js';

/** What is like the patent, instead of what is about the question. */
export function moreLike(search: Search, id: string): Search {
  return { ...search, view: 'list', query: '', like: [id], unlike: [] };
}

export function lessLike(search: Search, id: string): Search {
  return { ...search, view: 'list', unlike: [...search.unlike, id] };
}

/** The same question, before the priority date of the patent. What is like the patent, if there is no question. */
export function publishedBefore(search: Search, id: string): Search {
  return isAsked(search) ? { ...search, view: 'list', as_of: id } : priorArtFor(search, id);
}

/**
 * What is like the patent, and was published before its priority date. Dates from which on documents were searched are
 * dropped: they would hide older prior art.
 */
export function priorArtFor(search: Search, id: string): Search {
  const { filing_date_from, publication_date_from, grant_date_from, priority_date_from } = emptySearch();
  const from = { filing_date_from, publication_date_from, grant_date_from, priority_date_from };
  return { ...moreLike(search, id), ...from, as_of: id };
}
