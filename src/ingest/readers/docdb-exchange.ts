/**
 * One exchange document: bibliographic data in the spellings of DOCDB, EPODOC and the office, and abstracts.
 */

import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Name, Patent } from '../../patent/record.js';
import { bySequence, documentId, filingKeys, filingOf, formedNames, nameKeys } from './docdb-forms.js';
import { literature } from './literature.js';
import { readableText } from './markup.js';
import { fiCode, fTerm } from './national-codes.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  languageCode,
  present,
  publicationDates,
} from './publication.js';
import { childAt, childElements, descendants, textAt, type XmlElement } from './xml.js';

export type Read = Patent | { foreign: string } | { skipped: string };

/**
 * Skips a document that was deleted from DOCDB (status `D`), or that has neither title nor abstract in DOCDB.
 * @throws DamagedDocument if the number is missing
 */
export function exchangeDocument(element: XmlElement): Read {
  const { attributes } = element;
  const front = childAt(element, 'bibliographic-data') ?? element;
  const published = documentId(childElements(front, 'publication-reference'));
  const country = attributes['country'] ?? textAt(published, 'country');
  const number = attributes['doc-number'] ?? textAt(published, 'doc-number');
  const kind = attributes['kind'] ?? textAt(published, 'kind');
  const date = parseDate(attributes['date-publ']) ?? parseDate(textAt(published, 'date'));
  const named = identity(country, number, kind, date);
  if (!named) return { foreign: country ?? '' };
  if (attributes['status'] === 'D') return { skipped: `${named.patent_id} was deleted from DOCDB` };
  const stated = languageCode(textAt(front, 'language-of-publication'));
  const words = texts(element, front, stated);
  if (words.language === undefined)
    return { skipped: `${named.patent_id} has neither title nor abstract here` };
  return {
    ...named,
    ...words,
    ...publicationDates(named, date),
    ...filings(front, named.country, attributes['family-id']),
    ...parties(front, named.country),
    ...codes(front),
    ...present({ citations: citations(front) }),
    partial: true,
  };
}

/** The first text of each language that is not empty. A text without a language is English. */
function byLanguage(elements: XmlElement[], text: (element: XmlElement) => string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const element of elements) {
    const language = languageCode(element.attributes['lang']) ?? 'en';
    const content = text(element);
    if (content && !(language in found)) found[language] = content;
  }
  return found;
}

type Texts = Pick<Partial<Patent>, 'language' | 'title' | 'titles' | 'abstract' | 'abstracts'>;

/**
 * Titles and abstracts by language. The record prefers a language with both. The order is the language of
 * publication, English (the language of DOCDB), any other language.
 */
function texts(element: XmlElement, front: XmlElement, stated: string | undefined): Texts {
  const titles = byLanguage(childElements(front, 'invention-title'), (title) =>
    readableText(title).replaceAll('\n', ' '),
  );
  const abstracts = byLanguage(
    [...childElements(element, 'abstract'), ...childElements(front, 'abstract')],
    readableText,
  );
  const languages = [stated, 'en', ...Object.keys(titles), ...Object.keys(abstracts)];
  const candidates = languages.flatMap((language) =>
    language !== undefined && (language in titles || language in abstracts) ? [language] : [],
  );
  const own = candidates.find((language) => language in titles && language in abstracts) ?? candidates[0];
  if (own === undefined) return {};
  const { [own]: title, ...otherTitles } = titles;
  const { [own]: abstract, ...otherAbstracts } = abstracts;
  return present({ language: own, title, titles: otherTitles, abstract, abstracts: otherAbstracts });
}

function filings(
  front: XmlElement,
  country: Patent['country'],
  familyId: string | undefined,
): Partial<Patent> {
  const references = childElements(front, 'application-reference');
  const own = filingOf(references);
  const claims = [...childElements(childAt(front, 'priority-claims'), 'priority-claim')];
  const stated = familyId && /^\d+$/.test(familyId) && Number(familyId) > 0 ? familyId : undefined;
  // DOCDB lists an application that is its own first filing as its own priority. Such an application claims
  // no priority.
  const named = filingKeys(references);
  const claimed = bySequence(claims).flatMap((claim) => {
    const filing = filingOf(claim);
    return filing && !filingKeys(claim).some((key) => named.includes(key)) ? [filing] : [];
  });
  return {
    ...filingFields(country, { own, priorities: claimed, familyId: stated }),
    ...internationalStage(claims, own),
  };
}

/**
 * DOCDB lists the international application of a national application among the priorities, linked by `W`. OPS states no
 * link; it has the day of the national application.
 */
