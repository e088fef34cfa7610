/**
 * Other spellings of a KIPRIS number: DOCDB's (country, number and kind, as in exchange documents, OPS and
 * Espacenet), the office's own printed form, and KIPRIS's 14-character literature number. `number.ts` reads
 * all of them.
 */
import type { Patent } from './record.js';

type Numbered = Pick<Patent, 'country' | 'number' | 'kind_code'>;

/** Calendar year of the era year in a Japanese KIPRIS number: 30 is 2018, 61 is 1986. */
function calendarYear(era: number): number {
  // Heisei years, continued through Reiwa, count from 1989. A year above 45 is Shōwa: 46 is 1971.
  return era > LAST_HEISEI_COUNT ? era + 1925 : era + 1988;
}

/**
 * Highest year of Heisei numbering. Unexamined publications began in Shōwa 46 (1971); 46 in Heisei numbering
 * is 2034.
 */
const LAST_HEISEI_COUNT = 45;

/**
 * Whether a number of the US or Japan contains a year: unexamined applications and translations. False for JP `U`, although
 * numbers before 1994 contain a year.
 */
function isDated({ country, kind_code, number }: Numbered): boolean {
  return country === 'US' ? number.length === 11 : country === 'JP' && /^[AT]/.test(kind_code);
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/**
 * Era, year and serial number of a Japanese examined publication (kind B or Y alone). No year had 200,000 of them, and the
 * registrations have larger numbers behind their first two digits. Heisei 8 was the last year; higher ones are of Shōwa.
 */
function examined({ country, kind_code, number }: Numbered): readonly [string, string, string] | undefined {
  const [, year, serial] = /^JP(?!00)(\d\d)([01]\d{5})[BY]$/.exec(country + number + kind_code) ?? [];
  return year && serial ? [year < '09' ? 'H' : 'S', withoutZeros(year), withoutZeros(serial)] : undefined;
}

/** The Japanese re-publication of an international application. */
function isRepublication({ country, kind_code }: Numbered): boolean {
  return country === 'JP' && kind_code === 'A1';
}

/**
 * DOCDB's number without country and kind: `2018184900`, `9971313`, `2018524120`, `WO2018062001`,
 * `102214943`, `20200104349`.
 */
export function docdbNumber(publication: Numbered): string {
  const { country, number } = publication;
  if (country === 'KR') {
    if (isKoreanRegistration(publication)) return number.slice(0, 9);
    return number.slice(2);
  }
  if (country === 'US' && isDated(publication)) return number.slice(0, 4) + number.slice(5);
  if (country === 'US' && /^[A-Z]/.test(number)) return number.replace(/^([A-Z]+)0*/, '$1');
  if (country === 'JP') {
    if (isRepublication(publication))
      return `WO${calendarYear(Number(number.slice(0, 2)))}${number.slice(2)}`;
    if (isDated(publication)) return `${calendarYear(Number(number.slice(0, 2)))}${number.slice(2)}`;
    const era = examined(publication)?.[0];
    return era ? era + number : withoutZeros(number);
  }
  if (country === 'EP') return withoutZeros(number).padStart(7, '0');
  return country === 'CN' ? number : withoutZeros(number);
}

/** Kinds of Korean registrations. Their numbers hold no year, though some look so: 10-1917335 is `1019173350000`. */
const KOREAN_REGISTRATION = /^[BY]/;

/** Whether a Korean number is a registration such as `1022149430000`, which is padded with zeros at the end. */
function isKoreanRegistration({ number, kind_code }: Numbered): boolean {
  if (number.length !== 13 || !number.endsWith('0000')) return false;
  return KOREAN_REGISTRATION.test(kind_code) || !/^(?:19|20)\d{2}/.test(number.slice(2));
}

/**
 * DOCDB's spelling: `US2018184900A1`, `KR102214943B1`, `JP2018524120A` (DOCDB calls a translation A),
 * `EP3539467A1`.
 */
export function docdbForm(publication: Numbered): string {
  const { country, kind_code: kind } = publication;
  return `${country}${docdbNumber(publication)}${country === 'JP' && kind === 'T' ? 'A' : kind}`;
}

/** Japanese gazettes by the letter of the kind. */
const GAZETTES: Record<string, string> = { A: '特開', T: '特表', B: '特許', U: '実登', Y: '実公' };

/** Groups digits by thousands: `9971313` → `9,971,313`. */
function grouped(digits: string, mark: string): string {
  const groups = digits === '' ? [''] : [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(mark);
}

/**
 * The office's printed form: `10-2020-0104349`, `US 9,971,313 B2`, `特開2018-524120`, `特公平6-105321`,
 * `EP 3 539 467 A1`, `CN 105942993 A`.
 */
export function officeForm(publication: Numbered): string {
  const { country, number, kind_code: kind } = publication;
  switch (country) {
    case 'KR':
      if (isKoreanRegistration(publication)) return `${number.slice(0, 2)}-${number.slice(2, 9)}`;
      return `${number.slice(0, 2)}-${number.slice(2, 6)}-${number.slice(6)}`;
    case 'US':
      if (isDated(publication)) return `US ${number.slice(0, 4)}/${number.slice(4)} ${kind}`;
      if (/^[A-Z]/.test(number)) {
        const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(number) ?? [];
        return `US ${letters}${grouped(withoutZeros(digits), ',')} ${kind}`;
      }
      return `US ${grouped(withoutZeros(number), ',')} ${kind}`;
    case 'JP': {
      if (isRepublication(publication))
        return `再表${calendarYear(Number(number.slice(0, 2)))}/${number.slice(2)}`;
      const old = examined(publication);
      if (old) return `${kind === 'B' ? '特' : '実'}公${old[0] === 'H' ? '平' : '昭'}${old[1]}-${old[2]}`;
      const gazette = GAZETTES[kind[0] ?? ''] ?? 'JP';
      if (isDated(publication))
        return `${gazette}${calendarYear(Number(number.slice(0, 2)))}-${number.slice(2)}`;
      return `${gazette}第${withoutZeros(number)}号`;
    }
    case 'EP':
      // The office prints seven digits, as DOCDB has them: 0 546 210.
      return `EP ${grouped(docdbNumber(publication), ' ')} ${kind}`;
    default:
      return `${country} ${number} ${kind}`;
  }
}

/**
 * KIPRIS's literature number: twelve digits and a kind of two characters, `201800184900A1`, `000009971313B2`.
 * `undefined` for CN, whose literature number contains the application number; for numbers with letters; and
 * for US grants before 2001, whose kind A KIPRIS does not know.
 */
export function literatureForm(publication: Numbered): string | undefined {
  const { country, number, kind_code } = publication;
  const kind = kind_code.padEnd(2, '0');
  if (country === 'CN' || /\D/.test(number) || (country === 'US' && kind === 'A0')) return undefined;
  if (country === 'KR') {
    if (isKoreanRegistration(publication)) return number.slice(0, 9).padStart(12, '0') + kind;
    return `${number.slice(2, 6)}0${number.slice(6)}${kind}`;
  }
  if (country === 'US' && isDated(publication)) return `${number.slice(0, 4)}0${number.slice(4)}${kind}`;
  if (country === 'JP' && isDated(publication)) {
    return `${calendarYear(Number(number.slice(0, 2)))}00${number.slice(2)}${kind}`;
  }
  return withoutZeros(number).padStart(12, '0') + kind;
}
