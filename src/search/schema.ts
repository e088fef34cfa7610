/**
 * The bodies of the search API's requests, one zod schema each. Validation, TypeScript types and the OpenAPI document come
 * from these schemas. No schema transforms a value: query.ts normalises. Messages of the schemas are expectations;
 * invalid.ts adds field and value.
 */
import { z } from 'zod';
import {
  DETAILS_MAX_IDS,
  FILTER_MAX_CHARS,
  FILTER_MAX_ENTRIES,
  MAX_RESULTS,
  MIN_SCORE,
  PAGE_SIZE,
  QUERY_MAX_CHARS,
  TOP_K,
} from '../limits.js';
import { COUNTRIES } from '../patent/country.js';

export const DOC_TYPES = ['all', 'application', 'grant'] as const;
export const APPLICANT_MATCHES = ['contains', 'prefix', 'exact'] as const;
export const DATE_TYPES = ['filing', 'publication', 'grant', 'priority'] as const;
export const STATS_AXES = ['year', 'country', 'applicant', 'ipc'] as const;
/** The parts of a document's markdown body, in the order they are printed. */
export const DOCUMENT_SECTIONS = ['title', 'abstract', 'claims', 'description'] as const;

export type DocType = (typeof DOC_TYPES)[number];
export type ApplicantMatch = (typeof APPLICANT_MATCHES)[number];
export type DateType = (typeof DATE_TYPES)[number];
export type StatsAxis = (typeof STATS_AXES)[number];
export type DocumentSection = (typeof DOCUMENT_SECTIONS)[number];

const count = (n: number) => n.toLocaleString('en');

// A field of the API. `null` means absent, so every optional field is nullish. Its default is applied after validation;
// the metadata states it for the OpenAPI document.

function integer(range: { min: number; max: number }) {
  const error = `an integer from ${count(range.min)} to ${count(range.max)}`;
  return z.int({ error }).min(range.min, { error }).max(range.max, { error });
}

/**
 * A visible character: no space, no control character, none that Unicode ignores by default (zero-width characters, fillers,
 * variation selectors). Written as ranges, because some readers of OpenAPI documents do not know \p.
 */
const VISIBLE = new RegExp(
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f' +
    '\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\u{e0000}-\u{e0fff}]',
  'u',
);

function text(what: string, maxChars = FILTER_MAX_CHARS, holds = /\S/) {
  const error = `${what} of 1 to ${count(maxChars)} characters`;
  return z
    .string({ error })
    .refine((value) => fits(value, maxChars) && holds.test(value), { error })
    .meta({ minLength: 1, maxLength: maxChars, pattern: holds.source });
}

function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

function list<T extends z.ZodType>(entry: T, what: string, max = FILTER_MAX_ENTRIES) {
  const error = `a list of 1 to ${count(max)} ${what}`;
  return z.array(entry, { error }).min(1, { error }).max(max, { error });
}

/** Characters are code points, counted after trimming. Counting stops at the limit. */
function fits(value: string, maxChars: number): boolean {
  const trimmed = value.trim();
  if (trimmed.length === 0 || trimmed.length > 2 * maxChars) return false;
  if (trimmed.length <= maxChars) return true;
  let points = 0;
  for (const _ of trimmed) points++;
  return points <= maxChars;
}

const day = () =>
  z
    .string({ error: 'a date as YYYY-MM-DD' })
    .nullish()
    .meta({ format: 'date', examples: ['2020-01-31'] });

const KIND_CODE = 'a kind code such as A1 or B2';
const kindCode = z
  .string({ error: KIND_CODE })
  .regex(/^\s*[A-Za-z][0-9]?\s*$/, { error: KIND_CODE })
  .meta({ examples: ['A1', 'B2'] });

/** For the OpenAPI document only: `parseClassificationPrefix` decides, and also takes full-width characters. */
const CLASSIFICATION_PATTERN =
  '^ *[A-HYa-hy] *([0-9] *[0-9] *([A-Za-z] *((0 *)*[1-9] *([0-9] *){0,3}(/ *([0-9] *){0,6})?)?)?)?$';
/** `parseClassificationPrefix` refuses an empty one as malformed, like any other text that is no prefix. */
const classification = (system: string) => {
  const error = `an ${system} prefix such as H01M or H01M 10/05`;
  return z
    .string({ error })
    .max(FILTER_MAX_CHARS, { error })
    .meta({ pattern: CLASSIFICATION_PATTERN, examples: ['H01M', 'H01M 10/05'] });
};

