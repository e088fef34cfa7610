/**
 * The US red book: `us-patent-grant` and `us-patent-application`, document type definitions v4.0 to v4.7
 * (https://www.uspto.gov/learning-and-resources/xml-resources). Dates are `20191128`. The doc-number of a
 * grant has eight characters (`09971313`, `D1050455`), that of an application eleven digits.
 */
import { COUNTRIES } from '../../patent/country.js';
import { parseDate } from '../../patent/date.js';
import { patentId, publicationNumber } from '../../patent/number.js';
import type { Patent } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { readableText } from './markup.js';
import { publicationsOf } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import {
  abstractText,
  applicants,
  classifications,
  filings,
  inventors,
  officeFields,
  type RedBookFilings,
} from './red-book-front.js';
import { claims, description, drawings } from './st36-text.js';
import { redBookCitations } from './us-citations.js';
import { childAt, parseXml, textAt, type XmlElement, xmlRootName } from './xml.js';

const ROOTS = ['us-patent-grant', 'us-patent-application'];
/** Large parts that contain no field of a record. */
const SKIP = new Set([
  ...['us-field-of-classification-search', 'field-of-search'],
  ...['us-sequence-list-doc', 'us-chemistry', 'us-math'],
]);

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(bytes, SKIP), ROOTS, publication);
}

function publication(root: XmlElement): Patent {
  const isGrant = root.name === 'us-patent-grant';
  const front = childAt(root, isGrant ? 'us-bibliographic-data-grant' : 'us-bibliographic-data-application');
  if (!front) throw new DamagedDocument(`<${root.name}> without bibliographic data`);
  const patent = identity(front);
  const language = root.attributes['lang']?.toLowerCase();
  patent.language = language && /^[a-z]{2}$/.test(language) ? language : 'en';
  setText(patent, root, front);
  setDates(patent, front, isGrant, filings(front, patent.country));
  const people = { applicants: applicants(front), inventors: inventors(front) };
  if (people.applicants.length > 0) patent.applicants = people.applicants;
  if (people.inventors.length > 0) patent.inventors = people.inventors;
  Object.assign(patent, classifications(front), officeFields(front));
  const citations = redBookCitations(front);
  if (citations.length > 0) patent.citations = citations;
  const figures = drawings(root);
  if (figures.length > 0) patent.drawings = figures;
  return patent;
}

function identity(front: XmlElement): Patent {
  const id = childAt(front, 'publication-reference', 'document-id');
  const docNumber = textAt(id, 'doc-number');
  const country = textAt(id, 'country') ?? 'US';
  const kind = textAt(id, 'kind')?.toUpperCase();
  if (country !== 'US') throw new DamagedDocument(`country ${country} in a US document; expected US`);
  if (!docNumber || !kind)
    throw new DamagedDocument('no publication number or kind in publication-reference');
  if (!/^[A-Z]\d?$/.test(kind)) throw new DamagedDocument(`${JSON.stringify(kind)} is not a kind code`);
  const number = publicationNumber('US', docNumber, kind);
  if (!number)
    throw new DamagedDocument(`doc-number ${JSON.stringify(docNumber)} is not a US publication number`);
  return { patent_id: patentId('US', number, kind), country: COUNTRIES[0], number, kind_code: kind };
}

function setText(patent: Patent, root: XmlElement, front: XmlElement): void {
  const title = childAt(front, 'invention-title');
  const titleText = title && readableText(title).replaceAll('\n', ' ');
  if (titleText) patent.title = titleText;
  const abstract = abstractText(root);
  if (abstract) patent.abstract = abstract;
  const claimList = claims(root);
  if (claimList.length > 0) patent.claims = claimList;
  const sections = description(root);
  if (sections.length > 0) patent.description = sections;
  if (!titleText && !abstract && claimList.length === 0 && sections.length === 0) {
    throw new DamagedDocument('no title, abstract, claims or description');
  }
}

function setDates(patent: Patent, front: XmlElement, isGrant: boolean, found: RedBookFilings): void {
  const published = parseDate(textAt(front, 'publication-reference', 'document-id', 'date'));
  if (published) patent.publication_date = published;
  // The US grants a patent by publication: the issue date is both dates.
  if (published && isGrant) patent.grant_date = published;
  if (found.filingDate) patent.filing_date = found.filingDate;
  if (found.priorityDate) patent.priority_date = found.priorityDate;
  if (found.applicationNumber) patent.application_number = found.applicationNumber;
  if (found.priorities.length > 0) patent.priorities = found.priorities;
  if (found.familyId) {
    patent.family_id = found.familyId;
    patent.family_derived = true;
  }
}

function redBookReader(root: string, title: string): Reader {
  return {
    format: root,
    title,
    version: 10,
    detect: (head) => xmlRootName(head) === root,
    split: splitXml,
    parse,
  };
}

export const usPatentGrant = redBookReader('us-patent-grant', 'US grant, red book v4');
export const usPatentApplication = redBookReader('us-patent-application', 'US application, red book v4');
