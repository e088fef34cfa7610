/**
 * Application numbers in one form per office, so that an application, its grant, its divisionals and the
 * priority claims of other offices use the same number:
 *
 * | office | form | from |
 * |---|---|---|
 * | KR | 13 digits: 10, 20 or 30 + year + 7 | `10-2006-0025591`, `KR20060025591`, before 1998 `KR820001001`, `82-1001` |
 * | JP | year + 6 digits, and U (utility model) or S (design) behind them | `特願2018-524120`, `JP-P-2007-00102123`, `特願平10-123456`, `実願2018-001234` |
 * | CN | 12 digits (8 before October 2003), no check digit | `201610298414.0`, `98812345.6` |
 * | EP | 8 digits, no check digit | `04106384.3`, `EP20040106384` |
 * | US | 8 digits: series code + 6 | `09/742,144`, `60634291`, `201862650001`, and with the day `516238 P`, `US20100942680` |
 * | WO (PCT numbers at any office) | office + year + 6 digits | `PCT/US2007/014647` |
 * | others | letters and digits, without a check digit after a point | `10 2007 003 914.1` |
 */
import type { Country } from './country.js';
import { withoutInvisible } from './invisible.js';
import { kindClass } from './kind.js';
import { usNumberWithSeries } from './us-series.js';

/** Without separators, four digits are a year only if they can be: `PCT/US9912345` is of 1999. */
const PCT = /PCT\W*([A-Z]{2})\W*((?:19|20)\d{2}(?=\W|\d{4})|\d{2})\W*(\d{3,7})/;
/** Japanese eras by their letter and character, with the year before their first year. */
const ERA: Record<string, number> = {
  ...{ M: 1867, 明: 1867, T: 1911, 大: 1911, S: 1925, 昭: 1925 },
  ...{ H: 1988, 平: 1988, R: 2018, 令: 2018 },
};

/** The calendar year of a Japanese era year: `('平', 30)` and `('H', 30)` are 2018. */
export function eraYear(era: string, year: number): number | undefined {
  const base = ERA[era];
  return base === undefined ? undefined : base + year;
}

/** The full year of a two-digit year. The series of EP, PCT and CN began in 1978 or later. */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  return `${Number(year) >= 70 ? 19 : 20}${year}`;
}

function korean(text: string): string | undefined {
  const parts = /(?:^|\D)([1-7]0)\D?((?:19|20)\d{2})\D(\d{1,7})(?=\D|$)/.exec(text);
  if (parts) return `${parts[1]}${parts[2]}${parts[3]?.padStart(7, '0')}`;
  const short = /^\D*([4-9]\d)-?(\d{1,7})$/.exec(text.trim());
  if (short && (text.includes('-') || short[2]?.length === 7))
    return `1019${short[1]}${short[2]?.padStart(7, '0')}`;
  const digits = text.replace(/\D/g, '');
  if (digits.length === 13) return digits;
  // DOCDB omits the kind of right; most are patents.
  return digits.length === 11 ? `10${digits}` : undefined;
}

function japanese(text: string): string | undefined {
  const era = /([MTSHR明大昭平令])(?:治|正|和|成)?(\d{1,2})(?:年|\D)\D*(\d{1,6})(?=\D|$)/.exec(text);
  if (era) return `${eraYear(era[1] ?? '', Number(era[2]))}${era[3]?.padStart(6, '0')}`;
  const parts = /((?:19|20)\d{2})\D+(\d{1,8})(?=\D|$)/.exec(text);
  if (parts) return `${parts[1]}${String(Number(parts[2])).padStart(6, '0')}`;
  const digits = text.replace(/\D/g, '');
  if (digits.length === 10) return digits;
  // EPODOC pads the serial number to seven digits.
  if (/^(?:19|20)\d\d0\d{6}$/.test(digits)) return `${digits.slice(0, 4)}${digits.slice(5)}`;
  // 12 digits: `200700102123`, the serial number padded to eight.
  return digits.length === 12 ? `${digits.slice(0, 4)}${digits.slice(6)}` : undefined;
}

/**
 * Words before a Japanese application number that state its right: a utility model, a design or a patent. Gazettes and the Korean
 * office write a letter, too: `U2024-2701`, `JP-P-2007-00102123`. The first counts: `特願昭61-1234(実願昭60-1234の変更)`.
 */
const JP_RIGHT =
  /(?<U>[実實](?:用新案登[録錄]出)?願|実用新案)|(?<S>意(?:匠登[録錄]出)?願|意匠)|特(?:許出)?願|PATENT|(?:^|JP|[^A-Z])-?(?<letter>[UDP])-?(?=(?:19|20)\d\d)/;
/** Rights by the kind behind the number, and by the letter before it. DOCDB has F for a design and T for a translation. */
const JP_KINDS: Readonly<Record<string, string>> = {
  ...{ A: '', B: '', T: '', U: 'U', Y: 'U', S: 'S', F: 'S' },
  ...{ P: '', D: 'S' },
};

