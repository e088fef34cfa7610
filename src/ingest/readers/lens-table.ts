/**
 * CSV exports of Lens.org's patent search (https://www.lens.org). Several values of a cell have `;;` between them. Numbers have DOCDB's
 * form: `US 201458001 A`. The export of 2021 writes the date behind each priority, later ones do not.
 */
import type { ExportFields } from './google-patents.js';
import { partsOf, type Row, type RowPublication, type TableForm } from './table-form.js';

const BETWEEN = ';;';
/** `EP 1000001 B9 20061018`: two publications with the same number and kind have the date behind it. */
const DISPLAY_KEY = /^([A-Z]{2})[ _](\S{1,30})[ _]([A-Z]\d?)(?:[ _]\d{8})?$/;
/** `US 2019/0050001 W`, `US 201458001 P 20140730`. */
const APPLICATION = /^([A-Z]{2}) ([\w/.]{1,30}) ([A-Z]\d?)(?: (\d{8}))?$/;

/** An application in DOCDB's form. */
export interface DocdbApplication {
  country: string;
  number: string;
  kind: string;
  date?: string | undefined;
}

/** `US-201458001-A`, the form of Google Patents. */
export const exportedNumber = ({ country, number, kind }: DocdbApplication): string =>
  `${country}-${number.replace(/[/.]/g, '')}-${kind}`;

function application(written: string): DocdbApplication | undefined {
  const [, country, number, kind, date] = APPLICATION.exec(written) ?? [];
  return country && number && kind ? { country, number, kind, date } : undefined;
}

const isSame = (a: DocdbApplication, b: DocdbApplication | undefined): boolean =>
  a.country === b?.country && a.number === b.number && a.kind === b.kind;

/**
 * The year that a number in DOCDB's form states: before the serial number, or, in the US until 2013 and in Japan until 1999, behind
 * it. `undefined` for offices and forms that are not known here.
 */
function yearOf({ country, number, kind }: DocdbApplication): string | undefined {
  const digits = number.replace(/\D/g, '');
  const long = /^(?:19|20)\d{2}/.exec(digits)?.[0];
  if (kind === 'W') return long;
  if (/^(?:US|CN)$/.test(country) && digits.length === 12) return long;
  if (/^(?:KR|JP)$/.test(country) && digits.length >= 10) return long;
  if (/^(?:GB|FR)$/.test(country) && digits.length === 9) return long;
  if (country === 'DE' && digits.length === 12) return digits.slice(2, 6);
  const short = /^(?:EP|CN)$/.test(country) && digits.length === 8 ? digits.slice(0, 2) : undefined;
  const behind = /^(?:US|JP)$/.test(country) && digits.length <= 8 ? digits.slice(-2) : undefined;
  const two = short ?? behind;
  return two === undefined ? undefined : `${Number(two) >= 70 ? 19 : 20}${two}`;
}

/**
 * Whether a number names one application. A short US or Japanese number has its year behind it, which only the date tells:
 * without a date, it would be read as the number of a different application.
 */
export function isSure({ country, number, kind, date }: DocdbApplication): boolean {
  const digits = number.replace(/[/.]/g, '');
  // DOCDB knows some old applications only by their patent: `3690001D`.
  if (/\D/.test(digits) && /^(?:US|JP)$/.test(country)) return false;
  const isShort = (country === 'US' && digits.length < 11) || (country === 'JP' && digits.length < 10);
  return !isShort || kind === 'W' || (date !== undefined && digits.endsWith(date.slice(2, 4)));
}

/**
 * Priorities with their dates. A list without dates has one date, the earliest: it belongs to the only priority, or to the only one
 * of that year.
 */
function dated(claims: readonly DocdbApplication[], earliest: string | undefined): DocdbApplication[] {
  if (earliest === undefined || claims.some(({ date }) => date !== undefined)) return [...claims];
  const years = claims.map(yearOf);
  const ofYear = claims.filter((_, at) => years[at] === earliest.slice(0, 4));
  const first = claims.length === 1 ? claims[0] : years.includes(undefined) ? undefined : ofYear[0];
  const isOne = claims.length === 1 || ofYear.length === 1;
  return claims.map((claim) => (claim === first && isOne ? { ...claim, date: earliest } : claim));
}

/** Fields of the filing: own number, priorities without it, and whether the earliest is known. */
function filing(row: Row): ExportFields {
  const own = application(row.get('applicationnumber') ?? '');
  const dayOfOwn = row.get('applicationdate');
  const earliest = row.get('earliestprioritydate');
  // An application that is its own first filing is listed as its own priority.
  const read = partsOf(row.get('prioritynumbers'), BETWEEN).map(application);
  const claims = read.flatMap((claim) => (claim && !isSame(claim, own) ? [claim] : []));
  const found = dated(claims, earliest);
  const isFirst = claims.length === 0 && (earliest === undefined || earliest === dayOfOwn);
  const withDate = found.filter(({ date }) => date !== undefined);
  const hasEarliest = !read.includes(undefined) && withDate.length > 0 && withDate.every(isSure);
  return {
    application_number: own && isSure({ ...own, date: dayOfOwn }) ? exportedNumber(own) : undefined,
    priority_claim: found.filter(isSure).map((claim) => ({
      application_number: exportedNumber(claim),
      filing_date: claim.date,
    })),
    earliest_unknown: !isFirst && !hasEarliest,
  };
}

/**
 * Applicants without the inventors: only inventors could apply in the US before September 2012, and DOCDB lists them beside their
 * company. Inventors alone stay.
 */
export function usApplicants(applicants: readonly string[], inventors: readonly string[]): string[] {
  const others = applicants.filter((name) => !inventors.includes(name));
  return others.length > 0 ? others : [...applicants];
}

function publications(row: Row): RowPublication[] {
  const key = row.get('displaykey') ?? row.get('publicationnumber') ?? '';
  const [, country, number, kind] = DISPLAY_KEY.exec(key) ?? [];
  const inventors = partsOf(row.get('inventors'), BETWEEN);
  const applicants = partsOf(row.get('applicants'), BETWEEN);
  const fields: ExportFields = {
    country_code: country ?? row.get('jurisdiction'),
    // A slash in a US number is one of an application.
    publication_number: number?.replace(/\//g, '') ?? key,
    kind_code: kind ?? row.get('kind'),
    title: row.get('title'),
    abstract: row.get('abstract'),
    publication_date: row.get('publicationdate'),
    filing_date: row.get('applicationdate'),
    priority_date: row.get('earliestprioritydate'),
    assignee: country === 'US' ? usApplicants(applicants, inventors) : applicants,
    inventor: inventors,
    ipc: partsOf(row.get('ipcrclassifications'), BETWEEN),
    cpc: partsOf(row.get('cpcclassifications'), BETWEEN),
    uspc: partsOf(row.get('usclassifications'), BETWEEN),
    citation: partsOf(row.get('nplcitations'), BETWEEN).map((text) => ({ npl_text: text })),
    ...filing(row),
  };
  return [{ fields }];
}

export const lensTable: TableForm = {
  isForm: (headings) =>
    headings.has('lensid') &&
    headings.has('title') &&
    (headings.has('displaykey') || (headings.has('publicationnumber') && headings.has('jurisdiction'))),
  publications,
};
