/**
 * The bodies of the search API's requests, one zod schema each. Validation, TypeScript types and the OpenAPI document come
 * from these schemas. No schema transforms a value: query.ts normalises. Messages of the schemas are expectations;
 * invalid.ts adds field and value.
 */
import { z } from 'zod';
import {
  DETAILS_MAX_IDS,
  LIKE_MAX,
  MAX_RESULTS,
  MIN_SCORE,
  PAGE_SIZE,
  QUERY_MAX_CHARS,
  TOP_K,
} from '../limits.js';
import { COUNTRIES } from '../patent/country.js';
import { day, flag, integer, list, oneOf, text, VISIBLE } from './fields.js';
import { APPLICANT_MATCHES, FILTER_SCHEMAS } from './filter-rows.js';

export const DOC_TYPES = ['all', 'application', 'grant'] as const;
export const DATE_TYPES = ['filing', 'publication', 'grant', 'priority'] as const;
export const COLLAPSES = ['none', 'application', 'family'] as const;
/** Whether results are reranked. */
export const RERANKINGS = ['auto', 'on', 'off'] as const;
export const BALANCES = ['none', 'country', 'language'] as const;
export const STATS_AXES = ['year', 'country', 'applicant', 'ipc'] as const;
/** The parts of a document's markdown body, in the order they are printed. */
export const DOCUMENT_SECTIONS = ['title', 'abstract', 'claims', 'description'] as const;

export type DocType = (typeof DOC_TYPES)[number];
export type DateType = (typeof DATE_TYPES)[number];
export type StatsAxis = (typeof STATS_AXES)[number];
export type DocumentSection = (typeof DOCUMENT_SECTIONS)[number];

const KIND_CODE = 'a kind code such as A1 or B2';
const kindCode = z
  .string({ error: KIND_CODE })
  .regex(/^\s*[A-Za-z][0-9]?\s*$/, { error: KIND_CODE })
  .meta({ examples: ['A1', 'B2'] });

/** A question. Required unless `like` is given: `parseSemantic` and `parseAnalytics` check that. */
export const querySchema = text('text', QUERY_MAX_CHARS, VISIBLE);
const WITH_QUERY = {
  anyOf: [
    { required: ['query'], properties: { query: { type: 'string' } } },
    { required: ['like'], properties: { like: { type: 'array' } } },
  ],
};

const searchFields = {
  query: querySchema
    .nullish()
    .describe(
      'Natural-language query in sentence form; white space around it does not count. Required unless like is given. ' +
        'A query that is only the number of a stored publication gives that publication first, then what is like it; ' +
        'one that is only an IPC or CPC code gives the documents of that class',
    ),
  top_k: integer(TOP_K).nullish().describe('Number of results').meta({ default: TOP_K.default }),
  doc_type: oneOf(DOC_TYPES)
    .nullish()
    .describe('Applications and grants (deduplicated), or one of them')
    .meta({ default: 'all' }),
  kind_codes: list(kindCode, 'kind codes')
    .nullish()
    .describe('Kind codes; take priority over doc_type and include_utility_model'),
  include_utility_model: flag(
    'Include utility models. Filters by number or family_id find every kind, unless kind_codes, doc_type or this field is given',
  ),
  applicant_match: oneOf(APPLICANT_MATCHES)
    .nullish()
    .describe('How applicant is compared')
    .meta({ default: 'contains' }),
  applicant_expand: flag(
    'Search for the applicant under its names in other languages, too, as far as the records state them. The answer ' +
      'lists them in applicant_names',
  ),
  ...FILTER_SCHEMAS,
  translate_terms: flag(
    'A document that holds a translation of an entry of must_terms or must_not_terms holds that entry, too, if the ' +
      'whole entry is a term of the table of translations',
  ),
  collapse: oneOf(COLLAPSES)
    .nullish()
    .describe(
      'Publications that are one result: those of an application, those of a family, or none. Each result then lists ' +
        'its members. When absent, an application and its grant are one for doc_type all',
    ),
  prefer_countries: list(oneOf(COUNTRIES), `of ${COUNTRIES.join(', ')}`, COUNTRIES.length * 20)
    .nullish()
    .describe(
      'With collapse family: the member of the first of these countries is shown instead of the best one. The order and the ' +
        'scores of families stay those of their best members',
    ),
  balance: oneOf(BALANCES)
    .nullish()
    .describe(
      'Results of each country, or of each language of the documents, by turns: the best of each, then the second of each',
    )
    .meta({ default: 'none' }),
  like: list(text('a publication number'), 'publication numbers', LIKE_MAX)
    .nullish()
    .describe(
      'More like these publications, by number in any spelling; with or without a query. They and other ' +
        'publications of their applications are not in the answer',
    ),
  unlike: list(text('a publication number'), 'publication numbers', LIKE_MAX)
    .nullish()
    .describe('Less like these publications, which are not in the answer either; with query or like'),
  as_of: text('a day as YYYY-MM-DD or a publication number')
    .nullish()
    .describe(
      'Prior art: only documents published before this day (YYYY-MM-DD), or before the priority date of this ' +
        'publication of the index, whose number may have any spelling. Without a priority its filing date counts',
    )
    .meta({ examples: ['2020-01-31', 'US11217824B2'] }),
};

