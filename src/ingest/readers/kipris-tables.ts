/**
 * KIPRIS Plus bulk tables: text files with columns separated by pilcrows (¶). Bibliographic data, abstracts,
 * claims, classifications, people and other data have separate tables. Each row begins with its application
 * number. `join.ts` joins the tables of a folder before this reader: a unit is a JSON list of all rows of one
 * application, each an object by column name.
 */
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Claim, Name, Patent } from '../../patent/record.js';
import { splitWhole } from '../split.js';
import { UNKNOWN_SYLLABLE, UNREAD } from './decode.js';
import { koreanCountry } from './kipris-countries.js';
import {
  isNoClaim,
  type KoreanNumbers,
  koreanPublications,
  koreanStatus,
  type Stated,
} from './kr-publications.js';
import { readableText } from './markup.js';
import { codeFields, filingFields, internationalFields, present, uniqueNames } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { writtenCitation } from './written-citation.js';
import { childElements, descendants, parseXml, type XmlElement } from './xml.js';

type Row = Record<string, string>;

/** The column of all tables. */
export const JOIN_COLUMN = '출원번호';
/** Columns by which a used table is recognised, one per table. */
const READ_COLUMNS = [
  '공개번호',
  '초록',
  '청구항',
  'ipc코드',
  'cpc코드',
  '성명',
  '우선권주장출원번호',
  '선행기술조사문헌번호',
];

/** Column of a row that cannot be decoded. */
export const UNREADABLE = '?';

/** Decodes a row or a header: UTF-8, otherwise the code page of Korean Windows. `undefined` if it has a letter that is in neither. */
export function koreanText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder('euc-kr').decode(bytes);
    return UNREAD.test(text) ? undefined : text;
  }
}

/** The columns of a table from its first line; `undefined` if the line is not a header of such a table. */
export function tableColumns(firstLine: Uint8Array): string[] | undefined {
  const columns = (koreanText(firstLine) ?? '')
    .replace(/^\uFEFF/, '')
    .split('¶')
    .map((name) => name.trim());
  return columns.length > 1 && columns[0] === JOIN_COLUMN ? columns : undefined;
}

/** Whether the reader uses a table with these columns. */
export function isReadTable(columns: readonly string[]): boolean {
  return READ_COLUMNS.some((name) => columns.includes(name));
}

function parse(bytes: Uint8Array): ParsedUnit {
  const rows = JSON.parse(new TextDecoder().decode(bytes)) as Row[];
  if (rows.some((row) => UNREADABLE in row)) throw new DamagedDocument(UNKNOWN_SYLLABLE);
  const having = (column: string): Row[] => rows.filter((row) => column in row);
  const [summary] = having('공개번호');
  if (!summary)
    throw new DamagedDocument(
      'the application is not in the bibliographic table (공개번호, 등록번호) of this folder',
    );
  const numbers = numbersOf(summary);
  const isRegistered = numbers.registration.number !== undefined;
  const latest = {
    ...claimsOf(having('청구항')),
    ...present({ citations: citationsOf(having('선행기술조사문헌번호')) }),
  };
  const patents = koreanPublications(
    numbers,
    {
      language: 'ko',
      ...textsOf(summary, having('초록')),
      ...filingsOf(summary, having('우선권주장출원번호')),
      ...present({
        applicants: peopleOf(having('성명'), '출원인'),
        inventors: peopleOf(having('성명'), '발명자'),
        agents: peopleOf(having('성명'), '대리인'),
      }),
      ...internationalFields(
        stated(summary, '국제출원번호', '국제출원일자'),
        // The tables name this day without the 자 of the others.
        stated(summary, '국제공개번호', '국제공개일'),
      ),
      ...koreanStatus(value(summary, '등록사항'), numbers),
      ...codeFields({
        ipc: having('ipc코드').map((row) => row['ipc코드'] ?? ''),
        cpc: having('cpc코드').map((row) => row['cpc코드'] ?? ''),
      }),
    },
    // The table has the current claims, which belong to the latest publication.
    (registered) => (registered === isRegistered ? latest : {}),
  );
  if (patents.length > 0) return { patents, skipped: [] };
  return { patents, skipped: [{ reason: 'a KIPRIS application that is not published yet' }] };
}

function value(row: Row | undefined, column: string): string | undefined {
  return row?.[column]?.replace(/\s+/g, ' ').trim() || undefined;
}

function stated(row: Row, number: string, date: string): Stated {
  return { number: value(row, number), date: parseDate(value(row, date)) };
}

