/**
 * The filters by a column: one row each. From a row come the field of the requests, its entry in the OpenAPI document, its
 * option on the command line, its condition, and the words for what it leaves out.
 *
 * To add a filter, add a row here and its column in index/columns.ts. ARCHITECTURE.md (src/search) has all steps.
 *
 * Kinds and dates are not rows: several of their fields make one condition (query.ts, filter.ts).
 */
import type { z } from 'zod';
import type { KeywordColumn } from '../index/columns.js';
import { TERM_MAX_CHARS, TERMS_MAX } from '../limits.js';
import { applicationNumberForms, foldedNumber } from '../patent/application-number.js';
import { officesOfSpelling } from '../patent/application-spelling.js';
import { parseClassificationPrefix } from '../patent/classification.js';
import { COUNTRIES, type Country, isCountry } from '../patent/country.js';
import {
  companyKey,
  companyKeys,
  isEmptyKey,
  isLegalForm,
  isLegalFormOnly,
  personKey,
} from '../patent/name.js';
import { readLabel } from '../patent/number-label.js';
import { plainNumber } from '../patent/printed-number.js';
import { classification, list, oneOf, text, VISIBLE } from './fields.js';
import { invalidField } from './invalid.js';

export const APPLICANT_MATCHES = ['contains', 'prefix', 'exact'] as const;
export type ApplicantMatch = (typeof APPLICANT_MATCHES)[number];

/**
 * A condition on a column. A document meets it if a term of its column fits one of the terms; if its texts hold one of the
 * phrases (`holds`), or none of them (`lacks`).
 */
interface Condition {
  column: FilteredColumn;
  test: 'exact' | 'prefix' | 'contains' | 'holds' | 'lacks';
  terms: string[];
  /** Whether forms of Han characters do not matter. */
  anyForm?: true;
}

/** A column, or the words in the lexical index. */
type FilteredColumn = KeywordColumn | typeof WORDS;

/** Finds the patent_ids of the stored publications with a number in any spelling. */
export type Resolver = (number: string) => string[];

interface FilterRow<Schema extends z.ZodType, Value> {
  /** The field of a request. */
  schema: Schema;
  /** The normalised value; undefined: no filter. Throws PriorartError with the field's name for a value that is wrong. */
  parse(value: NonNullable<z.output<Schema>>, field: string, match: ApplicantMatch): Value | undefined;
  /** What a document must meet. */
  conditions(value: Value, publicationsOf: Resolver): Condition[];
  /** The words for documents that the filter leaves out: "12 publications have other inventors". */
  excluded: string;
  /** Names documents, so that publications of every kind are found unless kinds are stated. */
  namesDocuments?: true;
}

const row = <Schema extends z.ZodType, Value>(given: FilterRow<Schema, Value>) => given;

const classificationRow = (system: string, column: 'ipc' | 'cpc') =>
  row({
    schema: list(classification(system), `${system} prefixes`)
      .nullish()
      .describe(`${system} code prefixes; case, white space and full-width forms do not matter`),
    // Key prefixes, without duplicates.
    parse: (codes, field) => [
      ...new Set(codes.map((code, i) => parseClassificationPrefix(code, `${field}[${i}]`))),
    ],
    conditions: (terms: string[]) => [{ column, test: 'prefix', terms }],
    excluded: `are classified elsewhere in the ${system}`,
  });

/** The applicant of a filter. */
export interface AskedApplicant {
  text: string;
  match: ApplicantMatch;
  /** Other names of the same applicant; see applicants.ts. */
  names?: string[];
}

/**
 * What a document of one of some applicants meets. Offices print one company in several forms of Han characters (三菱電機 and
 * 三菱电机), and texts are searched without regard to them.
 * @param keys names as `companyKey`
 */
export function applicantCondition(match: ApplicantMatch, keys: string[]): Condition {
  return { column: 'applicant_name', test: match, terms: keys, anyForm: true };
}

/** Stands for the lexical index where other filters have a column. */
export const WORDS = 'words';

const phrases = (description: string) =>
  list(text('a word or phrase', TERM_MAX_CHARS, VISIBLE), 'words or phrases', TERMS_MAX)
    .nullish()
    .describe(description)
    .meta({ examples: [['PM2.5', 'through silicon via']] });

/** Words without duplicates, with single spaces: a line break within a phrase is one. Each needs a letter or digit. */
function parsePhrases(given: string[], field: string): string[] {
  for (const [n, phrase] of given.entries()) {
    if (!/[\p{L}\p{N}]/u.test(phrase.normalize('NFKC'))) {
      throw invalidField(`${field}[${n}]`, phrase, 'a word or phrase with a letter or digit');
    }
  }
  return [...new Set(given.map((phrase) => phrase.trim().replace(/\s+/g, ' ')))];
}

