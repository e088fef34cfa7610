/** Why a filter allows nothing: what each of its conditions, by itself, leaves out. */
import { calling, type FilterClause, type NativeSnapshot } from '../index/native.js';
import type { KindClass } from '../patent/kind.js';
import type { Publications } from '../store/publications.js';
import { withApplicantNames } from './applicants.js';
import { clausesOf } from './filter.js';
import { FILTER_ROWS } from './filter-rows.js';
import type { Filters } from './query.js';
import { countOf } from './selections.js';
import type { ExcludedBy } from './types.js';

/** One condition of a filter. */
export interface LeftOut {
  /** Column that it reads, such as `country` or `filing_date`. */
  column: string;
  /** Publications that this condition alone excludes. */
  publications: number;
  /** The words of a condition on words, and whether a document must hold one of them or none. */
  words?: { test: 'holds' | 'lacks'; terms: string[] };
}

export interface LeftOutReport {
  /** Publications of the index, and those that pass all conditions. */
  total: number;
  allowed: number;
  /** In the order of the most publications. */
  conditions: LeftOut[];
  /** Publications by kind, if kinds are among the conditions. */
  kinds?: Partial<Record<KindClass, number>>;
}

/** The conditions of a filter that allows nothing, as an answer shows them. */
export function excludedBy(native: NativeSnapshot, filters: Filters, store: Publications): ExcludedBy[] {
  return leftOutBy(native, filters, store).conditions.map(({ column, publications, words }) => ({
    filter: fieldOf(column, words?.test),
    publications,
    ...(words ? { terms: words.terms } : {}),
  }));
}

/** The field of a request that reads a column. */
function fieldOf(column: string, test?: 'holds' | 'lacks'): string {
  if (test) return test === 'holds' ? 'must_terms' : 'must_not_terms';
  if (column === 'kinds') return 'kind_codes';
  if (column === 'kind_class') return 'doc_type';
  const row = Object.entries(FILTER_ROWS).find(([, { column: own }]) => own === column);
  return row?.[0] ?? column;
}

export function leftOutBy(native: NativeSnapshot, filters: Filters, store: Publications): LeftOutReport {
  const count = (clauses: FilterClause[]) => calling(() => countOf(native, clauses));
  const total = count([]);
  const clauses = clausesOf(withApplicantNames(native, store, filters).filters, store);
  const found = { total, allowed: count(clauses) };
  const conditions = clauses
    .map((clause): LeftOut => {
      const { column, test, terms = [] } = clause;
      const words = test === 'holds' || test === 'lacks' ? { words: { test, terms } } : {};
      return { column, publications: total - count([clause]), ...words };
    })
    .filter(({ publications }) => publications > 0)
    .sort((a, b) => b.publications - a.publications);
  if (!clauses.some(({ column }) => column === 'kind_class')) return { ...found, conditions };
  const tally = calling(() => native.tally(native.select([]), 'kind_class'));
  return { ...found, conditions, kinds: Object.fromEntries(tally.map(({ name, count }) => [name, count])) };
}
