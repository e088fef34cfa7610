/**
 * Japanese publication numbers: years of eras, and the examined publications, whose numbers count such years
 * like those of applications laid open. They ended in March 1996. Registered patents took their place; their
 * numbers began at 2,500,001 and have eight digits, too: 特公平6-105321 (1994) and 特許第6105321号 (2017) are both
 * `06105321`. The kind tells them apart: `B` alone is the examined publication, and B1 or B2 the registration.
 * Databases list both as B2.
 */
import { eraYear } from './application-number.js';
import type { Patent } from './record.js';

/** A Japanese number with a year before its serial number. */
export interface JapaneseNumber {
  /** Year and serial number of six digits. The year has four, or two if it is that of an era in the number. */
  digits: string;
  kind?: string | undefined;
  /** True if the number counts the years of an era. */
  isEra?: true | undefined;
}

/** `H06105321B2`, `平6-105321`, `JPS61-12345`, `JP-H05123456-A`; a year of one digit has a hyphen behind it. */
const ERA_LETTER = /^(?:JP-?)?([MTSHR明大昭平令])(?:治|正|和|成)?(\d{2}|\d(?=-))-?(\d{1,6})-?([A-Z]\d?)?$/;

/** The number of an era instead of its letter: `JP 361118513 A` is 特開昭61-118513. */
const ERA_NUMBER = /^(?:JP-?)?([1-4])-?(\d\d)-?(\d{6})-?([A-Z]\d?)?$/;
/** The years of the eras with these numbers: Meiji, Taishō, Shōwa, Heisei. `201045940` may be 2010-45940, so the first two of Taishō are not read. */
const YEARS = [undefined, [1, 45], [3, 15], [1, 64], [1, 31]] as const;

/** `7-12345`, `JP 61-12345 A`, `A-10-100907`, `P2001-118988`. Six digits behind a blank may be a part of a longer number. */
const HYPHENATED =
  /^(?:JP[\s-]{0,3})?(?:([ABUY]|T(?=-))[-.]?\s?|P-?)?(\d{1,2}|(?:19|20)\d\d)(?:-| (?!\d{6}))(\d{1,6})[\s-]?([A-Z]\d?)?$/;
/** The last year of Shōwa. No era has had more since. */
const MOST_YEARS = 64;

/**
 * Splits a number with a year. `undefined` if the text has none.
 * @param isJapanese whether the text, or what stands around it, names Japan
 * @param named the kind that stands before the number
 */
export function japaneseNumber(
  text: string,
  isJapanese: boolean,
  named?: string,
): JapaneseNumber | undefined {
  const found =
    withEra(text, isJapanese) ?? (isJapanese ? (hyphenated(text) ?? withEraNumber(text)) : undefined);
  if (found === undefined) return undefined;
  const kind = found.kind ?? named;
  return { ...found, kind: found.isEra && kind !== undefined ? examinedKind(kind) : kind };
}

/** A number with the letter or the character of an era. */
function withEra(text: string, isJapanese: boolean): JapaneseNumber | undefined {
  const [, era = '', year = '', serial = '', kind] = ERA_LETTER.exec(text.replace(/[\s.,/]/g, '')) ?? [];
  // `H2123` is a US statutory invention registration; a Japanese number with an era letter has eight digits.
  const isSure = isJapanese || /^[^A-Z]$/.test(era) || year.length + serial.length === 8;
  if (era === '' || !isSure) return undefined;
  return { digits: `${eraYear(era, Number(year))}${serial.padStart(6, '0')}`, kind, isEra: true };
}

/** Nine digits, of which the first is the number of an era. Japan has no other numbers of nine digits. */
function withEraNumber(text: string): JapaneseNumber | undefined {
  const [, era = '', year = '', serial = '', kind] = ERA_NUMBER.exec(text.replace(/[\s.,/]/g, '')) ?? [];
  const [first, last] = YEARS[Number(era)] ?? [];
  if (first === undefined || Number(year) < first || Number(year) > last) return undefined;
  return { digits: year + serial, kind, isEra: true };
}

