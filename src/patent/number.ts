/**
 * Publication numbers. In the program, a number has KIPRIS's form. A publication's identity is country +
 * number + kind (`KR1020200104349A`), since the number alone is not unique.
 *
 * | office | KIPRIS number | other spellings read |
 * |---|---|---|
 * | KR A, U | 10 or 20 + year + 7 | `10-2020-0104349`, `KR20200104349A`, `201800004327A0`, `특2002-0012345`, before 1998 `KR830009677A` |
 * | | the same for examined publications up to 1997 | `KR800001540B1` |
 * | KR B1, Y1 | 10 or 20 + 7 digits + 0000 | `10-0866101`, `KR102214943 B1`, `000002214943B1` |
 * | US A1 | year + 7 | `US 2018/0184900 A1`, DOCDB `2018184900`, `201800184900A1` |
 * | US B1, B2 | 8 digits | `9971313`, `US 9,971,313 B2`, `000009971313B2` |
 * | US designs, plants, reissues, H, T | letters and digits, padded with zeros to 8 characters as in the weekly files: `D1050455`, `D0433143`, `PP030123`, `RE045678`, `H0002123` | `D433143`, `USPP30123P3` |
 * | EP | 8 digits | `EP3539467A1` |
 * | JP A, T | era year (Shōwa to 1988, then year − 1988) + 6 | `特開2018-524120`, `JP2018524120A`, `JPH10123456A`, `JP-H10123456-A`, `JP 361118513 A`, `JP 5-12345 A`, `P2001-118988`, `특개평11-315016` |
 * | JP A1 (re-publication of an international application) | era year + 6 of the WO number | `再表2018/062001`, `JPWO2018062001A1`, `JP WO2018/062001` |
 * | JP B1, B2, U | 8 digits | `特許第6235612号`, `JP6235612B2` |
 * | JP B, Y (examined publications up to 1996; databases add a digit) | era year + 6 | `特公平6-105321`, `JPH06105321B2`, `JP 61-12345 B2` |
 * | CN | 7 or 9 digits | `CN105942993A`; literature numbers are application numbers |
 * | all | | kind before the number (`EP-A-0449582`, `JP-A-2021-41306`) or in brackets (`CN103492414(A)`) |
 *
 * Words around a number are left out: `号公報`, `공보`, `公开号`, `대한민국`, `미국 공개특허`, `Patent No.`, and so is a date in brackets
 * behind it. Digits with a hyphen count an era only if the text names Japan, since they may be a range: `10-20`. After a word for an application
 * (`출원번호`, `特願`, `ZL`, `US Patent Application No.`) the number is that of an application, and so is a US number with a slash: `10/123,456`.
 */
import {
  applicationNumbersAt,
  foldedNumber,
  isApplicationSpelling,
  isOfficeApplicationNumber,
  isWholePctNumber,
  normaliseApplicationNumber,
} from './application-number.js';
import {
  hasCheckDigit,
  isJapaneseWithRight,
  officesOfSpelling,
  usSerialNumber,
} from './application-spelling.js';
import { COUNTRIES, type Country, isCountry } from './country.js';
import { withoutDate } from './date.js';
import { internationalNumber } from './international-number.js';
import { inJapanese, japaneseKind, japaneseNumber } from './japanese-number.js';
import { type Labelled, readLabel } from './number-label.js';

/** One interpretation of a number. Absent fields are not given by the text and match anything. */
export interface NumberCandidate {
  country?: Country;
  /** KIPRIS form; if `application` is set, the normalised application number. */
  number: string;
  kind?: string;
  /** True if the text is the number of an application instead of a publication: CN literature numbers, `特願2018-524120`, `10/123,456`. */
  application?: true;
  /** Of a Japanese number: whether it counts the years of an era. False for the number of a registration. */
  isEra?: boolean;
}

