/**
 * CN publications, `business:PatentDocumentAndRelated` (the CNIPA's data after WIPO ST.96, v2.2). Text markup
 * has other names than in ST.36. The reader translates these names first.
 */
import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Name, Patent } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { cnDrawings, cnSections, withoutAgencyNumber } from './cn-text.js';
import { decodeText } from './decode.js';
import { readableText } from './markup.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  languageCode,
  present,
  publicationDates,
  publicationsOf,
  uniqueNames,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { claims } from './st36-text.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  plainText,
  textAt,
  type XmlElement,
  type XmlNode,
  xmlRootName,
} from './xml.js';

const ROOTS = ['PatentDocumentAndRelated', 'PatentDocument'];

/** Names of ST.96 and the names that `readableText` and the ST.36 readers know. */
const ST36_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      Paragraphs: 'p',
      P: 'p',
      Heading: 'heading',
      ClaimText: 'claim-text',
      Claim: 'claim',
      Claims: 'claims',
    },
    ...{
      Sup: 'sup',
      Sub: 'sub',
      Image: 'img',
      Figure: 'figure',
      Br: 'br',
      Underline: 'u',
      Bold: 'b',
      Italic: 'i',
    },
    ...{ TableDetails: 'tables', Table: 'table', Title: 'title', MathsDetails: 'maths', Maths: 'maths' },
    ...{ ChemistryDetails: 'chemistry', Chemistry: 'chemistry', InventionTitle: 'invention-title' },
    ...{ Li: 'li', Ul: 'ul', Ol: 'ol', OrderedList: 'ol', UnorderedList: 'ul', ListItem: 'li' },
  }),
);

/** Cells of tables hold markup as escaped text: `CC<sub>50</sub>`. */
const TAGS = /<\/?(?:sub|sup|b|i|u)\s*\/?>/gi;
const LINE_BREAK = /<br\s*\/?>/gi;
/** `10<sup>6</sup>` must not become 106. */
const EXPONENT = /<sup\s*>(?=\s*[-+−]?\d)/gi;

function inSt36(node: XmlNode): XmlNode {
  if (typeof node === 'string')
    return node.includes('<') ? node.replace(EXPONENT, '^').replace(LINE_BREAK, ' ').replace(TAGS, '') : node;
  return { ...node, name: ST36_NAMES.get(node.name) ?? node.name, children: node.children.map(inSt36) };
}

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(decodeText(bytes)), ROOTS, publication);
}

function publication(root: XmlElement): Patent | { foreign: string } {
  const front = childAt(root, 'BibliographicData') ?? childAt(root, 'DesignBibliographicData');
  if (!front) throw new DamagedDocument(`<${root.name}> without bibliographic data`);
  const id = original(childElements(front, 'PublicationReference'));
  const country = textAt(id, 'WIPOST3Code') ?? 'CN';
  const named = identity(country, textAt(id, 'DocNumber'), textAt(id, 'Kind'));
  if (!named) return { foreign: country };
  const text = inSt36(root) as XmlElement;
  const description = childAt(text, 'Description');
  const title = childAt(front, 'InventionTitle') ?? childAt(front, 'DesignTitle');
  const abstracts = [...childElements(text, 'Abstract'), ...childElements(text, 'DesignBriefExplanation')];
  const granted = textAt(front, 'GrantDate', 'Date') ?? textAt(front, 'GrantPublicationDate', 'Date');
  return withText({
    ...named,
    ...present({
      language:
        languageCode(title?.attributes['lang']) ?? languageCode(description?.attributes['lang']) ?? 'zh',
      title: title && readableText(inSt36(title) as XmlElement).replaceAll('\n', ' '),
      abstract: abstracts.map(abstractText).filter(Boolean).join('\n'),
      claims: claims(text),
      description: cnSections(description),
    }),
    ...publicationDates(named, parseDate(textAt(id, 'Date')), parseDate(granted)),
    ...filings(front),
    ...present({
      applicants: people(front, 'Applicant'),
      inventors: people(front, 'Inventor'),
      agents: agents(front),
      examiners: examiners(front),
    }),
    ...internationalFields(
      numberAndDate(front, 'PCTOrRegionalApplicationData'),
      numberAndDate(front, 'PCTOrRegionalPublishingData'),
    ),
    ...codes(front),
    ...present({
      citations: citations(front),
      drawings: cnDrawings(childElements(text, 'Drawings'), childAt(text, 'Abstract', 'AbstractFigure')),
    }),
  });
}

/** References come in the office's spelling and in a standard form. Prefers the office's spelling. */
function original(references: XmlElement[]): XmlElement | undefined {
  const own = references.find(({ attributes }) => attributes['dataFormat'] === 'original') ?? references[0];
  return childAt(own, 'DocumentID') ?? own;
}

function abstractText(abstract: XmlElement): string {
  const children = abstract.children.filter(
    (child) => typeof child === 'string' || child.name !== 'AbstractFigure',
  );
  return readableText({ ...abstract, children });
}

function filingOf(element: XmlElement | undefined): Filing | undefined {
  const number = textAt(element, 'DocNumber');
  if (!number) return undefined;
  return {
    country: textAt(element, 'WIPOST3Code') ?? 'CN',
    number,
    date: parseDate(textAt(element, 'Date')),
  };
}

