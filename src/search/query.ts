/**
 * Parses requests of the search API. `parse*` checks a decoded JSON body against its schema and returns it normalised, in
 * the engine's form: camelCase, null as absent, and one form for the filters of both searches.
 *
 * Errors: `invalid_request` (422) for a missing, unknown or wrong field; `bad_date`, `bad_classification` and
 * `bad_applicant_match` (400) for malformed text.
 */
import type { z } from 'zod';
import { MAX_RESULTS, MIN_SCORE, PAGE_SIZE, TOP_K } from '../limits.js';
import type { Country } from '../patent/country.js';
import { parseIsoDate } from '../patent/date.js';
import { withoutInvisible } from '../patent/invisible.js';
import { parseAsOf } from './as-of.js';
import { type FilterValues, filterValues, namesDocuments } from './filter-rows.js';
import { type FieldAdvice, invalidField, invalidRequest } from './invalid.js';
import {
  analyticsSchema,
  DATE_TYPES,
  type DateType,
  DOCUMENT_SECTIONS,
  type DocType,
  type DocumentSection,
  dateRangeSchema,
  detailsSchema,
  type FilterFields,
  filterSchema,
  querySchema,
  type RERANKINGS,
  type SearchFields,
  STATS_AXES,
  type StatsAxis,
  semanticSchema,
} from './schema.js';

/** ISO days, inclusive; at least one end is given. */
export interface DateRange {
  from?: string;
  to?: string;
}

export interface Filters {
  /** Without effect if kindCodes is given. */
  docType: DocType;
  /** Upper case, without duplicates. Wins over docType and includeUtilityModel. */
  kindCodes?: string[];
  includeUtilityModel: boolean;
  /** Utility models, designs and unknown kinds as well: set for a filter by number or family that states no kind. */
  everyKind?: boolean;
  /** The request states kinds, if only the default ones: then they hold for the publication that a question names, too. */
  statesKinds?: true;
  dates: Partial<Record<DateType, DateRange>>;
  /** An ISO day, or the number of a publication as typed; see as-of.ts. */
  asOf?: string;
  /** Search for other names of the applicant, too; see applicants.ts. */
  applicantExpand?: boolean;
  /** The filters of filter-rows.ts. */
  values: FilterValues;
  /** Translations of must_terms and must_not_terms count as the terms. */
  translateTerms?: true;
}

/** Results of each of these by turns. */
export type Balance = 'country' | 'language';
/** Whether results are reranked; see `rerank` in schema.ts. */
export type Reranking = (typeof RERANKINGS)[number];

/** The field `collapse` of a request, with `prefer_countries`. */
export interface Collapse {
  by: 'none' | 'application' | 'family';
  /** Of a family, the member of the first of these countries is shown instead of the best one. */
  prefer?: Country[];
}

/** What documents are compared with. */
export interface Subjects {
  /** Empty if `like` stands alone. */
  query: string;
  /** Numbers of publications as typed: examples of what is wanted, and of what is not. */
  like?: string[];
  unlike?: string[];
}

export interface SemanticQuery extends Subjects {
  collapse?: Collapse;
  balance?: Balance;
  topK: number;
  filters: Filters;
  /** Say of each result why it is there, and where its passages hold words of the question. */
  explain?: boolean;
  highlight?: boolean;
  /** Scan every allowed vector instead of using an approximate plan. Of the library and the command line only. */
  exact?: boolean;
  /** Absent: auto. */
  rerank?: Reranking;
}

export interface AnalyticsQuery extends Subjects {
  collapse?: Collapse;
  /** The order of pages only. */
  balance?: Balance;
  minScore: number;
  /** The request states minScore. If it does not, a classification code counts its whole class. */
  statesMinScore?: true;
  maxResults: number;
  groupBy: StatsAxis[];
  dateType: DateType;
  /** From 1. */
  page: number;
  pageSize: number;
  filters: Filters;
  /** Say how the documents were counted. All pages belong to one ranking, with it or without. */
  explain?: true;
  /** Scan every allowed vector instead of using an approximate plan. Of the library and the command line only. */
  exact?: boolean;
}