/** Japanese and Korean names of documents, longest first, with the kind letter they mean. */
const OFFICE_WORDS: [RegExp, Country, string | undefined][] = [
  [/^(?:実用新案登録|登録実用新案|実登|実全)/, 'JP', 'U'],
  [/^(?:特許公報|特許登録|特許|特公|特告)/, 'JP', 'B'],
  [/^(?:公開特許公報|特開|特願公開)/, 'JP', 'A'],
  [/^(?:公表特許公報|特表)/, 'JP', 'T'],
  [/^実公/, 'JP', 'Y'],
  [/^(?:実開|実願)/, 'JP', undefined],
  [/^(?:등록특허|특허등록|한국등록특허)(?:공보)?/, 'KR', 'B'],
  [/^(?:공개특허|특허공개|한국공개특허|특허)(?:공보)?/, 'KR', undefined],
  [/^(?:등록실용신안|실용신안등록)(?:공보)?/, 'KR', 'Y'],
  [/^(?:공개실용신안|실용신안공개)(?:공보)?/, 'KR', undefined],
  [/^일본공개특허(?:공보)?/, 'JP', 'A'],
  [/^일본등록특허(?:공보)?/, 'JP', 'B'],
  [/^일본(?=[特実平昭])/, 'JP', undefined],
  // Names of foreign documents: `미국 특허출원공개공보`. An application that is not published is none.
  [/^일본(?:특허|실용신안|공개|등록|공고|공보|출원(?=공개))+/, 'JP', undefined],
  [/^미국(?:특허|실용신안|공개|등록|공고|공보|출원(?=공개))+/, 'US', undefined],
  [/^중국(?:특허|실용신안|공개|등록|공고|공보|출원(?=공개))+/, 'CN', undefined],
  [/^유럽(?:특허|실용신안|공개|등록|공고|공보|출원(?=공개))+/, 'EP', undefined],
];
/** `日本公開特許公報 特開…` has a name of the series behind that of the gazette. */
const MOST_NAMES = 2;
/** Names of registered Japanese patents, whose numbers count no years. */
const REGISTRATION = /^(?:特許|일본등록)/;

/** Korean publications of about 2000 are printed with 특 (patent) or 실 (utility model) before the year. */
const KR_RIGHT = /^([특실])(?=(?:19|20)\d\d-?\d{1,7}(?:[A-Z]\d?)?$)/;

/** The end of a gazette's name: `特開2021-041306号公報`. */
const GAZETTE = /(?:公報|公报|공보)$/;

/** A kind in brackets at the end: `CN103492414(A)`. */
const BRACKETED_KIND = /\(([A-Z]\d?)\)$/;

/** The kind before the number: `EP-A-0449582`, `US-B2-9971313`, `JP-A-H07-12345`. Letters of eras and US series are no kinds. */
const LEADING_KIND = /^(US|KR|JP|CN|EP)[\s-]{0,3}([ABCUY]\d?|T)[\s-]{1,3}(?=[MTSHR]?\d)/;

/** The Japanese re-publication of an international application, whose number it has. */
const REPUBLICATION = /^(?:再公表特許|再公表|再表)|^JP[\s-]*(?=WO)/;
const REPUBLICATION_KIND = 'A1';

/** Korean numbers with a two-digit year. Numbers from 1998 on have four digits. */
const KR_SHORT_YEAR = /^[4-9]\d{8}$/;

/** Longer texts are not numbers, with all the words that may stand around one. */
export const NUMBER_MAX_CHARS = 90;

const year4 = (digits: string): boolean => /^(?:19|20)\d{2}/.test(digits);

/** Interpretations of digits as numbers of one office; the most likely first. */
const OFFICE_FORMS: Record<Country, (digits: string, kind?: string) => string[]> = {
  KR(digits, kind) {
    if (digits.length === 13) return [digits];
    const right =
      kind === undefined ? ['10', '20'] : /^[UY]/.test(kind) ? ['20'] : kind[0] === 'S' ? ['30'] : ['10'];
    if (digits.length === 11 && year4(digits)) return right.map((prefix) => prefix + digits);
    if (digits.length === 9 && /^[123]0/.test(digits)) return [`${digits}0000`];
    if (KR_SHORT_YEAR.test(digits)) return right.map((prefix) => `${prefix}19${digits}`);
    return digits.length <= 7 ? right.map((prefix) => `${prefix}${digits.padStart(7, '0')}0000`) : [];
  },
  US(digits) {
    if (digits.length === 11 && year4(digits)) return [digits];
    if (digits.length === 10 && year4(digits)) return [`${digits.slice(0, 4)}0${digits.slice(4)}`];
    return digits.length <= 8 ? [digits.padStart(8, '0')] : [];
  },
  JP(digits) {
    if (digits.length === 10 && year4(digits)) {
      const year = Number(digits.slice(0, 4));
      const era = year >= 1989 ? year - 1988 : year - 1925;
      return era > 0 ? [String(era).padStart(2, '0') + digits.slice(4)] : [];
    }
    return digits.length <= 8 ? [digits.padStart(8, '0')] : [];
  },
  CN: (digits) => (digits.length >= 7 && digits.length <= 9 ? [digits] : []),
  EP: (digits) => (digits.length <= 8 ? [digits.padStart(8, '0')] : []),
};

