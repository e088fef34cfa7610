/** The rows of a worksheet. */
import { SPREADSHEET, TABLE_RECORD_MAX_CHARS } from '../../limits.js';
import { DamagedDocument } from '../readers/reader.js';
import { childElements, type XmlElement } from '../readers/xml.js';
import { UnpackError } from '../unpack.js';
import { type CellContext, cellText } from './cell.js';
import { elementsOf } from './elements.js';

/** A row with a text. */
export interface SheetRow {
  /** Number that the program shows, from 1. */
  number: number;
  /** Texts by column, from 0. Empty cells are absent. */
  cells: string[];
}

/**
 * The rows that have a text, in order.
 * @throws UnpackError if the sheet breaks a limit
 * @throws DamagedDocument if it is not well-formed
 */
export async function sheetRows(
  part: Buffer,
  context: CellContext,
  signal: AbortSignal | undefined,
): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  let number = 0;
  for await (const row of elementsOf(part, 'sheetData', 'row')) {
    signal?.throwIfAborted();
    number = rowNumber(row.attributes['r'], number);
    const cells = cellsOf(row, context);
    if (cells.length > 0) rows.push({ number, cells });
    // Numbers that repeat do not bound the rows.
    if (rows.length > SPREADSHEET.rows)
      throw new UnpackError(`a sheet of more than ${SPREADSHEET.rows} rows`);
  }
  return rows;
}

function rowNumber(written: string | undefined, before: number): number {
  const number = written === undefined ? before + 1 : Number(written);
  if (!Number.isInteger(number) || number < 1 || number > SPREADSHEET.rows)
    throw new DamagedDocument(`a row with the number ${number}`);
  return number;
}

function cellsOf(row: XmlElement, context: CellContext): string[] {
  const cells: string[] = [];
  let [column, chars] = [-1, 0];
  for (const cell of childElements(row, 'c')) {
    column = columnOf(cell.attributes['r'], column);
    const text = cellText(cell, context);
    if (text.trim() === '') continue;
    cells[column] = text;
    chars += text.length;
    if (chars > TABLE_RECORD_MAX_CHARS)
      throw new UnpackError(`a row of more than ${TABLE_RECORD_MAX_CHARS} characters`);
  }
  return cells;
}

const REFERENCE = /^([A-Z]{1,3})\d{1,7}$/;
const LETTERS = 26;

/** The column of a reference such as `AB12`, from 0; without a reference, the one after the cell before. */
function columnOf(reference: string | undefined, before: number): number {
  let column = before + 1;
  if (reference !== undefined) {
    const letters = REFERENCE.exec(reference)?.[1] ?? '';
    column = -1;
    for (const letter of letters) column = (column + 1) * LETTERS + letter.charCodeAt(0) - 'A'.charCodeAt(0);
  }
  if (column < 0 || column >= SPREADSHEET.columns)
    throw new DamagedDocument(`a cell in the place ${reference ?? `after column ${before}`}`);
  return column;
}
