/**
 * JP publications, `jp-official-gazette` (the JPO's gazettes in WIPO ST.36 with `jp:` additions). The printed
 * headings of a gazette (【背景技術】) are element names. Numbers and dates use the common calendar. Older gazettes
 * use the era (特開平10-123456).
 */
import { parseDate } from '../../patent/date.js';
import type { Drawing, Name, Patent } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { decodeText } from './decode.js';
import { filingOf } from './document-id.js';
import { divided, gazetteAbstract, gazetteCitations, gazetteSections, japaneseCodes } from './jp-text.js';
import { readableText } from './markup.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  internationalFiling,
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
  textAt,
  type XmlElement,
  xmlRootName,
} from './xml.js';

const ROOT = 'jp-official-gazette';
/** Amendments repeat the amended claims and description. The gazette prints them at its end. */
const SKIP = new Set(['written-amendment-group', 'search-report-group', 'foreign-language-body']);

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(decodeText(bytes), SKIP), [ROOT], publication);
}

function publication(root: XmlElement): Patent | { foreign: string } {
  const front = childAt(root, 'bibliographic-data');
  if (!front) throw new DamagedDocument(`<${ROOT}> without bibliographic data`);
  const id = childAt(front, 'publication-reference', 'document-id');
  const country = textAt(id, 'country') ?? root.attributes['country'] ?? 'JP';
  const published = parseDate(textAt(id, 'date'));
  const kind = kindCode(root, textAt(id, 'kind'));
  const named = identity(country, textAt(id, 'doc-number'), kind, published);
  if (!named) return { foreign: country };
  const title = childAt(front, 'invention-title');
  const granted = textAt(front, 'dates-of-public-availability', 'printed-with-grant', 'document-id', 'date');
  return withText({
    ...named,
    ...present({
      language: languageCode(root.attributes['lang']) ?? 'ja',
      title: title && readableText(title).replaceAll('\n', ' '),
      abstract: gazetteAbstract(root),
      claims: claims(root),
      description: gazetteSections(root, named.kind_code === 'U'),
    }),
    ...publicationDates(named, published, parseDate(granted)),
    ...filings(front, named.kind_code),
    ...present({
      applicants: people(front, 'applicant'),
      inventors: people(front, 'inventor'),
      agents: people(front, 'agent'),
    }),
    ...codes(front),
    ...ownCodes(front),
    ...international(front),
    ...present({
      drawings: drawings(root, front),
      citations: gazetteCitations(root, childAt(front, 'references-cited')),
    }),
  });
}

/**
 * The kind code. The JPO's own kind marks the translation of an international application (T). ST.16 names it
 * A.
 */
function kindCode(root: XmlElement, printed: string | undefined): string | undefined {
  const { 'kind-of-st16': st16, 'kind-of-jp': own } = root.attributes;
  if (own === 'T') return 'T';
  const fromPrint = /\(([A-Z]\d?)\)/.exec(printed?.normalize('NFKC') ?? '')?.[1];
  return st16 ?? own ?? fromPrint;
}

function filings(front: XmlElement, kind: string): Partial<Patent> {
  const priorities = childElements(childAt(front, 'priority-claims'), 'priority-claim').flatMap(
    (claim) => filingOf(claim, 'JP') ?? [],
  );
  const pct = childAt(front, 'pct-or-regional-filing-data', 'document-id');
  const parents = childElements(childAt(front, 'related-documents')).flatMap((relation) =>
    descendants(relation, 'parent-doc')
      .flatMap((parent) => filingOf(childAt(parent, 'document-id'), 'JP') ?? [])
      .map((parent) => (relation.name === 'division' ? divided(parent, kind) : parent)),
  );
  return filingFields('JP', {
    own: filingOf(childAt(front, 'application-reference', 'document-id'), 'JP'),
    international: internationalFiling(textAt(pct, 'doc-number'), parseDate(textAt(pct, 'date'))),
    priorities,
    parents,
  });
}

/** Applicants, or the holders of a granted right. Names are in Japanese, and some also in Latin script. */
function people(front: XmlElement, role: 'applicant' | 'inventor' | 'agent'): Name[] {
  const parties = childAt(front, 'parties');
  const found = descendants(parties, role).map((holder): Name | undefined => {
    const books = childElements(holder, 'addressbook');
    const nameIn = (book: XmlElement | undefined): string | undefined =>
      textAt(book, 'name') ?? textAt(book, 'orgname') ?? textAt(book, 'original-language-of-name');
    const own = books.find((book) => !/^en/i.test(book.attributes['lang'] ?? '')) ?? books[0];
    const english = books.find((book) => /^en/i.test(book.attributes['lang'] ?? '') && book !== own);
    const [name, name_en] = [nameIn(own), nameIn(english)];
    return name ? { name, ...present({ name_en }) } : undefined;
  });
  return uniqueNames(found);
}

function codes(front: XmlElement): Partial<Patent> {
  const ipc = childElements(front, 'classification-ipc').flatMap((scheme) =>
    childElements(scheme)
      .filter(({ name }) => /^(?:main|further|additional)-clsf$|-classification$/.test(name))
      .map((code) => textAt(code) ?? ''),
  );
  const coded = (list: string, item: string): string[] =>
    descendants(childAt(front, list), item).map((code) => textAt(code, 'text') ?? textAt(code) ?? '');
  const locarno = childElements(front, 'classification-locarno').flatMap((scheme) =>
    childElements(scheme).map((code) => textAt(code) ?? ''),
  );
  return codeFields({ ipc: [...ipc, ...coded('classifications-ipcr', 'classification-ipcr')], locarno });
}

/** The Japanese classifications: FI (`E04D13/064 501A`) and F-terms. */
function ownCodes(front: XmlElement): Partial<Patent> {
  const fi = childElements(front, 'classification-national').flatMap((scheme) =>
    childElements(scheme)
      .filter(({ name }) => /-clsf$/.test(name))
      .map((code) => textAt(code) ?? ''),
  );
  const terms = descendants(childAt(front, 'f-term-info'), 'f-term').map((term) => textAt(term) ?? '');
  return japaneseCodes(fi, terms);
}

function international(front: XmlElement): Partial<Patent> {
  const stage = (name: string) => {
    const id = childAt(front, `pct-or-regional-${name}-data`, 'document-id');
    return { number: textAt(id, 'doc-number'), date: parseDate(textAt(id, 'date')) };
  };
  return internationalFields(stage('filing'), stage('publishing'));
}

/** All figures of a gazette are pages of one file. The chosen drawing is named by its number. */
function drawings(root: XmlElement, front: XmlElement): Drawing[] {
  const chosen = textAt(front, 'figure-to-publish', 'fig-number')?.normalize('NFKC');
  const found: Drawing[] = [];
  for (const figure of childElements(root, 'drawings').flatMap((list) => descendants(list, 'figure'))) {
    const number = figure.attributes['num']?.normalize('NFKC');
    for (const image of descendants(figure, 'img')) {
      const file = image.attributes['file']?.split(/[\\/]/).at(-1);
      if (!file) continue;
      const isChosen =
        chosen !== undefined && number === chosen && !found.some((other) => other.representative);
      found.push({
        file,
        ...present({ label: number && `図${number}` }),
        ...(isChosen ? { representative: true } : {}),
      });
    }
  }
  return found;
}

export const jpGazette: Reader = {
  format: ROOT,
  title: 'JP gazette (ST.36)',
  version: 9,
  detect: (head) => xmlRootName(head) === ROOT,
  split: splitXml,
  parse,
};
