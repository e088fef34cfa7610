/** A worksheet as a table of text: UTF-8, tabs between the cells, quotes as in CSV (RFC 4180). */
import { SPREADSHEET } from '../../limits.js';
import { type Bytes, UnpackError } from '../unpack.js';
import type { SheetRow } from './worksheet.js';

/** Characters of rows that are passed on together. */
const CHUNK_CHARS = 1 << 16;

export class SheetTable {
  /** Lines at which the difference to the number of the row changes: a text may have several lines, and rows may be missing. */
  readonly #lines: number[] = [];
  readonly #rows: number[] = [];

  /** Characters of the rows that were passed on. */
  given = 0;

  constructor(
    readonly rows: readonly SheetRow[],
    readonly maxChars: number = SPREADSHEET.tableChars,
  ) {}

  /**
   * The table. All rows have the cells of the longest one, as in a CSV file that a spreadsheet program saves.
   * @throws UnpackError if the table is too large
   */
  async *text(): Bytes {
    let width = 0;
    for (const { cells } of this.rows) width = Math.max(width, cells.length);
    let [line, waiting] = [1, ''];
    for (const { number, cells } of this.rows) {
      this.#note(line, number);
      const record = `${Array.from({ length: width }, (_, column) => quoted(cells[column] ?? '')).join('\t')}\n`;
      line += record.split('\n').length - 1;
      this.given += record.length;
      if (this.given > this.maxChars) {
        throw new UnpackError(
          `a sheet that gives a table of more than ${this.maxChars} characters; save the sheet as CSV`,
        );
      }
      waiting += record;
      if (waiting.length < CHUNK_CHARS) continue;
      yield Buffer.from(waiting);
      waiting = '';
    }
    if (waiting !== '') yield Buffer.from(waiting);
  }

  #note(line: number, row: number): void {
    const [lastLine = 0, lastRow = 0] = [this.#lines.at(-1), this.#rows.at(-1)];
    if (row - line === lastRow - lastLine && this.#lines.length > 0) return;
    this.#lines.push(line);
    this.#rows.push(row);
  }

  /** The number of the row that begins at a line of the text. */
  rowAt(line: number): number {
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    const at = low - 1;
    return line - (this.#lines[at] ?? line) + (this.#rows[at] ?? line);
  }
}

const quoted = (cell: string): string => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
