/** The text of a cell, as a spreadsheet program writes it into a CSV file; dates have the year first. */
import { DamagedDocument } from '../readers/reader.js';
import { childAt, childElements, type XmlElement } from '../readers/xml.js';
import { dayOf } from './date.js';

/** What the cells of a spreadsheet refer to. */
export interface CellContext {
  /** Texts, by number. */
  strings: readonly string[];
  /** Whether cells with a style show dates, by number. */
  dateStyles: readonly boolean[];
  /** True if days count from 1904. */
  is1904: boolean;
}

/** Characters that XML cannot hold, or not at this place: `_x000D_`. */
const ESCAPED = /_x([\da-fA-F]{4})_/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are left out
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

function textOf(element: XmlElement | undefined): string {
  let text = '';
  for (const child of element?.children ?? []) if (typeof child === 'string') text += child;
  if (text.includes('_x')) {
    text = text
      .replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(CONTROLS, '');
  }
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** A text with its runs of other fonts. How it is pronounced (`rPh`) is no part of it. */
export function richText(element: XmlElement | undefined): string {
  let text = '';
  for (const child of childElements(element)) {
    if (child.name === 't') text += textOf(child);
    else if (child.name === 'r') for (const run of childElements(child, 't')) text += textOf(run);
  }
  return text;
}

/**
 * The text of a cell (`<c>`); `''` for an empty cell or an error of a formula.
 * @throws DamagedDocument if it refers to a text that does not exist
 */
export function cellText(cell: XmlElement, { strings, dateStyles, is1904 }: CellContext): string {
  const { t: type = 'n', s: style } = cell.attributes;
  if (type === 'inlineStr') return richText(childAt(cell, 'is'));
  const written = textOf(childAt(cell, 'v'));
  if (type === 'str') return written;
  const value = written.trim();
  if (value === '' || type === 'e') return '';
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new DamagedDocument(`a cell with the text ${value}, which does not exist`);
    return text;
  }
  if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  if (type === 'd') return /^\d{4}-\d\d-\d\d/.exec(value)?.[0] ?? value;
  const day = style !== undefined && dateStyles[Number(style)] ? dayOf(Number(value), is1904) : undefined;
  return day ?? numberText(value);
}

const DIGITS = /^-?\d+$/;
/** Digits that Excel shows. Those behind them come from the binary form: `4.0999999999999996`. */
const SHOWN_DIGITS = 15;

/** A number in plain digits, without an exponent if it is whole. */
function numberText(written: string): string {
  if (DIGITS.test(written)) return written;
  const exact = Number(written);
  if (!Number.isFinite(exact)) return written;
  const shown = Number.isInteger(exact) ? exact : Number(exact.toPrecision(SHOWN_DIGITS));
  return Number.isInteger(shown) ? String(BigInt(shown)) : String(shown);
}
