/**
 * Result lists of PATENTSCOPE (https://patentscope.wipo.int), which exports spreadsheets. Lines with the query stand before the
 * headings. Dates have the day first, and numbers no kind, so only those are read whose form tells it.
 */
import { isCountry } from '../../patent/country.js';
import { publicationNumber } from '../../patent/number.js';
import type { ExportFields } from './google-patents.js';
import { impliedKind } from './publication.js';
import { DamagedDocument } from './reader.js';
import { partsOf, type Row, type RowPublication, type TableForm, yearFirst } from './table-form.js';

/** `2023-015974 06.02.2023 JP` */
const PRIORITY = /^(\S{1,40}) (\d\d\.\d\d\.\d{4}) ([A-Z]{2})$/;
/** A Japanese application laid open since 2000. */
const JP_LAID_OPEN = /^20\d{8}$/;

/** @throws DamagedDocument if the number of one of the five offices does not tell its kind */
function kindOf(country: string, number: string): string | undefined {
  if (!isCountry(country)) return undefined;
  if (country === 'JP' && JP_LAID_OPEN.test(number)) return 'A';
  const known = publicationNumber(country, number);
  const kind = known === undefined || /^[A-Z]/.test(known) ? undefined : impliedKind(country, known);
  if (kind !== undefined) return kind;
  throw new DamagedDocument(
    `no kind code: a list of PATENTSCOPE has none, and such a number of ${country} does not tell it; ` +
      'take the list from Espacenet or Lens.org, or the publication from its office',
  );
}

/** Priorities, and whether all could be read. */
function priorities(cell: string | undefined): ExportFields {
  const written = partsOf(cell, ';');
  const read = written.map((claim) => PRIORITY.exec(claim));
  return {
    priority_claim: read.flatMap((claim) => {
      const [, number = '', date = '', country = ''] = claim ?? [];
      const application_number = `${country}-${number.replaceAll('-', '/')}`;
      return claim ? [{ application_number, filing_date: yearFirst(date) }] : [];
    }),
    earliest_unknown: read.includes(null),
  };
}

function publications(row: Row): RowPublication[] {
  const [country, number] = [row.get('country') ?? '', row.get('publicationnumber') ?? ''];
  const fields: ExportFields = {
    country_code: country,
    publication_number: number,
    kind_code: kindOf(country, number),
    title: row.get('title'),
    abstract: row.get('abstract'),
    publication_date: yearFirst(row.get('publicationdate') ?? ''),
    filing_date: yearFirst(row.get('applicationdate') ?? ''),
    application_number: row.get('applicationnumber'),
    assignee: partsOf(row.get('applicants'), ';'),
    inventor: partsOf(row.get('inventors'), ';'),
    ipc: partsOf(row.get('ipc'), ';'),
    ...priorities(row.get('prioritiesdata')),
  };
  return [{ fields }];
}

export const patentScopeTable: TableForm = {
  isForm: (headings) =>
    ['applicationid', 'publicationnumber', 'country', 'title', 'prioritiesdata'].every((name) =>
      headings.has(name),
    ),
  publications,
};
