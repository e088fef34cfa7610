/**
 * Exports in the form of Google Patents' public data (`title_localized`, `cpc`, `assignee_harmonized`, dates
 * as integers; https://console.cloud.google.com/marketplace/product/google_patents_public_datasets): JSON
 * with one object per line or in a list, and CSV through `export-table.ts`.
 */

import { citedPatent } from '../../patent/citation.js';
import { earliestDate, parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Claim, Drawing, Name, Patent, Section } from '../../patent/record.js';
import { usNumberOfDocdb } from '../../patent/us-series.js';
import { splitJson } from '../split.js';
import { pctOfDocdb, withRight, withYearFirst } from './docdb-numbers.js';
import { memberNames } from './json-members.js';
import { isObject, jsonObject, listOf, type Members, textOf } from './json-values.js';
import { fiCode, fTerm } from './national-codes.js';
import { claimsOfText, sectionsOfLines } from './plain-text.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  isLatin,
  languageCode,
  oneOf,
  present,
  publicationDates,
  uniqueNames,
  withText,
} from './publication.js';
import type { ParsedUnit, Reader } from './reader.js';

/** Members of an export. All are optional. Values are checked when they are read. */
export type ExportFields = Members;

/**
 * `US-9971313-B2`, `CN-114583807-B`, or the parts in separate members. Behind a country, `WO2018062001` is the number of a Japanese
 * re-publication. `PP30123` and `RE45678` are series of the US.
 */
function numberParts(fields: ExportFields): { country?: string; number?: string; kind?: string } {
  const written = textOf(fields['publication_number']) ?? '';
  const stated = textOf(fields['country_code']);
  const found = /^(?!PP|RE|RX|AI)([A-Z]{2})[\s-]*([A-Z]{0,2}[\d/]+)[\s-]*([A-Z]\d?)?$/.exec(
    written.toUpperCase(),
  );
  const match = stated === undefined || found?.[1] === stated.toUpperCase() ? found : undefined;
  const country = match?.[1] ?? stated;
  const kind = match?.[3] ?? textOf(fields['kind_code']);
  return present({ country, number: match?.[2] ?? written, kind });
}

/** Language of publication of each office, for texts without a stated language. */
const OFFICE_LANGUAGES: Record<string, string> = { US: 'en', KR: 'ko', JP: 'ja', CN: 'zh', EP: 'en' };
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Language of a text that states none. Databases translate titles and abstracts of East Asian offices into English. */
function spoken(text: string, country: string): string {
  const own = OFFICE_LANGUAGES[country] ?? 'en';
  return /^(?:ko|ja|zh)$/.test(own) && !EAST_ASIAN.test(text) ? 'en' : own;
}

/** Language of a text that states none. */
type Fallback = (text: string) => string;

/** Texts by language from a plain text, `{text, language}` or a list of these objects. */
function localized(value: unknown, fallback: Fallback): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of listOf(value)) {
    const text = isObject(entry) ? textOf(entry['text']) : textOf(entry);
    if (!text) continue;
    const stated = isObject(entry) ? languageCode(textOf(entry['language'])) : undefined;
    const language = stated ?? fallback(text);
    if (!(language in found)) found[language] = text;
  }
  return found;
}