/** Body of POST /api/v1/search/semantic. */
export const semanticSchema = z
  .strictObject(
    {
      ...searchFields,
      filing_date_from: day().describe('Filed on this day or later'),
      filing_date_to: day().describe('Filed on this day or earlier; not before filing_date_from'),
      publication_date_from: day().describe('Published on this day or later'),
      publication_date_to: day().describe(
        'Published on this day or earlier; not before publication_date_from',
      ),
      grant_date_from: day().describe('Granted on this day or later; grants only'),
      grant_date_to: day().describe(
        'Granted on this day or earlier; grants only; not before grant_date_from',
      ),
      priority_date_from: day().describe(
        'Priority date on this day or later: the earliest priority claimed, else the own filing date',
      ),
      priority_date_to: day().describe('Priority date on this day or earlier; not before priority_date_from'),
      rerank: oneOf(RERANKINGS)
        .nullish()
        .describe(
          'off orders results by similarity alone, as those of a classification code always are. on refuses an answer that is ' +
            'not reranked completely: without a reranker (422), or if its time ran out (503). The built-in reranker reads the ' +
            'query and the publications of like',
        )
        .meta({ default: 'auto' }),
      explain: flag(
        'Explain each result: the parts of its score, its ranks, and the words that it shares with the question. If ' +
          'nothing is found, the answer says in excluded_by how many documents each condition leaves out',
      ),
      highlight: flag('Give the places of words of the question in each passage'),
    },
    { error: 'a JSON object' },
  )
  .meta(WITH_QUERY);

/** The filters of a search, without a question. They allow every kind if none of the three fields on kinds is given. */
export const filterSchema = semanticSchema
  .omit({
    query: true,
    like: true,
    unlike: true,
    collapse: true,
    prefer_countries: true,
    balance: true,
    top_k: true,
    rerank: true,
    explain: true,
    highlight: true,
  })
  .extend({
    doc_type: oneOf(DOC_TYPES)
      .nullish()
      .describe(
        'Applications and grants (deduplicated), or one of them. Without it, kind_codes and include_utility_model, every kind',
      ),
    include_utility_model: z
      .boolean({ error: 'true or false' })
      .nullish()
      .describe(
        'Include utility models. If this field or doc_type is given, designs are left out, and utility models unless it is true',
      ),
  });

export const dateRangeSchema = z.strictObject(
  {
    from: day().describe('First day, inclusive'),
    to: day().describe('Last day, inclusive; not before `from`'),
  },
  { error: 'an object {from, to}' },
);

/** Body of POST /api/v1/search/semantic-analytics. top_k is accepted there, without effect. */
export const analyticsSchema = z
  .strictObject(
    {
      ...searchFields,
      top_k: integer(TOP_K)
        .nullish()
        .describe('Accepted and checked, without effect: see page_size')
        .meta({ default: TOP_K.default }),
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
        .describe(
          'What is counted, each by itself: documents by year, by country, by applicant, by IPC subclass',
        )
        .meta({ default: ['year', 'country'] }),
      page: integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
        .nullish()
        .describe('Page number, from 1')
        .meta({ default: 1 }),
      page_size: integer(PAGE_SIZE)
        .nullish()
        .describe('Results on a page')
        .meta({ default: PAGE_SIZE.default }),
      explain: flag(
        'Say in explanation how the documents were counted, and whether the count is exact. If the filters allow nothing, ' +
          'the answer says in excluded_by how many documents each condition leaves out',
      ),
    },
    { error: 'a JSON object' },
  )
  .meta(WITH_QUERY);

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
    bibliography: flag(
      'Add to each entry: names, CPC codes, priorities, citations, and the family members of the index',
    ),
  },
  { error: 'a JSON object' },
);

/** A name with one of the four extensions, in any case. */
const IMAGE_NAME = /[.]([wW][eE][bB][pP]|[jJ][pP][eE]?[gG]|[pP][nN][gG])$/;
const DRAWING_NAME = 'a name that ends in .webp, .jpg, .jpeg or .png';

/** Parameters of GET /api/v1/drawings/{publication_id}/{filename}. */
export const drawingSchema = z.strictObject(
  {
    publication_id: z
      .string({ error: 'a publication number' })
      .min(1, { error: 'a publication number' })
      .describe('patent_id of an answer'),
    filename: z
      .string({ error: DRAWING_NAME })
      .regex(IMAGE_NAME, { error: DRAWING_NAME })
      .describe(
        'representative_figure of an answer; the images in the markdown of a document are whole links',
      ),
  },
  { error: 'a JSON object' },
);

export type FilterFields = z.output<typeof filterSchema>;
export type SearchFields = Pick<z.output<typeof semanticSchema>, keyof typeof searchFields>;

/** Request bodies as clients write them. */
export type { AnalyticsRequest, DetailsRequest, PatentFilter, SemanticRequest } from './public-types.js';
