/**
 * JP publications since 2022: the JPO's gazettes in WIPO ST.96 V3.1 with its own elements (`jppat:`, `jputl:`, `jpcom:`).
 * The root element names the kind of gazette. Sources: the ST.96 schema, a public description of an issue of 2026, and programs that read the
 * gazettes. No real gazette was at hand.
 */
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Drawing, Name, Patent } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { decodeText } from './decode.js';
import { inSt36 } from './jp-st96-text.js';
import { divided, gazetteAbstract, gazetteCitations, gazetteSections, japaneseCodes } from './jp-text.js';
import { readableText } from './markup.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  internationalFiling,
  isLatin,
  languageCode,
  type Publication,
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
  xmlRootName,
} from './xml.js';

/** Root elements of whole publications. A patent is B1 or B2. */
const ROOTS: ReadonlyMap<string, 'A' | 'T' | 'B' | 'U'> = new Map([
  ['UnexaminedPatentPublication', 'A'],
  ['InternationalPatentPublication', 'T'],
  ['RegisteredPatentPublication', 'B'],
  ['RegisteredUtilityModelPublication', 'U'],
]);
/** Gazettes of amendments and corrections hold only the changed parts: `UnexaminedPatentPublicationAmendment`. */
const LATER = ['Amendment', 'Correction'];
const NAMES = [...ROOTS.keys()].flatMap((root) => [root, ...LATER.map((later) => root + later)]);

/** Amendments repeat claims and description; attachments and search reports are files beside the gazette. */
const SKIP = new Set([
  'WrittenAmendmentBag',
  'SearchReportBag',
  'ForeignLanguageDocumentBag',
  'ReferenceFilesBag',
]);

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(decodeText(bytes), SKIP), NAMES, publication);
}

/** The first child whose name ends so: many names begin with the kind of gazette. */
function childEnding(parent: XmlElement | undefined, end: string): XmlElement | undefined {
  return childElements(parent).find(({ name }) => name.endsWith(end));
}

function publication(root: XmlElement): Publication {
  const later = LATER.find((end) => root.name.endsWith(end))?.toLowerCase();
  if (later !== undefined) return { skipped: `${later} of a JP publication, without the whole text` };
  const front = childEnding(root, 'BibliographicData');
  if (!front) throw new DamagedDocument(`<${root.name}> without bibliographic data`);
  const id = childEnding(front, 'PublicationIdentification');
  const country = textAt(id, 'IPOfficeCode') ?? 'JP';
  const published = parseDate(textAt(id, 'PublicationDate'));
  // Registrations may be padded to ten digits, as the names of their files are.
  const number = textAt(id, 'PublicationNumber')?.replace(/^0{3}(?=\d{7}$)/, '');
  const named = identity(country, number, kindCode(root, front), published);
  if (!named) return { foreign: country };
  const title = childAt(front, 'InventionTitle');
  const text = inSt36(root);
  const examined = childAt(front, 'ReferenceCitationBag');
  return withText({
    ...named,
    ...present({
      language: languageCode(languageOf(root)) ?? 'ja',
      title: title && readableText(inSt36(title)).replaceAll('\n', ' '),
      abstract: gazetteAbstract(text),
      claims: claims(text),
      description: gazetteSections(text, named.kind_code === 'U'),
    }),
    ...publicationDates(named, published, parseDate(textAt(front, 'RegistrationDate'))),
    ...filings(front, named.kind_code),
    ...present({
      applicants: people(front, 'Applicant'),
      inventors: people(front, 'Inventor'),
      agents: people(front, 'RegisteredPractitioner'),
    }),
    ...codes(front),
    ...internationalFields(
      internationalApplication(front),
      publicationIn(childAt(front, 'InternationalPublishingData')),
    ),
    ...present({
      drawings: drawings(root),
      citations: gazetteCitations(text, examined && inSt36(examined)),
    }),
  });
}

/** `com:languageCode`, whatever its prefix is. */
function languageOf({ attributes }: XmlElement): string | undefined {
  return Object.entries(attributes).find(([name]) => /(?:^|:)languageCode$/.test(name))?.[1];
}

/**
 * The kind code. `特許公報(B1)` is a patent whose application was not published before, and only such a patent has an
 * abstract.
 */
function kindCode(root: XmlElement, front: XmlElement): string {
  const kind = ROOTS.get(root.name) ?? '';
  if (kind !== 'B') return kind;
  const printed = textAt(front, 'PlainLanguageDesignationText')?.normalize('NFKC') ?? '';
  return /\((B\d)\)/.exec(printed)?.[1] ?? (childAt(root, 'Abstract') ? 'B1' : 'B2');
}

interface Written {
  number: string | undefined;
  date: string | undefined;
}

/** Number and date of an application that an element holds, at any depth. */
function applicationIn(element: XmlElement | undefined): Written {
  return {
    number: plainText(descendants(element, 'ApplicationNumberText')[0]),
    date: parseDate(plainText(descendants(element, 'FilingDate')[0])),
  };
}