/** Number of a US series: `D`, `433143` → `D0433143`. */
function lettered(letters: string, digits: string): string {
  const bare = digits.replace(/^0+(?=\d)/, '');
  return letters + bare.padStart(8 - letters.length, '0');
}

/** Interpretations of a literature number: year (or 0000) and eight digits, then a kind of two characters. */
function literature(digits: string, kind: string, country?: Country): NumberCandidate[] {
  const plainKind = kind.endsWith('0') ? kind.slice(0, 1) : kind;
  const found: NumberCandidate[] = [];
  for (const office of country ? [country] : COUNTRIES) {
    if (office === 'CN') {
      if (year4(digits) && kind.endsWith('0'))
        found.push({ country: 'CN', number: digits, application: true });
      continue;
    }
    // US publications have kind A1, A2 or A9, never A.
    if (office === 'US' && kind === 'A0') continue;
    const bare = digits.replace(/^0+/, '');
    const dated = year4(digits)
      ? digits.slice(0, 4) + trimTo(digits.slice(4), office === 'JP' ? 6 : 7)
      : bare;
    for (const number of OFFICE_FORMS[office](dated, plainKind)) {
      found.push({ country: office, number, kind: plainKind });
    }
  }
  return found;
}

function trimTo(digits: string, width: number): string {
  const extra = digits.length - width;
  return /^0*$/.test(digits.slice(0, extra)) ? digits.slice(extra) : digits;
}

interface Spelling {
  country?: Country | undefined;
  letters: string;
  digits: string;
  kind?: string | undefined;
  isEra?: boolean | undefined;
  /** True if `digits` are the normalised number of an application. */
  application?: true;
}

/**
 * Joins the parts of a number, and pads a serial number that was printed without zeros: `10-2020-104349`,
 * `2018-5241`, `平10-1234`.
 */
function joined(text: string): string {
  return text
    .replace(/^(\D*[123]0)-((?:19|20)\d{2})-(\d{1,7})(?!\d)/, (_, a, b, c) => a + b + c.padStart(7, '0'))
    .replace(/^(\D*(?:19|20)\d{2})-(\d{1,6})(?!\d)/, (_, a, b) => a + b.padStart(6, '0'))
    .replace(/[\s,./_-]+/g, '');
}

/** A re-publication: `再表2018/062001`, `JPWO2018062001A1`. `undefined` for all other numbers. */
function republication(text: string): Spelling | undefined {
  if (!REPUBLICATION.test(text)) return undefined;
  const found = internationalNumber(text.replace(REPUBLICATION, ''));
  if (!found) return undefined;
  return { country: 'JP', letters: '', digits: found.number, kind: found.kind ?? REPUBLICATION_KIND };
}

/** In capitals, NFKC, with plain hyphens, without invisible characters and a date behind it. */
const folded = (text: string): string => withoutDate(foldedNumber(text));

/**
 * Splits a text into country, letters of the series, digits and kind; `undefined` if it is not the number of a publication.
 * @param office the office if it is known apart from the text
 */
function dissect(text: string, office?: Country): Spelling | undefined {
  // A short cut for the most frequent case. The code below gives the same result.
  if (/^\d{2,14}$/.test(text) && !(office === 'JP' && text.length === 9))
    return { letters: '', digits: text };
  const whole = folded(text);
  const label = readLabel(whole);
  if (label === undefined) return dissectBare(whole, office);
  if (label.isApplication && label.isSure) return undefined;
  return dissectBare(label.rest, label.country ?? office);
}

