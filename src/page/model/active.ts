/** The filters that a search states, and the search without one of them. */
import {
  COUNTRIES,
  type Country,
  DATES,
  emptySearch,
  LISTS,
  parametersOf,
  type Search,
  TEXTS,
} from './fields.js';

/** Filters of one value. A list and a range of days are others. */
const SINGLE = [
  ...TEXTS.filter((name) => name !== 'query' && !name.includes('_date_')),
  'doc_type',
  'include_utility_model',
] as const;

/** Fields that mean nothing without a filter. */
const PARTS_OF: Readonly<Record<string, readonly (keyof Search)[]>> = {
  applicant: ['applicant_match', 'applicant_expand'],
};

/** How many filters are in use. A list and a range are one filter each; examples belong to the question. */
export function activeCount(search: Search): number {
  const none = emptySearch();
  const lists = ['countries', ...LISTS].filter(
    (name) => name !== 'like' && name !== 'unlike',
  ) as 'countries'[];
  const isSet = (name: keyof Search) => search[name] !== none[name];
  return (
    lists.filter((name) => search[name].length > 0).length +
    DATES.filter((kind) => isSet(`${kind}_date_from`) || isSet(`${kind}_date_to`)).length +
    SINGLE.filter((name) => isSet(name)).length
  );
}

/** The country that a search leaves out, if it leaves out one. */
export function leftOutCountry({ countries }: Search): Country | undefined {
  if (countries.length !== COUNTRIES.length - 1) return undefined;
  return COUNTRIES.find((country) => !countries.includes(country));
}

/** The search in all countries but one; in all, if it is so already. */
export function withoutCountry(search: Search, country: Country): Search {
  if (leftOutCountry(search) === country) return { ...search, countries: [] };
  return { ...search, countries: COUNTRIES.filter((other) => other !== country) };
}

/**
 * The fields that state a filter of the API's answer `excluded_by`. "Published before" is reported as a range of days of
 * publication.
 */
export function fieldsOfFilter(search: Search, filter: string): string[] {
  const stated = parametersOf(search);
  const names = [filter, `${filter}_from`, `${filter}_to`];
  if (filter === 'publication_date') names.push('as_of');
  return names.filter((name) => stated.has(name));
}

/** The search without a filter, by the name that the API gives it; undefined if the search does not state it. */
export function withoutFilter(search: Search, filter: string): Search | undefined {
  const fields = fieldsOfFilter(search, filter);
  if (fields.length === 0) return undefined;
  const none = emptySearch() as unknown as Record<string, unknown>;
  const all = fields.flatMap((name) => [name, ...(PARTS_OF[name] ?? [])]);
  return { ...search, ...Object.fromEntries(all.map((name) => [name, none[name]])) };
}
