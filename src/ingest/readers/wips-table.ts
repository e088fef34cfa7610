/**
 * Lists of WIPS ON (https://www.wipson.com), with Korean headings, as a spreadsheet or as CSV in EUC-KR. A row is one publication of
 * any office, with its kind. Several values of a cell have bars between them. Headings name in brackets the offices that have the
 * column: `상태정보[KR,JP,US,EP,CN,CA,AU]`.
 */

import { isCountry } from '../../patent/country.js';
import { parseDate } from '../../patent/date.js';
import { publicationOf } from '../../patent/number.js';
import type { Patent } from '../../patent/record.js';
import { internationalFields, present, uniqueNames } from './publication.js';
import { DamagedDocument } from './reader.js';
import { partsOf, type Row, type RowPublication, type TableForm } from './table-form.js';

const BETWEEN = '|';

/** The first cell under a heading that begins so. */
function cellUnder(row: Row, beginning: string): string | undefined {
  const whole = row.get(beginning);
  if (whole !== undefined) return whole;
  for (const [heading, cell] of row) if (heading.startsWith(beginning)) return cell;
  return undefined;
}

const APPLICATION_NUMBERS = ['공개번호', '공고번호'];
/** A Chinese registration may have the number of its application, and an EP patent only that of its published application. */
const GRANT_NUMBERS = ['등록번호', '공고번호', '공개번호'];

/**
 * Whether the row is a granted or registered right. The days of a row are those of the application: an application that was granted
 * since has a day of registration, too.
 */
function isGrant(row: Row, country: string, kind: string): boolean {
  if (kind.startsWith('A')) return country === 'US' && kind === 'A';
  // U is registered in China, in Japan since 1994, and laid open in Korea.
  if (kind.startsWith('U'))
    return country === 'CN' || (country === 'JP' && !row.has('공개번호') && row.has('등록번호'));
  return !kind.startsWith('T');
}

/**
 * The number of the publication: the first of its numbers that is one of the office.
 * @throws DamagedDocument if the row has none, or no kind
 */
function publicationNumber(row: Row, country: string, kind: string): string {
  // A publication of another office is skipped, whatever its number.
  if (!isCountry(country)) return row.get('출원번호') ?? country;
  const columns = isGrant(row, country, kind) ? GRANT_NUMBERS : APPLICATION_NUMBERS;
  const numbers = columns.flatMap((column) => row.get(column) ?? []);
  const found = numbers.find((number) => publicationOf(country, number, kind));
  if (found !== undefined) return found;
  throw new DamagedDocument(
    `no publication number of ${country} ${kind}: expected it under ${columns.join(', ')}`,
  );
}

/** Titles and abstracts: in the language of the office or in English, and their translations into Korean. */
function texts(row: Row, heading: string): { text: string; language?: string }[] {
  const [own, translated] = [row.get(heading), row.get(`${heading}번역문`)];
  const isKorean = own !== undefined && /\p{Script=Hangul}/u.test(own);
  return [
    ...(own === undefined ? [] : [{ text: own, ...(isKorean ? { language: 'ko' } : {}) }]),
    ...(translated === undefined || isKorean ? [] : [{ text: translated, language: 'ko' }]),
  ];
}

/**
 * Priorities. A list without the office and the day of each does not tell the earliest, and neither does an empty cell: the user chooses
 * the columns of a list.
 */
function priorities(row: Row) {
  const [numbers, offices, days] = ['우선권번호', '우선권국가', '우선권주장일'].map((heading) =>
    partsOf(row.get(heading), BETWEEN),
  ) as [string[], string[], string[]];
  const isWhole = numbers.length > 0 && offices.length === numbers.length && days.length === numbers.length;
  return {
    priority_claim: numbers.map((number, at) => ({
      application_number: isWhole ? `${offices[at]}-${number.replaceAll('-', '/')}` : '',
      filing_date: days[at],
    })),
    earliest_unknown: !isWhole,
  };
}

function publications(row: Row): RowPublication[] {
  const country = (row.get('국가코드') ?? '').toUpperCase();
  const kind = row.get('문헌종류코드')?.toUpperCase();
  if (kind === undefined) {
    throw new DamagedDocument('no kind code: export the list with the column 문헌종류 코드');
  }
  const isGranted = isGrant(row, country, kind);
  const codes = (name: string): string[] =>
    partsOf(cellUnder(row, `current${name}`) ?? cellUnder(row, `original${name}`), BETWEEN);
  const names = (heading: string): string[] => partsOf(row.get(heading), BETWEEN);
  const status = cellUnder(row, '상태정보');
  const fields = {
    country_code: country,
    publication_number: publicationNumber(row, country, kind),
    kind_code: kind,
    title_localized: texts(row, '발명의명칭'),
    abstract_localized: texts(row, '요약'),
    publication_date: isGranted
      ? (row.get('공고일') ?? cellUnder(row, '발행일') ?? row.get('등록일'))
      : (row.get('공개일') ?? row.get('공고일')),
    grant_date: isGranted ? row.get('등록일') : undefined,
    application_number: row.get('출원번호'),
    filing_date: row.get('출원일'),
    ipc: codes('ipcall'),
    cpc: codes('cpcall'),
    fi: codes('fi'),
    fterm: codes('fterm'),
    assignee: names('출원인'),
    assignee_harmonized: names('출원인제2언어'),
    inventor: names('발명자'),
    inventor_harmonized: names('발명자제2언어'),
    ...priorities(row),
  };
  const more: Partial<Patent> = {
    ...present({
      agents: uniqueNames(names('대리인')),
      legal_status: status === undefined ? undefined : { status },
    }),
    ...internationalFields(
      { number: row.get('국제출원번호'), date: parseDate(row.get('국제출원일')) },
      { number: row.get('국제공개번호'), date: parseDate(row.get('국제공개일')) },
    ),
  };
  return [{ fields, more }];
}

export const wipsTable: TableForm = {
  isForm: (headings) =>
    ['국가코드', '발명의명칭', '출원번호'].every((name) => headings.has(name)) &&
    ['문헌종류코드', 'wipsonkey', 'wips패밀리id'].some((name) => headings.has(name)),
  publications,
};
