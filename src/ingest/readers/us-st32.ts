/**
 * US grants of 2001 to 2004, `PATDOC` v2.4 and v2.5 (WIPO ST.32; B100 to B900 are the INID codes). The format
 * is XML and, in 2001, SGML. In SGML, elements that are always empty have no end tag, and only the document
 * type separates two documents of a weekly file.
 */
import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Claim, Drawing, Patent, Section } from '../../patent/record.js';
import { splitAt } from '../split.js';
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
  uniqueNames,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { inColumns } from './red-book-front.js';
import { Sections } from './sections.js';
import { wholeNumber } from './st36-text.js';
import { claimOf, references } from './us-citations.js';
import { partyFields, personName } from './us-names.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  textAt,
  type XmlElement,
  xmlRootName,
} from './xml.js';

const ROOT = 'PATDOC';
/** Field of search. */
const SKIP = new Set(['B580']);
const EMPTY = new Set([
  ...['EMI', 'CITED-BY-EXAMINER', 'CITED-BY-OTHER', 'B597US', 'B221US', 'B473', 'B473US', 'B474US'],
  ...['MATHEMATICA', 'CHEMCDX', 'CHEMMOL', 'CUSTOM-CHARACTER', 'COLSPEC', 'colspec', 'SPANSPEC', 'spanspec'],
]);

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(bytes, SKIP, EMPTY), [ROOT], publication);
}

function publication(root: XmlElement): Patent {
  const front = childAt(root, 'SDOBI');
  if (!front) throw new DamagedDocument(`<${ROOT}> without bibliographic data (SDOBI)`);
  const b100 = childAt(front, 'B100');
  const country = textAt(b100, 'B190') ?? 'US';
  if (country !== 'US') throw new DamagedDocument(`country ${country} in a US document; expected US`);
  const own = identity(country, textAt(b100, 'B110'), textAt(b100, 'B130')) as Patent;
  const published = parseDate(textAt(b100, 'B140'));
  const title = childAt(front, 'B500', 'B540');
  const abstract = childElements(root, 'SDOAB').map(readableText).filter(Boolean).join('\n');
  return withText({
    ...own,
    language: 'en',
    ...present({
      title: title && readableText(title).replaceAll('\n', ' '),
      abstract,
      claims: claims(root),
      description: description(root),
    }),
    // The US grants a patent or design by publication: the issue date is both dates.
    ...publicationDates(own, published),
    ...present({ grant_date: published }),
    ...filings(front),
    ...parties(front),
    ...codes(front),
    ...international(front),
    ...present({ drawings: drawings(root), citations: citations(front) }),
  });
}

function nameOf(holder: XmlElement): string | undefined {
  const name = childAt(holder, 'PARTY-US', 'NAM') ?? childAt(holder, 'NAM');
  const parts = { last: textAt(name, 'SNM'), first: textAt(name, 'FNM'), suffix: textAt(name, 'SFX') };
  return textAt(name, 'ONM') ?? personName(parts);
}

function parties(front: XmlElement): Partial<Patent> {
  const b700 = childAt(front, 'B700');
  const named = (list: string, ...parties: string[]) =>
    uniqueNames(
      childElements(b700, list)
        .flatMap((group) => childElements(group))
        .filter(({ name }) => parties.includes(name))
        .map(nameOf),
    );
  const applying = partyFields({
    assignees: childElements(b700, 'B730')
      .flatMap((list) => childElements(list, 'B731'))
      .map(nameOf),
    inventors: childElements(b700, 'B720')
      .flatMap((list) => childElements(list, 'B721'))
      .map(nameOf),
  });
  return {
    ...applying,
    ...present({ agents: named('B740', 'B741'), examiners: named('B745', 'B746', 'B747') }),
  };
}

/**
 * B511 is the main class, B512 are further classes, in columns (`A47L 514`). For a design they are Locarno
 * classes.
 */
function codes(front: XmlElement): Partial<Patent> {
  const b510 = childAt(front, 'B500', 'B510');
  const written = childElements(b510)
    .filter(({ name }) => name === 'B511' || name === 'B512')
    .map((element) => inColumns(rawText(element)))
    // A reprinted file has lost one of two spaces: a subgroup has at least two digits.
    .map((code) => code.replace(/^([A-H]\d{2}[A-Z]) (?=\d{3}$)/, '$1  '));
  const isLocarno = (code: string): boolean => /^\s*\d{4}\s*$/.test(code);
  const national = childElements(childAt(front, 'B500', 'B520')).map((element) =>
    inColumns(rawText(element)),
  );
  return {
    ...codeFields({
      ipc: written.filter((code) => !isLocarno(code)),
      locarno: written.filter(isLocarno),
    }),
    ...present({ uspc_codes: nationalClasses(national) }),
  };
}