export interface DetailsQuery {
  /** As typed, trimmed, in request order, duplicates included. */
  patentIds: string[];
  /** In printing order; absent: the whole document. */
  sections?: DocumentSection[];
  /** Whether each entry gets the bibliographic data beyond its metadata. */
  bibliography?: true;
  /** Beginning of links to drawings, before `/api/v1/drawings`; absent: none. Set by the server. */
  linkBase?: string;
}

const DATE_FIELDS = DATE_TYPES.flatMap((type) => [`${type}_date_from`, `${type}_date_to`]);

/** The fields of each endpoint, by the endpoint's name in messages. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  semantic: Object.keys(semanticSchema.shape),
  'semantic-analytics': Object.keys(analyticsSchema.shape),
  details: Object.keys(detailsSchema.shape),
};

/** The endpoint that has a field; undefined for an unknown field. */
function belongs(name: string): string | undefined {
  const owners = Object.keys(FIELDS).filter((endpoint) => FIELDS[endpoint]?.includes(name));
  return owners.length === 0 ? undefined : `it belongs to ${owners.join(' and ')}`;
}

const SEMANTIC_ADVICE: FieldAdvice = {
  known: { '': FIELDS['semantic']! },
  elsewhere: (name) =>
    name === 'date_range' || name === 'date_type'
      ? `it belongs to semantic-analytics; give ${DATE_FIELDS.join(', ')} here`
      : belongs(name),
};
const ANALYTICS_ADVICE: FieldAdvice = {
  known: { '': FIELDS['semantic-analytics']!, date_range: Object.keys(dateRangeSchema.shape) },
  elsewhere: (name) =>
    DATE_FIELDS.includes(name)
      ? `it belongs to semantic; give the days as date_range {from, to} here, and date_type "${name.split('_')[0]}"`
      : belongs(name),
};
const DETAILS_ADVICE: FieldAdvice = {
  known: { '': FIELDS['details']! },
  elsewhere: belongs,
};

/** Without `like`, a request has a query. */
const askedSemantic = semanticSchema.extend({ query: querySchema });
const askedAnalytics = analyticsSchema.extend({ query: querySchema });

function hasLike(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'like' in input && isGiven(input.like);
}

function balanceOf({ balance }: Partial<SearchFields>): { balance?: Balance } {
  return balance && balance !== 'none' ? { balance } : {};
}

function collapseOf({ collapse, prefer_countries: prefer }: Partial<SearchFields>): { collapse?: Collapse } {
  if (prefer && collapse !== 'family') {
    throw invalidField('prefer_countries', prefer, 'collapse "family" with it');
  }
  if (!collapse) return {};
  return { collapse: { by: collapse, ...(prefer ? { prefer: [...new Set(prefer)] } : {}) } };
}

function subjectsOf({ query, like, unlike }: Partial<SearchFields>): Subjects {
  return {
    // Composed, as the index has its words: macOS and some PDF files give Hangul in parts.
    query: withoutInvisible(query ?? '')
      .normalize('NFC')
      .trim(),
    ...(like ? { like: like.map((number) => number.trim()) } : {}),
    ...(unlike ? { unlike: unlike.map((number) => number.trim()) } : {}),
  };
}

/** Checks and normalises a decoded body of POST /api/v1/search/semantic. */
export function parseSemantic(input: unknown): SemanticQuery {
  const body = check(hasLike(input) ? semanticSchema : askedSemantic, input, SEMANTIC_ADVICE);
  return {
    ...subjectsOf(body),
    ...collapseOf(body),
    ...balanceOf(body),
    topK: body.top_k ?? TOP_K.default,
    ...(body.explain ? { explain: true } : {}),
    ...(body.highlight ? { highlight: true } : {}),
    ...(body.rerank ? { rerank: body.rerank } : {}),
    filters: filters(body, datesOf(body)),
  };
}

function datesOf(body: FilterFields): Filters['dates'] {
  const dates: Filters['dates'] = {};
  for (const type of DATE_TYPES) {
    const range = dateRange(body, `${type}_date_from`, `${type}_date_to`);
    if (range) dates[type] = range;
  }
  return dates;
}

const FILTER_ADVICE: FieldAdvice = { known: { '': Object.keys(filterSchema.shape) }, elsewhere: belongs };

/**
 * Checks and normalises a filter without a question. Every kind is allowed unless the filter states kinds: what a
 * search leaves out by default is a part of the index, too.
 */