function internationalStage(claims: XmlElement[], own: Filing | undefined): Partial<Patent> {
  const linked = filingOf(claims.filter((claim) => textAt(claim, 'priority-linkage-type') === 'W'));
  const sameDay = bySequence(claims)
    .flatMap((claim) => filingOf(claim) ?? [])
    .find(({ country, date }) => country === 'WO' && date !== undefined && date === own?.date);
  const filing = linked?.country === 'WO' ? linked : sameDay;
  return filing ? internationalFields(filing) : {};
}

function people(front: XmlElement, role: 'applicant' | 'inventor'): Name[] {
  return formedNames(descendants(childAt(front, 'parties', `${role}s`), role), role);
}

/**
 * Applicants and inventors. Only inventors could apply for a US patent before September 2012, and DOCDB lists them beside their
 * company. They are applicants only if no other one is stated.
 */
function parties(front: XmlElement, country: Patent['country']): Partial<Patent> {
  const [applicants, inventors] = [people(front, 'applicant'), people(front, 'inventor')];
  const keys = new Set(country === 'US' ? inventors.flatMap(({ name }) => nameKeys(name)) : []);
  const others = applicants.filter(({ name }) => !nameKeys(name).some((key) => keys.has(key)));
  return present({ applicants: others.length > 0 ? others : applicants, inventors });
}

/** `H01M   10/05 A`, without the letter of the edition at its end. */
function withoutEdition(code: string): string {
  const bare = code.trimEnd();
  return /^\s[A-Z]$/.test(bare.slice(-2)) ? bare.slice(0, -2) : bare;
}

function classificationSymbol(code: XmlElement): string {
  const part = (name: string): string => textAt(code, name) ?? '';
  const apart = `${part('section')}${part('class')}${part('subclass')} ${part('main-group')}/${part('subgroup')}`;
  return textAt(code, 'classification-symbol') ?? apart;
}

function codes(front: XmlElement): Partial<Patent> {
  const ipc = descendants(childAt(front, 'classifications-ipcr'), 'classification-ipcr').map(
    (code) => textAt(code, 'text') ?? '',
  );
  const old = childElements(childAt(front, 'classification-ipc')).flatMap((code) =>
    /text|classification$/.test(code.name)
      ? [withoutEdition((textAt(code) ?? '').replace(/^\s*\d{1,2}\s*(?=[A-H])/, ''))]
      : [],
  );
  const stated = descendants(childAt(front, 'patent-classifications'), 'patent-classification');
  const of = (scheme: RegExp): string[] =>
    stated
      .filter((code) => scheme.test(childAt(code, 'classification-scheme')?.attributes['scheme'] ?? ''))
      .map(classificationSymbol);
  const unique = (list: string[]): string[] => [...new Set(list.filter(Boolean))];
  return {
    ...codeFields({ ipc: ipc.length > 0 ? ipc : old, cpc: of(/^CPC/) }),
    ...present({
      fi_codes: unique(of(/^FI$/).map(fiCode)),
      f_terms: unique(of(/^FTERM$/).map(fTerm)),
      uspc_codes: unique(of(/^UC$/)),
    }),
  };
}

/**
 * Origin of a citation, as stated or from its phase: the applicant, or the examiner in search and
 * examination. Oppositions and third parties give `undefined`.
 */
function citedBy(citation: XmlElement): Citation['cited_by'] | undefined {
  const stated = citation.attributes['cited-by']?.toLowerCase();
  if (stated === 'examiner' || stated === 'applicant') return stated;
  const phase = citation.attributes['cited-phase'] ?? '';
  if (/^(?:APP|application|description)$/i.test(phase)) return 'applicant';
  return /^(?:SEA|ISR|SUP|EXA|OPP|PRS|FOP|TPO|APL|CH2|international|national|supplementary|examination)/i.test(
    phase,
  ) && !/^(?:OPP|TPO|PRS)/i.test(phase)
    ? 'examiner'
    : undefined;
}

function citations(front: XmlElement): Citation[] {
  return childElements(childAt(front, 'references-cited'), 'citation').flatMap((citation): Citation[] => {
    // Passages have their own categories, and DOCDB repeats all of them together: X, Y, XY.
    const letters = descendants(citation, 'category').flatMap((mark) => [...(textAt(mark) ?? '')]);
    const category = [...new Set(letters)].join('');
    const marks = present({ category, cited_by: citedBy(citation) });
    const id = documentId(childElements(citation, 'patcit'));
    const [country, number] = [textAt(id, 'country'), textAt(id, 'doc-number')];
    if (country && number)
      return [{ ...citedPatent(country, number, textAt(id, 'kind'), textAt(id, 'date')), ...marks }];
    const other = childAt(citation, 'nplcit');
    const text =
      textAt(other, 'text') ?? textAt(childAt(citation, 'patcit'), 'text') ?? (other && literature(other));
    return text ? [{ text: text.replace(/^-\s*/, ''), ...marks }] : [];
  });
}
