/**
 * CSV exports of Espacenet's result list (https://worldwide.espacenet.com): semicolons, seven lines before the headings, no abstracts.
 * A row is a family: its publications and their days stand in lines of one cell each, in different orders. Headings are in the
 * language of the page.
 */
import { partsOf, type Row, type RowPublication, type TableForm } from './table-form.js';

/** English and French headings. */
const HEADINGS = {
  title: ['title', 'titre'],
  inventors: ['inventors', 'inventeurs'],
  applicants: ['applicants', 'applicant', 'demandeurs'],
  numbers: ['publicationnumber', 'numérodepublication'],
  priority: ['earliestpriority', 'prioritélaplusancienne'],
  ipc: ['ipc', 'cib'],
  cpc: ['cpc'],
  dates: ['publicationdate', 'datedepublication'],
  family: ['familynumber', 'numérodefamille'],
} as const;

const cellOf = (row: Row, name: keyof typeof HEADINGS): string | undefined =>
  HEADINGS[name].map((heading) => row.get(heading)).find((cell) => cell !== undefined);

/** `ROE JANE [US]` without the country. */
const nameOf = (line: string): string => line.replace(/\s{0,9}\[[A-Z]{2}\]$/, '');

/** Codes without the offices that gave them: `G01G19/52 (EP,US)`. */
const codesOf = (cell: string | undefined): string[] =>
  partsOf(cell, '\n').map((line) => line.replace(/\s{0,9}\([A-Z, ]{1,40}\)$/, ''));

function publications(row: Row): RowPublication[] {
  const numbers = partsOf(cellOf(row, 'numbers')?.replace(/\s/g, '\n'), '\n');
  const dates = partsOf(cellOf(row, 'dates')?.replace(/\s/g, '\n'), '\n');
  const shared = {
    title: cellOf(row, 'title'),
    assignee: partsOf(cellOf(row, 'applicants'), '\n').map(nameOf),
    inventor: partsOf(cellOf(row, 'inventors'), '\n').map(nameOf),
    ipc: codesOf(cellOf(row, 'ipc')),
    cpc: codesOf(cellOf(row, 'cpc')),
    priority_date: cellOf(row, 'priority'),
    family_id: cellOf(row, 'family')?.replace(/^0+/, ''),
    // Of several days, none tells whose it is.
    publication_date: numbers.length === 1 && dates.length === 1 ? dates[0] : undefined,
  };
  const fields = numbers.length > 0 ? numbers : [''];
  return fields.map((publication_number) => ({ fields: { ...shared, publication_number } }));
}

export const espacenetTable: TableForm = {
  isForm: (headings) =>
    (['title', 'numbers', 'priority', 'family'] as const).every((name) =>
      HEADINGS[name].some((heading) => headings.has(heading)),
    ),
  publications,
};