/** The letter that the right adds to a Japanese application number; `undefined` if the text does not tell the right. */
function japaneseRight(text: string): string | undefined {
  const named = JP_RIGHT.exec(text)?.groups;
  if (named) return named['U'] ? 'U' : named['S'] ? 'S' : (JP_KINDS[named['letter'] ?? ''] ?? '');
  const kind = /\d\s?[-(]?([ABFSTUY])\d?\)?$/.exec(text)?.[1];
  return kind === undefined ? undefined : JP_KINDS[kind];
}

/** A Korean number without its right, and the kind behind it: EPODOC's `KR20180004327U`. */
const KR_WITH_KIND = /^\W?(?:(?:19|20)\d\d-?|[4-9]\d-?)\d{7}\s?([UYSF])\d?$/;

/** A number with the right that the kind behind it tells. */
function koreanWithRight(number: string, text: string): string {
  const kind = KR_WITH_KIND.exec(text)?.[1];
  return kind === undefined ? number : (/[UY]/.test(kind) ? '20' : '30') + number.slice(2);
}

function chinese(text: string): string | undefined {
  const match = /(\d{8}(?:\d{4})?)(?:\.[\dX]|[\dX])?$/.exec(text.replace(/[^\dX.]/g, ''));
  if (!match) return undefined;
  const digits = text.replace(/[^\dX]/g, '');
  if (/^(?:19|20)\d{10}[\dX]?$/.test(digits)) return digits.slice(0, 12);
  return /^\d{8}[\dX]?$/.test(digits) ? digits.slice(0, 8) : undefined;
}

function european(text: string): string | undefined {
  const digits = text.replace(/\D/g, '');
  // DOCDB: year + seven digits, the first of which is 0.
  if (digits.length === 11 && /^(?:19|20)/.test(digits)) return digits.slice(2, 4) + digits.slice(5);
  if (digits.length === 9) return digits.slice(0, 8);
  return digits.length === 8 ? digits : undefined;
}

/** A serial number without its series: `516238`, `2010 942680`, EPODOC's `20100942680`. A provisional application has P behind it. */
const US_SERIAL = /^((?:19|20)\d{2}(?=0?\d{6}$))?0{0,2}(\d{1,6})$/;

/**
 * Without its series, a serial number is the number of many applications. The series follows from the day. If it does not, the
 * number is EPODOC's, with the year: `20100942680`, `20030516238P`.
 */
function american(text: string, day?: string): string | undefined {
  const kind = /[A-Z]\d?\s*$/.exec(text)?.[0] ?? '';
  const digits = text.slice(0, text.length - kind.length).replace(/\D/g, '');
  // DOCDB and the EPO since 2013: year + series code + serial, `201862/650001`.
  if (/^(?:19|20)\d{10}$/.test(digits)) return digits.slice(4);
  const serial = US_SERIAL.exec(digits);
  if (!serial?.[2]) return /^\d{7}$/.test(digits) ? `0${digits}` : digits || undefined;
  const year = serial[1] ?? day?.slice(0, 4);
  const mark = kind.startsWith('P') ? 'P' : '';
  const isOrdinary = mark !== '' || kind === '' || kind.startsWith('A');
  const number =
    day?.startsWith(year ?? '') && isOrdinary
      ? usNumberWithSeries(Number(serial[2]), day, mark !== '')
      : undefined;
  return number ?? (year === undefined ? serial[2] : `${year}0${serial[2].padStart(6, '0')}${mark}`);
}

const OFFICES: Record<string, (text: string, day?: string) => string | undefined> = {
  KR: korean,
  JP: japanese,
  CN: chinese,
  EP: european,
  US: american,
};

/** The forms of the table above. */
const OFFICE_FORMS: Record<string, RegExp> = {
  KR: /^[1-7]0(?:19|20)\d{9}$/,
  JP: /^(?:18|19|20)\d{8}[US]?$/,
  CN: /^(?:\d{8}|(?:19|20)\d{10})$/,
  EP: /^\d{8}$/,
  US: /^\d{8}$/,
};

/** A text with the ASCII hyphen instead of all others: Japanese gazettes print the minus sign. */
export function withPlainHyphens(text: string): string {
  return text.replace(/[\u2010-\u2015\u2212\uff0d\u30fc]/g, '-');
}

/** Digits, perhaps after an era, with separators and a check digit. */
const SPELLING = /^(?:[MTSHR明大昭平令]\d{1,2}-)?\d[\d,/-]*(?:\.[\dX])?$/;
const WHOLE_PCT = /^PCT[\s/-]?[A-Z]{2}[\s/-]?(?:\d{4}|\d\d)[\s/-]?\d{5,6}$/;

