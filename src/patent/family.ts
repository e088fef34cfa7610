/**
 * Family ids for publications whose source states none. Documents with the same first filing share an id made
 * of that filing: `KR1020080017061`. It starts with letters, so it cannot collide with a DOCDB family, which
 * consists of digits.
 */
import { eraYear, isPctNumber, normaliseApplicationNumber } from './application-number.js';

/** An earlier application, or the document's own: two-letter country, number as written, date. */
export interface Filing {
  country: string;
  number: string;
  /** `YYYY-MM-DD`. */
  date?: string | undefined;
}

/**
 * Adds the era's letter to a Japanese number of other offices, which cite Japanese applications up to 1999
 * without it: `11-097727` of 1999 is Heisei 11. The right may stand behind it. The date tells whether the number begins with an
 * era year.
 */
function eraWritten({ country, number, date }: Filing): string {
  const short =
    country === 'JP' && date ? /^(?:J?P\s*)?(\d{1,2})-(\d{1,6}\s?[UFS]?)$/.exec(number.trim()) : null;
  if (!short) return number;
  const era = ['H', 'S'].find((letter) => String(eraYear(letter, Number(short[1]))) === date?.slice(0, 4));
  return era === undefined ? number : `${era}${short[1]}-${short[2]}`;
}

/** Key of a filing: `KR1020080017061`, `WOUS2007014647`. `undefined` if the number is empty. */
export function filingKey(filing: Filing): string | undefined {
  const number = normaliseApplicationNumber(filing.country, eraWritten(filing), filing.date);
  if (number === undefined) return undefined;
  return `${isPctNumber(filing.number) ? 'WO' : filing.country}${number}`;
}

/** Whether a key names one application. A US serial number without series and day is that of many. */
function namesOne(key: string): boolean {
  return !/^US\d{1,6}$/.test(key);
}

/** Whether a text has the form of an office's code: two letters. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text);
}

/** Offices whose application numbers once began with a two-digit year. */
const SHORT_YEARS: Record<string, RegExp> = { EP: /^\d{8}$/, CN: /^\d{8}$/ };

/**
 * Sort key of an office's applications by age: the number with the full year. For KR, the kind of right comes
 * last.
 */
function ageOf(key: string): string {
  const [country, number] = [key.slice(0, 2), key.slice(2)];
  if (country === 'KR' && number.length === 13) return country + number.slice(2) + number.slice(0, 2);
  if (!SHORT_YEARS[country]?.test(number)) return key;
  return `${country}${Number(number.slice(0, 2)) >= 70 ? 19 : 20}${number}`;
}

/**
 * The family id: the key of the earliest priority; or, if none is claimed, of the own application, which
 * later documents name as their priority. If several priorities have the earliest date, the oldest number is
 * used: a divisional, and a divisional of that, have the filing date of the first application. Priorities
 * without a date come last. Priorities without a valid country are ignored, and so are US serial numbers without series and date.
 *
 * The id depends on the document alone, not on other documents or their order. What the document does not
 * state is unknown: a divisional that names only the divisional from which it is divided, or only the regional
 * number of a parent with an international application, gets the id of what it names.
 */
export function deriveFamilyId(own: Filing | undefined, priorities: readonly Filing[]): string | undefined {
  let best: { date: string; key: string } | undefined;
  for (const filing of priorities) {
    const key = filingKey(filing);
    if (key === undefined || !isCountryCode(filing.country) || !namesOne(key)) continue;
    const date = filing.date ?? '9999';
    if (!best || date < best.date || (date === best.date && ageOf(key) < ageOf(best.key)))
      best = { date, key };
  }
  const key = best?.key ?? (own && filingKey(own));
  return key !== undefined && namesOne(key) ? key : undefined;
}
