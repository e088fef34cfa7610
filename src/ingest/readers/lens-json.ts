/**
 * Records of Lens.org's patent interface and of its exports as JSON Lines (https://docs.api.lens.org/response-patent.html): objects with
 * `lens_id` and `biblio`, alone or in the `data` of an answer. Numbers have DOCDB's form.
 */
import type { Claim, Patent } from '../../patent/record.js';
import { splitJson } from '../split.js';
import { splitJsonList } from '../split-json-list.js';
import { type ExportFields, exportedPublication } from './google-patents.js';
import { memberNames } from './json-members.js';
import { jsonObject, listOf, type Members, membersOf, objectsOf, textOf } from './json-values.js';
import { type DocdbApplication, exportedNumber, isSure, usApplicants } from './lens-table.js';
import { claimsOfText } from './plain-text.js';
import { languageCode, oneOf } from './publication.js';
import type { ParsedUnit, Reader } from './reader.js';

/** Texts with their languages, in the form of Google Patents. */
const localized = (value: unknown): Members[] =>
  objectsOf(value).map(({ text, lang }) => ({ text, language: textOf(lang)?.toLowerCase() }));

/** An application: `{"jurisdiction": "EP", "doc_number": "10190001", "kind": "A", "date": "2010-12-31"}`. */
function application(value: unknown): DocdbApplication | undefined {
  const { jurisdiction, doc_number, kind, date } = membersOf(value);
  const [country, number, code] = [jurisdiction, doc_number, kind].map(textOf);
  return country && number && code ? { country, number, kind: code, date: textOf(date) } : undefined;
}

/** The number of a publication: `US-20130001001-A1`. */
function cited(value: unknown): string | undefined {
  const { jurisdiction, doc_number, kind } = membersOf(value);
  const parts = [jurisdiction, doc_number, kind].map(textOf);
  return parts[0] && parts[1] ? parts.filter(Boolean).join('-') : undefined;
}

/** Names of parties, the latest first form of which is `extracted_name.value`. */
const names = (value: unknown): string[] =>
  objectsOf(value).flatMap(({ extracted_name, name }) => {
    const { value: extracted } = membersOf(extracted_name);
    return textOf(extracted) ?? textOf(membersOf(name)['name']) ?? textOf(name) ?? [];
  });

const symbols = (value: unknown): string[] =>
  objectsOf(membersOf(value)['classifications']).flatMap(({ symbol }) => textOf(symbol) ?? []);

function citations(value: unknown): Members[] {
  return objectsOf(membersOf(value)['citations']).map(({ patcit, nplcit, category, cited_phase }) => ({
    publication_number: cited(membersOf(patcit)['document_id']),
    npl_text: textOf(membersOf(nplcit)['text']),
    type: listOf(category).map(textOf).filter(Boolean).join(''),
    category: textOf(cited_phase),
  }));
}

/** Parties, with the applicants of a US patent as the table of this service has them. */
function parties(biblio: Members, country: string | undefined): ExportFields {
  const { applicants, inventors, examiners } = membersOf(biblio['parties']);
  const [applied, invented] = [names(applicants), names(inventors)];
  const { primary_examiner, assistant_examiner } = membersOf(examiners);
  return {
    assignee: country === 'US' ? usApplicants(applied, invented) : applied,
    inventor: invented,
    examiner: names([primary_examiner, assistant_examiner]),
  };
}

function filing(biblio: Members): ExportFields {
  const own = application(biblio['application_reference']);
  const { claims, earliest_claim } = membersOf(biblio['priority_claims']);
  // An application that is its own first filing is listed as its own priority.
  const claimed = objectsOf(claims)
    .flatMap((claim) => application(claim) ?? [])
    .filter(({ country, number, kind }) =>
      own ? country !== own.country || number !== own.number || kind !== own.kind : true,
    );
  return {
    application_number: own && isSure(own) ? exportedNumber(own) : undefined,
    filing_date: own?.date,
    priority_date: textOf(membersOf(earliest_claim)['date']),
    priority_claim: claimed.filter(isSure).map((claim) => ({
      application_number: exportedNumber(claim),
      filing_date: claim.date,
    })),
    earliest_unknown: !claimed.every(isSure),
  };
}