const searchFields = {
  query: text('text', QUERY_MAX_CHARS, VISIBLE).describe(
    'Natural-language query in sentence form; white space around it does not count',
  ),
  top_k: integer(TOP_K).nullish().describe('Number of results').meta({ default: TOP_K.default }),
  countries: list(oneOf(COUNTRIES), `of ${COUNTRIES.join(', ')}`, COUNTRIES.length * 20)
    .nullish()
    .describe('Jurisdictions to search; all five when absent'),
  doc_type: oneOf(DOC_TYPES)
    .nullish()
    .describe('Applications and grants (deduplicated), or one of them')
    .meta({ default: 'all' }),
  kind_codes: list(kindCode, 'kind codes')
    .nullish()
    .describe('Kind codes; take priority over doc_type and include_utility_model'),
  include_utility_model: z
    .boolean({ error: 'true or false' })
    .nullish()
    .describe('Include utility models. Numbers and family_id find every kind where no field states kinds')
    .meta({ default: false }),
  applicant: text('text')
    .nullish()
    .describe(
      'Applicant; case-insensitive, in any of the languages. Has a letter or digit, and is not a legal form alone',
    ),
  applicant_match: oneOf(APPLICANT_MATCHES)
    .nullish()
    .describe('How applicant is compared')
    .meta({ default: 'contains' }),
  inventor: text('text')
    .nullish()
    .describe('Prefix of an inventor’s name. Has a letter or digit, and is not a legal form alone'),
  ipc_codes: list(classification('IPC'), 'IPC prefixes')
    .nullish()
    .describe('IPC code prefixes; case, white space and full-width forms do not matter'),
  cpc_codes: list(classification('CPC'), 'CPC prefixes')
    .nullish()
    .describe('CPC code prefixes; case, white space and full-width forms do not matter'),
  publication_number: text('a publication number').nullish().describe('Exact publication number'),
  application_number: text('an application number').nullish().describe('Exact application number'),
  family_id: text('a family id').nullish().describe('Exact family id'),
};

/** Body of POST /api/v1/search/semantic. */
export const semanticSchema = z.strictObject(
  {
    ...searchFields,
    filing_date_from: day().describe('Filed on this day or later'),
    filing_date_to: day().describe('Filed on this day or earlier; not before filing_date_from'),
    publication_date_from: day().describe('Published on this day or later'),
    publication_date_to: day().describe('Published on this day or earlier; not before publication_date_from'),
    grant_date_from: day().describe('Granted on this day or later; grants only'),
    grant_date_to: day().describe('Granted on this day or earlier; grants only; not before grant_date_from'),
    priority_date_from: day().describe(
      'Priority date on this day or later: the earliest priority claimed, else the own filing date',
    ),
    priority_date_to: day().describe('Priority date on this day or earlier; not before priority_date_from'),
  },
  { error: 'a JSON object' },
);

/** The filters of a search, without a question. */
export const filterSchema = semanticSchema.omit({ query: true, top_k: true });

export const dateRangeSchema = z.strictObject(
  {
    from: day().describe('First day, inclusive'),
    to: day().describe('Last day, inclusive; not before `from`'),
  },
  { error: 'an object {from, to}' },
);

/** Body of POST /api/v1/search/semantic-analytics. top_k is accepted there, without effect. */
export const analyticsSchema = z.strictObject(
  {
    ...searchFields,
    min_score: z
      .number({ error: 'a number from 0 to 1' })
      .min(MIN_SCORE.min, { error: 'a number from 0 to 1' })
      .max(MIN_SCORE.max, { error: 'a number from 0 to 1' })
      .nullish()
      .describe('A document counts when its best score is at least this')
      .meta({ default: MIN_SCORE.default }),
    max_results: integer(MAX_RESULTS)
      .nullish()
      .describe('Most documents considered for statistics')
      .meta({ default: MAX_RESULTS.default }),
    date_range: dateRangeSchema.nullish().describe('Range of the date that date_type names'),
    date_type: oneOf(DATE_TYPES)
      .nullish()
      .describe(
        'The date of date_range and of by_year; priority: the earliest priority claimed, else the own filing date',
      )
      .meta({ default: 'filing' }),
    stats_group_by: list(oneOf(STATS_AXES), `of ${STATS_AXES.join(', ')}`, STATS_AXES.length * 20)
      .nullish()
      .describe('Axes of the statistics')
      .meta({ default: ['year', 'country'] }),
    page: integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
      .nullish()
      .describe('Page number, from 1')
      .meta({ default: 1 }),
    page_size: integer(PAGE_SIZE)
      .nullish()
      .describe('Results on a page')
      .meta({ default: PAGE_SIZE.default }),
  },
  { error: 'a JSON object' },
);

const SECTION = ` *(${DOCUMENT_SECTIONS.join('|')}) *`;
/** For the OpenAPI document only: `parseDetails` decides. */
const SECTIONS_PATTERN = `^${SECTION}(,${SECTION})*$`;

/** Body of POST /api/v1/patents/details. */
export const detailsSchema = z.strictObject(
  {
    patent_ids: list(text('a publication number'), 'publication numbers', DETAILS_MAX_IDS).describe(
      'Publication numbers in any spelling',
    ),
    sections: z
      .string({ error: `a comma-separated subset of ${DOCUMENT_SECTIONS.join(', ')}` })
      .nullish()
      .describe(`Comma-separated subset of ${DOCUMENT_SECTIONS.join(', ')}; all when absent`)
      .meta({ pattern: SECTIONS_PATTERN, examples: ['title,claims'] }),
  },
  { error: 'a JSON object' },
);

export type FilterFields = z.output<typeof filterSchema>;
export type SearchFields = Pick<z.output<typeof semanticSchema>, keyof typeof searchFields>;

/** Request bodies as clients write them. */
export type { AnalyticsRequest, DetailsRequest, PatentFilter, SemanticRequest } from './public-types.js';
