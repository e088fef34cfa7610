/** Normalises cited publications and claimed priorities from the spellings of the offices. */
import { isCountry } from './country.js';
import { type Filing, filingKey, isCountryCode } from './family.js';
import { internationalNumber } from './international-number.js';
import { citedJapaneseNumber } from './japanese-number.js';
import {
  type NumberCandidate,
  parsePatentNumber,
  patentId,
  publicationNumber,
  publicationOf,
} from './number.js';
import type { Citation, Priority } from './record.js';

/**
 * Serial numbers of US provisional applications. Some sources cite them like publications, but they are never
 * published.
 */
const US_PROVISIONAL = /^6[0-3]\d{6}$/;

/**
 * A cited patent document. The number of one of the five offices, or of WIPO, is normalised. With a kind it
 * is a publication's identity. `number` and `kind` stay as the source writes them.
 * @param date the day of the cited publication as the source writes it: `19930600`
 */
export function citedPatent(country: string, number: string, kind?: string, date?: string): Citation {
  const code = kind?.trim().toUpperCase() || kindBefore(country, number);
  const day = monthOf(date);
  const published = isCountry(country) && code ? publicationOf(country, number, code, day) : undefined;
  const known = published?.number ?? numberOf(country, number, code === undefined ? day : undefined);
  const isPublished = !(country === 'US' && US_PROVISIONAL.test(known ?? ''));
  return {
    ...(published !== undefined && isPublished && isCountry(country)
      ? { patent_id: patentId(country, published.number, published.kind) }
      : {}),
    country,
    number: known ?? number.trim(),
    ...(code === undefined ? {} : { kind: code }),
  };
}

/** Year and month of a date as written, which tell whether a Japanese number is that of a registration. */
function monthOf(date: string | undefined): string | undefined {
  const [, year, month] = /^\s*((?:19|20)\d{2})-?(\d{2})/.exec(date ?? '') ?? [];
  return year && `${year}-${month}`;
}

/** The kind that stands before a Japanese number: `A-10-100907`. */
function kindBefore(country: string, number: string): string | undefined {
  return country === 'JP' && /^\s*[ABUYT][-.\s]/i.test(number) ? japanese(number)?.kind : undefined;
}

function japanese(number: string): NumberCandidate | undefined {
  return parsePatentNumber(`JP${number.trim()}`).find(({ application }) => !application);
}

/** The number without a kind. */
function numberOf(country: string, number: string, published: string | undefined): string | undefined {
  const found = isCountry(country) ? publicationNumber(country, number) : undefined;
  if (country === 'JP' && found !== undefined)
    return citedJapaneseNumber({ number: found, isEra: japanese(number)?.isEra === true, published });
  return country === 'WO' ? internationalNumber(number)?.number : found;
}

/**
 * The publications that a citation can mean: without a kind, an application and its grant. A Japanese number
 * of an era, which databases list as B2, is not that of a registration.
 */
export function citedNumbers({ patent_id, country, number, kind }: Citation): NumberCandidate[] {
  if (patent_id === undefined)
    return country && number ? parsePatentNumber(`${country}${number}${kind ?? ''}`) : [];
  const found = parsePatentNumber(patent_id);
  const isEra = country === 'JP' && kind !== undefined && !patent_id.endsWith(kind);
  return isEra ? found.map((candidate) => ({ ...candidate, isEra })) : found;
}

/**
 * An earlier application as a priority. An invalid country is omitted. `undefined` if the number is empty.
 */
export function priorityOf(filing: Filing): Priority | undefined {
  const key = filingKey(filing);
  if (key === undefined) return undefined;
  const prefix = key.startsWith(filing.country) ? filing.country : 'WO';
  return {
    ...(isCountryCode(prefix) ? { country: prefix } : {}),
    number: key.slice(prefix.length),
    ...(filing.date === undefined ? {} : { date: filing.date }),
  };
}

/** Unique priorities of some filings. Chains of continuations name an application twice. */
export function uniquePriorities(filings: readonly Filing[]): Priority[] {
  const found = new Map<string, Priority>();
  for (const filing of filings) {
    const priority = priorityOf(filing);
    if (priority === undefined) continue;
    const key = `${priority.country ?? ''}${priority.number}`;
    if (!found.has(key)) found.set(key, priority);
  }
  return [...found.values()];
}
