/**
 * The fields of a search as the page knows them: the names of the API, in groups of a kind. The address of the page, the
 * request and the place where an error is shown follow from this table.
 */

export const COUNTRIES = ['US', 'KR', 'JP', 'CN', 'EP'] as const;
export type Country = (typeof COUNTRIES)[number];
export const DATES = ['filing', 'publication', 'grant', 'priority'] as const;
export type DateKind = (typeof DATES)[number];

export const TEXTS = [
  'query',
  'applicant',
  'inventor',
  'publication_number',
  'application_number',
  'family_id',
  'as_of',
  'filing_date_from',
  'filing_date_to',
  'publication_date_from',
  'publication_date_to',
  'grant_date_from',
  'grant_date_to',
  'priority_date_from',
  'priority_date_to',
] as const;

export const LISTS = [
  'like',
  'unlike',
  'kind_codes',
  'ipc_codes',
  'cpc_codes',
  'must_terms',
  'must_not_terms',
] as const;

export const FLAGS = ['include_utility_model', 'applicant_expand', 'translate_terms'] as const;

/** The first value is the one that the address leaves out. */
export const CHOICES = {
  doc_type: ['all', 'application', 'grant'],
  applicant_match: ['contains', 'prefix', 'exact'],
  collapse: ['family', 'application', 'none'],
  balance: ['none', 'country', 'language'],
  top_k: ['20', '50', '100'],
  view: ['list', 'statistics'],
  // Of the list that is shown. The answer does not depend on them.
  sort: ['best', 'similarity', 'newest', 'oldest'],
  titles: ['shown', 'hidden'],
  date_type: DATES,
} as const;

export type TextField = (typeof TEXTS)[number];
export type ListField = (typeof LISTS)[number];
export type FlagField = (typeof FLAGS)[number];
export type ChoiceField = keyof typeof CHOICES;

/** A search as the page holds it. Empty texts and lists are absent from the request. */
export type Search = Record<TextField, string> &
  Record<ListField, readonly string[]> &
  Record<FlagField, boolean> & { countries: readonly Country[] } & {
    [C in ChoiceField]: (typeof CHOICES)[C][number];
  };

/** A search without a question and without filters. */
export function emptySearch(): Search {
  return {
    countries: [],
    ...Object.fromEntries(TEXTS.map((name) => [name, ''])),
    ...Object.fromEntries(LISTS.map((name) => [name, []])),
    ...Object.fromEntries(FLAGS.map((name) => [name, false])),
    ...Object.fromEntries(Object.entries(CHOICES).map(([name, [first]]) => [name, first])),
  } as unknown as Search;
}

/** The search of an address. What is not known is left out. */
export function searchOf(parameters: URLSearchParams): Search {
  const search = emptySearch() as unknown as Record<string, unknown>;
  for (const name of TEXTS) search[name] = parameters.get(name) ?? '';
  for (const name of LISTS) search[name] = unique(parameters.getAll(name));
  for (const name of FLAGS) search[name] = parameters.get(name) === 'true';
  for (const [name, values] of Object.entries(CHOICES)) {
    search[name] = (values as readonly string[]).find((value) => value === parameters.get(name)) ?? values[0];
  }
  const countries = parameters.getAll('countries');
  search['countries'] = COUNTRIES.filter((country) => countries.includes(country));
  return search as unknown as Search;
}

/** The parameters of a search, without those that have their first value. */
export function parametersOf(search: Search): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of TEXTS) if (search[name] !== '') parameters.set(name, search[name]);
  for (const name of ['countries', ...LISTS] as const) {
    for (const value of search[name]) parameters.append(name, value);
  }
  for (const name of FLAGS) if (search[name]) parameters.set(name, 'true');
  for (const name of Object.keys(CHOICES) as ChoiceField[]) {
    if (search[name] !== CHOICES[name][0]) parameters.set(name, search[name]);
  }
  return parameters;
}

/** Most characters of a question, as QUERY_MAX_CHARS in limits.ts. The server checks it, too. */
export const QUESTION_MAX_CHARS = 10_000;

/** Characters of the question as it is sent. */
export function questionLength({ query }: Pick<Search, 'query'>): number {
  return query.trim().length;
}

/** Whether the search has something to look for. */
export function isAsked(search: Search): boolean {
  return search.query.trim() !== '' || search.like.length > 0;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))];
}
