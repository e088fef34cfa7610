/**
 * US applications of 2001 to 2004, `patent-application-publication` (PAP v1.5 and v1.6). Paragraphs begin
 * with their printed number. Classes have the form `D21C011/12`. The format has neither agents nor examiners:
 * the correspondence address may be that of an inventor.
 */
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Claim, Drawing, Patent, Section } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { readableText, readableWhole } from './markup.js';
import { nationalClasses } from './national-codes.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  present,
  publicationDates,
  publicationsOf,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { Sections } from './sections.js';
import { wholeNumber } from './st36-text.js';
import { claimOf, references } from './us-citations.js';
import { partyFields, personName } from './us-names.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  plainText,
  textAt,
  type XmlElement,
  xmlRootName,
} from './xml.js';

const ROOT = 'patent-application-publication';

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(bytes), [ROOT], publication);
}

function publication(root: XmlElement): Patent {
  const front = childAt(root, 'subdoc-bibliographic-information');
  if (!front) throw new DamagedDocument(`<${ROOT}> without bibliographic data`);
  const id = childAt(front, 'document-id');
  const country = textAt(id, 'country-code') ?? 'US';
  if (country !== 'US') throw new DamagedDocument(`country ${country} in a US document; expected US`);
  const own = identity(country, textAt(id, 'doc-number'), textAt(id, 'kind-code')) as Patent;
  const technical = childAt(front, 'technical-information');
  const title = childAt(technical, 'title-of-invention');
  const abstract = childElements(root, 'subdoc-abstract').flatMap((part) => childElements(part, 'paragraph'));
  return withText({
    ...own,
    language: 'en',
    ...present({
      title: title && readableText(title).replaceAll('\n', ' '),
      abstract: abstract.map(readableText).filter(Boolean).join('\n'),
      claims: claims(root),
      description: description(root),
    }),
    ...publicationDates(own, parseDate(textAt(id, 'document-date'))),
    ...filings(front),
    ...parties(front),
    ...codeFields({ ipc: descendants(technical, 'ipc').flatMap((code) => plainText(code) ?? []) }),
    ...present({ uspc_codes: nationalClasses(descendants(technical, 'uspc').map(nationalColumns)) }),
    ...present({ drawings: drawings(root) }),
  });
}

/** Class and subclass in columns of three and six characters: `440` and `049000`. */
function nationalColumns(code: XmlElement): string {
  return `${(textAt(code, 'class') ?? '').padStart(3)}${textAt(code, 'subclass') ?? ''}`;
}

/** A person (`Ann B. Reed`) has given-name, middle-name and family-name. A company has organization-name. */
function nameOf(holder: XmlElement): string | undefined {
  const name = childAt(holder, 'name') ?? holder;
  const organisation = textAt(holder, 'organization-name') ?? textAt(name, 'organization-name');
  return (
    organisation ??
    personName({
      last: textAt(name, 'family-name'),
      first: textAt(name, 'given-name'),
      middle: textAt(name, 'middle-name'),
      suffix: textAt(name, 'name-suffix'),
    })
  );
}

function parties(front: XmlElement): Partial<Patent> {
  return partyFields({
    assignees: childElements(front, 'assignee').map(nameOf),
    inventors: childElements(childAt(front, 'inventors')).map(nameOf),
  });
}

function filingOf(id: XmlElement | undefined): Filing[] {
  const number = textAt(id, 'doc-number');
  if (!id || !number) return [];
  return [
    { country: textAt(id, 'country-code') ?? 'US', number, date: parseDate(textAt(id, 'document-date')) },
  ];
}

/**
 * Foreign priorities, provisionals and the parents of continuations. The international application is
 * separate.
 */
function filings(front: XmlElement): Partial<Patent> {
  const domestic = childAt(front, 'domestic-filing-data');
  const number = textAt(domestic, 'application-number', 'doc-number');
  const own = number
    ? { country: 'US', number, date: parseDate(textAt(domestic, 'filing-date')) }
    : undefined;
  const earlier: Filing[] = childElements(front, 'foreign-priority-data').flatMap((claim) => {
    const foreign = textAt(claim, 'priority-application-number', 'doc-number');
    const country = textAt(claim, 'country-code');
    if (!foreign || !country) return [];
    return [{ country, number: foreign, date: parseDate(textAt(claim, 'filing-date')) }];
  });
  const continuity = childAt(front, 'continuity-data');
  for (const provisional of descendants(continuity, 'non-provisional-of-provisional'))
    earlier.push(...filingOf(childAt(provisional, 'document-id')));
  let international: Filing | undefined;
  const national = descendants(continuity, 'a-371-of-international');
  for (const relation of descendants(continuity, 'parent-child')) {
    const [parent] = filingOf(childAt(relation, 'parent', 'document-id'));
    if (!parent) continue;
    const isOwn = textAt(relation, 'child', 'document-id', 'doc-number') === number;
    if (isOwn && national.some((phase) => descendants(phase, 'parent-child').includes(relation)))
      international = parent;
    else earlier.push(parent);
  }
  return {
    ...filingFields('US', { own, international, priorities: earlier }),
    ...(international && internationalFields(international)),
  };
}

function claims(root: XmlElement): Claim[] {
  const found: Claim[] = [];
  for (const claim of childElements(root, 'subdoc-claims').flatMap((list) => childElements(list, 'claim'))) {
    const number = wholeNumber(claim.attributes['id']) ?? found.length + 1;
    const dependsOn = references(claim, 'dependent-claim-reference', 'depends_on', number);
    const read = claimOf(number, readableText(claim), dependsOn);
    if (read.text) found.push(read);
  }
  return found;
}

/** Text elements of a description. All other elements only group them. */
const TEXTS = new Set([
  'paragraph',
  'table-cwu',
  'chemistry-cwu',
  'math-cwu',
  'unordered-list',
  'ordered-list',
]);

function description(root: XmlElement): Section[] {
  const sections = new Sections();
  const visit = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      if (child.name === 'heading')
        sections.heading(readableText(child).replaceAll('\n', ' '), wholeNumber(child.attributes['lvl']));
      else if (TEXTS.has(child.name)) paragraph(child, sections);
      else visit(child);
    }
  };
  for (const part of childElements(root, 'subdoc-description')) visit(part);
  return sections.all();
}

/** `<number>12.</number>` or `[0012]` at the beginning of a paragraph is not part of its text. */
function paragraph(element: XmlElement, sections: Sections): void {
  const printed = element.name === 'paragraph' ? textAt(element, 'number') : undefined;
  sections.paragraph(readableWhole(element), wholeNumber(printed));
}

/**
 * Sheets in order. Figures are numbered from 1 in the order of the sheets (37 CFR 1.84(u)). If the office
 * names FIG. 1 as representative, it is on the first sheet.
 */
function drawings(root: XmlElement): Drawing[] {
  const lists = childElements(root, 'subdoc-drawings');
  const images = lists.flatMap((list) => descendants(list, 'image'));
  const files = images.flatMap((image) => image.attributes['file']?.split(/[\\/]/).at(-1) || []);
  const isFirst = lists.some((list) => /^1(?!\d)/.test(textAt(list, 'representative-figure') ?? ''));
  const front = files.find((file) => /-D0+\.\w+$/i.test(file)) ?? (isFirst ? files[0] : undefined);
  return files.map((file) => (file === front ? { file, representative: true } : { file }));
}

export const usPap: Reader = {
  format: ROOT,
  title: 'US application, PAP v1.5 (2001–2004)',
  version: 5,
  detect: (head) => xmlRootName(head) === ROOT,
  split: splitXml,
  parse,
};
