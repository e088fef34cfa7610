/**
 * KIPRIS Plus detail answers as JSON (`biblioSummaryInfoArray` and similar members; documented at
 * https://plus.kipris.or.kr). One record describes one application and yields its publications: A (or U) from
 * the open number with the first version of the claims, B1 (or Y1) from the register number with the last
 * version. Dates are `2018.12.21`. A list with one element is an object. An empty list is `''`.
 */

import { normaliseApplicationNumber } from '../../patent/application-number.js';
import { priorityOf } from '../../patent/citation.js';
import { normaliseClassifications } from '../../patent/classification.js';
import { earliestDate, parseDate } from '../../patent/date.js';
import { deriveFamilyId, type Filing } from '../../patent/family.js';
import type { Citation, Claim, Name, Patent } from '../../patent/record.js';
import { splitJson } from '../split.js';
import { jsonValue } from './json-values.js';
import { koreanCountry } from './kipris-countries.js';
import {
  isNoClaim,
  type KoreanNumbers,
  koreanPublications,
  koreanStatus,
  type Stated,
} from './kr-publications.js';
import { internationalFields, present } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader, withFailures } from './reader.js';
import { writtenCitation } from './written-citation.js';

export type Fields = Record<string, unknown>;

const MARK = Buffer.from('"biblioSummaryInfoArray"');

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of `xInfoArray: {xInfo: {…} | [{…}] | ''}`. */
function entries(record: Fields, name: string): Fields[] {
  const holder = record[`${name}Array`];
  if (!isFields(holder)) return [];
  const found = holder[name];
  return (Array.isArray(found) ? found : [found]).filter(isFields);
}

function text(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Tags of older records, as escaped text: `<P INDENT="14">`, `<BR>`, `CO<SUB>2</SUB>`. */
const LINE_TAGS = /<\/?(?:p|br)(?:\s[^<>]*)?\/?>/gi;
const INLINE_TAGS = /<\/?(?:sub|sup)\s*>/gi;
/** `10<SUP>6</SUP>` must not become 106. */
const EXPONENT = /<sup\s*>(?=\s*[-+−]?\d)/gi;

/** Removes tags, and collapses `\r\n` and runs of blanks. They come from the form and not from the author. */
function prose(value: string | undefined): string | undefined {
  const plain = value?.includes('<')
    ? value.replace(EXPONENT, '^').replace(INLINE_TAGS, '').replace(LINE_TAGS, '\n')
    : value;
  return (
    plain
      ?.replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n\s*/g, '\n')
      .trim() || undefined
  );
}

/** Levels of an answer that are searched for records: `response.body.items.item[0]` is the fourth. */
const RECORD_LEVELS = 6;

/** Records in an answer, also below `response.body.item(s)`. */
function records(value: unknown, depth = 0): Fields[] {
  if (Array.isArray(value)) return value.flatMap((item) => records(item, depth + 1));
  if (!isFields(value) || depth > RECORD_LEVELS) return [];
  if ('biblioSummaryInfoArray' in value) return [value];
  return Object.values(value).flatMap((item) => records(item, depth + 1));
}

function parse(bytes: Uint8Array): ParsedUnit {
  const json = jsonValue(bytes);
  const result: ParsedUnit = { patents: [], skipped: [] };
  const found = records(json);
  if (found.length === 0) {
    throw new DamagedDocument(
      `biblioSummaryInfoArray does not stand within the first ${RECORD_LEVELS + 1} levels of the JSON; expected a KIPRIS answer`,
    );
  }
  const reasons: string[] = [];
  for (const record of found) {
    try {
      result.patents.push(...detailPublications(record));
    } catch (error) {
      if (!(error instanceof DamagedDocument)) throw error;
      reasons.push(error.message);
    }
  }
  if (result.patents.length === 0 && reasons.length === 0) {
    throw new DamagedDocument('no openNumber and no registerNumber: the application is not published');
  }
  return withFailures(result, reasons);
}

/**
 * The publications of a detail record.
 * @throws DamagedDocument if a number is not a number of the Korean office
 */
export function detailPublications(record: Fields): Patent[] {
  const summary = entries(record, 'biblioSummaryInfo')[0];
  const numbers = numbersOf(summary);
  const isRegistered = numbers.registration.number !== undefined;
  return koreanPublications(numbers, sharedFields(record, summary), (registered) =>
    registered
      ? { ...claimsOf(record, 'last_version', true), ...priorArt(record) }
      : { ...claimsOf(record, 'first_version', !isRegistered), ...(isRegistered ? {} : priorArt(record)) },
  );
}

