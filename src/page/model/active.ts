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

/** A search with fewer countries than the others names those that it has. */
const LEFT_OUT_MAX = 2;

/** The countries that a search leaves out, if it has most of them. */
export function leftOutCountries({ countries }: Pick<Search, 'countries'>): Country[] {
  const out = COUNTRIES.filter((country) => !countries.includes(country));
  return out.length <= LEFT_OUT_MAX ? out : [];
}

/** The search that leaves out one country more; or one less, if it leaves out this one already. */
export function withoutCountry(search: Search, country: Country): Search {
  const left = leftOutCountries(search);
  const out = left.includes(country) ? left.filter((other) => other !== country) : [...left, country];
  return { ...search, countries: out.length === 0 ? [] : COUNTRIES.filter((other) => !out.includes(other)) };
}

/** The fields that state a filter of the API's answer `excluded_by`. */
export function fieldsOfFilter(search: Search, filter: string): string[] {
  const stated = parametersOf(search);
  const names = [filter, `${filter}_from`, `${filter}_to`];
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
