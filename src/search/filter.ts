/** Turns the filters of a request into clauses over the segments' columns. */
import type { DateColumn, KeywordColumn } from '../index/columns.js';
import type { FilterClause } from '../index/native.js';
import { applicationNumberForms } from '../patent/application-number.js';
import { isCountry } from '../patent/country.js';
import { toEpochDay } from '../patent/date.js';
import type { KindClass } from '../patent/kind.js';
import { companyKey, personKey } from '../patent/name.js';
import { resolvePublications } from '../store/resolve.js';
import type { Store } from '../store/store.js';
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
export function clausesOf(filters: Filters, store: Store): FilterClause[] {
  const clauses: FilterClause[] = [];
  const ask = (column: KeywordColumn, test: 'exact' | 'prefix' | 'contains', terms: string[]) => {
    clauses.push({ column, test, terms });
  };
  if (filters.countries) ask('country', 'exact', filters.countries);
  if (filters.kindCodes) ask('kinds', 'exact', filters.kindCodes);
  else if (!filters.everyKind) {
    const { always, utility } = CLASSES[filters.docType];
    ask('kind_class', 'exact', filters.includeUtilityModel ? [...always, ...utility] : always);
  }
  for (const [type, { from, to }] of Object.entries(filters.dates)) {
    clauses.push({
      column: DATE_COLUMN[type as DateType],
      test: 'days',
      ...(from === undefined ? {} : { from: toEpochDay(from) }),
      ...(to === undefined ? {} : { to: toEpochDay(to) }),
    });
  }
  if (filters.applicant) {
    const { text, match } = filters.applicant;
    ask('applicant_name', match, [companyKey(text)]);
  }
  if (filters.inventor !== undefined) ask('inventor_name', 'prefix', [personKey(filters.inventor)]);
  if (filters.ipcCodes) ask('ipc', 'prefix', filters.ipcCodes);
  if (filters.cpcCodes) ask('cpc', 'prefix', filters.cpcCodes);
  if (filters.publicationNumber !== undefined) {
    ask('patent_id', 'exact', resolvePublications(store, filters.publicationNumber));
  }
  if (filters.applicationNumber !== undefined) {
    ask('application', 'exact', applicationNumberForms(filters.applicationNumber));
    // The column holds bare numbers without the office, and offices share numbers: EP 20168852 and US 20/168,852.
    const office = filters.applicationNumber.normalize('NFKC').slice(0, 2).toUpperCase();
    if (isCountry(office)) ask('country', 'exact', [office]);
  }
  if (filters.familyId !== undefined) ask('family', 'exact', [filters.familyId]);
  return clauses;
}