/**
 * Claims by language. A claim is a list of texts. If all claims are one text, it is cut at their numbers.
 */
function claimsByLanguage(value: unknown): Map<string | undefined, Claim[]> {
  const found = new Map<string | undefined, Claim[]>();
  for (const { claims, lang } of objectsOf(value)) {
    const texts = objectsOf(claims)
      .map(({ claim_text }) =>
        listOf(claim_text)
          .flatMap((text) => textOf(text) ?? [])
          .join('\n'),
      )
      .filter(Boolean);
    const read =
      texts.length > 1 ? texts.map((text, at) => claimAt(text, at + 1)) : texts.flatMap(claimsOfText);
    const language = languageCode(textOf(lang));
    if (read.length > 0 && !found.has(language)) found.set(language, read);
  }
  return found;
}

/** A claim without its own number at its beginning: `1. A hinge`. */
function claimAt(text: string, number: number): Claim {
  const [lead, own] = /^\s{0,9}(\d{1,4})\s?[.)．]\s{0,9}(?=\S)/.exec(text) ?? [];
  return { number, text: lead !== undefined && Number(own) === number ? text.slice(lead.length) : text };
}

function withClaims(patent: Patent, value: unknown): Patent {
  const byLanguage = claimsByLanguage(value);
  const own = byLanguage.get(patent.language) ?? byLanguage.get(undefined);
  const others = [...byLanguage].flatMap(([language, claims]) =>
    language !== undefined && claims !== own ? [[language, claims] as const] : [],
  );
  return {
    ...patent,
    ...(own ? { claims: own } : {}),
    ...(others.length > 0 ? { translated_claims: Object.fromEntries(others) } : {}),
  };
}

function parse(bytes: Uint8Array): ParsedUnit {
  const record = jsonObject(bytes);
  const biblio = membersOf(record['biblio']);
  const published = membersOf(biblio['publication_reference']);
  const of = (name: string): string | undefined => textOf(record[name]) ?? textOf(published[name]);
  const country = of('jurisdiction');
  const read = exportedPublication({
    country_code: country,
    publication_number: of('doc_number')?.replace(/\//g, ''),
    kind_code: of('kind'),
    language: textOf(record['lang'])?.toLowerCase(),
    title_localized: localized(biblio['invention_title']),
    abstract_localized: localized(record['abstract']),
    description_localized: localized(record['description']),
    publication_date: textOf(record['date_published']) ?? textOf(published['date']),
    ipc: symbols(biblio['classifications_ipcr']),
    cpc: symbols(biblio['classifications_cpc']),
    uspc: symbols(biblio['classifications_national']),
    citation: citations(biblio['references_cited']),
    ...parties(biblio, country),
    ...filing(biblio),
  });
  if ('foreign' in read) return oneOf(read);
  const patent = withClaims(read, record['claims']);
  const isWhole = patent.claims !== undefined || patent.description !== undefined;
  return oneOf(isWhole ? patent : { ...patent, partial: true });
}

const isAnswer = (names: readonly string[]): boolean => names.includes('data') && names.includes('total');

export const lensJson: Reader = {
  format: 'lens-json',
  title: 'Lens.org (JSON, JSON Lines)',
  version: 3,
  detect(head) {
    const found = memberNames(head, true) ?? [];
    return found.includes('lens_id') && found.includes('biblio');
  },
  split: splitJson,
  parse,
};

/** An answer of the interface, with its records in a list. */
export const lensAnswer: Reader = {
  ...lensJson,
  format: 'lens-answer',
  title: 'answer of Lens.org',
  hasList: true,
  detect: (head) =>
    isAnswer(memberNames(head, true) ?? []) && Buffer.from(head).toString('latin1').includes('"biblio"'),
  split: splitJsonList(/"data"\s{0,40}:\s{0,40}\[/),
};
