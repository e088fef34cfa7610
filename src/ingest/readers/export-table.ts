/**
 * Tables with one publication per row, recognised by the names of their columns: Google Patents' CSV exports
 * (of the public data set, with JSON in cells, and of the search page), the CNIPA's gazette lists (GB18030),
 * and exported lists of Chinese search services. Most tables hold only front-page data.
 */

import type { Patent } from '../../patent/record.js';
import { withoutEnd, withoutStart } from '../../patent/scan.js';
import { decodeText } from './decode.js';
import { cellsOf, headerLines, separatorOf, splitDelimited } from './delimited.js';
import { type ExportFields, exportedPublication } from './google-patents.js';
import { oneOf } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';

/** Column names without case, blanks and punctuation. */
const COLUMNS: Record<string, readonly string[]> = {
  publication_number: [
    ...['publicationnumber', 'publicationno', 'id', 'authorizationnoticeid', 'resultnumber'],
    ...['公开公告号', '公开号', '公告号', '授权公告号', '申请公布号', '公开公告号码'],
  ],
  title: ['title', 'titlelocalized', 'name', '标题', '名称', '发明名称', '专利名称', '标题中文'],
  abstract: ['abstract', 'abstractlocalized', '摘要'],
  claims: ['claims', 'claimslocalized', '权利要求', '权利要求书'],
  description: ['description', 'descriptionlocalized', '说明书'],
  assignee: ['assignee', 'applicant', 'applicants', 'patentee', '申请人', '专利权人', '申请专利权人'],
  assignee_harmonized: ['assigneeharmonized'],
  inventor: [
    'inventor',
    'inventors',
    'inventorauthor',
    'author',
    'designer',
    '发明人',
    '发明设计人',
    '设计人',
  ],
  inventor_harmonized: ['inventorharmonized'],
  priority_date: ['prioritydate', '优先权日'],
  filing_date: ['filingdate', 'filingcreationdate', '申请日'],
  publication_date: [
    'publicationdate',
    'authorizedannouncementdate',
    '公开公告日',
    '公开日',
    '公告日',
    '授权公告日',
  ],
  grant_date: ['grantdate', '授权日'],
  application_number: ['applicationnumber', 'filingid', '申请号'],
  country_code: ['countrycode'],
  kind_code: ['kindcode'],
  ipc: ['ipc', 'ipccodes', 'intcl', 'ipc分类号', '国际分类号'],
  cpc: ['cpc', 'cpccodes', 'cpc分类号'],
  family_id: ['familyid'],
  citation: ['citation'],
  priority_claim: ['priorityclaim'],
  representative_figure: ['representativefigure', 'representativefigurelink'],
};

const FIELD_OF = new Map(
  Object.entries(COLUMNS).flatMap(([field, names]) => names.map((name) => [name, field])),
);

const fieldOf = (column: string): string | undefined =>
  FIELD_OF.get(
    column
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, ''),
  );

/** Columns typical of lists of publications. Other lists with an id and a title do not have them. */
const TYPICAL = [
  'assignee',
  'inventor',
  'priority_date',
  'filing_date',
  'publication_date',
  'ipc',
  'cpc',
  'abstract',
];
const HEADER_MAX_CHARS = 20_000;

/**
 * Whether a line names the columns of such a table: a publication number, a title and two typical columns.
 */
function isHeader(line: string): boolean {
  if (line.length > HEADER_MAX_CHARS) return false;
  const fields = new Set(cellsOf(line.replace(/^\uFEFF/, ''), separatorOf(line)).map(fieldOf));
  const typical = TYPICAL.filter((field) => fields.has(field)).length;
  return fields.has('publication_number') && fields.has('title') && typical >= 2;
}

function parse(bytes: Uint8Array): ParsedUnit {
  const text = decodeText(bytes).replace(/^\uFEFF/, '');
  const end = text.indexOf('\n');
  const [header, record] = [text.slice(0, end), text.slice(end + 1)];
  const separator = separatorOf(header);
  const [columns, cells] = [cellsOf(header, separator), cellsOf(record, separator)];
  if (cells.length !== columns.length) {
    throw new DamagedDocument(`a row of ${cells.length} cells under ${columns.length} columns`);
  }
  const fields: ExportFields = {};
  for (const [at, column] of columns.entries()) {
    const field = fieldOf(column);
    const cell = cells[at] ?? '';
    if (field !== undefined && cell !== '' && fields[field] === undefined)
      fields[field] = cellValue(field, cell);
  }
  return oneOf(publication(fields));
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
  return cell;
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
  const read = exportedPublication(fields);
  const isWhole = 'foreign' in read || read.claims !== undefined || read.description !== undefined;
  return isWhole ? read : { ...read, partial: true };
}

export const exportTable: Reader = {
  format: 'export-table',
  title: 'table of publications (CSV of Google Patents, CNIPA gazette list)',
  version: 5,
  detect: (head) => headerLines(head).some(isHeader),
  split: splitDelimited(isHeader),
  parse,
};
