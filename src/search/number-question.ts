/** A question that is the number of a publication or of an application. */
import {
  applicationNumbersAt,
  isApplicationSpelling,
  isWholePctNumber,
  withPlainHyphens,
} from '../patent/application-number.js';
import { isJapaneseWithRight, isKoreanOfEither, officesOfSpelling } from '../patent/application-spelling.js';
import { COUNTRIES, type Country } from '../patent/country.js';
import { internationalKeyOf } from '../patent/international-number.js';
import { NUMBER_MAX_CHARS, parsePatentNumber } from '../patent/number.js';
import { readLabel } from '../patent/number-label.js';
import { isOfOtherOffice } from '../patent/other-office.js';
import { plainNumber } from '../patent/printed-number.js';
import type { Publications } from '../store/publications.js';
import { resolveInternational, resolvePublications } from '../store/resolve.js';
import { bareQuestion } from './bare-question.js';

/** Digits of a number after letters, such as `D433143` and `EP12345`. Shorter texts are names: `H.264`, `D1`. */
const LEAST_DIGITS = 5;
/** Digits of a number without an office. Shorter texts are years, standards and quantities. */
const LEAST_BARE_DIGITS = 7;

/** Numbers without letters, as offices print them. Others with separators are dates, standards, ranges: `802.15.4`. */
const BARE_FORMS: readonly RegExp[] = [
  /^\d{7,14}$/,
  // US 9,971,313
  /^\d{1,3}(?:,\d{3}){2,3}$/,
  // KR 10-2020-0104349, 10-0866101, 10-0866101-0000
  /^\d\d-(?:\d{4}-\d{1,7}|\d{7}(?:-0000)?)$/,
  // JP 2018-524120, US 2018/0184900; shorter ones are ranges of years
  /^(?:19|20)\d\d[-/]\d{5,7}$/,
  // US 16/123,456
  /^\d\d\/\d{3},?\d{3}$/,
  // EP 04106384.3, CN 201610298414.X
  /^\d{8}(?:\d{4})?\.[\dX]$/,
];

/** The office before the digits of an application number. */
const OFFICE = /^(US|KR|JP|CN|EP)(?![A-Z])\W?/;

/** Offices whose application and grant have one number, apart from the kind code. */
const ONE_NUMBER: ReadonlySet<Country | undefined> = new Set(['CN', 'EP']);

export interface NumberAsked {
  /** patent_ids of the stored publications with this number, before those of an application with it. Empty if the index has none. */
  publications: string[];
  /** Whether they have another kind code than the question. */
  anotherKind: boolean;
}

/**
 * The stored publications that a question names by their number or by the number of their application. If no publication has the
 * kind code of the question, these are the publications that have the same number with another kind code.
 * @returns undefined if the question is not a number
 */
export function publicationsAsked(store: Publications, question: string): NumberAsked | undefined {
  if (!isNumber(question)) return undefined;
  const text = plain(question);
  const publications = namedBy(store, question, resolvePublications(store, text));
  if (publications.length > 0) return { publications, anotherKind: false };
  const found = new Set<string>();
  for (const { country, number, kind } of parsePatentNumber(text)) {
    if (kind === undefined || !ONE_NUMBER.has(country)) continue;
    for (const patentId of store.numbers.getValues(number)) {
      if (patentId.slice(0, 2) === country) found.add(patentId);
    }
  }
  return { publications: [...found].sort(), anotherKind: found.size > 0 };
}

/**
 * The stored publications with a number, or else those of the national or international application that has it. A Korean number may be
 * that of both, of a publication and of another application.
 */
export function publicationsNamed(store: Publications, number: string): string[] {
  const found = resolvePublications(store, number);
  if (!isNumber(number)) return found;
  return namedBy(store, number, found.length > 0 ? found : resolvePublications(store, plain(number)));
}

/** @param publications those that have the number */
function namedBy(store: Publications, question: string, publications: string[]): string[] {
  const isOfEither = isKoreanOfEither(withPlainHyphens(bareQuestion(question, NUMBER_MAX_CHARS)));
  if (publications.length > 0 && !isOfEither) return publications;
  return [...new Set([...publications, ...publicationsOfApplication(store, plain(question), question)])];
}

/** Those of an international application are the national ones that rest on it. */
function publicationsOfApplication(store: Publications, text: string, question: string): string[] {
  const found = new Set(resolveInternational(store, text));
  for (const country of officesOf(text)) {
    for (const number of applicationNumbersAt(country, text, question)) {
      for (const patentId of store.applications.getValues(country + number)) found.add(patentId);
    }
  }
  return [...found].sort();
}

/** Whether a question is a number and nothing else. */
export function isNumber(question: string): boolean {
  const text = plain(question);
  if (text.length > NUMBER_MAX_CHARS) return false;
  const digits = text.replace(/\D/g, '').length;
  const bare = text.replace(/[A-Z]\d?$/, '').trim();
  if (!/\p{L}/u.test(bare)) {
    return digits >= LEAST_BARE_DIGITS && BARE_FORMS.some((form) => form.test(bare) || form.test(text));
  }
  if (digits < LEAST_DIGITS) return false;
  return (
    internationalKeyOf(text) !== undefined ||
    officesOf(text).length === 1 ||
    parsePatentNumber(text).length > 0 ||
    isOfOtherOffice(text)
  );
}

/** Offices of which a text may be an application number: the one that it names, or all of them. */
function officesOf(text: string): readonly Country[] {
  if (isWholePctNumber(text)) return COUNTRIES;
  if (isJapaneseWithRight(text)) return ['JP'];
  const named = OFFICE.exec(text);
  if (named !== null) return isApplicationSpelling(text.slice(named[0].length)) ? [named[1] as Country] : [];
  return BARE_FORMS.some((form) => form.test(text)) ? (officesOfSpelling(text) ?? COUNTRIES) : [];
}

/** A question without quotes, brackets and words that only say that a number follows. */
function plain(question: string): string {
  const text = withPlainHyphens(plainNumber(bareQuestion(question, NUMBER_MAX_CHARS)));
  if (text.length > NUMBER_MAX_CHARS) return text;
  const label = readLabel(text);
  const number = label && !label.isApplication ? `${label.country ?? ''}${label.rest}` : text;
  return number.replace(/^(KR)?제 ?(\d.*?)호?$/, '$1$2');
}
