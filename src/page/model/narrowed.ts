/** Filters that a click narrows: what the search already asks for is kept. */
import type { DateKind, Search } from './fields.js';

const key = (code: string): string => code.replaceAll(' ', '').toUpperCase();

/** The codes of a filter that lie under a code; the code itself if none does. */
export function within(codes: readonly string[], code: string): readonly string[] {
  const under = codes.filter((one) => key(one).startsWith(key(code)));
  return under.length > 0 ? under : [code];
}

/** The range of a year, within the range that the search states. */
export function yearWithin(search: Search, kind: DateKind, year: string): Partial<Search> {
  const [fromField, toField] = [`${kind}_date_from`, `${kind}_date_to`] as const;
  const [from, to] = [search[fromField], search[toField]];
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  return {
    [fromField]: from > first ? from : first,
    [toField]: to !== '' && to < last ? to : last,
  };
}
