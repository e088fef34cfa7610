/** Country names as KIPRIS prints them in priority claims → WIPO ST.3 codes. */
import { isCountryCode } from '../../patent/family.js';
import { beforeFirst } from '../../patent/scan.js';

/** Names of offices, and spellings that CLDR does not have. */
const OTHER_NAMES: Record<string, string> = {
  ...{
    유럽특허청: 'EP',
    국제사무국: 'WO',
    포르투칼: 'PT',
    터키: 'TR',
    터어키: 'TR',
    튀르키예: 'TR',
    홍콩: 'HK',
  },
  ...{
    싱가폴: 'SG',
    말레이지아: 'MY',
    호주: 'AU',
    남아프리카: 'ZA',
    남아프리카공화국: 'ZA',
    체코: 'CZ',
    마카오: 'MO',
  },
};

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Codes by Korean name, from the Unicode CLDR. */
const CODES = new Map<string, string>();
const names = new Intl.DisplayNames('ko', { type: 'region', fallback: 'none' });
for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
  const name = names.of(code);
  // A withdrawn code (`DD`) becomes its successor.
  const current = new Intl.Locale(`und-${code}`).region;
  if (name !== undefined && current !== undefined) CODES.set(name, current);
}

/**
 * Converts a Korean country name (`유럽특허청(EPO)`) or a code to a country code. Returns other text unchanged.
 */
export function koreanCountry(text: string): string {
  const name = beforeFirst(text, /\(/).trim();
  return isCountryCode(name) ? name : (OTHER_NAMES[name] ?? CODES.get(name) ?? text);
}
