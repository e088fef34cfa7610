/** A table of one service, recognised by its headings, and what the forms of tables share. */
import type { Patent } from '../../patent/record.js';
import type { ExportFields } from './google-patents.js';

/** The cells of a row by heading, as `plainHeading` writes it. Empty cells are absent. */
export type Row = ReadonlyMap<string, string>;

/** One publication of a row. */
export interface RowPublication {
  fields: ExportFields;
  /** What the fields of an export do not have. */
  more?: Partial<Patent>;
}

export interface TableForm {
  /** Whether a table with these headings has this form. */
  isForm(headings: ReadonlySet<string>): boolean;
  /**
   * The publications of a row, or the reason to skip the row.
   * @throws DamagedDocument if no publication can be read
   */
  publications(row: Row): RowPublication[] | { skipped: string };
}

/** A heading without case, blanks and punctuation. */
export const plainHeading = (heading: string): string =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** `31.12.2019`. With slashes, the day and the month of such a date cannot be told apart. */
const DAY_FIRST = /^\s*(\d{1,2})\.(\d{1,2})\.(\d{4})\s*$/;

/** A date with the day first as `2019-12-31`. Other texts stay as they are. */
export const yearFirst = (date: string): string => date.replace(DAY_FIRST, '$3-$2-$1');

/** Parts of a cell between separators, without blank ones. */
export const partsOf = (cell: string | undefined, separator: string): string[] =>
  (cell ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);