function international(front: XmlElement): Partial<Patent> {
  const stage = (list: string, item: string) => {
    const document = childAt(front, 'B800', list, item, 'DOC');
    return { number: textAt(document, 'DNUM'), date: parseDate(textAt(document, 'DATE')) };
  };
  return internationalFields(stage('B860', 'B861'), stage('B870', 'B871'));
}

/** Characters with their spaces, for columns of fixed width. */
function rawText(element: XmlElement): string {
  return childElements(element, 'PDAT')
    .flatMap(({ children }) => children.filter((child) => typeof child === 'string'))
    .join('');
}

function filingOf(document: XmlElement | undefined): Filing[] {
  const number = textAt(document, 'DNUM');
  // Kind 00 is an application. Other kinds are publications, for example the patent that a reissue replaces.
  const isPublication = /^[A-Z]/.test(textAt(document, 'KIND') ?? '');
  if (!document || !number || isPublication) return [];
  return [{ country: textAt(document, 'CTRY') ?? 'US', number, date: parseDate(textAt(document, 'DATE')) }];
}

/**
 * Priorities (B300), parents (B610 to B660 hold a child and its parent) and provisionals (B680US). B690US is
 * an earlier publication of the same application and is left out.
 */
function filings(front: XmlElement): Partial<Patent> {
  const b200 = childAt(front, 'B200');
  const number = textAt(b200, 'B210');
  const own = number ? { country: 'US', number, date: parseDate(textAt(b200, 'B220')) } : undefined;
  const earlier: Filing[] = childElements(front, 'B300').flatMap((claim) => {
    const [foreign, country] = [textAt(claim, 'B310'), textAt(claim, 'B330')];
    return foreign && country ? [{ country, number: foreign, date: parseDate(textAt(claim, 'B320')) }] : [];
  });
  const related = childAt(front, 'B600');
  for (const relation of descendants(related, 'PDOC')) earlier.push(...filingOf(childAt(relation, 'DOC')));
  for (const provisional of childElements(related, 'B680US'))
    earlier.push(...childElements(provisional, 'DOC').flatMap(filingOf));
  const [international] = filingOf(childAt(front, 'B800', 'B860', 'B861', 'DOC'));
  return filingFields('US', { own, international, priorities: earlier });
}

/** B561 cites a patent document, B562 other literature. */
function citations(front: XmlElement): Citation[] {
  const found: Citation[] = [];
  for (const entry of childElements(childAt(front, 'B500', 'B560'))) {
    const by: Pick<Citation, 'cited_by'> = childAt(entry, 'CITED-BY-EXAMINER')
      ? { cited_by: 'examiner' }
      : {};
    const document = childAt(entry, 'PCIT', 'DOC');
    const number = textAt(document, 'DNUM');
    if (number) {
      const kind = textAt(document, 'KIND');
      const isKind = kind !== undefined && /^[A-Z]\d?$/.test(kind);
      found.push({
        ...citedPatent(
          textAt(document, 'CTRY') ?? 'US',
          number,
          isKind ? kind : undefined,
          textAt(document, 'DATE'),
        ),
        ...by,
      });
      continue;
    }
    const other = childAt(entry, 'NCIT');
    const text = other && readableText(other).replaceAll('\n', ' ');
    if (text) found.push({ text, ...by });
  }
  return found;
}

function claims(root: XmlElement): Claim[] {
  const found: Claim[] = [];
  for (const claim of childElements(root, 'SDOCL').flatMap((list) => descendants(list, 'CLM'))) {
    const number = wholeNumber(claim.attributes['ID']) ?? found.length + 1;
    const read = claimOf(number, readableText(claim), references(claim, 'CLREF', 'ID', number));
    if (read.text) found.push(read);
  }
  return found;
}

function description(root: XmlElement): Section[] {
  const sections = new Sections();
  const visit = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      if (child.name === 'H')
        sections.heading(readableText(child).replaceAll('\n', ' '), wholeNumber(child.attributes['LVL']));
      else if (child.name === 'PARA')
        sections.paragraph(readableText(child), wholeNumber(child.attributes['ID']));
      else if (child.name === 'CWU') sections.paragraph(readableWhole(child));
      else visit(child);
    }
  };
  for (const part of childElements(root, 'SDODE')) visit(part);
  return sections.all();
}

/** Sheets in order. Sheet 0 (`…-D00000.TIF`) is on the front page. */
function drawings(root: XmlElement): Drawing[] {
  const images = childElements(root, 'SDODR').flatMap((list) => descendants(list, 'EMI'));
  const files = images.flatMap((image) => image.attributes['FILE']?.split(/[\\/]/).at(-1) || []);
  const front = files.find((file) => /-D0+\.\w+$/i.test(file));
  return files.map((file) => (file === front ? { file, representative: true } : { file }));
}

export const usSt32: Reader = {
  format: 'us-st32',
  title: 'US grant, ST.32 patdoc v2.4/2.5 (2001–2004)',
  version: 7,
  detect: (head) => xmlRootName(head) === ROOT,
  split: splitAt(`<${ROOT}`),
  parse,
};
