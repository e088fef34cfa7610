/**
 * Exports in the form of Google Patents' public data (`title_localized`, `cpc`, `assignee_harmonized`, dates
 * as integers; https://console.cloud.google.com/marketplace/product/google_patents_public_datasets): JSON
 * with one object per line or in a list, and CSV through `export-table.ts`.
 */

import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Claim, Drawing, Name, Patent, Section } from '../../patent/record.js';
import { usNumberOfDocdb } from '../../patent/us-series.js';
import { splitJson } from '../split.js';
import { decodeText } from './decode.js';
import { pctOfDocdb, withYearFirst } from './docdb-numbers.js';
import { memberNames } from './json-members.js';
import { claimsOfText, sectionsOfLines } from './plain-text.js';
import {
  codeFields,
  filingFields,
  identity,
  isLatin,
  languageCode,
  oneOf,
  present,
  publicationDates,
  uniqueNames,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';

/** Members of an export. All are optional. Values are checked when they are read. */
export type ExportFields = Record<string, unknown>;

const isObject = (value: unknown): value is ExportFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined;

/** `US-9971313-B2`, `CN-114583807-B`, or the parts in separate members. */
function numberParts(fields: ExportFields): { country?: string; number?: string; kind?: string } {
  const written = textOf(fields['publication_number']) ?? '';
  const match = /^([A-Z]{2})[\s-]*([A-Z]{0,2}[\d/]+)[\s-]*([A-Z]\d?)?$/.exec(written.toUpperCase());
  const country = match?.[1] ?? textOf(fields['country_code']);
  const kind = match?.[3] ?? textOf(fields['kind_code']);
  return present({ country, number: match?.[2] ?? written, kind });
}

/** Language of publication of each office, for texts without a stated language. */
const OFFICE_LANGUAGES: Record<string, string> = { US: 'en', KR: 'ko', JP: 'ja', CN: 'zh', EP: 'en' };

/** Texts by language from a plain text, `{text, language}` or a list of these objects. */
function localized(value: unknown, fallback: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of listOf(value)) {
    const text = isObject(entry) ? textOf(entry['text']) : textOf(entry);
    const language = (isObject(entry) ? languageCode(textOf(entry['language'])) : undefined) ?? fallback;
    if (text && !(language in found)) found[language] = text;
  }
  return found;
}

/** @throws DamagedDocument if the number, the kind or all texts are missing */
export function exportedPublication(fields: ExportFields): Patent | { foreign: string } {
  const { country, number, kind } = numberParts(fields);
  const date = (name: string): string | undefined => parseDate(textOf(fields[name]));
  const named = identity(country, number, kind, date('publication_date'));
  if (!named) return { foreign: country ?? '' };
  const fallback = languageCode(textOf(fields['language'])) ?? OFFICE_LANGUAGES[named.country] ?? 'en';
  return withText({
    ...named,
    ...textFields(fields, fallback),
    ...publicationDates(named, date('publication_date'), date('grant_date')),
    ...filings(fields, named.country, date('filing_date'), date('priority_date')),
    ...present({
      applicants: people(fields, 'assignee'),
      inventors: people(fields, 'inventor'),
    }),
    ...codeFields({
      ipc: codes(fields['ipc']),
      cpc: codes(fields['cpc']),
      locarno: codes(fields['locarno']),
    }),
    ...present({ drawings: drawings(fields), citations: listOf(fields['citation']).flatMap(citation) }),
  });
}

/** Each text in all its languages. The language of the record is the language of most texts. */
function textFields(fields: ExportFields, fallback: string): Partial<Patent> {
  const of = (name: string): Record<string, string> =>
    localized(fields[`${name}_localized`] ?? fields[name], fallback);
  const texts = [of('title'), of('abstract'), of('claims'), of('description')] as const;
  const languages = [fallback, 'en', ...texts.flatMap((text) => Object.keys(text))];
  const weight = (language: string): number => texts.filter((text) => language in text).length;
  const own = languages.reduce(
    (best, language) => (weight(language) > weight(best) ? language : best),
    fallback,
  );
  const [titles, abstracts, claims, descriptions] = texts.map((text) => {
    const { [own]: main, ...rest } = text;
    return { main, rest };
  });
  const each = <T>(rest: Record<string, string> = {}, read: (text: string) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(rest).map(([language, text]) => [language, read(text)]));
  const sections = (text: string): Section[] =>
    sectionsOfLines(text.split(/\n+/).map((line) => ({ text: line })));
  return present({
    language: weight(own) > 0 ? own : undefined,
    title: titles?.main,
    titles: titles?.rest,
    abstract: abstracts?.main,
    abstracts: abstracts?.rest,
    claims: claims?.main === undefined ? undefined : claimsOfText(claims.main),
    translated_claims: each<Claim[]>(claims?.rest, claimsOfText),
    description: descriptions?.main === undefined ? undefined : sections(descriptions.main),
    descriptions: each<Section[]>(descriptions?.rest, sections),
  });
}

