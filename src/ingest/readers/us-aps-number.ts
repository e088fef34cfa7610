/** Numbers of the APS format: publications (WKU) and applications (APN), each with a check digit. */
import { usNumberWithSeries } from '../../patent/us-series.js';
import { DamagedDocument } from './reader.js';

/** Eight characters, letters of a series and digits, and the check digit. */
const WKU = /^(?:([DHT0])(\d{7})|(PP|RE)(\d{6}))([\d&])?$/;
/** Kinds before and since 2001-01-02, by series. Databases list a defensive publication (T) as I4. */
const KINDS: Record<string, readonly [before: string, since: string]> = {
  ...{ '0': ['A', 'B1'], D: ['S', 'S1'], PP: ['P', 'P2'], RE: ['E', 'E1'], H: ['H', 'H1'], T: ['I4', 'I4'] },
};
/** On this day the office began to print kind codes. */
const KIND_CODES_FROM = '2001-01-02';

/** Check digit, modulus 11: weights from 2 at the last digit. Ten is written `&`. */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let at = digits.length - 1, weight = 2; at >= 0; at--, weight++) sum += Number(digits[at]) * weight;
  const rest = (11 - (sum % 11)) % 11;
  return rest === 10 ? '&' : String(rest);
}

/**
 * Number and kind of a publication: `039327094` of 1976 is 03932709 A. The format has no kind code until 2001,
 * and then the level of publication (PBL) in some files.
 * @throws DamagedDocument if it is no number, or its check digit differs
 */
export function publicationNumber(
  wku: string | undefined,
  issued: string | undefined,
  level: string | undefined,
): { number: string; kind: string } {
  if (wku === undefined) throw new DamagedDocument('no patent number (WKU)');
  const [, letter, seven, letters, six, check] = WKU.exec(wku) ?? [];
  const [series, digits] = [letter ?? letters ?? '', seven ?? six ?? ''];
  const kinds = KINDS[series];
  if (kinds === undefined)
    throw new DamagedDocument(`WKU ${JSON.stringify(wku.slice(0, 40))} is not a patent number`);
  const expected = checkDigit(digits);
  if (check !== undefined && check !== expected)
    throw new DamagedDocument(`WKU ${wku}: the check digit is ${check}; expected ${expected}`);
  if (issued === undefined) throw new DamagedDocument(`WKU ${wku}: no issue date (ISD)`);
  const kind = kinds[issued < KIND_CODES_FROM ? 0 : 1];
  const isStated = kind.length === 2 && level?.length === 2 && level[0] === kind[0];
  return { number: `${series}${digits}`, kind: isStated ? level : kind };
}

/** Designs have their own series since October 1992. It reached 134,900 at the end of 2000. */
const DESIGN = { series: '29', from: '1992-10-01', below: 160_000 };

/** An application as a document of the format states it. */
interface Stated {
  /** Serial number, with its check digit if it has seven characters. */
  apn: string | undefined;
  /** Day of filing. */
  date: string | undefined;
  /** Series code (SRC). */
  series?: string | undefined;
  isDesign: boolean;
}

/**
 * The number of a US application with its series: SRC 5 and APN 4491556 are 05449155. Without a series, the
 * day tells it. `undefined` if the check digit differs.
 */
export function applicationNumber({ apn, date, series, isDesign }: Stated): string | undefined {
  if (apn === undefined) return undefined;
  const [, serial, check] = /^(\d{6})([\d&])?$/.exec(apn) ?? [];
  // An international application, or a number with its series.
  if (serial === undefined) return apn;
  if (check !== undefined && check !== checkDigit(serial)) return undefined;
  if (series !== undefined && /^\d{1,2}$/.test(series)) return `${series.padStart(2, '0')}${serial}`;
  if (date === undefined) return serial;
  if (isDesign && date >= DESIGN.from && Number(serial) < DESIGN.below) return `${DESIGN.series}${serial}`;
  const known = (isProvisional: boolean) => usNumberWithSeries(Number(serial), date, isProvisional);
  return known(false) ?? known(true) ?? serial;
}