/**
 * The applications that a text names after a word such as `출원번호`; `undefined` if it has no such word, or if the words may also
 * mean a published application, and the number is no number of an application: `US Patent Application 2018/0184900`.
 */
function labelledApplications(text: string): NumberCandidate[] | undefined {
  const label = readLabel(folded(text));
  if (!label?.isApplication) return undefined;
  const rest = label.rest.replace(/[제第號号호]/g, '').trim();
  const found: NumberCandidate[] = [];
  const isPct = isWholePctNumber(rest);
  for (const country of isPct ? COUNTRIES : officesOf(label, rest)) {
    const isWritten = isApplicationSpelling(rest) || isJapaneseWithRight(rest);
    if (!isPct && !(isWritten && isOfficeApplicationNumber(country, rest))) continue;
    // Of nine digits without a point, the last is the check digit of an application, or this is a publication.
    if (country === 'CN' && !label.isSure && /^\d{9}$/.test(rest)) continue;
    for (const number of applicationNumbersAt(country, rest, text))
      found.push({ country, number, application: true });
  }
  return found.length > 0 || label.isSure ? found : undefined;
}

/** The offices whose number it may be. */
function officesOf({ country }: Labelled, rest: string): readonly Country[] {
  if (country !== undefined) return [country];
  return officesOfSpelling(rest) ?? COUNTRIES;
}

/** A number without the names of documents before it, and what they mean. */
interface Named {
  rest: string;
  country: Country;
  kind: string | undefined;
  isRegistration: boolean;
}

/** Reads the names of documents before a number without blanks. `undefined` if it has none. */
function withoutNames(bare: string): Named | undefined {
  let named: Named | undefined;
  for (let count = 0; count < MOST_NAMES; count++) {
    const rest: string = named?.rest ?? bare;
    const found = OFFICE_WORDS.find(([name]) => name.test(rest));
    if (found === undefined) break;
    const [name, country, letter] = found;
    named = {
      rest: rest.replace(name, ''),
      country: named?.country ?? country,
      kind: letter ?? named?.kind,
      isRegistration: named?.isRegistration || REGISTRATION.test(rest),
    };
  }
  return withRight(bare, named);
}

/** `특2002-0012345` → `10-2002-0012345`. */
function withRight(bare: string, named: Named | undefined): Named | undefined {
  const rest = named?.rest ?? bare;
  const right = KR_RIGHT.exec(rest)?.[1];
  if (right === undefined || (named && named.country !== 'KR')) return named;
  const number = `${right === '특' ? '10' : '20'}-${rest.slice(1)}`;
  return { rest: number, country: 'KR', kind: named?.kind, isRegistration: false };
}

/** Splits a number without a label. `labelled` is the office that the label names. */
function dissectBare(text: string, labelled?: Country): Spelling | undefined {
  let rest = inJapanese(text.replace(/[제第號号호]/g, ''))
    .trimEnd()
    .replace(GAZETTE, '')
    .replace(BRACKETED_KIND, '$1')
    .trim();
  let country = labelled;
  let kind: string | undefined;
  const leading = LEADING_KIND.exec(rest);
  if (leading) {
    kind = leading[2];
    rest = leading[1] + rest.slice(leading[0].length);
  }
  const bare = rest.replace(/^(?:JP|KR|대한민국)?\s*/, '').replace(/\s+/g, '');
  const republished = republication(REPUBLICATION.test(bare) ? bare : rest);
  if (republished) return republished;
  const named = withoutNames(bare);
  if (named) ({ country, kind, rest } = named);
  const serial = usSerialNumber(rest, country);
  if (serial !== undefined) return { country: 'US', letters: '', digits: serial, application: true };
  if (hasCheckDigit(rest)) return undefined;
  const japanese = japaneseNumber(rest, country === 'JP' || /^JP/.test(rest), kind);
  if (japanese) return { country: 'JP', letters: '', ...japanese };
  const match = /^([A-Z]{2}(?=\d|(?:D|PP|RE|H|T|AI|X)\d))?(D|PP|RE|RX|H|T|AI|X)?(\d{1,14})([A-Z]\d?)?$/.exec(
    joined(rest),
  );
  // A single digit is not a number, but `EP1` and `D1` are.
  if (!match?.[3] || (match[3].length < 2 && !match[1] && !match[2])) return undefined;
  let code = match[1];
  let letters = match[2] ?? '';
  // `PP30123` and `RE45678` seem to begin with a country, but are US series.
  if (code && /^(?:PP|RE|RX|AI)$/.test(code)) [letters, code] = [code, undefined];
  if (code && !isCountry(code)) return undefined;
  return {
    country: (code as Country | undefined) ?? country,
    letters,
    digits: match[3],
    kind: match[4] ?? kind,
    isEra: named?.isRegistration ? false : undefined,
  };
}

