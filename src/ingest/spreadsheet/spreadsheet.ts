/**
 * Spreadsheets in .xlsx form (Office Open XML, ISO/IEC 29500): zips of XML parts. Each worksheet becomes a table of text, which is
 * then recognised and split like a CSV file.
 */
import { SPREADSHEET } from '../../limits.js';
import { failureAt, type Place, reasonOf } from '../place.js';
import type { Failure, Unit } from '../readers/reader.js';
import { UNKNOWN_FORMAT } from '../readers/registry.js';
import { openText, type TextOptions } from '../text.js';
import { isSystemError, peek } from '../unpack.js';
import { type ZipParts, zipParts } from '../unzip.js';
import { damagedPart } from './elements.js';
import { SheetTable } from './table.js';
import { readPart, readWorkbook, type Sheet, WORKBOOK, type Workbook } from './workbook.js';
import { type SheetRow, sheetRows } from './worksheet.js';

const CONTENT_TYPES = '[Content_Types].xml';

/**
 * The parts of a zip that is a spreadsheet; `undefined` if it is none. The caller closes them.
 * @throws UnpackError if it is a damaged spreadsheet
 */
export async function spreadsheetParts(source: string | Buffer): Promise<ZipParts | undefined> {
  const parts = await zipParts(source, (name) => /^(?:\[content_types\]\.xml$|xl\/)/i.test(name));
  if (parts === undefined) return undefined;
  const [hasTypes, hasWorkbook] = [parts.has(CONTENT_TYPES), parts.has(WORKBOOK)];
  if (hasTypes && hasWorkbook && parts.damage === undefined) return parts;
  parts.close();
  if (parts.damage !== undefined && (hasTypes || hasWorkbook)) throw parts.damage;
  return undefined;
}

/**
 * Yields the documents of the worksheets. A worksheet that cannot be read does not hide the others. If one worksheet is a list of
 * publications, the unknown ones are skipped: databases put the question on a worksheet of its own.
 * @param head bytes from which the format of a table is detected
 * @throws UnpackError if the workbook is damaged
 */
export async function* openSpreadsheet(
  parts: ZipParts,
  place: Place,
  options: TextOptions,
  head: number,
): AsyncGenerator<Unit | Failure> {
  const book = await readWorkbook(parts);
  let isEmpty = true;
  let hasList = false;
  // All sheets may repeat the same long text.
  let chars: number = SPREADSHEET.tableChars;
  const others: Failure[] = [];
  for (const sheet of book.sheets) {
    options.signal?.throwIfAborted();
    // The user does not see a hidden sheet, so it is not a failure if it has no documents.
    const isNamed = place.isNamed && !sheet.isHidden;
    const at = { ...place, sheet: sheet.name.slice(0, NAME_MAX_CHARS), isNamed };
    try {
      const rows = await rowsOf(parts, sheet, book, options.signal);
      // Programs add sheets that stay empty.
      if (rows.length === 0) continue;
      isEmpty = false;
      const table = new SheetTable(rows, chars);
      try {
        for await (const item of openTable(table, at, options, head)) {
          if ('reason' in item && item.reason.startsWith(UNKNOWN_FORMAT)) others.push(item);
          else yield item;
          hasList ||= !('reason' in item);
        }
      } finally {
        chars = Math.max(chars - table.given, 0);
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isSystemError(error)) throw error;
      isEmpty = false;
      yield failureAt(at, reasonOf(error));
    }
  }
  if (isEmpty) yield failureAt(place, 'empty spreadsheet');
  if (!hasList) yield* others;
  else for (const { file, position, reason } of others) options.onSkipped?.({ file, position, reason });
}

/** Characters of the name of a sheet in a report. Excel allows 31. */
const NAME_MAX_CHARS = 64;

async function rowsOf(
  parts: ZipParts,
  { part }: Sheet,
  book: Workbook,
  signal: AbortSignal | undefined,
): Promise<SheetRow[]> {
  const bytes = await readPart(parts, part, SPREADSHEET.partBytes);
  try {
    return await sheetRows(bytes, book, signal);
  } catch (error) {
    throw damagedPart(part, error);
  }
}

async function* openTable(
  table: SheetTable,
  place: Place,
  options: TextOptions,
  head: number,
): AsyncGenerator<Unit | Failure> {
  const text = await peek(table.text(), head);
  try {
    for await (const item of openText(text.head, text.whole, place, options)) {
      // Positions are those of the text. The user sees the numbers of rows.
      const position = item.position.replace(LINE, (_, line: string) => `line ${table.rowAt(Number(line))}`);
      yield { ...item, position };
    }
  } finally {
    await text.close();
  }
}

const LINE = /\bline (\d{1,10})$/;