function filings(front: XmlElement): Partial<Patent> {
  const priorities = childElements(childAt(front, 'PriorityDetails'), 'Priority')
    .filter(({ attributes }) => (attributes['dataFormat'] ?? 'original') === 'original')
    .flatMap((claim) => filingOf(claim) ?? []);
  const parents = descendants(childAt(front, 'RelatedDocuments'), 'ParentDocument').flatMap(
    (parent) => filingOf(childAt(parent, 'DocumentID')) ?? [],
  );
  const pct = filingOf(childAt(front, 'PCTOrRegionalApplicationData', 'DocumentID'));
  return filingFields('CN', {
    own: filingOf(original(childElements(front, 'ApplicationReference'))),
    international: pct && { ...pct, country: 'WO' },
    priorities,
    parents,
  });
}

/** Lists of the parties. Those of a design, and the assignees of a grant, stand beside the other data. */
function partyLists(front: XmlElement, names: readonly string[]): XmlElement[] {
  const places = [childAt(front, 'Parties'), front];
  return places.flatMap((place) => names.flatMap((name) => childElements(place, name)));
}

const APPLICANTS = ['ApplicantDetails', 'GranteeDetails', 'PatentGranteeDetails'];
const INVENTORS = ['InventorDetails', 'DesignerDetails'];

/** Applicants, or else the assignees of a grant; inventors. */
function people(front: XmlElement, role: 'Applicant' | 'Inventor'): Name[] {
  if (role === 'Inventor') return holders(partyLists(front, INVENTORS));
  const applicants = holders(partyLists(front, APPLICANTS));
  return applicants.length > 0 ? applicants : holders(partyLists(front, ['AssigneeDetails']));
}

/** Holders in the language of the publication. The same names in Latin script have the same `sequence`. */
function holders(details: readonly XmlElement[]): Name[] {
  const english = new Map<string, string>();
  const own: { name: string; sequence: string }[] = [];
  for (const holder of details.flatMap((list) => childElements(list))) {
    const books = childElements(holder, 'AddressBook');
    for (const book of books.length > 0 ? books : [holder]) {
      const name = textAt(book, 'Name') ?? textAt(book, 'OrganizationName');
      const sequence = holder.attributes['sequence'] ?? '';
      const language = languageCode(book.attributes['lang'] ?? holder.attributes['lang']);
      if (!name) continue;
      if (language === 'en') english.set(sequence, name);
      else own.push({ name, sequence });
    }
  }
  return uniqueNames(
    own.length > 0
      ? own.map(({ name, sequence }) => ({ name, ...present({ name_en: english.get(sequence) }) }))
      : english.values(),
  );
}

/** Firms and attorneys. The number of a firm follows its name. */
function agents(front: XmlElement): Name[] {
  const listed = partyLists(front, ['AgentDetails']).flatMap((list) => descendants(list, 'Agent'));
  return uniqueNames(
    listed.flatMap((agent) => [
      withoutAgencyNumber(textAt(agent, 'Agency', 'AddressBook', 'OrganizationName')),
      textAt(agent, 'AddressBook', 'Name'),
    ]),
  );
}

function examiners(front: XmlElement): Name[] {
  const listed = partyLists(front, ['ExaminerDetails']).flatMap((list) => childElements(list));
  return uniqueNames(listed.map((person) => textAt(person, 'Name') ?? textAt(person, 'AddressBook', 'Name')));
}

/** The references that the examiner cited (56). */
function citations(front: XmlElement): Citation[] {
  return childElements(childAt(front, 'ReferencesCited'), 'Citation').flatMap((citation): Citation[] => {
    const cited_by = /^APP/i.test(citation.attributes['srepPhase'] ?? '') ? 'applicant' : 'examiner';
    const id = original(descendants(citation, 'PublicationReference'));
    const [country, number] = [textAt(id, 'WIPOST3Code'), textAt(id, 'DocNumber')];
    if (country && number)
      return [{ ...citedPatent(country, number, textAt(id, 'Kind'), textAt(id, 'Date')), cited_by }];
    const text = plainText(descendants(citation, 'Text')[0]);
    return text ? [{ text, cited_by }] : [];
  });
}

function numberAndDate(front: XmlElement, list: string) {
  const id = childAt(front, list, 'DocumentID');
  return { number: textAt(id, 'DocNumber'), date: parseDate(textAt(id, 'Date')) };
}

function codes(front: XmlElement): Partial<Patent> {
  const symbols = (list: string, item: string): string[] =>
    descendants(childAt(front, list), item).map((code) => {
      const part = (name: string): string => textAt(code, name) ?? '';
      const built = `${part('Section')}${part('MainClass')}${part('Subclass')} ${part('MainGroup')}/${part('Subgroup')}`;
      return textAt(code, 'Text') ?? built;
    });
  const locarno = descendants(front, 'ClassificationLocarno').flatMap((scheme) => {
    const parts = childElements(scheme);
    return (parts.length > 0 ? parts : [scheme]).map((code) => textAt(code) ?? '');
  });
  return codeFields({
    ipc: symbols('ClassificationIPCRDetails', 'ClassificationIPCR'),
    cpc: symbols('ClassificationCPCDetails', 'ClassificationCPC'),
    locarno,
  });
}

export const cnSt96: Reader = {
  format: 'cn-st96',
  title: 'CN publication (ST.96)',
  version: 7,
  detect: (head) => ROOTS.includes(xmlRootName(head) ?? ''),
  split: splitXml,
  parse,
};