function numbersOf(summary: Fields | undefined): KoreanNumbers {
  const stated = (name: string): Stated => ({
    number: text(summary, `${name}Number`),
    date: parseDate(text(summary, `${name}Date`)),
  });
  return { open: stated('open'), registration: stated('register'), announcement: stated('publication') };
}

/** Prior art found in the examination. It belongs to the latest publication. */
function priorArt(record: Fields): Partial<Patent> {
  const citations = entries(record, 'priorArtDocumentsInfo').flatMap((entry): Citation[] => {
    const written = text(entry, 'documentsNumber');
    const isExaminers = text(entry, 'examinerQuotationFlag') === 'Y';
    return written === undefined ? [] : [writtenCitation(written, isExaminers ? 'examiner' : undefined)];
  });
  return citations.length > 0 ? { citations } : {};
}

/**
 * Claims of a version. Deleted claims have no text and are left out, as are those that were abandoned at registration. A
 * plain answer without versions has only the current claims, which belong to the latest publication.
 */
function claimsOf(record: Fields, version: string, isLatest: boolean): Partial<Patent> {
  const versions = record['claims'];
  const chosen = isFields(versions) ? versions[version] : undefined;
  const listed =
    isFields(chosen) && Array.isArray(chosen['claims']) ? chosen['claims'].filter(isFields) : undefined;
  const found = listed ? versionClaims(listed) : isLatest ? plainClaims(entries(record, 'claimInfo')) : [];
  return found.length > 0 ? { claims: found } : {};
}

function versionClaims(listed: readonly Fields[]): Claim[] {
  const found: Claim[] = [];
  for (const [at, claim] of listed.entries()) {
    const claimText = prose(text(claim, 'text'));
    const number = Number(text(claim, 'claim_number') ?? at + 1);
    if (!claimText || isNoClaim(claimText) || !Number.isInteger(number) || number <= 0) continue;
    const refers = claim['refers_to'];
    const dependsOn = Array.isArray(refers) ? [...new Set(refers.map(Number).filter((to) => to > 0))] : [];
    found.push({ number, text: claimText, ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}) });
  }
  return found;
}

const PRINTED_NUMBER = /^(\d{1,4}) ?\.\s*(?=\D)/;

/** `1. …`, `2. 삭제`: the number stands in the text. */
function plainClaims(listed: readonly Fields[]): Claim[] {
  const found: Claim[] = [];
  let last = 0;
  for (const claim of listed) {
    const printed = prose(text(claim, 'claim')) ?? '';
    const stated = Number(text(claim, 'claimNumber') ?? PRINTED_NUMBER.exec(printed)?.[1]);
    const number = Number.isInteger(stated) && stated > last ? stated : last + 1;
    const claimText = printed.replace(PRINTED_NUMBER, (all, digits) =>
      Number(digits) === number ? '' : all,
    );
    last = number;
    if (claimText && !isNoClaim(claimText)) found.push({ number, text: claimText });
  }
  return found;
}

function people(record: Fields, name: string): Name[] {
  const found: Name[] = [];
  for (const entry of entries(record, name)) {
    const [korean, english] = [prose(text(entry, 'name')), prose(text(entry, 'engName'))];
    if (korean) found.push(english ? { name: korean, name_en: english } : { name: korean });
    else if (english) found.push({ name: english });
  }
  return found;
}

