/**
 * Functions that readers of different formats share: identity and filings of a publication, removal of empty
 * fields.
 */
import { isPctNumber, normaliseApplicationNumber } from '../../patent/application-number.js';
import { uniquePriorities } from '../../patent/citation.js';
import { normaliseClassifications } from '../../patent/classification.js';
import { type Country, isCountry } from '../../patent/country.js';
import { earliestDate } from '../../patent/date.js';
import { deriveFamilyId, type Filing } from '../../patent/family.js';
import { internationalNumber } from '../../patent/international-number.js';
import { isGrantPublication } from '../../patent/kind.js';
import { companyKey } from '../../patent/name.js';
import { patentId, publicationOf } from '../../patent/number.js';
import type { InternationalStage, Name, Patent } from '../../patent/record.js';
import { DamagedDocument, type ParsedUnit } from './reader.js';
import type { XmlElement } from './xml.js';

/** A record without undefined, blank or empty fields. */
export function present<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const isThere = (value: unknown): boolean => {
    if (value === undefined || value === null) return false;
    if (typeof value === 'string') return value.trim() !== '';
    return typeof value !== 'object' || Object.keys(value).length > 0;
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isThere(value))) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

/** Reason to skip a publication of another office. */
export function foreignReason(country: string): string {
  return `country ${country} is not among US, KR, JP, CN, EP`;
}

/**
 * The identity of a publication from the office's own spelling; `undefined` for a country outside the five
 * offices.
 * @param published the day of publication, which tells old Japanese publications from registrations
 * @throws DamagedDocument if the number or the kind is missing, or the office has no such number
 */
export function identity(
  country: string | undefined,
  docNumber: string | undefined,
  kind: string | undefined,
  published?: string,
): Pick<Patent, 'patent_id' | 'country' | 'number' | 'kind_code'> | undefined {
  if (!country || !docNumber)
    throw new DamagedDocument('no publication number: expected a country and a number');
  const office = country.toUpperCase();
  if (!/^[A-Z]{2}$/.test(office))
    throw new DamagedDocument(`${JSON.stringify(country)} is not a country code`);
  if (!isCountry(office)) return undefined;
  const code = kind?.toUpperCase().trim();
  if (!code || !/^[A-Z]\d?$/.test(code)) {
    throw new DamagedDocument(
      `${office} ${docNumber}: ${kind ? `${JSON.stringify(kind)} is not a kind code` : 'no kind code'}`,
    );
  }
  const found = publicationOf(office, docNumber, code, published);
  if (!found)
    throw new DamagedDocument(`${JSON.stringify(docNumber)} is not a publication number of ${office}`);
  const { number, kind: kind_code } = found;
  return { patent_id: patentId(office, number, kind_code), country: office, number, kind_code };
}

/** The kind if the form of the number determines it: KR numbers, US applications and designs. */
export function impliedKind(country: Country, number: string): string | undefined {
  if (country === 'KR') {
    const registered = /^[12]0\d{7}0000$/.test(number) && !/^[12]0(?:19|20)\d{2}/.test(number);
    const kinds = number.startsWith('20') ? ['U', 'Y1'] : number.startsWith('10') ? ['A', 'B1'] : ['S', 'S'];
    return kinds[registered ? 1 : 0];
  }
  if (country === 'US') return /^\d{11}$/.test(number) ? 'A1' : number.startsWith('D') ? 'S1' : undefined;
  return undefined;
}

/** A publication, or why a document gives none: the office of another country, or a reason in words. */
export type Publication = Patent | { foreign: string } | { skipped: string };

/** Result of a unit with one publication. */
export function oneOf(patent: Publication): ParsedUnit {
  if ('skipped' in patent) return { patents: [], skipped: [{ reason: patent.skipped }] };
  if ('foreign' in patent) return { patents: [], skipped: [{ reason: foreignReason(patent.foreign) }] };
  return { patents: [patent], skipped: [] };
}

/**
 * The publications of a unit, one of each document.
 * @param roots root elements of the documents
 * @param names names of the format's root elements
 * @throws DamagedDocument if a root element has another name, and the errors of `publication`
 */
export function publicationsOf(
  roots: readonly XmlElement[],
  names: readonly string[],
  publication: (root: XmlElement) => Publication,
): ParsedUnit {
  const units = roots.map((root) => {
    if (names.includes(root.name)) return oneOf(publication(root));
    throw new DamagedDocument(`expected ${names.join(' or ')}, found <${root.name}>`);
  });
  return {
    patents: units.flatMap(({ patents }) => patents),
    skipped: units.flatMap(({ skipped }) => skipped),
  };
}

/** @throws DamagedDocument if a record has no searchable text */
export function withText(patent: Patent): Patent {
  if (patent.title || patent.abstract || patent.claims || patent.description) return patent;
  throw new DamagedDocument('no title, abstract, claims or description');
}

export interface Filings {
  own?: Filing | undefined;
  /** The international application of a national application. */
  international?: Filing | undefined;
  priorities: readonly Filing[];
  /** Parent applications of a divisional. They determine the family if no priority is claimed. */
  parents?: readonly Filing[];
  /** Family id as stated by the source. */
  familyId?: string | undefined;
}