function publicationIn(element: XmlElement | undefined): Written {
  return {
    number: plainText(descendants(element, 'PublicationNumber')[0]),
    date: parseDate(plainText(descendants(element, 'PublicationDate')[0])),
  };
}

function filingOf(element: XmlElement | undefined): Filing | undefined {
  const { number, date } = applicationIn(element);
  if (number === undefined) return undefined;
  return { country: plainText(descendants(element, 'IPOfficeCode')[0]) ?? 'JP', number, date };
}

/** The international application. Its number may have no `PCT/`: `JP2020/012345`. */
function internationalApplication(front: XmlElement): Written {
  const { number, date } = applicationIn(childAt(front, 'InternationalFilingData'));
  return { number: number?.normalize('NFKC').replace(/^(?=[A-Z]{2}\d{4}\/)/, 'PCT/'), date };
}

function filings(front: XmlElement, kind: string): Partial<Patent> {
  const pct = internationalApplication(front);
  const claimed = childElements(childAt(front, 'PriorityClaimBag'), 'PriorityClaim');
  const parents = childElements(childAt(front, 'RelatedDocumentBag')).flatMap((relation) =>
    descendants(relation, 'ApplicationIdentification')
      .flatMap((parent) => filingOf(parent) ?? [])
      .map((parent) => (relation.name === 'Division' ? divided(parent, kind) : parent)),
  );
  return filingFields('JP', {
    own: filingOf(childAt(front, 'ApplicationIdentification')),
    international: internationalFiling(pct.number, pct.date),
    priorities: claimed.flatMap((claim) => filingOf(claim) ?? []),
    parents,
  });
}

/** Names of the parties. A second contact has the name in the party's own language. */
function people(front: XmlElement, role: string): Name[] {
  const found = descendants(childEnding(front, 'PartyBag'), role).map((party): Name | undefined => {
    const names = childElements(party, 'Contact')
      .flatMap((contact) => childElements(contact, 'Name'))
      .flatMap((name) => nameOf(name) ?? []);
    const name = names.find((text) => !isLatin(text)) ?? names[0];
    const name_en = names.find((text) => isLatin(text) && text !== name);
    return name === undefined ? undefined : { name, ...present({ name_en }) };
  });
  return uniqueNames(found);
}

/** A name as one text, or in parts: `山田 太郎`, `John Smith`. */
function nameOf(name: XmlElement): string | undefined {
  const whole = textAt(name, 'EntityName');
  if (whole !== undefined) return whole;
  const [last, ...given] = ['LastName', 'FirstName', 'MiddleName'].map(
    (part) => plainText(descendants(name, part)[0]) ?? '',
  ) as [string, ...string[]];
  const parts = isLatin(last + given.join('')) ? [...given, last] : [last, ...given];
  return parts.filter(Boolean).join(' ') || plainText(name);
}

/** IPC; and the Japanese classifications FI and F-term. */
function codes(front: XmlElement): Partial<Patent> {
  const ipc = childElements(front, 'IPCClassification').flatMap((scheme) =>
    childElements(scheme)
      .filter(({ name }) => name.endsWith('Classification'))
      .map((code) => textAt(code, 'PatentClassificationText') ?? plainText(code) ?? ''),
  );
  const fi = childElements(front, 'NationalClassification').flatMap((scheme) =>
    descendants(scheme, 'PatentClassificationText'),
  );
  const terms = descendants(childAt(front, 'FtermInformationBag'), 'FtermInformation');
  return {
    ...codeFields({ ipc }),
    ...japaneseCodes(
      fi.map((code) => plainText(code) ?? ''),
      terms.map((term) => plainText(term) ?? ''),
    ),
  };
}

/** Each figure has its own file. The chosen drawing (選択図) is one of them, or a file of its own. */
function drawings(root: XmlElement): Drawing[] {
  const found: Drawing[] = [];
  for (const figure of descendants(childAt(root, 'Drawings'), 'Figure')) {
    const number = textAt(figure, 'FigureNumber')?.normalize('NFKC').replace(/^図/, '');
    for (const file of files(figure)) found.push({ file, ...present({ label: number && `図${number}` }) });
  }
  const [chosen] = files(childAt(root, 'ChosenDrawingImage'));
  const listed = found.find(({ file }) => file === chosen);
  if (listed) listed.representative = true;
  else if (chosen !== undefined) found.push({ file: chosen, representative: true });
  return found;
}

function files(element: XmlElement | undefined): string[] {
  return descendants(element, 'Image').flatMap(
    (image) => textAt(image, 'FileName')?.split(/[\\/]/).at(-1) ?? [],
  );
}

export const jpSt96: Reader = {
  format: 'jp-st96',
  title: 'JP gazette (ST.96)',
  version: 1,
  detect: (head) => NAMES.includes(xmlRootName(head) ?? ''),
  split: splitXml,
  parse,
};
