/**
 * Dates in the spellings of patent offices. In the program, a date is `YYYY-MM-DD` or days since 1970-01-01.
 */
import { PriorartError } from '../errors.js';

const MS_PER_DAY = 86_400_000;
const FORMS = /^(\d{4})(?:(\d{2})(\d{2})|([-./])(\d{1,2})\4(\d{1,2})\.?)$/;
/** None of the five offices is older. An earlier year in a source is an error or means "unknown". */
const FIRST_YEAR_OF_SOURCES = 1700;
const ISO = /^(\d{4})-(\d{2})-(\d{2})$/;

function realDay(year: number, month: number, day: number): string | undefined {
  // The calendar has no year 0: the year before 1 AD is 1 BC.
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  const date = new Date(0);
  // Date.UTC would read the year 99 as 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return undefined;
  return date.toISOString().slice(0, 10);
}

/**
 * Parses `20191128`, `2018.12.21`, `2018-12-21`, `2018/12/21` (also as an integer) to `YYYY-MM-DD`.
 * `undefined` if the text is not a real day from 1700 on: offices write `20041200` for an unknown day.
 */
export function parseDate(value: string | number | undefined | null): string | undefined {
  if (value === undefined || value === null) return undefined;
  const match = FORMS.exec(String(value).normalize('NFKC').trim());
  if (!match || Number(match[1]) < FIRST_YEAR_OF_SOURCES) return undefined;
  return realDay(Number(match[1]), Number(match[2] ?? match[5]), Number(match[3] ?? match[6]));
}

/**
 * Parses the strict form of requests: a real day of the Gregorian calendar, of any year, written
 * `YYYY-MM-DD`.
 * @param expected what the message expects instead
 * @throws PriorartError `bad_date`; the message has the field, the value and the expected form
 */
export function parseIsoDate(value: string, field = 'date', expected = 'YYYY-MM-DD'): string {
  const match = ISO.exec(value);
  const day = match && realDay(Number(match[1]), Number(match[2]), Number(match[3]));
  if (day) return day;
  const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
  const message = `${field}: invalid date ${JSON.stringify(shown)}; expected ${expected}`;
  throw new PriorartError('bad_date', message);
}

/** Days since 1970-01-01 (negative before) of a valid `YYYY-MM-DD`. */
export function toEpochDay(iso: string): number {
  return Math.round(Date.parse(`${iso}T00:00:00Z`) / MS_PER_DAY);
}

/** The inverse of `toEpochDay`. */
export function fromEpochDay(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The earliest of some `YYYY-MM-DD` dates; `undefined` if all are. */
export function earliestDate(dates: Iterable<string | undefined>): string | undefined {
  let earliest: string | undefined;
  for (const date of dates) {
    if (date !== undefined && (earliest === undefined || date < earliest)) earliest = date;
  }
  return earliest;
}

const IN_BRACKETS = /\(\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}\.?\)$/;

/** Removes a date in brackets at the end of a text: `제10-2017-0062563호(2017.06.08.)`. */
export function withoutDate(text: string): string {
  return text.replace(IN_BRACKETS, '').trimEnd();
}