/** `US-201562188701-P`: country, number and kind of an application. */
function filingOf(written: string | undefined, date?: string | undefined): Filing | undefined {
  const match = /^([A-Z]{2})-?([\w./]+?)(?:-([A-Z]\d?))?$/.exec(written?.toUpperCase() ?? '');
  if (!match?.[1] || !match[2]) return undefined;
  const [, country, number, kind] = match;
  // Kind W is an international application. Kind U of Korea is a utility model, whose number begins with 20.
  const pct = kind === 'W' ? pctOfDocdb(country, number) : undefined;
  if (pct) return { country: 'WO', number: pct, date };
  const right = country === 'KR' && kind === 'U' && /^\d{11}$/.test(number) ? '20' : '';
  const serial = country === 'US' ? usNumberOfDocdb(number, kind ?? '', date) : undefined;
  return { country, number: serial ?? withYearFirst(country, { number: right + number, date }), date };
}

function filings(
  fields: ExportFields,
  country: Patent['country'],
  filed: string | undefined,
  priority: string | undefined,
): Partial<Patent> {
  const written = textOf(fields['application_number']);
  const isBare = written !== undefined && !/^[A-Z]{2}/i.test(written);
  const own = isBare ? { country, number: written, date: filed } : filingOf(written, filed);
  const priorities = listOf(fields['priority_claim']).flatMap((claim): Filing[] => {
    if (!isObject(claim)) return [];
    return [filingOf(textOf(claim['application_number']), parseDate(textOf(claim['filing_date'])))].flatMap(
      (filing) => filing ?? [],
    );
  });
  const family = textOf(fields['family_id']);
  const found = filingFields(country, {
    own,
    priorities,
    familyId: family && family !== '-1' ? family : undefined,
  });
  // An application without priority claims has its own date as priority date.
  const isOwnDate = priorities.length === 0 && priority === filed;
  return {
    ...found,
    ...present({
      filing_date: filed,
      priority_date: isOwnDate ? undefined : (priority ?? found.priority_date),
    }),
  };
}

/** Names as printed. If both lists have the same length, the harmonised names are the Latin form. */
function people(fields: ExportFields, role: 'assignee' | 'inventor'): Name[] {
  const names = (value: unknown): string[] =>
    listOf(value).flatMap((entry) => (isObject(entry) ? textOf(entry['name']) : textOf(entry)) ?? []);
  const [printed, harmonised] = [names(fields[role]), names(fields[`${role}_harmonized`])];
  if (printed.length === 0) return uniqueNames(harmonised);
  const isParallel = printed.length === harmonised.length;
  return uniqueNames(
    printed.map((name, at) => {
      const latin = isParallel && !isLatin(name) ? harmonised[at] : undefined;
      return { name, ...present({ name_en: latin && isLatin(latin) ? latin : undefined }) };
    }),
  );
}

const codes = (value: unknown): string[] =>
  listOf(value).flatMap((entry) => (isObject(entry) ? textOf(entry['code']) : textOf(entry)) ?? []);

function drawings(fields: ExportFields): Drawing[] {
  const file = textOf(fields['representative_figure'])?.split(/[\\/]/).at(-1);
  return file ? [{ file, representative: true }] : [];
}

/**
 * Origin of a citation by its category: `APP` is the applicant, the phases of a procedure are the examiner.
 */
function citation(value: unknown): Citation[] {
  if (!isObject(value)) return [];
  const phase = textOf(value['category'])?.toUpperCase();
  const by =
    phase === 'APP'
      ? 'applicant'
      : /^(?:SEA|ISR|EXA|SUP|PRS|FOP|CH2)$/.test(phase ?? '')
        ? 'examiner'
        : undefined;
  const category = /^[A-Z]{1,4}$/.test(textOf(value['type']) ?? '') ? textOf(value['type']) : undefined;
  const marks = present({ category, cited_by: by }) as Citation;
  const [, country, number, kind] =
    /^([A-Z]{2})-(\w+?)(?:-([A-Z]\d?))?$/.exec(textOf(value['publication_number']) ?? '') ?? [];
  if (country && number) return [{ ...citedPatent(country, number, kind), ...marks }];
  const text = textOf(value['npl_text']);
  return text ? [{ text, ...marks }] : [];
}

function parse(bytes: Uint8Array): ParsedUnit {
  let fields: unknown;
  try {
    fields = JSON.parse(decodeText(bytes));
  } catch (error) {
    if (error instanceof DamagedDocument) throw error;
    throw new DamagedDocument(`not JSON: ${(error as Error).message}`);
  }
  if (!isObject(fields)) throw new DamagedDocument('not a JSON object');
  return oneOf(exportedPublication(fields));
}

const MARKS = [
  'title_localized',
  'abstract_localized',
  'claims_localized',
  'description_localized',
  'assignee_harmonized',
];

export const googlePatents: Reader = {
  format: 'google-patents',
  title: 'Google Patents export (JSON)',
  version: 6,
  detect(head) {
    const names = memberNames(head, true) ?? [];
    return names.includes('publication_number') && MARKS.some((name) => names.includes(name));
  },
  split: splitJson,
  parse,
};