/** Whether a text in capitals is written like an application number, without an office before it. */
export function isApplicationSpelling(text: string): boolean {
  return SPELLING.test(text.replace(/\s/g, ''));
}

/** Whether a text in capitals is the number of an international application and nothing else. */
export function isWholePctNumber(text: string): boolean {
  return WHOLE_PCT.test(text);
}

/**
 * Whether a text has the form of the office's application numbers (see the table above). A US number has to
 * state its series: DOCDB omits it and appends the year (`2366704`). Numbers of offices outside the five
 * always have the form.
 */
export function isOfficeApplicationNumber(country: string, text: string): boolean {
  const form = OFFICE_FORMS[country];
  if (form === undefined) return true;
  const number = normaliseApplicationNumber(country, text);
  if (number === undefined || !form.test(number)) return false;
  return country !== 'US' || text.replace(/\D/g, '').length >= number.length;
}

/** A text in capitals, NFKC, with plain hyphens, without invisible characters and blanks at its ends. */
export function foldedNumber(text: string): string {
  return withPlainHyphens(plain(text));
}

function plain(text: string): string {
  return withoutInvisible(text).normalize('NFKC').toUpperCase().trim();
}

/** Whether a text is the number of an international application. Any office may cite it. */
export function isPctNumber(text: string): boolean {
  return PCT.test(plain(text));
}

/**
 * Normalises an application number to the office's form (see the table above), without the country. `country`
 * is a two-letter code. International numbers are recognised under every country. `undefined` if no letters
 * or digits are left.
 * @param day the day of filing, which tells the series of a US number
 */
export function normaliseApplicationNumber(country: string, text: string, day?: string): string | undefined {
  const upper = plain(text);
  const pct = PCT.exec(upper);
  if (pct) return `${pct[1]}${fullYear(pct[2] ?? '')}${pct[3]?.padStart(6, '0')}`;
  const own = upper.startsWith(country) ? upper.slice(country.length) : upper;
  const bare = country === 'US' ? own : own.replace(/[A-Z]\d?$/, (kind) => (/^X$/.test(kind) ? kind : ''));
  const known = OFFICES[country]?.(bare, day);
  if (known !== undefined && country === 'KR') return koreanWithRight(known, own);
  if (known !== undefined) return country === 'JP' ? known + (japaneseRight(own) ?? '') : known;
  const rest = own.replace(/\.\d$/, '').replace(/[^\p{L}\p{N}]/gu, '');
  return rest === '' ? undefined : rest;
}

/**
 * A normalised number as `normaliseApplicationNumber` reads it again. The form of an international application, `JP2017034001`,
 * would be read as one of Japan.
 */
export function writtenApplicationNumber(number: string): string {
  return number.replace(/^([A-Z]{2})((?:19|20)\d\d)(\d{6})$/, 'PCT/$1$2/$3');
}

/**
 * The forms of an application number at an office. A Japanese number whose right is not stated may be that of a patent, a
 * utility model or a design.
 * @param words the text with the words before the number, which may state the right
 */
export function applicationNumbersAt(country: string, text: string, words = text): string[] {
  const number = normaliseApplicationNumber(country, text);
  if (number === undefined) return [];
  if (country !== 'JP' || !/^\d{10}$/.test(number)) return [number];
  const right = japaneseRight(plain(words));
  return right === undefined ? [number, `${number}U`, `${number}S`] : [number + right];
}

/** Rights of a Korean application number by the class of its publication. */
const KR_RIGHTS: Readonly<Record<string, string>> = {
  ...{ utility_application: '20', utility_grant: '20', design: '30' },
};

/**
 * The application number of a publication. Sources leave out the right of a number, which the kind of the publication tells:
 * DOCDB's Korean numbers have no 10, 20 or 30, and Japanese patents and utility models have numbers of the same form.
 * @param number as `normaliseApplicationNumber` gives it
 */
export function applicationNumberOf(country: Country, kind: string, number: string): string {
  const right = kindClass(country, kind);
  if (country === 'KR' && /^10\d{11}$/.test(number)) return (KR_RIGHTS[right] ?? '10') + number.slice(2);
  if (country !== 'JP' || !/^\d{10}$/.test(number)) return number;
  if (right === 'design') return `${number}S`;
  return right === 'utility_application' || right === 'utility_grant' ? `${number}U` : number;
}

/**
 * All possible forms of an application number without its country, for a filter: the forms of each office,
 * and the text without separators.
 */
export function applicationNumberForms(text: string): string[] {
  const upper = plain(text);
  const named = /^(US|KR|JP|CN|EP)/.exec(upper)?.[1];
  const forms = new Set<string>();
  for (const country of named ? [named] : Object.keys(OFFICES)) {
    for (const form of applicationNumbersAt(country, upper)) forms.add(form);
  }
  return [...forms];
}
