/** Dates of spreadsheets: numbers of days, which only the format of a cell tells from other numbers. */

/** Formats of dates and times that have no code in the file, those of East Asian languages included. */
const BUILT_IN: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** Characters of the code of a format. Excel writes 255 at most. */
const CODE_MAX_CHARS = 1_000;
/** Parts of a code that are shown as they are, or tell colours, languages and widths. */
const NOT_OF_VALUE = /"[^"]*"|\\[\s\S]|[_*][\s\S]|\[[^[\]]*\]/g;

/** Whether a number format shows a date: by its code, or by its number if it has none. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN.some(([first, last]) => id >= first && id <= last);
  if (code.length > CODE_MAX_CHARS) return false;
  const [positive = ''] = code.replace(NOT_OF_VALUE, '').split(';');
  return /[ymd]/i.test(positive) && !/general/i.test(positive);
}

const DAY_MS = 86_400_000;
/** Half a second, in days: times are not exact. */
const ROUNDING = 0.5 / 86_400;
/** 31 December 9999 as a day from 1900. */
const LAST_DAY = 2_958_465;
/** Days from the first day of one system to that of the other. */
const DAYS_TO_1904 = 1_462;
/** 29 February 1900, a day that Excel counts and that did not exist. */
const LEAP_BUG = 60;

/**
 * The day of a number of days as `2019-12-31`; `''` for the day that did not exist; `undefined` if the number is a time without a
 * day, or out of range.
 */
export function dayOf(days: number, is1904: boolean): string | undefined {
  const day = Math.floor(days + ROUNDING) + (is1904 ? DAYS_TO_1904 : 0);
  if (!(day >= 1 && day <= LAST_DAY)) return undefined;
  if (day === LEAP_BUG) return '';
  const from = day < LEAP_BUG ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30);
  return new Date(from + day * DAY_MS).toISOString().slice(0, 10);
}