export const FILTER_ROWS = {
  countries: row({
    schema: list(oneOf(COUNTRIES), `of ${COUNTRIES.join(', ')}`, COUNTRIES.length * 20)
      .nullish()
      .describe('Jurisdictions to search; all five when absent'),
    // In the order of COUNTRIES. All five mean no filter.
    parse: (given): Country[] | undefined => {
      const countries = COUNTRIES.filter((country) => given.includes(country));
      return countries.length < COUNTRIES.length ? countries : undefined;
    },
    conditions: (terms: Country[]) => [{ column: 'country', test: 'exact', terms }],
    excluded: 'are of other offices',
  }),
  applicant: row({
    schema: text('text')
      .nullish()
      .describe(
        'Applicant; case-insensitive, in any of the languages and any form of Han characters. Has a letter or digit, and is ' +
          'not a legal form alone',
      ),
    parse: (value, field, match) => {
      checkName(field, value, companyKey(value), isLegalForm);
      return { text: value.trim(), match } as AskedApplicant;
    },
    conditions: ({ text, match, names = [] }: AskedApplicant) => [
      applicantCondition(match, [text, ...names].flatMap(companyKeys)),
    ],
    excluded: 'have other applicants',
  }),
  inventor: row({
    schema: text('text')
      .nullish()
      .describe('Prefix of an inventor’s name. Has a letter or digit, and is not a legal form alone'),
    parse: (value, field) => {
      checkName(field, value, personKey(value), isLegalFormOnly);
      return value.trim();
    },
    conditions: (name: string) => [
      { column: 'inventor_name', test: 'prefix', terms: [personKey(name)], anyForm: true },
    ],
    excluded: 'have other inventors',
  }),
  ipc_codes: classificationRow('IPC', 'ipc'),
  cpc_codes: classificationRow('CPC', 'cpc'),
  publication_number: row({
    schema: text('a publication number').nullish().describe('Exact publication number'),
    parse: (value) => value.trim(),
    conditions: (number: string, publicationsOf) => [
      { column: 'patent_id', test: 'exact', terms: publicationsOf(number) },
    ],
    excluded: 'have another number',
    namesDocuments: true,
  }),
  application_number: row({
    schema: text('an application number').nullish().describe('Exact application number'),
    parse: (value) => value.trim(),
    conditions: (number: string) => {
      const plain = plainNumber(number);
      return [
        { column: 'application', test: 'exact', terms: applicationNumberForms(plain) },
        ...officesOf(plain),
      ];
    },
    excluded: 'have another application number',
    namesDocuments: true,
  }),
  family_id: row({
    schema: text('a family id').nullish().describe('Exact family id'),
    parse: (value) => value.trim(),
    conditions: (family: string) => [{ column: 'family', test: 'exact', terms: [family] }],
    excluded: 'are of other families',
    namesDocuments: true,
  }),
  must_terms: row({
    schema: phrases(
      'Words or phrases that a document must all hold, in its title, abstract, claims, description or names. Case, hyphens, ' +
        'width and forms of Han characters do not matter, nor endings of words, except in names',
    ),
    parse: parsePhrases,
    conditions: (terms: string[]) => terms.map((term) => ({ column: WORDS, test: 'holds', terms: [term] })),
    excluded: 'lack a word',
  }),
  must_not_terms: row({
    schema: phrases('Words or phrases of which a document must hold none'),
    parse: parsePhrases,
    conditions: (terms: string[]) => [{ column: WORDS, test: 'lacks', terms }],
    excluded: 'hold a word',
  }),
};

type Rows = typeof FILTER_ROWS;
export type FilterField = keyof Rows;

/** The normalised values of the filters that a request states, by field. Plain data: it crosses to worker threads. */
export type FilterValues = { [Field in FilterField]?: Parameters<Rows[Field]['conditions']>[0] };

/** The fields of a request, as its schema holds them. */
export const FILTER_SCHEMAS = Object.fromEntries(
  Object.entries(FILTER_ROWS).map(([field, { schema }]) => [field, schema]),
) as { [Field in FilterField]: Rows[Field]['schema'] };

/** A row without the types of its schema and value, which its field ties together. */
type AnyRow = FilterRow<z.ZodType, never> & {
  parse(value: unknown, field: string, match: ApplicantMatch): unknown;
  conditions(value: unknown, publicationsOf: Resolver): Condition[];
};

const ROWS = Object.entries(FILTER_ROWS) as unknown as [FilterField, AnyRow][];

/** Normalises the filters of a checked request. @throws PriorartError `invalid_request`, `bad_classification` */
export function filterValues(
  body: Readonly<Partial<Record<FilterField, unknown>>>,
  match: ApplicantMatch,
): FilterValues {
  const values: Partial<Record<FilterField, unknown>> = {};
  for (const [field, { parse }] of ROWS) {
    const given = body[field];
    const value = given === undefined || given === null ? undefined : parse(given, field, match);
    if (value !== undefined) values[field] = value;
  }
  return values as FilterValues;
}

/** What documents must meet to pass the filters, by field. */
export function conditionsOf(
  values: FilterValues,
  publicationsOf: Resolver,
): [field: FilterField, conditions: Condition[]][] {
  return ROWS.filter(([field]) => values[field] !== undefined).map(([field, { conditions }]) => [
    field,
    conditions(values[field], publicationsOf),
  ]);
}

/** Whether a filter names documents by number or family. */
export function namesDocuments(values: FilterValues): boolean {
  return ROWS.some(([field, row]) => row.namesDocuments === true && values[field] !== undefined);
}

/** The column holds bare numbers without the office, and offices share numbers: EP 20168852 and US 20/168,852. */
function officesOf(applicationNumber: string): Condition[] {
  const text = foldedNumber(applicationNumber);
  const office = text.slice(0, 2);
  const label = readLabel(text);
  const named = isCountry(office) ? office : label?.country;
  const offices = named === undefined ? officesOfSpelling(label?.rest ?? text) : [named];
  return offices === undefined ? [] : [{ column: 'country', test: 'exact', terms: [...offices] }];
}

/** Refuses a name with an empty key, and a legal form alone. */
function checkName(field: string, value: string, key: string, isForm: (name: string) => boolean): void {
  if (isForm(value)) throw invalidField(field, value, 'a name, not a legal form alone');
  if (isEmptyKey(key)) throw invalidField(field, value, 'a name with a letter or digit');
}
