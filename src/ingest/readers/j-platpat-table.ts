/**
 * CSV exports of J-PlatPat (https://www.j-platpat.inpit.go.jp), with Japanese headings. A row is an application, under the number of
 * its first publication (`文献番号`) and the day on which its content became known (`公知日`).
 */
import { parseDate } from '../../patent/date.js';
import type { Patent } from '../../patent/record.js';
import { internationalFields } from './publication.js';
import { DamagedDocument } from './reader.js';
import { partsOf, type Row, type RowPublication, type TableForm } from './table-form.js';

/** Beginnings of numbers and their kinds. 特許 is B1 or B2. */
const KINDS: readonly [RegExp, string][] = [
  [/^特開/, 'A'],
  [/^特表/, 'T'],
  [/^再表/, 'A1'],
  [/^実開/, 'U'],
  [/^(?:実登|登実)/, 'U'],
  [/^特公/, 'B'],
  [/^実公/, 'Y'],
];
const REGISTRATION = /^特許/;

/** `(57)【要約】      （修正有）` before an abstract. */
const ABSTRACT_HEAD = /^\s{0,9}[(（]57[)）]\s{0,9}【要約】[\s　]{0,40}(?:（修正有）)?/;
/** The number of the figure behind an abstract. */
const FIGURE = /【選択図】[^【]{0,200}$/;

/** The abstract without what is printed around it. `<BR>` breaks a line of the gazette, also within a word. */
function abstractOf(cell: string | undefined): string | undefined {
  const text = cell?.replace(/<BR>/gi, '').replace(ABSTRACT_HEAD, '').replace(FIGURE, '');
  return text && partsOf(text, '\n').join('\n');
}

/** FI codes. A comma parts two codes, and stands within one: `G01N37/00,102,B01D53/34,135@Z`. The gazette prints 102 and 135Z. */
export function fiCodes(cell: string | undefined): string[] {
  const codes: string[] = [];
  for (const part of partsOf(cell, ',')) {
    if (/^[A-H]\d/.test(part) || codes.length === 0) codes.push(part);
    else codes.push(`${codes.pop()},${part.replace('@', '')}`);
  }
  return codes;
}

/** The year that the number of a publication laid open counts: `特開2019-512001`, `特開平10-123456`. */
function yearOf(number: string): number | undefined {
  const [, year] = /^..((?:19|20)\d\d)-/.exec(number) ?? [];
  if (year) return Number(year);
  const [, era, count] = /^..([平昭])(\d{1,2})-/.exec(number) ?? [];
  return era ? (era === '平' ? 1988 : 1925) + Number(count) : undefined;
}

/**
 * The kind of a registered patent. It is B1 if nothing was published before it: the list has no other publication, or one of a later
 * year than the first. Otherwise the list does not tell.
 */
function registrationKind(row: Row): string {
  const other = row.get('公開番号');
  if (other === undefined) return 'B1';
  const [laidOpen, first] = [yearOf(other), Number(row.get('公知日')?.slice(0, 4))];
  if (laidOpen !== undefined && laidOpen > first) return 'B1';
  throw new DamagedDocument(
    'the list does not tell whether 特許 is B1 or B2, since it has another publication beside it; ' +
      'take the patent from the gazette, or write its kind behind its number',
  );
}

/** The kind behind the number (`特許6235612B2`), or that of the gazette. */
function kindOf(number: string, row: Row): string {
  const written = /\d\s?([A-Z]\d?)$/.exec(number)?.[1];
  const named = written ?? KINDS.find(([name]) => name.test(number))?.[1];
  if (named !== undefined) return named;
  if (REGISTRATION.test(number)) return registrationKind(row);
  throw new DamagedDocument(
    `${JSON.stringify(number)} names no gazette that is known: expected 特開, 特表, 再表, 特許, 特公, 実開, 実登 or 実公`,
  );
}

/**
 * The day of publication. `公知日` is the day of the first publication: of an international application that of WIPO, and of a patent
 * or a utility model its own only if nothing was published before it.
 */
function publicationDate(number: string, kind: string, row: Row): string | undefined {
  const [day, other] = [row.get('公知日'), row.get('公開番号')];
  if (REGISTRATION.test(number)) return kind === 'B1' && !other?.startsWith('WO') ? day : undefined;
  if (/^(?:実登|登実)/.test(number)) return other === undefined ? day : undefined;
  return /^(?:特開|実開)/.test(number) && yearOf(number) === Number(day?.slice(0, 4)) ? day : undefined;
}

/** Status and international publication. */
function more(number: string, row: Row): Partial<Patent> {
  const [status, event] = [row.get('ステージ'), row.get('イベント詳細')];
  const other = row.get('公開番号') ?? '';
  const isRepublished = number.startsWith('再表');
  const published = isRepublished ? number.replace('再表', 'WO') : other;
  const date = isRepublished ? parseDate(row.get('公知日')) : undefined;
  return {
    ...(status ? { legal_status: { status: event ? `${status} ${event}` : status } } : {}),
    ...(published.startsWith('WO')
      ? internationalFields({ number: undefined }, { number: published, date })
      : {}),
  };
}

function publications(row: Row): RowPublication[] {
  const number = (row.get('文献番号') ?? '').normalize('NFKC').replace(/\s/g, '');
  const kind = kindOf(number, row);
  const fields = {
    country_code: 'JP',
    publication_number: number.replace(/(?<=\d)[A-Z]\d?$/, ''),
    kind_code: kind,
    title: row.get('発明の名称'),
    abstract: abstractOf(row.get('要約')),
    assignee: partsOf(row.get('出願人権利者'), ','),
    application_number: row.get('出願番号'),
    filing_date: row.get('出願日'),
    publication_date: publicationDate(number, kind, row),
    fi: fiCodes(row.get('fi')),
    // The list has no priorities. An international application has nearly always an earlier one.
    earliest_unknown: kind === 'T' || kind === 'A1',
  };
  return [{ fields, more: more(number, row) }];
}

export const jPlatPatTable: TableForm = {
  isForm: (headings) => headings.has('文献番号') && headings.has('発明の名称') && headings.has('出願番号'),
  publications,
};
