/**
 * Spellings that only numbers of applications have. Without its separators such a number may be that of an unrelated publication:
 * US 10/123,456 is no US 10,123,456, and EP 10158432.5 is no KR 10-1584325.
 */
import type { Country } from './country.js';

/** Series and serial number of a US application: `10/123,456`, `US 9/742,144`, `62/123,456 P`. */
const US_SERIAL = /^(US[\s-]{0,2})?(\d{1,2})\s?\/\s?(\d{3})[,. ]?(\d{3})(?:\s?[A-Z]\d?)?$/;

/** A check digit behind a point: of the EPO, or of China, whose numbers since October 2003 have twelve digits before it. */
const WITH_CHECK_DIGIT = /^(?:[A-Z]{2}[\s-]{0,2})?\d{8}(\d{4})?\.[\dX]$/;

/** Whether a text has the check digit of an application number, perhaps behind the code of an office: `10158432.5`. */
export function hasCheckDigit(text: string): boolean {
  return WITH_CHECK_DIGIT.test(text);
}

/**
 * The normalised number of a US application whose series stands before a slash. Other offices write no number so. `undefined` for all
 * other texts.
 * @param text in capitals, NFKC
 * @param country the office if words before the number name it
 */
export function usSerialNumber(text: string, country?: Country): string | undefined {
  if (country !== undefined && country !== 'US') return undefined;
  const [, office = country, series = '', thousands = '', rest = ''] = US_SERIAL.exec(text) ?? [];
  // A series of one digit may be a fraction or a date.
  if (series === '' || (series.length === 1 && office === undefined)) return undefined;
  return series.padStart(2, '0') + thousands + rest;
}

/**
 * A Japanese number with the right behind it. Behind `JP`, those before 1994 are publications: `JP1986123456U` is 実開昭61-123456.
 */
const JAPANESE_WITH_RIGHT =
  /^(?:(?:19|20)\d\d(?:\d{6}|-\d{1,6})|JP[\s-]?(?:199[4-9]|20\d\d)(?:0?\d{6}|-\d{1,6}))\s?[US]$/;

/** Whether a text is a Japanese application number with the right behind it, as records have it: `2024002701U`. */
export function isJapaneseWithRight(text: string): boolean {
  return JAPANESE_WITH_RIGHT.test(text);
}

/** The right before a year or the number of a registration: `10-2009-0104349`, `10 2009 0104349`, `10-0866101-0000`. */
const WITH_KOREAN_RIGHT =
  /^제?\s?[1-7]0[\s-](?:(?:19|20)\d\d[\s-]\d{1,7}|\d{7}(?:-0000)?)(?:호|\s?[A-Z]\d?)?$/;

/** The offices that write an application number as a text does; `undefined` if the text does not tell. */
export function officesOfSpelling(text: string): readonly Country[] | undefined {
  // Without its right, 10-2009-0104349 would be the Japanese 2009-104349, and 10-1584325 the European 10158432.5.
  if (WITH_KOREAN_RIGHT.test(text)) return ['KR'];
  if (usSerialNumber(text) !== undefined) return ['US'];
  if (isJapaneseWithRight(text)) return ['JP'];
  const checked = WITH_CHECK_DIGIT.exec(text);
  if (checked === null) return undefined;
  return checked[1] === undefined ? ['CN', 'EP'] : ['CN'];
}

/** Right, year and serial number; databases leave out the right behind `KR`. */
const KOREAN =
  /^(?:(?:KR)?[\s-]?제?\s?[1-7]0(?:-?(?:19|20)\d\d-?\d{7}|[\s-](?:19|20)\d\d[\s-]\d{1,7})호?|KR[\s-]?(?:19|20)\d{2}-?\d{7})$/;

/**
 * Whether a text is a Korean number without a kind code and without words that say what it is of. Publications and applications have the
 * same form there, and 10-2020-0104349 is that of a publication and of another application.
 * @param text in capitals, NFKC, with plain hyphens
 */
export function isKoreanOfEither(text: string): boolean {
  return KOREAN.test(text);
}