/**
 * All publication numbers that a text can mean, in any of the spellings above. Empty if the text is not a
 * number, or is one of another office. Without a country, digits in KIPRIS form match any office.
 */
export function parsePatentNumber(text: string): NumberCandidate[] {
  if (text.length > NUMBER_MAX_CHARS) return [];
  const applications = labelledApplications(text);
  if (applications !== undefined) return applications;
  const found = dissect(text);
  if (!found) return [];
  const { country, letters, digits, kind, isEra } = found;
  if (found.application) return [{ country: 'US', number: digits, application: true }];
  const kindPart = { ...(kind === undefined ? {} : { kind }), ...(isEra === undefined ? {} : { isEra }) };
  if (letters) {
    if (country !== undefined && country !== 'US') return [];
    return [{ country: 'US', number: lettered(letters, digits), ...kindPart }];
  }
  if (digits.length === 12 && kind?.length === 2) return literature(digits, kind, country);
  const candidates: NumberCandidate[] = [];
  if (country === undefined && (digits.length >= 8 || digits.length === 13)) {
    candidates.push({ number: digits, ...kindPart });
  }
  for (const office of country ? [country] : COUNTRIES) {
    // Seven digits are a Korean registration number only if the text says KR.
    if (country === undefined && office === 'KR' && digits.length <= 7) continue;
    for (const number of OFFICE_FORMS[office](digits, kind)) {
      if (country === undefined && candidates[0]?.number === number && candidates[0].country === undefined)
        continue;
      candidates.push({ country: office, number, ...kindPart });
    }
  }
  return candidates;
}

/** The number of a publication in KIPRIS form, and its kind. */
export interface Publication {
  number: string;
  kind: string;
}

/**
 * The KIPRIS number and the kind of a publication from the office's own number (`doc-number`) and kind, for
 * readers. The kind is that of the source, except for Japanese examined publications.
 * @param published the day of publication, if it is known
 * @returns undefined if the text is not a number of that office
 */
export function publicationOf(
  country: Country,
  text: string,
  kind: string,
  published?: string,
): Publication | undefined {
  const found = dissectOwn(country, text);
  const number = found && numberOf(country, found, kind);
  if (number === undefined) return undefined;
  const { isEra = false } = found ?? {};
  return { number, kind: country === 'JP' ? japaneseKind(kind, { number, isEra, published }) : kind };
}

/** The KIPRIS number alone; the kind may be unknown. */
export function publicationNumber(country: Country, text: string, kind?: string): string | undefined {
  const found = dissectOwn(country, text);
  return found && numberOf(country, found, kind);
}

/** Splits the office's own number. */
function dissectOwn(country: Country, text: string): Spelling | undefined {
  const isPrefixed = text.slice(0, country.length).toUpperCase() === country;
  const own = isPrefixed ? text.slice(country.length).replace(/^[\s-]+/, '') : text;
  if (country !== 'JP') return dissect(own);
  return dissect(/^WO/i.test(own) ? `JP${own}` : own, 'JP');
}

function numberOf(country: Country, found: Spelling, kind?: string): string | undefined {
  if (found.application || (found.country !== undefined && found.country !== country)) return undefined;
  if (found.letters) return country === 'US' ? lettered(found.letters, found.digits) : undefined;
  return OFFICE_FORMS[country](found.digits, kind ?? found.kind)[0];
}

/** The identity of a publication: `KR1020200104349A`. */
export function patentId(country: Country, number: string, kindCode: string): string {
  return `${country}${number}${kindCode}`;
}

export { normaliseApplicationNumber };
