/**
 * Numbers as title pages print them and texts cite them, in the spellings that number.ts reads: `(21)申请号 …`,
 * `特開2021-041306(P2021-041306A)`, `등록특허번호 …`, `米国特許第6837063号`, `USP 6,837,063`, `10 1801639`. Only what users ask for is read so:
 * records keep what their sources say.
 */
import { foldedNumber } from './application-number.js';
import type { Country } from './country.js';
import { NUMBER_MAX_CHARS, parsePatentNumber } from './number.js';
import { inJapaneseForms, type PrintedLabel, readPrintedLabel } from './printed-label.js';

/** The code of a field on a title page (INID) before its name: `(10) Patent No.`. */
const FIELD_CODE = /^[([][1-9]\d[)\]]\s{0,3}(?=.{0,40}\p{L})/u;
/** What Japanese title pages repeat behind a number, with a letter for the right: `(P2021-041306A)`, `(U2024-2701)`. */
const REPEATED = /\([PUD][^()\s]{4,16}\)$/;
/** `10 1801639`, `10-1801639-00-00`, with a kind behind it. */
const KR_REGISTRATION = /^([123]0)[ -](\d{7})(?:-0000|-00-00)?( ?[BY]\d?)?$/;
const KR_APPLICATION = /^([123]0) ((?:19|20)\d\d)[ -](\d{7})( ?[A-Z]\d?)?$/;
/** `JPA2021041306`: the kind before the number without a hyphen. */
const JP_KIND = /^JP([ABTUY])[ -]?(?=\d|[MTSHR]\d)/;
/** Korean names of Japanese applications. */
const JP_APPLICATION = /^([특실])원(?=[\s평소]?\s?\d)/;
/** Five digits: no number that is printed or cited has fewer. */
const HAS_DIGITS = /\p{Nd}(?:\P{Nd}*\p{Nd}){4}/u;
/** A number that names its office, or the Japanese series. */
const OWN = /^(?:(?:US|KR|JP|CN|EP)(?![A-Z]{2})|[特実再])/;

/** Words before the number of an application of each office, as number-label.ts reads them. */
const APPLICATION: Record<Country, string> = {
  KR: '출원번호',
  JP: '出願番号',
  CN: '申请号',
  US: 'US PATENT APPLICATION NO.',
  EP: 'EUROPEAN PATENT APPLICATION NO.',
};

/**
 * Writes a printed or cited number as number.ts reads it. All other texts are returned unchanged, so a text with more than a number
 * in it stays what it is.
 */
export function plainNumber(text: string): string {
  // Most questions are words, and end here.
  if (text.length > NUMBER_MAX_CHARS || !HAS_DIGITS.test(text)) return text;
  const whole = foldedNumber(text);
  if (whole.length > NUMBER_MAX_CHARS) return text;
  const bare = ownForm(whole.replace(FIELD_CODE, '').replace(REPEATED, '').trim());
  if (isRead(bare)) return bare === whole ? text : bare;
  const label = readPrintedLabel(bare);
  const found = label ? spelled(label) : inJapaneseForms(bare);
  return isRead(found) ? found : text;
}

function isRead(text: string): boolean {
  return parsePatentNumber(text).length > 0;
}

/** A number without words before it in the usual spelling of its office. */
function ownForm(text: string): string {
  return text
    .replace(KR_REGISTRATION, (_, right, number, kind = '') => `${right}-${number}${kind}`)
    .replace(KR_APPLICATION, (_, right, year, number, kind = '') => `${right}-${year}-${number}${kind}`)
    .replace(JP_KIND, 'JP-$1-')
    .replace(JP_APPLICATION, (_, right) => (right === '특' ? '特願' : '実願'));
}

function spelled(label: PrintedLabel): string {
  const { country, isApplication, isEastAsian, roles } = label;
  const rest = ownForm(label.rest.replace(/^[第제]\s?/, '').replace(/\s?[号호]$/, ''));
  if (isApplication && !/^[特実]/.test(rest)) {
    const words = country === undefined ? 'APPLICATION NO.' : APPLICATION[country];
    return `${words} ${rest}`;
  }
  for (const series of ['D', 'PP', 'RE'] as const) {
    if (roles.has(series)) return `US ${/^\d/.test(rest) ? series : ''}${rest}`;
  }
  if (country === undefined || OWN.test(rest)) return rest;
  return country === 'JP' && isEastAsian ? `${japaneseSeries(label, rest)}${rest}` : `${country} ${rest}`;
}

/** The name of the Japanese series that words mean. */
function japaneseSeries({ roles }: PrintedLabel, number: string): string {
  const right = roles.has('model') ? '実' : '特';
  if (roles.has('translation')) return '特表';
  if (roles.has('publication')) return `${right}開`;
  if (roles.has('examined')) return `${right}公`;
  if (!/^[\d,]+$/.test(number)) return 'JP ';
  return roles.has('model') ? '実用新案登録' : '特許';
}