/** Year and serial number with a hyphen between them. Only a text that names Japan means them so. */
function hyphenated(text: string): JapaneseNumber | undefined {
  const [, before, year = '', serial = '', behind] = HYPHENATED.exec(text) ?? [];
  if (year === '') return undefined;
  const found = { digits: year.padStart(2, '0') + serial.padStart(6, '0'), kind: behind ?? before };
  if (year.length === 4) return found;
  return Number(year) < 1 || Number(year) > MOST_YEARS ? undefined : { ...found, isEra: true };
}

/** Korean words in Japanese numbers: `JP평성11315016`, `특개평11-315016`. */
const KOREAN_WORDS: readonly [RegExp, string][] = [
  [/특개/, '特開'],
  [/특표/, '特表'],
  [/특공/, '特公'],
  [/실개/, '実開'],
  [/실공/, '実公'],
  [/평성?(?=\d)/, '平'],
  [/소화?(?=\d)/, '昭'],
];

/** Writes the Korean words of a Japanese number in Japanese. */
export function inJapanese(text: string): string {
  if (!/[평소특실]/.test(text)) return text;
  return KOREAN_WORDS.reduce((found, [korean, japanese]) => found.replace(korean, japanese), text);
}

/** The last examined publications are of March 1996, the first registered patents of May 1996. */
const REGISTRATIONS_ONLY_FROM = '1996-09-01';
/** Numbers of the registrations published before that day. */
const FIRST_REGISTRATIONS = /^02[5-9]\d{5}$/;
/** Databases add a digit to the kind. Corrections (8, 9) keep theirs. */
const EXAMINED_WITH_DIGIT = /^([BY])[1-7]$/;

/** The kind of an examined publication: `B` (`Y` of a utility model), whatever digit a database adds. */
function examinedKind(kind: string): string {
  return kind.replace(EXAMINED_WITH_DIGIT, '$1');
}

/** Whether a publication of this day has the number of an examined application and not of a registration. */
function isOld(number: string, published: string): boolean {
  return published < REGISTRATIONS_ONLY_FROM && !FIRST_REGISTRATIONS.test(number);
}

/**
 * The number of a citation without a kind. The era's letter is added where the number would otherwise be that of a
 * registration as well: `H05160085`. Registrations have reached no such number of years above 9.
 * @param published the day of the cited publication, or the beginning of it (`1993-06`)
 */
export function citedJapaneseNumber({ number, isEra, published }: Told): string {
  if (isEra) return /^0[1-9]\d{6}$/.test(number) ? `H${number}` : number;
  // Before 1996, patents were registered under smaller numbers, which were never published.
  const isLater = published !== undefined && /^0[3-9]\d{6}$/.test(number);
  return isLater && isOld(number, published) ? `H${number}` : number;
}

/** What tells an examined publication: its number counts an era, or its day. */
interface Told {
  number: string;
  isEra: boolean;
  published: string | undefined;
}

/** The kind of a publication: that of the source, except for examined publications. */
export function japaneseKind(kind: string, { number, isEra, published }: Told): string {
  return isEra || (published !== undefined && isOld(number, published)) ? examinedKind(kind) : kind;
}

/**
 * Whether a publication is an examined application and no registration. `undefined` if it is neither, or if
 * the record does not tell.
 */
export function isExamined(
  publication: Pick<Patent, 'country' | 'kind_code' | 'number' | 'publication_date'>,
): boolean | undefined {
  const { country, kind_code: kind, number, publication_date: published } = publication;
  if (country !== 'JP' || !/^[BY]/.test(kind)) return undefined;
  if (published !== undefined) return isOld(number, published);
  return EXAMINED_WITH_DIGIT.test(kind) ? false : undefined;
}
