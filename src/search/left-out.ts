/** Why a request allows nothing: what each of its conditions, by itself, leaves out. */
import { calling, type FilterClause, type NativeSnapshot } from '../index/native.js';
import type { KindClass } from '../patent/kind.js';
import type { Publications } from '../store/publications.js';
import { withApplicantNames } from './applicants.js';
import { type FieldCondition, fieldConditions } from './filter.js';
import type { Filters } from './query.js';
import { countOf } from './selections.js';
import type { ExcludedBy } from './types.js';

/** One condition of a request. */
export interface LeftOut {
  /** Field of a search, such as `countries` or `filing_date`. */
  field: string;
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

/** What a request says besides its filters, and how it names its range of days. */
export interface Besides {
  /** patent_ids of the publications that the question names. */
  first: readonly string[];
  /** Publications that a question by example does not show. */
  hidden: readonly FieldCondition[];
  /** Absent: each kind of date has fields of its own. */
  dates?: 'date_range';
}

/** The conditions of a request that allows nothing, as an answer shows them. */
export function excludedBy(
  native: NativeSnapshot,
  filters: Filters,
  store: Publications,
  { dates, ...besides }: Besides,
): ExcludedBy[] {
  const { conditions } = leftOutBy(native, filters, store, besides);
  return conditions.map(({ field, publications, words }) => ({
    filter: dates !== undefined && field.endsWith('_date') ? dates : field,
    publications,
    ...(words ? { terms: words.terms } : {}),
  }));
}

export function leftOutBy(
  native: NativeSnapshot,
  filters: Filters,
  store: Publications,
  { first, hidden }: Omit<Besides, 'dates'> = { first: [], hidden: [] },
): LeftOutReport {
  const count = (clauses: FilterClause[]) => calling(() => countOf(native, clauses));
  const total = count([]);
  const own = fieldConditions(withApplicantNames(native, store, filters).filters, store, first);
  const found = { total, allowed: count(own.flatMap(({ clauses }) => clauses)) };
  const conditions = [...own, ...hidden]
    .map(({ field, clauses }): LeftOut => {
      const { test, terms = [] } = clauses[0]!;
      const words = test === 'holds' || test === 'lacks' ? { words: { test, terms } } : {};
      return { field, publications: total - count(clauses), ...words };
    })
    .filter(({ publications }) => publications > 0)
    .sort((a, b) => b.publications - a.publications);
  if (!own.some(({ field }) => field === 'doc_type')) return { ...found, conditions };
  const tally = calling(() => native.tally(native.select([]), 'kind_class'));
  return { ...found, conditions, kinds: Object.fromEntries(tally.map(({ name, count }) => [name, count])) };
}
