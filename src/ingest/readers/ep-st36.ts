/**
 * EP publications, `ep-patent-document` v1.0 to v1.5.1 (WIPO ST.36; the EPO's full-text data, product 14.12;
 * tags B100–B900 are the INID codes). The title is in German, English and French. A B1 has its claims in all
 * three languages. A Euro-PCT A1 is a front page without text: the WO publication holds the text.
 */
import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import { filingKey } from '../../patent/family.js';
import type { Citation, Claim, Name, Patent } from '../../patent/record.js';
import { beforeFirst } from '../../patent/scan.js';
import { splitXml } from '../split.js';
import { parseMended } from './damaged-xml.js';
import { decodeText } from './decode.js';
import { withYearFirst } from './docdb-numbers.js';
import { epDrawings } from './ep-drawings.js';
import { literature } from './literature.js';
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
import { claims, description } from './st36-text.js';
import { writtenCitation } from './written-citation.js';
import { childAt, childElements, descendants, textAt, type XmlElement, xmlRootName } from './xml.js';

const ROOT = 'ep-patent-document';
/** Page images of the search report. The reader does not use them. */
const SKIP = new Set(['search-report-data']);
/** Text elements. If one of them is damaged, the reader leaves out the element and not the document. */
const TEXTS = ['heading', 'p', 'claim', 'B542', 'B561', 'B562', 'patcit', 'nplcit', 'figure'];

function parse(bytes: Uint8Array): ParsedUnit {
  const { roots, damages } = parseMended(decodeText(bytes), TEXTS, SKIP);
  const result = publicationsOf(roots, [ROOT], publication);
  return damages.length > 0 ? { ...result, failed: { reason: damages.join('; ') } } : result;
}

function publication(root: XmlElement): Patent | { foreign: string } {
  const front = childAt(root, 'SDOBI');
  if (!front) throw new DamagedDocument(`<${ROOT}> without bibliographic data (SDOBI)`);
  const b100 = childAt(front, 'B100');
  const attributes = root.attributes;
  const country = textAt(b100, 'B190') ?? attributes['country'] ?? 'EP';
  const kind = textAt(b100, 'B130') ?? attributes['kind'];
  const named = identity(country, textAt(b100, 'B110') ?? attributes['doc-number'], kind);
  if (!named) return { foreign: country };
  const language = languageCode(attributes['lang']) ?? languageCode(textAt(front, 'B200', 'B260'));
  const published = parseDate(textAt(b100, 'B140', 'date')) ?? parseDate(attributes['date-publ']);
  const granted = parseDate(textAt(front, 'B400', 'B450', 'date'));
  return withText({
    ...named,
    ...present({ language }),
    ...titles(front, language),
    ...abstracts(root, language),
    ...claimSets(root, language),
    ...present({ description: description(root) }),
    ...publicationDates(named, published, granted),
    ...filings(front),
    ...people(front),
    ...international(front),
    ...codes(front),
    ...present({ drawings: epDrawings(root), citations: citations(root, front) }),
  });
}

/** B540 alternates languages (B541) and titles (B542). */
function titles(front: XmlElement, language: string | undefined): Partial<Patent> {
  const found: Record<string, string> = {};
  let spoken: string | undefined;
  for (const child of childElements(childAt(front, 'B500', 'B540'))) {
    const text = readableText(child).replaceAll('\n', ' ');
    if (child.name === 'B541') spoken = languageCode(text);
    else if (child.name === 'B542' && spoken && text) found[spoken] = text;
  }
  const own = language && language in found ? language : Object.keys(found)[0];
  if (own === undefined) return {};
  const { [own]: title, ...rest } = found;
  return present({ title, titles: rest });
}

function abstracts(root: XmlElement, language: string | undefined): Partial<Patent> {
  const found: Record<string, string> = {};
  for (const element of childElements(root, 'abstract')) {
    const spoken = languageCode(element.attributes['lang']) ?? language ?? 'en';
    // The drawing of the front page is inside the abstract.
    const text = readableText({ ...element, children: element.children.map(withoutImages) }).trim();
    if (text) found[spoken] = found[spoken] ? `${found[spoken]}\n${text}` : text;
  }
  const own = language && language in found ? language : Object.keys(found)[0];
  if (own === undefined) return {};
  const { [own]: abstract, ...rest } = found;
  return present({ abstract, abstracts: rest });
}

function withoutImages(node: XmlElement | string): XmlElement | string {
  if (typeof node === 'string') return node;
  const isDrawing = (child: XmlElement | string): boolean =>
    typeof child !== 'string' && child.name === 'img' && child.attributes['img-content'] === 'drawing';
  return { ...node, children: node.children.filter((child) => !isDrawing(child)).map(withoutImages) };
}

/** The claims in the language of the proceedings, and the translations of a grant. */
function claimSets(root: XmlElement, language: string | undefined): Partial<Patent> {
  const sets: Record<string, Claim[]> = {};
  for (const list of childElements(root, 'claims')) {
    const spoken = languageCode(list.attributes['lang']) ?? language ?? 'en';
    // Several sets in one language apply to different states. All of them were granted.
    sets[spoken] = [...(sets[spoken] ?? []), ...claims({ name: '', attributes: {}, children: [list] })];
  }
  const own = language && language in sets ? language : Object.keys(sets)[0];
  if (own === undefined) return {};
  const { [own]: main, ...rest } = sets;
  return present({ claims: main, translated_claims: present(rest) as Record<string, Claim[]> });
}

