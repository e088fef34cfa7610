/** Small spreadsheets in .xlsx form for tests, and what an ingest makes of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import type { Patent } from '../../src/patent/record.js';
import { zipOf } from './documents.js';

export interface WrittenSheet {
  /** Content of `<sheetData>`. */
  rows: string;
  state?: 'hidden' | 'veryHidden';
}

export interface WrittenBook {
  /** Sheets by name. */
  sheets: Record<string, WrittenSheet>;
  /** The inner XML of each shared text. */
  strings?: readonly string[];
  /** Content of `<styleSheet>`. */
  styles?: string;
  is1904?: boolean;
  /** Parts that replace or complete the others. `undefined` leaves one out. */
  parts?: Record<string, string | Buffer | undefined>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A worksheet with these rows. */
export const worksheet = (rows: string): string =>
  `${DECLARATION}<worksheet xmlns="${MAIN}"><dimension ref="A1"/><sheetData>${rows}</sheetData><pageMargins left="1"/></worksheet>`;

/** Parts of a spreadsheet by name. */
export function partsOf({
  sheets,
  strings = [],
  styles = '',
  is1904 = false,
}: WrittenBook): Record<string, string> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const listed = names.map((name, at) => {
    const state = sheets[name]?.state;
    return `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state ? ` state="${state}"` : ''} r:id="rId${at + 1}"/>`;
  });
  const related = [
    ...names.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
    relation('rId101', 'styles', 'styles.xml'),
    relation('rId102', 'sharedStrings', '/xl/sharedStrings.xml'),
  ];
  return {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      names.map((name, at) => [`xl/worksheets/sheet${at + 1}.xml`, worksheet(sheets[name]!.rows)]),
    ),
  };
}

/** A spreadsheet. Its parts are deflated, as programs write them. */
export function xlsxOf(book: WrittenBook): Buffer {
  const parts = Object.entries({ ...partsOf(book), ...book.parts });
  return zipOf(
    Object.fromEntries(parts.flatMap(([name, part]) => (part === undefined ? [] : [[name, part]]))),
    true,
  );
}

const LETTERS = 26;
/** The letters of a column, from 0. */
export const columnName = (at: number): string =>
  (at >= LETTERS ? columnName(Math.floor(at / LETTERS) - 1) : '') + String.fromCharCode(65 + (at % LETTERS));

/** Rows of texts; empty texts have no cell. `first` is the number of the first row. */
export function textRows(rows: readonly (readonly string[])[], first = 1): string {
  return rows
    .map((cells, at) => {
      const number = first + at;
      const written = cells.map((cell, column) =>
        cell === ''
          ? ''
          : `<c r="${columnName(column)}${number}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`,
      );
      return `<row r="${number}">${written.join('')}</row>`;
    })
    .join('');
}

/** Rows of cells with shared texts, and these texts. */
export function sharedRows(rows: readonly (readonly string[])[]): { rows: string; strings: string[] } {
  const numbers = new Map<string, number>();
  const written = rows.map((cells, at) => {
    const row = cells.map((cell, column) => {
      if (cell === '') return '';
      const number = numbers.get(cell) ?? numbers.size;
      numbers.set(cell, number);
      return `<c r="${columnName(column)}${at + 1}" t="s"><v>${number}</v></c>`;
    });
    return `<row r="${at + 1}" spans="1:9">${row.join('')}</row>`;
  });
  return {
    rows: written.join('\n'),
    strings: [...numbers.keys()].map((text) => `<t xml:space="preserve">${escaped(text)}</t>`),
  };
}

/** The headings of a list of Lens.org. */
export const HEADINGS = ['Lens ID', 'Jurisdiction', 'Kind', 'Display Key', 'Title'];
/** A row of such a list. */
export const row = (number: number, title = 'A hinge'): string[] => [
  'x',
  'EP',
  'A1',
  `EP ${number} A1`,
  title,
];
/** Such a list, with a publication for each number. */
export const lens = (...numbers: number[]): string[][] => [HEADINGS, ...numbers.map((number) => row(number))];

export interface Read {
  patents: Patent[];
  /** `position | patent_id` of publications, `position ! reason` of failures, `position - reason` of skipped files. */
  told: string[];
}

/** What an ingest makes of a file or a folder. */
export async function readPath(path: string): Promise<Read> {
  const [patents, told]: [Patent[], string[]] = [[], []];
  const sources = openSources([path], {
    onSkipped: ({ position, reason }) => told.push(`${position} - ${reason}`),
  });
  for await (const item of sources) {
    if (isFailure(item)) {
      told.push(`${item.position} ! ${item.reason}`);
      continue;
    }
    const unit = parseUnit(item.format, item.bytes);
    patents.push(...unit.patents);
    told.push(...unit.patents.map(({ patent_id }) => `${item.position} | ${patent_id}`));
    if (unit.failed) told.push(`${item.position} ! ${unit.failed.reason}`);
  }
  return { patents, told };
}

/** A folder for files, removed after the tests. */
export class Files {
  readonly folder = mkdtempSync(join(tmpdir(), 'priorart-spreadsheet-'));
  #written = 0;

  put(name: string, bytes: Uint8Array): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    return path;
  }

  /** What an ingest makes of a file that the user names. The name says nothing. */
  read(bytes: Uint8Array): Promise<Read> {
    return readPath(this.put(`list-${++this.#written}.bin`, bytes));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