function numbersOf(summary: Row): KoreanNumbers {
  return {
    open: stated(summary, '공개번호', '공개일자'),
    registration: stated(summary, '등록번호', '등록일자'),
    announcement: stated(summary, '공고번호', '공고일자'),
  };
}

/** Parses the markup of a cell. Markup that is not well-formed is read as text without its tags. */
function elements(markup: string): XmlElement {
  try {
    const [root] = parseXml(`<cell>${markup}</cell>`);
    if (root) return root;
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
  }
  return {
    name: 'cell',
    attributes: {},
    children: [markup.replace(/<br\s*\/?>/gi, '\n').replace(/<[^<>]*>/g, '')],
  };
}

/** Tables before about 2010 have tags in capitals and mark paragraphs with `P`. */
function lowerCase(element: XmlElement): XmlElement {
  const children = element.children.map((child) => (typeof child === 'string' ? child : lowerCase(child)));
  return { name: element.name.toLowerCase(), attributes: element.attributes, children };
}

function textsOf(summary: Row, abstracts: Row[]): Partial<Patent> {
  const abstract = abstracts.map((row) => {
    const cell = lowerCase(elements(row['초록'] ?? ''));
    const parts = childElements(cell).filter(({ name }) => name === 'summary');
    return (parts.length > 0 ? parts : [cell]).map(readableText).join('\n');
  });
  const english = value(summary, '발명의명칭(영문)');
  return present({
    title: value(summary, '발명의명칭(국문)'),
    titles: english ? { en: english } : {},
    abstract: abstract.filter(Boolean).join('\n'),
  });
}

/**
 * `<claim num="2">…`; a deleted claim holds `<AmendStatus status="D">` and is left out, as is one that was abandoned at
 * registration.
 */
function claimsOf(rows: Row[]): Partial<Patent> {
  const claims = rows.flatMap((row) => descendants(lowerCase(elements(row['청구항'] ?? '')), 'claim'));
  const found: Claim[] = [];
  for (const [at, claim] of claims.entries()) {
    const isDeleted = descendants(claim, 'amendstatus').some(
      ({ attributes }) => attributes['status'] === 'D',
    );
    const number = Number(claim.attributes['num'] ?? claim.attributes['n'] ?? at + 1);
    const text = readableText(claim);
    const isLeft = text !== '' && !isDeleted && !isNoClaim(text);
    if (isLeft && Number.isInteger(number) && number > 0) found.push({ number, text });
  }
  return present({ claims: found });
}

function filingsOf(summary: Row, rows: Row[]): Partial<Patent> {
  const priorities = rows.flatMap((row): Filing[] => {
    const number = value(row, '우선권주장출원번호');
    const country = koreanCountry(value(row, '국가코드') ?? value(row, '국가명') ?? '');
    return number ? [{ country, number, date: parseDate(value(row, '우선권주장출원일자')) }] : [];
  });
  const parent = value(summary, '원출원번호');
  const international = value(summary, '국제출원번호');
  return filingFields('KR', {
    own: {
      country: 'KR',
      number: value(summary, JOIN_COLUMN) ?? '',
      date: parseDate(value(summary, '출원일자')),
    },
    international: international ? { country: 'WO', number: international } : undefined,
    priorities,
    parents: parent ? [{ country: 'KR', number: parent }] : [],
  });
}

function peopleOf(rows: Row[], role: string): Name[] {
  return uniqueNames(
    rows
      .filter((row) => value(row, '관련인구분')?.startsWith(role))
      .map((row): Name | undefined => {
        const [name, name_en] = [value(row, '성명'), value(row, '영문성명')];
        return name ? { name, ...present({ name_en }) } : name_en ? { name: name_en } : undefined;
      }),
  );
}

function citationsOf(rows: Row[]): Citation[] {
  return rows.flatMap((row): Citation[] => {
    const written = value(row, '선행기술조사문헌번호');
    const isExaminers = value(row, '심사관인용여부') === 'Y';
    return written ? [writtenCitation(written, isExaminers ? 'examiner' : undefined)] : [];
  });
}

export const kiprisTables: Reader = {
  format: 'kipris-tables',
  title: 'KIPRIS Plus bulk tables (¶)',
  version: 8,
  detect(head) {
    const end = head.indexOf(10);
    return tableColumns(head.subarray(0, Math.min(end < 0 ? head.length : end, 4096))) !== undefined;
  },
  split: splitWhole,
  parse,
};