export function parseFilter(input: unknown): Filters {
  const body = check(filterSchema, input, FILTER_ADVICE);
  const found = filters(body, datesOf(body));
  return found.statesKinds ? found : { ...found, everyKind: true };
}

/** Checks and normalises a decoded body of POST /api/v1/search/semantic-analytics. */
export function parseAnalytics(input: unknown): AnalyticsQuery {
  const body = check(hasLike(input) ? analyticsSchema : askedAnalytics, input, ANALYTICS_ADVICE);
  const dateType = body.date_type ?? 'filing';
  const dates: Filters['dates'] = {};
  if (body.date_range) {
    const range = dateRange(body.date_range, 'from', 'to', 'date_range.');
    if (range) dates[dateType] = range;
  }
  return {
    ...subjectsOf(body),
    ...collapseOf(body),
    ...balanceOf(body),
    minScore: body.min_score ?? MIN_SCORE.default,
    ...(isGiven(body.min_score) ? { statesMinScore: true as const } : {}),
    maxResults: body.max_results ?? MAX_RESULTS.default,
    groupBy: inOrder(STATS_AXES, body.stats_group_by ?? ['year', 'country']),
    dateType,
    page: body.page ?? 1,
    pageSize: body.page_size ?? PAGE_SIZE.default,
    ...(body.explain ? { explain: true as const } : {}),
    filters: filters(body, dates),
  };
}

/** Checks and normalises a decoded body of POST /api/v1/patents/details. */
export function parseDetails(input: unknown): DetailsQuery {
  const body = check(detailsSchema, input, DETAILS_ADVICE);
  const asked: DetailsQuery = {
    patentIds: body.patent_ids.map((id) => id.trim()),
    ...(body.bibliography === true ? { bibliography: true } : {}),
  };
  if (body.sections === null || body.sections === undefined) return asked;
  const names = body.sections.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!(DOCUMENT_SECTIONS as readonly string[]).includes(name)) {
      throw invalidField(
        'sections',
        body.sections,
        `a comma-separated subset of ${DOCUMENT_SECTIONS.join(', ')}`,
      );
    }
  }
  return { ...asked, sections: inOrder(DOCUMENT_SECTIONS, names) };
}

function check<T extends z.ZodType>(schema: T, input: unknown, advice: FieldAdvice): z.output<T> {
  const result = schema.safeParse(input);
  if (!result.success) throw invalidRequest(input, result.error.issues, advice);
  return result.data;
}

function filters(body: FilterFields, dates: Filters['dates']): Filters {
  const values = filterValues(body, body.applicant_match ?? 'contains');
  const out: Filters = {
    docType: body.doc_type ?? 'all',
    includeUtilityModel: body.include_utility_model ?? false,
    dates,
    values,
  };
  if (body.kind_codes) {
    out.kindCodes = [...new Set(body.kind_codes.map((code) => code.trim().toUpperCase()))];
  }
  if (body.applicant_expand) out.applicantExpand = true;
  if (body.translate_terms) out.translateTerms = true;
  if (isGiven(body.as_of)) out.asOf = parseAsOf(body.as_of!);
  if (isGiven(body.kind_codes ?? body.doc_type ?? body.include_utility_model)) out.statesKinds = true;
  else if (namesDocuments(values)) out.everyKind = true;
  return out;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function dateRange<F extends string, T extends string>(
  body: { readonly [name in F | T]?: string | null | undefined },
  fromName: F,
  toName: T,
  prefix = '',
): DateRange | undefined {
  const range: DateRange = {};
  const from = body[fromName] ?? undefined;
  const to = body[toName] ?? undefined;
  if (from !== undefined) range.from = parseIsoDate(from, prefix + fromName);
  if (to !== undefined) range.to = parseIsoDate(to, prefix + toName);
  if (range.from === undefined && range.to === undefined) return undefined;
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    throw invalidField(prefix + fromName, range.from, `a day not after ${prefix}${toName}, ${range.to}`);
  }
  return range;
}

/** The given values without duplicates, in the order of the vocabulary. */
function inOrder<const T extends string>(vocabulary: readonly T[], given: readonly string[]): T[] {
  return vocabulary.filter((value) => given.includes(value));
}
