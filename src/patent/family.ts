/**
 * Families that a source does not state. Documents that rest on the same first filing share an id, built
 * from that filing: `KR1020080017061`. It starts with letters, so it never meets a DOCDB family, which is
 * digits only.
 */
import { eraYear, isPctNumber, normaliseApplicationNumber } from './application-number.js';

/** An earlier (or the document's own) application: two-letter country, number as written, date. */
export interface Filing {
  country: string;
  number: string;
  /** `YYYY-MM-DD`. */
  date?: string | undefined;
}

/**
 * `11-097727` of 1999 is Heisei 11: other offices quote Japanese applications to 1999 without the era's letter,
 * and the date tells whether the year is one.
 */
function eraWritten({ country, number, date }: Filing): string {
  const short = country === 'JP' && date ? /^(?:J?P\s*)?(\d{1,2})-(\d{1,6})$/.exec(number.trim()) : null;
  if (!short) return number;
  const era = ['H', 'S'].find((letter) => String(eraYear(letter, Number(short[1]))) === date?.slice(0, 4));
  return era === undefined ? number : `${era}${short[1]}-${short[2]}`;
}

/** `KR1020080017061`, `WOUS2007014647`; `undefined` where the number is empty. */
export function filingKey(filing: Filing): string | undefined {
  const number = normaliseApplicationNumber(filing.country, eraWritten(filing));
  if (number === undefined) return undefined;
  return `${isPctNumber(filing.number) ? 'WO' : filing.country}${number}`;
}

/** Two letters, as of an office. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text);
}

/** Offices whose application numbers began with two digits of the year. */
const SHORT_YEARS: Record<string, RegExp> = { EP: /^\d{8}$/, CN: /^\d{8}$/ };

/** What sorts the applications of one office by age: the number, with the year in full; the KR right comes last. */
function ageOf(key: string): string {
  const [country, number] = [key.slice(0, 2), key.slice(2)];
  if (country === 'KR' && number.length === 13) return country + number.slice(2) + number.slice(0, 2);
  if (!SHORT_YEARS[country]?.test(number)) return key;
  return `${country}${Number(number.slice(0, 2)) >= 70 ? 19 : 20}${number}`;
}

/**
 * The family id: the key of the earliest priority, or of the own application where none is claimed (which
 * is the priority that later documents name). Of several on one day the oldest number counts: a divisional, and a
 * divisional of that, have the filing date of the first application. A priority without date counts after the
 * dated ones, one without a country not at all.
 *
 * The id follows from the document alone, so it does not matter which other documents are there, or came first. What the
 * document does not state is not found: a divisional that names only the divisional it comes from, or only the regional
 * number of a parent that rests on an international application, gets the id of what it names.
 */
export function deriveFamilyId(own: Filing | undefined, priorities: readonly Filing[]): string | undefined {
  let best: { date: string; key: string } | undefined;
  for (const filing of priorities) {
    const key = filingKey(filing);
    if (key === undefined || !isCountryCode(filing.country)) continue;
    const date = filing.date ?? '9999';
    if (!best || date < best.date || (date === best.date && ageOf(key) < ageOf(best.key)))
      best = { date, key };
  }
  return best?.key ?? (own && filingKey(own));
}
