/**
 * The filter columns of a segment. One table holds the name of each column and its values for a patent. ARCHITECTURE.md
 * (src/search) has the steps for a new filter.
 */
import { classificationKey } from '../patent/classification.js';
import { toEpochDay } from '../patent/date.js';
import { isGrantPublication, kindsOf, publicationClass } from '../patent/kind.js';
import { companyKey, personKeys } from '../patent/name.js';
import { priorityDate } from '../patent/priority.js';
import type { Name, Patent } from '../patent/record.js';
import type { NewSegmentColumn } from './native.js';

/** Terms of one document, each with the spelling to show if it differs from the term. */
type Terms = readonly (string | readonly [term: string, label: string])[];

const KEYWORD_COLUMNS = {
  patent_id: (p) => [p.patent_id],
  country: (p) => [p.country],
  kind: (p) => [p.kind_code],
  /** Kind codes of the publication and of those that it corrects. For the filter. */
  kinds: (p) => kindsOf(p),
  kind_class: (p) => [publicationClass(p)],
  /** Names as printed in the publication. For statistics. */
  applicant: (p) => labelled((p.applicants ?? []).map((name) => name.name)),
  /** Names in all languages given. For the filter. */
  applicant_name: (p) => allNames(p.applicants).map(companyKey),
  inventor_name: (p) => allNames(p.inventors).flatMap(personKeys),
  ipc: (p) => (p.ipc_codes ?? []).map(classificationKey),
  cpc: (p) => (p.cpc_codes ?? []).map(classificationKey),
  application: (p) => (p.application_number ? [p.application_number] : []),
  family: (p) => (p.family_id ? [p.family_id] : []),
  language: (p) => (p.language ? [p.language] : []),
} satisfies Record<string, (patent: Patent) => Terms>;

const DATE_COLUMNS = {
  filing_date: (p) => p.filing_date,
  publication_date: (p) => p.publication_date,
  /** Grants, registered utility models and designs only. If no grant date is stated, the date of publication. */
  grant_date: (p) => (isRegistered(p) ? (p.grant_date ?? p.publication_date) : undefined),
  priority_date: priorityDate,
} satisfies Record<string, (patent: Patent) => string | undefined>;

export type KeywordColumn = keyof typeof KEYWORD_COLUMNS;
export type DateColumn = keyof typeof DATE_COLUMNS;

/** Whether a publication is of a right that was granted or registered. All design publications are. */
function isRegistered(patent: Patent): boolean {
  return isGrantPublication(patent) || publicationClass(patent) === 'design';
}

/** The columns in the order in which segments store them. */
export const COLUMNS: NewSegmentColumn[] = [
  ...Object.keys(KEYWORD_COLUMNS).map((name) => ({ name, kind: 'keyword' as const })),
  ...Object.keys(DATE_COLUMNS).map((name) => ({ name, kind: 'date' as const })),
];

/** Day number of a missing date. */
const NO_DAY = -0x8000_0000;

export interface ColumnValues {
  terms: string[][];
  labels: string[][];
  days: Int32Array;
}

/** The values of all columns for a patent. @param empty columns that nothing will read */
export function columnValues(patent: Patent, empty?: ReadonlySet<string>): ColumnValues {
  const keywords = Object.entries(KEYWORD_COLUMNS).map(
    ([name, of]): Terms => (empty?.has(name) ? [] : of(patent)),
  );
  const days = Object.values(DATE_COLUMNS).map((of) => {
    const date = of(patent);
    return date === undefined ? NO_DAY : toEpochDay(date);
  });
  return {
    terms: keywords.map((terms) => terms.map((term) => (typeof term === 'string' ? term : term[0]))),
    labels: keywords.map((terms) =>
      terms.some((term) => typeof term !== 'string')
        ? terms.map((term) => (typeof term === 'string' ? term : term[1]))
        : [],
    ),
    days: Int32Array.from(days),
  };
}

/** The link that an application and its grant share; empty if the application number is unknown. */
export function applicationLink(patent: Pick<Patent, 'country' | 'application_number'>): string {
  return patent.application_number ? `${patent.country}:${patent.application_number}` : '';
}

function labelled(names: string[]): Terms {
  return names.map((name) => [companyKey(name), name] as const);
}

function allNames(names: readonly Name[] | undefined): string[] {
  return (names ?? []).flatMap(({ name, name_en }) => (name_en ? [name, name_en] : [name]));
}
