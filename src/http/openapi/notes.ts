/** Notes of the document on kind codes, priority dates and absent fields. */
import { COUNTRIES } from '../../patent/country.js';
import { type KindClass, kindsByClass } from '../../patent/kind.js';

const COLUMNS: readonly (readonly [title: string, kindClass: KindClass])[] = [
  ['applications', 'application'],
  ['grants', 'grant'],
  ['utility models, applications', 'utility_application'],
  ['utility models, grants', 'utility_grant'],
  ['designs', 'design'],
];

/** Kind codes of each class, by office. The first row holds the titles. */
export const KINDS_TABLE: readonly (readonly string[])[] = [
  ['office', ...COLUMNS.map(([title]) => title)],
  ...COUNTRIES.map((country) => [
    country,
    ...COLUMNS.map(([, kindClass]) => kindsByClass(country)[kindClass]?.join(', ') ?? ''),
  ]),
];

export const KINDS_NOTE =
  'doc_type and include_utility_model go by these kind codes. JP U is a registered utility model; published before ' +
  '1994, or with a number of a year, it is the publication of an application. Designs, and kinds that stand in no column, are found ' +
  'by kind_codes only, or where publication_number, application_number or family_id is given and no kind is stated. ' +
  'Grant dates are of grants and of designs.';

export const PRIORITY_NOTE =
  'The priority date of a publication is the earliest priority that it claims; without one, its own filing ' +
  'date. If no claimed priority has a day, the priority date is unknown.';

export const ABSENT_NOTE =
  'A field of an answer that is not required is absent if it has no value, never null. Its description says when. In a ' +
  'request, null means absent.';

/** The table as Markdown. */
export function notes(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [titles = [], ...rows] = KINDS_TABLE;
  const table = [row(titles), row(titles.map(() => '---')), ...rows.map(row)].join('\n');
  return `## Kinds\n\n${table}\n\n${KINDS_NOTE}\n\n## Priority date\n\n${PRIORITY_NOTE}\n\n## Absent fields\n\n${ABSENT_NOTE}`;
}
