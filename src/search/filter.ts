/** Turns the filters of a request into clauses over the segments' columns. */
import type { DateColumn } from '../index/columns.js';
import type { FilterClause } from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import { toEpochDay } from '../patent/date.js';
import type { KindClass } from '../patent/kind.js';
import type { Publications } from '../store/publications.js';
import { resolvePublications } from '../store/resolve.js';
import { lastDayOf } from './as-of.js';
import { conditionsOf, WORDS } from './filter-rows.js';
import type { DateRange, Filters } from './query.js';
import type { DateType } from './schema.js';

/** Kind classes of each document type, without utility models. */
const CLASSES: Record<Filters['docType'], { always: KindClass[]; utility: KindClass[] }> = {
  all: { always: ['application', 'grant'], utility: ['utility_application', 'utility_grant'] },
  application: { always: ['application'], utility: ['utility_application'] },
  grant: { always: ['grant'], utility: ['utility_grant'] },
};

const DATE_COLUMN: Record<DateType, DateColumn> = {
  filing: 'filing_date',
  publication: 'publication_date',
  grant: 'grant_date',
  priority: 'priority_date',
};

/** The column of a date type. */
export function dateColumn(type: DateType): DateColumn {
  return DATE_COLUMN[type];
}

/** Whether an application and its grant are one result: so for doc_type "all", unless kind_codes is given. */
export function deduplicates(filters: Filters): boolean {
  return filters.docType === 'all' && filters.kindCodes === undefined;
}

/** A condition of a request: the clauses of one field, or one term of `must_terms`. A document meets it if all hold. */
export interface FieldCondition {
  /** Field of the request; of a range of days, without `_from` and `_to`. */
  field: string;
  clauses: FilterClause[];
}

/**
 * The clauses of a filter. A document is allowed if all hold.
 * @param named patent_ids of the publications that the question names: they may be of any kind, unless kinds are stated
 */
export function clausesOf(
  filters: Filters,
  store: Publications,
  named: readonly string[] = [],
): FilterClause[] {
  return fieldConditions(filters, store, named).flatMap(({ clauses }) => clauses);
}

/** The clauses of a filter, by field; see `clausesOf`. */
export function fieldConditions(
  filters: Filters,
  store: Publications,
  named: readonly string[] = [],
): FieldCondition[] {
  const dates = Object.entries(filters.dates).map(([type, range]) =>
    oneClause(`${type}_date`, days(type as DateType, range)),
  );
  return [
    ...ofRows(filters, store),
    ...ofKinds(filters, named),
    ...dates,
    ...(filters.asOf === undefined
      ? []
      : [oneClause('as_of', days('publication', { to: lastDayOf(store, filters.asOf) }))]),
  ];
}

function ofRows({ values, translateTerms }: Filters, store: Publications): FieldCondition[] {
  const conditions = conditionsOf(values, (number) => resolvePublications(store, number));
  return conditions.flatMap(([field, clauses]) => {
    if (clauses[0]?.column !== WORDS) return [{ field, clauses }];
    if (translateTerms) openTranslations();
    const translated = translateTerms ? { translate: true } : {};
    return clauses.map((clause) => oneClause(field, { ...clause, ...translated }));
  });
}

function ofKinds(
  { kindCodes, everyKind, statesKinds, docType, includeUtilityModel }: Filters,
  named: readonly string[],
): FieldCondition[] {
  if (kindCodes) return [oneClause('kind_codes', { column: 'kinds', test: 'exact', terms: kindCodes })];
  if (everyKind) return [];
  const { always, utility } = CLASSES[docType];
  const terms = includeUtilityModel ? [...always, ...utility] : always;
  const clause: FilterClause = { column: 'kind_class', test: 'exact', terms };
  if (statesKinds || named.length === 0) return [oneClause('doc_type', clause)];
  return [oneClause('doc_type', { ...clause, or: ['patent_id'], terms: [...terms, ...named] })];
}

function oneClause(field: string, clause: FilterClause): FieldCondition {
  return { field, clauses: [clause] };
}

function days(type: DateType, { from, to }: DateRange): FilterClause {
  return {
    column: DATE_COLUMN[type],
    test: 'days',
    ...(from === undefined ? {} : { from: toEpochDay(from) }),
    ...(to === undefined ? {} : { to: toEpochDay(to) }),
  };
}
