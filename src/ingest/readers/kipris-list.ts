/**
 * Result lists of the KIPRIS search pages (https://www.kipris.or.kr), which export spreadsheets. Lines with the query stand before the
 * headings. A row is one application and yields its publications, as the records of KIPRIS Plus do. Several values of a cell have
 * bars between them.
 */
import { parseDate } from '../../patent/date.js';
import { koreanIdentity, koreanStatus } from './kr-publications.js';
import { partsOf, type Row, type RowPublication, type TableForm } from './table-form.js';

const BETWEEN = '|';

/** Headings of a field in lists of different years. */
const first = (row: Row, ...headings: string[]): string | undefined =>
  headings.map((heading) => row.get(heading)).find((cell) => cell !== undefined);

/** A number. `-` is none, and programs for tables write `1020210019001.0`. */
const numberIn = (row: Row, heading: string): string | undefined => {
  const cell = row.get(heading);
  return cell !== undefined && /\d/.test(cell) ? cell.replace(/\.0$/, '') : undefined;
};

/** @throws DamagedDocument if the number is not one of the Korean office */
function identity(written: string, isRegistered: boolean) {
  const { country, number, kind_code } = koreanIdentity(written, isRegistered);
  return { country_code: country, publication_number: number, kind_code };
}

function publications(row: Row): RowPublication[] | { skipped: string } {
  const country = row.get('국가') ?? 'KR';
  if (!/^(?:KR|(?:한국|대한민국)(?:\(KR\))?)$/i.test(country)) {
    return { skipped: 'a row of a KIPRIS list of another office, whose numbers have no kind' };
  }
  const shared = {
    title: first(row, '발명의명칭', '발명의명칭국문', '명칭'),
    abstract: first(row, '요약', '초록'),
    application_number: numberIn(row, '출원번호'),
    filing_date: first(row, '출원일자', '출원일'),
    assignee: partsOf(row.get('출원인'), BETWEEN),
    inventor: partsOf(row.get('발명자'), BETWEEN),
    ipc: partsOf(first(row, 'ipc분류', 'ipc', 'ipc코드'), BETWEEN),
    cpc: partsOf(first(row, 'cpc분류', 'cpc', 'cpc코드'), BETWEEN),
    // The list has no priorities.
    earliest_unknown: true,
  };
  const open = { number: numberIn(row, '공개번호'), date: parseDate(first(row, '공개일자', '공개일')) };
  const registration = {
    number: numberIn(row, '등록번호'),
    date: parseDate(first(row, '등록일자', '등록일')),
  };
  const more = koreanStatus(first(row, '법적상태', '등록상태', '상태'), { open, registration });
  const found: RowPublication[] = [];
  if (open.number !== undefined) {
    const fields = { ...identity(open.number, false), ...shared, publication_date: open.date };
    found.push({ fields, more });
  }
  if (registration.number !== undefined) {
    const dates = { publication_date: first(row, '공고일자', '공고일'), grant_date: registration.date };
    found.push({ fields: { ...identity(registration.number, true), ...shared, ...dates }, more });
  }
  return found.length > 0 ? found : { skipped: 'a KIPRIS application that is not published yet' };
}

export const kiprisList: TableForm = {
  isForm: (headings) =>
    ['출원번호', '출원인'].every((name) => headings.has(name)) &&
    ['발명의명칭', '발명의명칭국문', '명칭'].some((name) => headings.has(name)) &&
    ['공개번호', '등록번호'].some((name) => headings.has(name)) &&
    !headings.has('국가코드'),
  publications,
};
