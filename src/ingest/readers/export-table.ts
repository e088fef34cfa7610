/**
 * Tables of publications, recognised by their headings: Google Patents' CSV exports (of the public data set, with JSON in cells, and
 * of the search page), the CNIPA's gazette lists (GB18030), exported lists of Chinese search services, and the services that have a
 * form of their own (`FORMS`). Most tables hold only front-page data.
 */

import type { Patent } from '../../patent/record.js';
import { withoutEnd, withoutStart } from '../../patent/scan.js';
import { decodeText } from './decode.js';
import { cellsOf, headerLines, separatorOf, splitDelimited } from './delimited.js';
import { espacenetTable } from './espacenet-table.js';
import { fieldOf, TYPICAL } from './export-columns.js';
import { type ExportFields, exportedPublication } from './google-patents.js';
import { jPlatPatTable } from './j-platpat-table.js';
import { kiprisList } from './kipris-list.js';
import { lensTable } from './lens-table.js';
import { patentScopeTable } from './patentscope-table.js';
import { patentsViewTable } from './patentsview-table.js';
import { foreignReason } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader, withFailures } from './reader.js';
import { plainHeading, type RowPublication, type TableForm, yearFirst } from './table-form.js';
import { wipsTable } from './wips-table.js';

/** Tables whose cells need more than their headings to be read. */
const FORMS: readonly TableForm[] = [
  ...[lensTable, espacenetTable, jPlatPatTable],
  ...[patentScopeTable, patentsViewTable, wipsTable, kiprisList],
];

const HEADER_MAX_CHARS = 20_000;

/** What a first line tells about its table. */
interface Header {
  line: string;
  separator: string;
  columns: readonly string[];
  headings: ReadonlySet<string>;
  /** Fields of the columns whose headings are known. */
  fields: ReadonlySet<string>;
  form: TableForm | undefined;
}

/** The header that was read last. Each row of a table comes with it. */
let latest: Header | undefined;

function headerOf(line: string): Header {
  if (latest?.line === line) return latest;
  const separator = separatorOf(line);
  const columns = cellsOf(line.replace(/^\uFEFF/, ''), separator);
  const headings = new Set(columns.map(plainHeading));
  const fields = new Set(columns.flatMap((column) => fieldOf(column) ?? []));
  const form = FORMS.find((candidate) => candidate.isForm(headings));
  latest = { line, separator, columns, headings, fields, form };
  return latest;
}

/**
 * Whether a line names the columns of such a table: those of a service, or a publication number, a title and two typical columns.
 */
function isHeader(line: string): boolean {
  if (line.length > HEADER_MAX_CHARS) return false;
  const { form, fields } = headerOf(line);
  const typical = TYPICAL.filter((field) => fields.has(field)).length;
  return form !== undefined || (fields.has('publication_number') && fields.has('title') && typical >= 2);
}

/** Known columns from which on a table is one of publications. */
const COLUMNS_KNOWN = 3;

/** Columns of the tables of PatentsView that have no kinds. */
const OF_PATENTSVIEW = [
  'patentabstract',
  'claimtext',
  'applicationid',
  'inventorid',
  'assigneeid',
  'cpcgroup',
];
const PATENTSVIEW_LACKS =
  'a table of PatentsView whose numbers have no kind, so that their publications are not known; of its tables, g_patent.tsv is read';

/**
 * What a table of publications lacks, for the message about a table that is not read; `undefined` if it does not seem to be one.
 */
export function tableLacks(head: Uint8Array): string | undefined {
  for (const line of headerLines(head, isHeader)) {
    if (line.length > HEADER_MAX_CHARS) continue;
    const { headings, fields } = headerOf(line);
    const isPatentsView = OF_PATENTSVIEW.some((name) => headings.has(name));
    if (headings.has('patentid') && isPatentsView) return PATENTSVIEW_LACKS;
    const lacking = ['publication_number', 'title'].filter((field) => !fields.has(field));
    if (fields.size >= COLUMNS_KNOWN && lacking.length > 0)
      return `a table without ${lacking.join(' and ')}; export it with the numbers, titles and abstracts of the publications`;
  }
  return undefined;
}

function parse(bytes: Uint8Array): ParsedUnit {
  const text = decodeText(bytes).replace(/^\uFEFF/, '');
  const end = text.indexOf('\n');
  const { separator, columns, form } = headerOf(text.slice(0, end));
  const cells = cellsOf(text.slice(end + 1), separator);
  if (cells.length !== columns.length) {
    throw new DamagedDocument(`a row of ${cells.length} cells under ${columns.length} columns`);
  }
  const read = form?.publications(rowOf(columns, cells)) ?? [{ fields: fieldsOf(columns, cells) }];
  return 'skipped' in read ? { patents: [], skipped: [{ reason: read.skipped }] } : unitOf(read);
}

/** The first cell under each heading that is not empty. */
function rowOf(columns: readonly string[], cells: readonly string[]): Map<string, string> {
  const row = new Map<string, string>();
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    // One cell far to the right gives all rows thousands of empty ones.
    if (cell === '') continue;
    const heading = plainHeading(column);
    if (!row.has(heading)) row.set(heading, cell);
  }
  return row;
}