/** Fields that all publications of one application share. */
function sharedFields(record: Fields, summary: Fields | undefined): Partial<Patent> {
  const shared: Partial<Patent> = { language: 'ko' };
  const [title, english] = [
    prose(text(summary, 'inventionTitle')),
    prose(text(summary, 'inventionTitleEng')),
  ];
  if (title) shared.title = title;
  if (english) shared.titles = { en: english };
  const abstract = prose(
    entries(record, 'abstractInfo')
      .map((entry) => text(entry, 'astrtCont') ?? '')
      .join('\n'),
  );
  if (abstract) shared.abstract = abstract;
  const filingDate = parseDate(text(summary, 'applicationDate'));
  if (filingDate) shared.filing_date = filingDate;
  const [applicants, inventors] = [people(record, 'applicantInfo'), people(record, 'inventorInfo')];
  if (applicants.length > 0) shared.applicants = applicants;
  if (inventors.length > 0) shared.inventors = inventors;
  const ipc = normaliseClassifications(
    entries(record, 'ipcInfo').map((entry) => text(entry, 'ipcNumber') ?? ''),
  );
  const cpc = normaliseClassifications(
    entries(record, 'cpcInfo').map((entry) => text(entry, 'CooperativepatentclassificationNumber') ?? ''),
  );
  if (ipc.length > 0) shared.ipc_codes = ipc;
  if (cpc.length > 0) shared.cpc_codes = cpc;
  const locarno = entries(record, 'locarnoInfo').map((entry) => text(entry, 'locarnoNumber'));
  const classes = locarno.filter((code) => code !== undefined && /^\d{2}-\d{2}$/.test(code)) as string[];
  if (classes.length > 0) shared.locarno_codes = classes;
  const image = isFields(record['imagePathInfo']) ? text(record['imagePathInfo'], 'docName') : undefined;
  const file = image?.split(/[\\/]/).at(-1);
  if (file) shared.drawings = [{ file, representative: true }];
  return Object.assign(shared, rights(record, summary), officeFields(record, summary));
}

/** Numbers of the international stage, agents, examiner and status. */
function officeFields(record: Fields, summary: Fields | undefined): Partial<Patent> {
  const international = entries(record, 'internationalInfo')[0];
  const stage = (name: string) => ({
    number: text(international, `${name}Number`),
    date: parseDate(text(international, `${name}Date`)),
  });
  const status = text(summary, 'registerStatus');
  const examiner = text(summary, 'examinerName');
  return {
    ...internationalFields(stage('internationalApplication'), stage('internationOpen')),
    ...present({
      agents: people(record, 'agentInfo'),
      examiners: examiner ? [{ name: examiner }] : [],
    }),
    ...koreanStatus(status, numbersOf(summary)),
  };
}

/** Application number, earliest priority and family. */
function rights(record: Fields, summary: Fields | undefined): Partial<Patent> {
  const found: Partial<Patent> = {};
  const priorities = entries(record, 'priorityInfo').flatMap((entry): Filing[] => {
    const number = text(entry, 'priorityApplicationNumber');
    const country = koreanCountry(text(entry, 'priorityApplicationCountry') ?? '');
    return number ? [{ country, number, date: parseDate(text(entry, 'priorityApplicationDate')) }] : [];
  });
  const priorityDate = earliestDate(priorities.map(({ date }) => date));
  if (priorityDate) found.priority_date = priorityDate;
  const claimed = priorities.flatMap((filing) => priorityOf(filing) ?? []);
  if (claimed.length > 0) found.priorities = claimed;
  const application = text(summary, 'applicationNumber');
  const applicationNumber = application && normaliseApplicationNumber('KR', application);
  if (applicationNumber) found.application_number = applicationNumber;
  const familyId = deriveFamilyId(firstFiling(record, summary, applicationNumber), priorities);
  if (familyId) Object.assign(found, { family_id: familyId, family_derived: true });
  return found;
}

/**
 * The first filing of an application without priority: its international application, otherwise the oldest of
 * the application, its parent application and the family in KIPRIS (which has members but no id).
 */
function firstFiling(
  record: Fields,
  summary: Fields | undefined,
  own: string | undefined,
): Filing | undefined {
  const international = text(entries(record, 'internationalInfo')[0], 'internationalApplicationNumber');
  if (international) return { country: 'WO', number: international };
  const related = entries(record, 'familyInfo').map((entry) => text(entry, 'familyApplicationNumber'));
  const numbers = [text(summary, 'originalApplicationNumber'), ...related]
    .map((number) => (number ? normaliseApplicationNumber('KR', number) : undefined))
    .concat(own)
    .filter((number) => number !== undefined)
    // Year and serial number determine the order. A utility model may have become a patent.
    .sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));
  return numbers[0] === undefined ? undefined : { country: 'KR', number: numbers[0] };
}

export const kiprisJson: Reader = {
  format: 'kipris-json',
  title: 'KIPRIS Plus detail JSON',
  version: 11,
  detect: (head) => Buffer.from(head.buffer, head.byteOffset, head.length).includes(MARK),
  split: splitJson,
  parse,
};
