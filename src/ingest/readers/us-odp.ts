/**
 * File wrappers of the USPTO's Open Data Portal (https://data.uspto.gov): answers of its interface and its bulk files, JSON with
 * `patentFileWrapperDataBag`. A wrapper has titles, names, codes and dates of an application, and the numbers of its publication and
 * of its patent. It has no abstract.
 */
import { earliestDate, parseDate } from '../../patent/date.js';
import type { Patent } from '../../patent/record.js';
import { splitJsonList } from '../split-json-list.js';
import { type ExportFields, exportedPublication } from './google-patents.js';
import { memberNames } from './json-members.js';
import { jsonObject, listOf, type Members, membersOf, objectsOf, textOf } from './json-values.js';
import { foreignReason } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';

const LIST = 'patentFileWrapperDataBag';

/** `US 2014-0167116 A1`, `US20140167116A1` */
const LAID_OPEN = /^US[\s-]?((?:19|20)\d{2})[\s/-]?(\d{7})[\s-]?([AP]\d)$/;
/** Since this day, the kind of a patent tells whether its application was laid open before. */
const LEVELS_FROM = '2001-01-02';

/** Series of numbers, and the kinds of patents without and with an earlier publication. */
const SERIES: readonly (readonly [name: RegExp, first: string, second: string])[] = [
  [/^\d{7,8}$/, 'B1', 'B2'],
  [/^PP\d{4,6}$/, 'P2', 'P3'],
  [/^RE\d{4,6}$/, 'E1', 'E1'],
  [/^D\d{5,7}$/, 'S1', 'S1'],
];

interface Numbered {
  number: string;
  kind: string;
  date: string | undefined;
}

/** The publication of the application. An international one is not of this office. */
function laidOpen(meta: Members): Numbered | undefined {
  const [, year, serial, kind] = LAID_OPEN.exec(textOf(meta['earliestPublicationNumber']) ?? '') ?? [];
  if (!year || !serial || !kind) return undefined;
  return { number: year + serial, kind, date: textOf(meta['earliestPublicationDate']) };
}

/**
 * The patent. Its kind follows from the series of its number, and from the publication of its application.
 * @throws DamagedDocument if the record does not tell the kind
 */
function granted(meta: Members, published: Numbered | undefined): Numbered | undefined {
  const number = textOf(meta['patentNumber'])?.toUpperCase();
  const date = textOf(meta['grantDate']);
  if (number === undefined) return undefined;
  const [, first, second] = SERIES.find(([name]) => name.test(number)) ?? [];
  const isLaidOpen = textOf(meta['earliestPublicationNumber']) !== undefined;
  const isTold = !isLaidOpen || first === second || published?.date !== undefined;
  if (!first || !second || date === undefined || date < LEVELS_FROM || !isTold) {
    throw new DamagedDocument(
      'the file wrapper does not tell the kind of its patent; take the patent from the weekly files',
    );
  }
  const isSecond = published?.date !== undefined && published.date < date;
  return { number, kind: isSecond ? second : first, date };
}

/** `HELD, ANNA` of `inventorNameText`, or the parts of the name. */
const namesOf = (value: unknown, name: string): string[] =>
  objectsOf(value).flatMap((party) => {
    const parts = [party['firstName'], party['middleName'], party['lastName']].map(textOf).filter(Boolean);
    return textOf(party[name]) ?? (parts.length > 0 ? parts.join(' ') : []);
  });

/** What the publication and the patent share. */
function shared(record: Members, meta: Members): ExportFields {
  const pct = textOf(meta['pctPublicationNumber']);
  const claimed = [
    ...objectsOf(record['foreignPriorityBag']).map((claim) => claim['filingDate']),
    ...objectsOf(record['parentContinuityBag']).map((parent) => parent['parentApplicationFilingDate']),
  ];
  const isFirst = [record['parentContinuityBag'], record['foreignPriorityBag']].every(
    (list) => listOf(list).length === 0,
  );
  return {
    title: textOf(meta['inventionTitle']),
    application_number: textOf(record['applicationNumberText']),
    filing_date: textOf(meta['filingDate']),
    priority_date: earliestDate(claimed.map((date) => parseDate(textOf(date)))),
    assignee: namesOf(meta['applicantBag'], 'applicantNameText'),
    inventor: namesOf(meta['inventorBag'], 'inventorNameText'),
    examiner: textOf(meta['examinerNameText']),
    cpc: listOf(meta['cpcClassificationBag']).flatMap((code) => textOf(code) ?? []),
    // Priorities name offices in words, and parents stand beside them.
    earliest_unknown: !isFirst || pct !== undefined,
  };
}

function parse(bytes: Uint8Array): ParsedUnit {
  const record = jsonObject(bytes);
  const meta = membersOf(record['applicationMetaData']);
  const published = laidOpen(meta);
  const unit: ParsedUnit = { patents: [], skipped: [] };
  const add = ({ number, kind, date }: Numbered): void => {
    const numbered = {
      country_code: 'US',
      publication_number: number,
      kind_code: kind,
      publication_date: date,
    };
    const read = exportedPublication({ ...shared(record, meta), ...numbered });
    if ('foreign' in read) unit.skipped.push({ reason: foreignReason(read.foreign) });
    else unit.patents.push({ ...read, partial: true } satisfies Patent);
  };
  if (published) add(published);
  try {
    const patent = granted(meta, published);
    if (patent) add(patent);
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    return { ...unit, failed: { reason: error.message } };
  }
  if (unit.patents.length > 0) return unit;
  return { ...unit, skipped: [{ reason: 'a US application without a publication and a patent' }] };
}

export const usOpenData: Reader = {
  format: 'us-open-data',
  title: 'file wrappers of the USPTO Open Data Portal (JSON)',
  version: 2,
  hasList: true,
  detect: (head) => (memberNames(head, true) ?? []).includes(LIST),
  split: splitJsonList(/"patentFileWrapperDataBag"\s{0,40}:\s{0,40}\[/),
  parse,
};
