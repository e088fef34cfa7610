/** Turns the filters of a request into clauses over the segments' columns. */
import type { DateColumn } from '../index/columns.js';
import type { FilterClause } from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import { toEpochDay } from '../patent/date.js';
import type { KindClass } from '../patent/kind.js';
import type { Publications } from '../store/publications.js';
import { resolvePublications } from '../store/resolve.js';
import { datesWithAsOf } from './as-of.js';
import { conditionsOf, WORDS } from './filter-rows.js';
import type { Filters } from './query.js';
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

/** The clauses of a filter. A document is allowed if all hold. */
export function clausesOf(filters: Filters, store: Publications): FilterClause[] {
  const conditions = conditionsOf(filters.values, (number) => resolvePublications(store, number));
  const clauses: FilterClause[] = conditions.map((condition) =>
    filters.translateTerms && condition.column === WORDS ? { ...condition, translate: true } : condition,
  );
  if (clauses.some(({ translate }) => translate)) openTranslations();
  if (filters.kindCodes) clauses.push({ column: 'kinds', test: 'exact', terms: filters.kindCodes });
  else if (!filters.everyKind) {
    const { always, utility } = CLASSES[filters.docType];
    const terms = filters.includeUtilityModel ? [...always, ...utility] : always;
    clauses.push({ column: 'kind_class', test: 'exact', terms });
  }
  for (const [type, { from, to }] of Object.entries(datesWithAsOf(store, filters))) {
    clauses.push({
      column: DATE_COLUMN[type as DateType],
      test: 'days',
      ...(from === undefined ? {} : { from: toEpochDay(from) }),
      ...(to === undefined ? {} : { to: toEpochDay(to) }),
    });
  }
  return clauses;
}