/** @throws DamagedDocument if the number, the kind or all texts are missing */
export function exportedPublication(fields: ExportFields): Patent | { foreign: string } {
  const { country, number, kind } = numberParts(fields);
  const date = (name: string): string | undefined => parseDate(textOf(fields[name]));
  const named = identity(country, number, kind, date('publication_date'));
  if (!named) return { foreign: country ?? '' };
  const stated = languageCode(textOf(fields['language']));
  const own = stated ?? OFFICE_LANGUAGES[named.country] ?? 'en';
  return withText({
    ...named,
    ...textFields(fields, own, (text) => stated ?? spoken(text, named.country)),
    ...publicationDates(named, date('publication_date'), date('grant_date')),
    ...filings(fields, named.country, date('filing_date'), date('priority_date')),
    ...present({
      applicants: people(fields, 'assignee'),
      inventors: people(fields, 'inventor'),
      examiners: uniqueNames(names(fields['examiner'])),
    }),
    ...codeFields({
      ipc: codes(fields['ipc']),
      cpc: codes(fields['cpc']),
      locarno: codes(fields['locarno']),
    }),
    ...present({
      fi_codes: [...new Set(codes(fields['fi']).map(fiCode))],
      f_terms: [...new Set(codes(fields['fterm']).map(fTerm))],
      uspc_codes: [...new Set(codes(fields['uspc']))],
      drawings: drawings(fields),
      citations: listOf(fields['citation']).flatMap(citation),
    }),
    ...internationalFields({ number: textOf(fields['pct_number']) }),
  });
}

/** Each text in all its languages. The language of the record is the language of most texts. */
function textFields(fields: ExportFields, first: string, fallback: Fallback): Partial<Patent> {
  const of = (name: string): Record<string, string> =>
    localized(fields[`${name}_localized`] ?? fields[name], fallback);
  const texts = [of('title'), of('abstract'), of('claims'), of('description')] as const;
  const languages = [first, 'en', ...texts.flatMap((text) => Object.keys(text))];
  const weight = (language: string): number => texts.filter((text) => language in text).length;
  const own = languages.reduce(
    (best, language) => (weight(language) > weight(best) ? language : best),
    first,
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
  // `US-62/831,234`
  const plain = written?.toUpperCase().replaceAll(/[,\s]/g, '') ?? '';
  const match = /^([A-Z]{2})-?([\w./]+?)(?:-([A-Z]\d?))?$/.exec(plain);
  if (!match?.[1] || !match[2]) return undefined;
  const [, country, number, kind] = match;
  // Kind W is an international application.
  const pct = kind === 'W' ? pctOfDocdb(country, number) : undefined;
  if (pct) return { country: 'WO', number: pct, date };
  const serial = country === 'US' ? usNumberOfDocdb(number, kind ?? '', date) : undefined;
  const own = serial ?? withYearFirst(country, { number, date });
  return { country, number: withRight(country, own, kind), date };
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
  const claims = listOf(fields['priority_claim'])
    .filter(isObject)
    .map((claim) => {
      const date = parseDate(textOf(claim['filing_date']));
      return { date, filing: filingOf(textOf(claim['application_number']), date) };
    });
  const priorities = claims.flatMap(({ filing }) => filing ?? []);
  const isUnread = priorities.length < claims.length;
  const family = textOf(fields['family_id']);
  const familyId = family && family !== '-1' ? family : undefined;
  const { family_id, family_derived, ...found } = filingFields(country, { own, priorities, familyId });
  // Without its earliest priority, an application would begin a family of its own.
  const isTold = familyId !== undefined || (fields['earliest_unknown'] !== true && !isUnread);
  const claimed = isUnread ? earliestDate(claims.map(({ date }) => date)) : undefined;
  // An application without priority claims has its own date as priority date.
  const isOwnDate = claims.length === 0 && priority === filed;
  return {
    ...found,
    ...(isTold ? present({ family_id, family_derived }) : {}),
    ...present({
      filing_date: filed,
      priority_date: isOwnDate ? undefined : (priority ?? claimed ?? found.priority_date),
    }),
  };
}

const names = (value: unknown): string[] =>
  listOf(value).flatMap((entry) => (isObject(entry) ? textOf(entry['name']) : textOf(entry)) ?? []);

/** Names as printed. If both lists have the same length, the harmonised names are the Latin form. */
function people(fields: ExportFields, role: 'assignee' | 'inventor'): Name[] {
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
  return oneOf(exportedPublication(jsonObject(bytes)));
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
  version: 9,
  detect(head) {
    const found = memberNames(head, true) ?? [];
    return found.includes('publication_number') && MARKS.some((name) => found.includes(name));
  },
  split: splitJson,
  parse,
};