function filings(front: XmlElement): Partial<Patent> {
  const b200 = childAt(front, 'B200');
  const number = textAt(b200, 'B210');
  const own: Filing | undefined = number
    ? { country: 'EP', number, date: parseDate(textAt(b200, 'B220', 'date')) }
    : undefined;
  const pct = childAt(front, 'B800', 'B860', 'B861');
  const international = internationalFiling(
    textAt(pct, 'dnum', 'anum') ?? textAt(pct, 'dnum', 'pnum'),
    parseDate(textAt(pct, 'date')),
  );
  return filingFields('EP', { own, international, priorities: priorities(front), parents: parents(front) });
}

/** The international application (B860) and its publication (B870). */
function international(front: XmlElement): Partial<Patent> {
  const b800 = childAt(front, 'B800');
  const [filed, published] = [childAt(b800, 'B860', 'B861'), childAt(b800, 'B870', 'B871')];
  return internationalFields(
    { number: textAt(filed, 'dnum', 'anum'), date: parseDate(textAt(filed, 'date')) },
    { number: textAt(published, 'dnum', 'pnum'), date: parseDate(textAt(published, 'date')) },
  );
}

/** B300 repeats number (B310), date (B320) and country (B330) for each priority. */
function priorities(front: XmlElement): Filing[] {
  const found: Filing[] = [];
  let open: { number: string; date?: string | undefined } | undefined;
  for (const child of childElements(childAt(front, 'B300'))) {
    if (child.name === 'B310') open = { number: textAt(child) ?? '' };
    else if (child.name === 'B320' && open) open.date = parseDate(textAt(child, 'date'));
    else if (child.name === 'B330' && open?.number) {
      const country = textAt(child, 'ctry') ?? 'EP';
      found.push({ ...open, number: withYearFirst(country, open), country });
      open = undefined;
    }
  }
  return found;
}

/** The applications that a divisional was divided from (B620). The divisional has their oldest filing. */
function parents(front: XmlElement): Filing[] {
  return descendants(childAt(front, 'B600', 'B620'), 'pdoc').flatMap((parent): Filing[] => {
    const number = textAt(parent, 'dnum', 'anum');
    const filing = { country: 'EP', number: number ?? '', date: parseDate(textAt(parent, 'date')) };
    return number && filingKey(filing) ? [filing] : [];
  });
}

/** A name without the address that some have in it: `Example, Ada c/o Example Ltd.` */
function holderName(holder: XmlElement): string {
  const name = beforeFirst(textAt(holder, 'snm') ?? '', /,? c\/o /i);
  return [name, textAt(holder, 'sfx')].filter(Boolean).join(' ');
}

/** Applicants (B710), or the proprietors (B730) of a grant; inventors (B720). */
function people(front: XmlElement): Partial<Patent> {
  const b700 = childAt(front, 'B700');
  const names = (block: string, holder: string): Name[] =>
    uniqueNames(childElements(childAt(b700, block), holder).map(holderName));
  const applied = names('B710', 'B711');
  const proprietors = names('B730', 'B731');
  return present({
    applicants: applied.length > 0 ? applied : proprietors,
    inventors: names('B720', 'B721'),
    agents: names('B740', 'B741'),
  });
}

/** IPC since the eighth edition (B510EP) or before (B510: `7C 07C 29/44 A`, edition first), and CPC. */
function codes(front: XmlElement): Partial<Patent> {
  const b500 = childAt(front, 'B500');
  const coded = (...path: string[]): string[] =>
    descendants(childAt(b500, ...path.slice(0, 1)), path[1] ?? '').map((code) => textAt(code, 'text') ?? '');
  const old = childElements(childAt(b500, 'B510'))
    .filter(({ name }) => /^B51[1-5]$/.test(name))
    .map((code) => (textAt(code) ?? '').replace(/^\d{1,2}\s*(?=[A-H])/, '').replace(/\s[A-Z-]\s*$/, ''));
  return codeFields({
    ipc: [...coded('B510EP', 'classification-ipcr'), ...old],
    cpc: coded('B520EP', 'classification-cpc'),
  });
}

/**
 * The examiner's citations (B560), and the applicant's citations from the list at the end of the description.
 */
function citations(root: XmlElement, front: XmlElement): Citation[] {
  const b560 = childAt(front, 'B500', 'B560');
  const examiners = childElements(b560).flatMap((cited): Citation[] => {
    const text = textAt(cited, 'text');
    if (!text) return [];
    return [cited.name === 'B561' ? writtenCitation(text, 'examiner') : { text, cited_by: 'examiner' }];
  });
  const list = childElements(root, 'ep-reference-list');
  const patents = list
    .flatMap((part) => descendants(part, 'patcit'))
    .flatMap((cited): Citation[] => {
      const id = childAt(cited, 'document-id');
      const [country, number] = [textAt(id, 'country'), textAt(id, 'doc-number')];
      if (!country || !number) return [];
      return [
        { ...citedPatent(country, number, textAt(id, 'kind'), textAt(id, 'date')), cited_by: 'applicant' },
      ];
    });
  const others = list
    .flatMap((part) => descendants(part, 'nplcit'))
    .map((cited): Citation => ({ text: literature(cited), cited_by: 'applicant' }));
  return [...examiners, ...patents, ...others].filter(({ text }) => text !== '');
}

export const epPublication: Reader = {
  format: ROOT,
  title: 'EP publication (ST.36)',
  version: 8,
  detect: (head) => xmlRootName(head) === ROOT,
  split: splitXml,
  parse,
};