function fieldsOf(columns: readonly string[], cells: readonly string[]): ExportFields {
  const fields: ExportFields = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    const field = cell === '' ? undefined : fieldOf(column);
    if (field !== undefined && fields[field] === undefined) fields[field] = cellValue(field, cell);
  }
  return fields;
}

/** The publications of a row. One that cannot be read does not hide the others. */
function unitOf(publications: readonly RowPublication[]): ParsedUnit {
  const unit: ParsedUnit = { patents: [], skipped: [] };
  const reasons: string[] = [];
  for (const { fields, more } of publications) {
    try {
      const read = publication(fields);
      if ('foreign' in read) unit.skipped.push({ reason: foreignReason(read.foreign) });
      else unit.patents.push({ ...read, ...more });
    } catch (error) {
      if (!(error instanceof DamagedDocument)) throw error;
      reasons.push(error.message);
    }
  }
  return withFailures(unit, reasons);
}

/** Parses a cell with JSON, and splits lists of names and codes. */
function cellValue(field: string, cell: string): unknown {
  if (/^[[{]/.test(cell)) {
    try {
      // Some writers put the line ends of a text into the JSON unescaped.
      return JSON.parse(cell.replace(/\r?\n/g, '\\n'));
    } catch {
      // `[B26D1/09, B26D5/18]` is not JSON. The code below splits it.
    }
  }
  if (field === 'assignee' || field === 'inventor') return namesIn(cell);
  if (field === 'ipc' || field === 'cpc') return cell.replace(/[[\]?]/g, '').split(/[;,|]/);
  // A spreadsheet turns such an identifier into a number and loses digits: `2.0193E+12`.
  if (field === 'application_number') return /^[\d.]+E\+\d+$/i.test(cell) ? undefined : cell;
  return field.endsWith('_date') ? yearFirst(cell) : cell;
}

/** A legal form behind a comma: `…发展公司,有限责任合伙企业`. */
const LEGAL_FORM =
  /^(?:\s*(?:Ltd|Inc|LLC|LLP|Corp|Co|S\.?A|GmbH|L\.?P|B\.?V|N\.?V)\b|有限|股份(?:有限)?公司|[两兩]合公司|合伙(?:企业|公司))/i;

/** Longest text that `LEGAL_FORM` has to see. */
const FORM_CHARS = 20;

/**
 * The parts of a text between separators. One within brackets is none, and neither is one before a legal form. Brackets of two
 * widths may close each other.
 */
function partsBetween(text: string, separators: RegExp, bracketed: boolean): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (bracketed && /[(（]/.test(letter)) depth++;
    else if (/[)）]/.test(letter)) depth = Math.max(depth - 1, 0);
    else if (
      depth === 0 &&
      separators.test(letter) &&
      !LEGAL_FORM.test(text.slice(at + 1, at + FORM_CHARS))
    ) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  // A bracket that does not close is no bracket.
  return depth > 0 ? partsBetween(text, separators, false) : [...parts, text.slice(from)];
}

/** Names separated by semicolons or commas. */
function namesIn(cell: string): string[] {
  const listed = partsBetween(cell, /[;；]/, true);
  return (
    (listed.length > 1 ? listed : partsBetween(cell, /[,，、]/, true))
      // Question marks replace blanks that the encoding of the source does not have.
      .map((name) => withoutStart(withoutEnd(name, /[?\s]/), /[?\s]/))
      .filter(Boolean)
  );
}

/** Chinese search services put the application number before the title: `CN201810833186.7 - 一种…`. */
const NUMBERED_TITLE = /^CN(\d{8,12}\.[\dX])\s*-\s*(?=\S)/;

function publication(fields: ExportFields): Patent | { foreign: string } {
  const title = fields['title'];
  const numbered = typeof title === 'string' ? NUMBERED_TITLE.exec(title) : undefined;
  if (numbered && typeof title === 'string') {
    fields['title'] = title.slice(numbered[0].length);
    fields['application_number'] ??= numbered[1];
  }
  // A design has a Locarno class in the same column.
  const isDesign = /(?:^|[\d-])S\d?$/.test(String(fields['publication_number'] ?? ''));
  if (isDesign && fields['ipc'] !== undefined) {
    fields['locarno'] = fields['ipc'];
    delete fields['ipc'];
  }
  // Without the priorities, an application that is not its own first filing would begin a family of its own.
  const isOwnFirst =
    fields['priority_date'] !== undefined && fields['priority_date'] === fields['filing_date'];
  fields['earliest_unknown'] ??= fields['priority_claim'] === undefined && !isOwnFirst;
  const read = exportedPublication(fields);
  const isWhole = 'foreign' in read || read.claims !== undefined || read.description !== undefined;
  return isWhole ? read : { ...read, partial: true };
}

export const exportTable: Reader = {
  format: 'export-table',
  title:
    'table of publications (CSV or .xlsx of Google Patents, Lens.org, Espacenet, J-PlatPat, PATENTSCOPE, PatentsView, WIPS ON, KIPRIS, CNIPA gazette list)',
  version: 9,
  detect: (head) => headerLines(head, isHeader).some(isHeader),
  split: splitDelimited(isHeader),
  parse,
};
