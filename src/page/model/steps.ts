/** Searches to which a patent leads. Each keeps the filters of the search from which the visitor comes. */
import { isAsked, type Search } from './fields.js';

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

/** What is like the patent, and was published before its priority date. */
export function priorArtFor(search: Search, id: string): Search {
  return { ...moreLike(search, id), as_of: id };
}
