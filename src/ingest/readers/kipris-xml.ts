/**
 * KIPRIS Plus search answers as XML: `PatentUtilityInfo` (the university and holder searches) and `item` of
 * the word searches, with different names for the same fields. They hold title, abstract and bibliographic
 * data, but no claims. One record describes one application and yields its publications, as in
 * `kipris-json.ts`.
 */
import { parseDate } from '../../patent/date.js';
import type { Patent } from '../../patent/record.js';
import { withoutEnd } from '../../patent/scan.js';
import { splitElements } from '../split.js';
import { decodeText } from './decode.js';
import { isDetailXml } from './kipris-detail-xml.js';
import { type KoreanNumbers, koreanPublications, koreanStatus } from './kr-publications.js';
import { readableText } from './markup.js';
import { codeFields, filingFields, present, uniqueNames } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  textAt,
  type XmlElement,
  xmlRootName,
} from './xml.js';

const RECORDS = ['PatentUtilityInfo', 'item'] as const;

/** Names of a field in both kinds of answer. */
const FIELDS = {
  title: ['InventionName', 'inventionTitle'],
  abstract: ['Abstract', 'astrtCont'],
  applicant: ['Applicant', 'applicantName'],
  inventor: ['Inventor', 'inventorName'],
  ipc: ['InternationalpatentclassificationNumber', 'ipcNumber'],
  application: ['ApplicationNumber', 'applicationNumber'],
  filed: ['ApplicationDate', 'applicationDate'],
  open: ['OpeningNumber', 'openNumber'],
  opened: ['OpeningDate', 'openDate'],
  registration: ['RegistrationNumber', 'registerNumber'],
  registered: ['RegistrationDate', 'registerDate'],
  announcement: ['PublicNumber', 'publicationNumber'],
  announced: ['PublicDate', 'publicationDate'],
  status: ['RegistrationStatus', 'registerStatus'],
} as const;

function parse(bytes: Uint8Array): ParsedUnit {
  const result: ParsedUnit = { patents: [], skipped: [] };
  const roots = parseXml(decodeText(bytes));
  // A unit is one record, or an answer without a record.
  for (const record of roots.flatMap(recordsOf)) {
    const value = (field: keyof typeof FIELDS): string | undefined =>
      FIELDS[field].map((name) => textAt(record, name)).find((text) => text !== undefined);
    if (value('application') === undefined || value('title') === undefined) {
      result.skipped.push({ reason: 'a KIPRIS item that is neither a patent nor a utility model' });
      continue;
    }
    const patents = publications(record, value);
    if (patents.length > 0) result.patents.push(...patents);
    else result.skipped.push({ reason: 'a KIPRIS application that is not published yet' });
  }
  if (result.patents.length + result.skipped.length === 0) throw new DamagedDocument(emptyReason(roots));
  return result;
}

function recordsOf(root: XmlElement): XmlElement[] {
  const isRecord = (RECORDS as readonly string[]).includes(root.name);
  return isRecord ? [root] : RECORDS.flatMap((name) => descendants(root, name));
}

/** Content of an answer without a patent: an error of the service, no result, trademarks or designs. */
function emptyReason(roots: XmlElement[]): string {
  const message = roots.map((root) => textAt(root, 'header', 'resultMsg')).find(Boolean);
  const items = roots.flatMap((root) => childElements(childAt(root, 'body', 'items')));
  if (items.length > 0) return 'a KIPRIS answer whose items are neither patents nor utility models';
  return `a KIPRIS answer without records${message ? ` (${message})` : ''}`;
}

function publications(
  record: XmlElement,
  value: (field: keyof typeof FIELDS) => string | undefined,
): Patent[] {
  const split = (text: string | undefined): string[] => text?.split('|').map((part) => part.trim()) ?? [];
  const abstract = childElements(record).find(({ name }) =>
    (FIELDS.abstract as readonly string[]).includes(name),
  );
  const number = value('application');
  const numbers: KoreanNumbers = {
    open: { number: value('open'), date: parseDate(value('opened')) },
    registration: { number: value('registration'), date: parseDate(value('registered')) },
    announcement: { number: value('announcement'), date: parseDate(value('announced')) },
  };
  // An answer has no priorities, so its family is not known.
  const {
    family_id: _,
    family_derived: __,
    ...filing
  } = filingFields('KR', {
    own: number ? { country: 'KR', number, date: parseDate(value('filed')) } : undefined,
    priorities: [],
  });
  return koreanPublications(numbers, {
    language: 'ko',
    ...present({ title: value('title'), abstract: abstract && withoutNote(readableText(abstract)) }),
    ...filing,
    ...present({
      applicants: uniqueNames(split(value('applicant'))),
      inventors: uniqueNames(split(value('inventor'))),
    }),
    ...codeFields({ ipc: split(value('ipc')) }),
    ...koreanStatus(value('status'), numbers),
    partial: true,
  });
}

/** The service shortens long abstracts, and says so: "the rest is left out". */
function withoutNote(abstract: string): string {
  const at = abstract.lastIndexOf('(이하생략)');
  if (at < 0 || abstract.slice(at).trim() !== '(이하생략)') return abstract;
  return `${withoutEnd(abstract.slice(0, at), /[.\s]/)}…`;
}

/** Elements that tell a search answer, with any prefix and attributes. */
const MARK = /<(?:[\w.-]+:)?(?:PatentUtilityInfo|inventionTitle)[\s/>]/;

export const kiprisXml: Reader = {
  format: 'kipris-xml',
  title: 'KIPRIS Plus search answer (XML)',
  version: 5,
  detect(head) {
    if (xmlRootName(head) === undefined || isDetailXml(head)) return false;
    return MARK.test(Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1'));
  },
  split: splitElements(RECORDS),
  parse,
};
