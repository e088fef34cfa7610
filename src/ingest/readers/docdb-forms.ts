/**
 * DOCDB and OPS give each number and name in several forms: in DOCDB's form (`docdb`; `docdba` keeps accents
 * and small letters), in EPODOC's form (`epodoc`), and as written by the office or the applicant
 * (`original`). This module selects one form.
 */
import { isOfficeApplicationNumber, isPctNumber } from '../../patent/application-number.js';
import { parseDate } from '../../patent/date.js';
import { type Filing, filingKey } from '../../patent/family.js';
import { companyKey } from '../../patent/name.js';
import type { Name } from '../../patent/record.js';
import { withoutEnd } from '../../patent/scan.js';
import { usNumberOfDocdb } from '../../patent/us-series.js';
import { pctOfDocdb, pctOfEpodoc, withRight } from './docdb-numbers.js';
import { isLatin, present, uniqueNames } from './publication.js';
import { descendants, textAt, type XmlElement } from './xml.js';

interface Formed {
  element: XmlElement;
  form: string;
}

/** The document-ids of some references, each with its form. */
function documentIds(references: XmlElement[]): Formed[] {
  return references.flatMap((reference) =>
    descendants(reference, 'document-id').map((element) => ({
      element,
      form: element.attributes['document-id-type'] ?? reference.attributes['data-format'] ?? '',
    })),
  );
}

/**
 * DOCDB's own document-id. It has separate country, number, kind and date. EPODOC's document-id joins them.
 */
export function documentId(references: XmlElement[]): XmlElement | undefined {
  const ids = documentIds(references);
  const chosen =
    ids.find(({ form }) => form === 'docdb') ?? ids.find(({ element }) => textAt(element, 'country'));
  return (chosen ?? ids[0])?.element;
}

/** Forms in order of preference. Other sources state the office's own number, so it comes first. */
const NUMBER_FORMS = ['original', 'docdb', 'epodoc'];

/** The filing that several references name in different forms. Only one of them may have the date. */
export function filingOf(references: XmlElement[]): Filing | undefined {
  const id = documentId(references);
  const number = textAt(id, 'doc-number');
  if (!number) return undefined;
  const dates = references.flatMap((reference) => descendants(reference, 'date').map((date) => textAt(date)));
  const date = parseDate(textAt(id, 'date') ?? dates.find(Boolean));
  const country = textAt(id, 'country') ?? /^[A-Z]{2}/.exec(number)?.[0];
  if (country === undefined) return undefined;
  const pct = textAt(id, 'kind') === 'W' ? pctOfDocdb(country, number) : epodocPct(references);
  if (pct) return { country: 'WO', number: pct, date };
  const own = officeNumber(country, documentIds(references), date) ?? number;
  return { country, number: withRight(country, own, textAt(id, 'kind')), date };
}

/** Answers of OPS have no form of DOCDB for priorities, and the office's form may lack the receiving office: `2013064552`. */
function epodocPct(references: XmlElement[]): string | undefined {
  const numbers = documentIds(references).map(({ element }) => textAt(element, 'doc-number') ?? '');
  return numbers.map(pctOfEpodoc).find(Boolean);
}

/**
 * Keys of a filing in each of its forms, with its day and without: the forms of an application and of a claim to it may differ. A
 * US serial number alone is no key.
 */
export function filingKeys(references: XmlElement[]): string[] {
  const whole = filingOf(references);
  const filings = documentIds(references).flatMap(
    ({ element, form }) =>
      filingOf([{ name: '', attributes: { 'data-format': form }, children: [element] }]) ?? [],
  );
  return [...(whole ? [whole] : []), ...filings]
    .flatMap(({ date, ...filing }) => [filing, { ...filing, date: date ?? whole?.date }])
    .flatMap((filing) => filingKey(filing) ?? [])
    .filter((key) => !/^US\d{1,6}$/.test(key));
}

/** The first number in a form of the office. */
function officeNumber(country: string, ids: readonly Formed[], date: string | undefined): string | undefined {
  const bare = country === 'US' ? withoutSeries(ids, date) : undefined;
  const numbers = NUMBER_FORMS.flatMap((wanted) =>
    ids
      .filter(({ form }) => form === wanted && !(form === 'docdb' && bare))
      .flatMap(({ element }) => textAt(element, 'doc-number') ?? []),
  );
  return numbers.find((number) => isPctNumber(number) || isOfficeApplicationNumber(country, number)) ?? bare;
}