/**
 * Application number, filing and priority dates, and family. The family is derived if the source does not
 * state it.
 */
export function filingFields(country: Country, filings: Filings): Partial<Patent> {
  const { own, international, priorities, parents = [], familyId } = filings;
  const earlier = priorities.length > 0 ? priorities : parents;
  const derived = familyId ? undefined : deriveFamilyId(international ?? own, earlier);
  // The day of a national phase may be that of its international application. It does not tell the series of a US number.
  const isNational = international !== undefined || priorities.some(({ number }) => isPctNumber(number));
  return present({
    application_number:
      own && normaliseApplicationNumber(country, own.number, isNational ? undefined : own.date),
    filing_date: own?.date ?? international?.date,
    priority_date: earliestDate(priorities.map(({ date }) => date)),
    family_id: familyId ?? derived,
    family_derived: derived ? true : undefined,
    priorities: uniquePriorities(priorities),
  });
}

/** `KR2018016728`, `EP9900123`: an international application in an office's form without `PCT/`. */
export function internationalFiling(
  number: string | undefined,
  date: string | undefined,
): Filing | undefined {
  if (!number) return undefined;
  const bare = /^\s*(?:WO)?([A-Z]{2})((?:19|20)\d{2}|\d{2})(\d{5,6})\s*$/.exec(number);
  const written = bare && !isPctNumber(number) ? `PCT/${bare[1]}${bare[2]}/${bare[3]}` : number;
  return isPctNumber(written) ? { country: 'WO', number: written, date } : undefined;
}

/** A number as written in a source, and its date. */
interface Written {
  number: string | undefined;
  date?: string | undefined;
}

/**
 * The international application and publication, each in one form. Invalid international numbers are left
 * out.
 */
export function internationalFields(
  application: Written,
  publication: Written = { number: undefined },
): Partial<Patent> {
  const filing = internationalFiling(application.number, application.date);
  const key = filing && normaliseApplicationNumber('WO', filing.number);
  const parts = key === undefined ? null : /^([A-Z]{2})(\d{4})(\d{6})$/.exec(key);
  const published = internationalNumber(publication.number ?? '')?.number;
  const stage = (number: string | undefined, date: string | undefined): InternationalStage | undefined =>
    number === undefined ? undefined : { number, ...present({ date }) };
  return present({
    pct_application: stage(parts ? `PCT/${parts[1]}${parts[2]}/${parts[3]}` : undefined, application.date),
    pct_publication: stage(published && `WO${published}`, publication.date),
  });
}

/**
 * Publication and grant dates. Without a stated grant date, the publication date of a grant is the grant
 * date. A publication that is not of a granted or registered right has none, such as JP U before 1994.
 */
export function publicationDates(
  publication: Pick<Patent, 'country' | 'kind_code' | 'number'>,
  published: string | undefined,
  granted?: string | undefined,
): Partial<Patent> {
  // A corrected reprint (B8, B9) is published after the grant.
  const issued = /[89]$/.test(publication.kind_code) ? undefined : published;
  const dated = { ...publication, ...(published === undefined ? {} : { publication_date: published }) };
  const grant = isGrantPublication(dated) ? (granted ?? issued) : undefined;
  return present({ publication_date: published, grant_date: grant });
}

/** Normalises the IPC, CPC and Locarno codes of a source. */
export function codeFields(codes: { ipc?: string[]; cpc?: string[]; locarno?: string[] }): Partial<Patent> {
  return present({
    ipc_codes: normaliseClassifications(codes.ipc ?? []),
    cpc_codes: normaliseClassifications(codes.cpc ?? []),
    locarno_codes: normaliseLocarno(codes.locarno ?? []),
  });
}

/** `14-01`, `1401`, `LOC(12) Cl. 14-01`: class and subclass of a design. */
export function normaliseLocarno(texts: Iterable<string>): string[] {
  const codes = new Set<string>();
  for (const text of texts) {
    const found = /(?:^|[^\d-])(\d{2})\s*(?:-\s*)?(\d{2})(?!\d)/.exec(text.replace(/LOC\s*\(\d+\)/i, ''));
    if (found) codes.add(`${found[1]}-${found[2]}`);
  }
  return [...codes];
}

/** Names in order, without duplicate keys. */
export function uniqueNames(names: Iterable<Name | string | undefined>): Name[] {
  const found = new Map<string, Name>();
  for (const entry of names) {
    const name = typeof entry === 'string' ? { name: entry } : entry;
    const text = name?.name.replace(/\s+/g, ' ').trim();
    if (!name || !text) continue;
    const key = companyKey(text);
    if (!found.has(key)) found.set(key, { ...name, name: text });
  }
  return [...found.values()];
}

/** Whether all letters of a name are Latin. */
export const isLatin = (name: string): boolean => !/(?!\p{Script=Latin})\p{L}/u.test(name);

/**
 * An ISO 639-1 code from a stated language (`EN`, `zh-CN`); `undefined` if the text is not a language code.
 */
export function languageCode(stated: string | undefined): string | undefined {
  return /^([a-z]{2})(?:[-_].*)?$/i.exec(stated?.trim() ?? '')?.[1]?.toLowerCase();
}