/**
 * The number of a US application up to 2013 in EPODOC's form. DOCDB leaves out the series; its own form has the year behind the
 * number, and may look like a number with a series.
 */
function withoutSeries(ids: readonly Formed[], date: string | undefined): string | undefined {
  const numbers = ids.map(({ element, form }) => {
    const number = textAt(element, 'doc-number') ?? '';
    if (/^US(?:19|20)\d{2}0\d{6}[A-Z]?$/.test(number)) return number;
    return form === 'docdb' ? usNumberOfDocdb(number, textAt(element, 'kind') ?? '', date) : undefined;
  });
  return numbers.find(Boolean);
}

/** References to the same object in several forms share their `sequence`. */
export function bySequence(elements: readonly XmlElement[]): XmlElement[][] {
  const groups = new Map<string, XmlElement[]>();
  for (const [at, element] of elements.entries()) {
    const sequence = element.attributes['sequence'] ?? `at ${at}`;
    const group = groups.get(sequence);
    if (group) group.push(element);
    else groups.set(sequence, [element]);
  }
  return [...groups.values()];
}

/** DOCDB's names have no accents or legal punctuation and come first. `original` names are as printed. */
const NAME_FORMS = ['original', 'docdba', 'docdb', 'epodoc'];

/**
 * Applicants or inventors, one name each: in their own script, and in Latin letters if one of the forms has
 * them. A name that stands twice, as printed and in DOCDB's letters, is given as printed.
 */
export function formedNames(holders: readonly XmlElement[], role: 'applicant' | 'inventor'): Name[] {
  const ranked = bySequence(holders).flatMap((group) => formedName(group, role) ?? []);
  const found: Ranked[] = [];
  const places = new Map<string, number>();
  for (const entry of ranked) {
    const keys = nameKeys(entry.name.name);
    const place = keys.map((key) => places.get(key)).find((at) => at !== undefined) ?? found.length;
    const before = found[place];
    if (!before || entry.rank < before.rank) found[place] = entry;
    for (const key of keys) if (!places.has(key)) places.set(key, place);
  }
  return uniqueNames(found.map(({ name }) => name));
}

interface Ranked {
  name: Name;
  rank: number;
}

/** The name of one person or company, from its forms. */
function formedName(group: readonly XmlElement[], role: 'applicant' | 'inventor'): Ranked | undefined {
  const names = group
    .map((element) => ({ name: nameOf(element, role), rank: rankOf(element) }))
    .filter((entry): entry is { name: string; rank: number } => Boolean(entry.name))
    .sort((a, b) => a.rank - b.rank);
  const chosen = names.find(({ name }) => !isLatin(name)) ?? names[0];
  if (chosen === undefined) return undefined;
  const latin = isLatin(chosen.name) ? undefined : names.find(({ name }) => isLatin(name))?.name;
  return { name: { name: chosen.name, ...present({ name_en: latin }) }, rank: chosen.rank };
}

/** DOCDB writes these letters with an e. */
const WITH_E: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Keys under which a name is the same: without accents, and as DOCDB writes it (`KYLMAENEN` of Kylmänen). */
export function nameKeys(name: string): string[] {
  const written = name
    .normalize('NFC')
    .replace(/[äöü]/gi, (letter) => WITH_E[letter.toLowerCase()] ?? letter);
  return [...new Set([companyKey(name), companyKey(written)])];
}

function rankOf(element: XmlElement): number {
  const rank = NAME_FORMS.indexOf(element.attributes['data-format'] ?? '');
  return rank < 0 ? NAME_FORMS.length : rank;
}

function nameOf(holder: XmlElement, role: string): string | undefined {
  const name = textAt(holder, `${role}-name`, 'name') ?? textAt(holder, 'name');
  // `IBM [US]`: the country is not part of the name. The final comma of an original name is not part of it
  // either.
  return name === undefined ? undefined : withoutEnd(withoutCountry(name.trimEnd()), /[,;\s]/);
}

/** `IBM [US]` → `IBM ` */
const withoutCountry = (name: string): string =>
  /^\[[A-Z]{2}\]$/.test(name.slice(-4)) ? name.slice(0, -4) : name;
