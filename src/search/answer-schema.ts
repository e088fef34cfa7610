/**
 * The bodies of the search API's answers, one zod schema each: TypeScript types (types.ts) and the OpenAPI document
 * come from here, and tests hold real answers against them.
 */
import { z } from 'zod';
import { CHUNKS_PER_RESULT, TOP_K, TOP_LIST } from '../limits.js';
import { COUNTRIES } from '../patent/country.js';

const day = () => z.string().meta({ format: 'date', examples: ['2020-01-31'] });
/** A date of a record. */
const dayOf = () => z.exactOptional(day()).describe('Absent where the source has none');
const count = () => z.int().min(0);
const similarity = () =>
  z
    .number()
    .min(0)
    .max(1)
    .describe('How near the text is to the query, calibrated: 0 to 1, higher is nearer');
const patentId = () =>
  z
    .string()
    .describe('Publication number: country, number in KIPRIS format, kind code')
    .meta({ examples: ['KR1020200104349A'] });
/** What is told of every publication. */
const bibliography = () => ({
  title: z.string().describe('Empty where the source has none'),
  applicant: z.string().describe('Names joined with "; "; empty where the source has none'),
  filing_date: dayOf(),
  publication_date: dayOf(),
  ipc_codes: z.array(z.string()).describe('Full IPC codes'),
  kind_code: z.string(),
  country: z.enum(COUNTRIES),
});
const figure = () =>
  z
    .exactOptional(z.string())
    .describe('File name of the drawing that stands for the patent; absent where none is there');

export const chunkSchema = z.strictObject({
  text: z.string(),
  chunk_type: z.enum(['abstract', 'claim', 'description']),
  section_name: z.string().describe("The document's own heading, or Abstract, Claims, Description"),
  paragraph_numbers: z.array(z.int()),
  claim_numbers: z.array(z.int()),
  similarity_score: similarity(),
  rerank_score: z.number(),
});

export const searchResultSchema = z.strictObject({
  patent_id: patentId(),
  ...bibliography(),
  similarity_score: similarity(),
  rerank_score: z.number().describe('Orders the results; its value means nothing by itself'),
  representative_figure: figure(),
  chunks: z.array(chunkSchema).max(CHUNKS_PER_RESULT).describe('Matched passages, sorted by rerank_score'),
});

export const searchResponseSchema = z.strictObject({
  total: count().max(TOP_K.max).describe('Length of results'),
  results: z.array(searchResultSchema).max(TOP_K.max),
});

export const analyticsResultSchema = z.strictObject({
  patent_id: patentId(),
  ...bibliography(),
  similarity_score: similarity(),
  chunk_text: z.string().describe('The best matching passage'),
});

export const analyticsStatsSchema = z.strictObject({
  by_year: z
    .exactOptional(z.record(z.string(), count()))
    .describe('Documents by year of the date of date_type; absent where stats_group_by lacks year'),
  by_country: z
    .exactOptional(z.record(z.string(), count()))
    .describe('Absent where stats_group_by lacks country'),
  top_applicants: z
    .exactOptional(z.array(z.strictObject({ name: z.string(), count: count() })).max(TOP_LIST))
    .describe('Absent where stats_group_by lacks applicant'),
  top_ipc: z
    .exactOptional(z.array(z.strictObject({ code: z.string(), count: count() })).max(TOP_LIST))
    .describe('By 4-character subclass; absent where stats_group_by lacks ipc'),
});

export const analyticsResponseSchema = z.strictObject({
  query: z.string(),
  total_matched: count().describe('Documents at or above min_score, deduplicated, up to max_results'),
  min_score_used: z.number(),
  page: z.int().min(1),
  page_size: z.int().min(1),
  total_pages: count(),
  stats: analyticsStatsSchema,
  results: z.array(analyticsResultSchema),
});

export const detailsEntrySchema = z.strictObject({
  patent_id: z.string().describe('As in answers; as it was asked for where nothing was found'),
  metadata: z.exactOptional(z.strictObject(bibliography())).describe('Absent beside an error'),
  content: z
    .exactOptional(z.string())
    .describe(
      'Markdown of the document, or of the sections asked for; its images are links to the drawings endpoint; absent beside an error',
    ),
  representative_figure: figure(),
  error: z.exactOptional(z.enum(['not_found', 'ambiguous'])).describe('Absent where the document is there'),
  candidates: z
    .exactOptional(z.array(z.string()))
    .describe('patent_ids that a number fits; absent unless it is ambiguous'),
});

export const detailsResponseSchema = z.strictObject({
  patents: z.array(detailsEntrySchema).describe('One entry for each requested id, in request order'),
});

const days = () =>
  z.exactOptional(z.strictObject({ min: day(), max: day() })).describe('Absent where no record has the date');

export const coverageCountrySchema = z.strictObject({
  total: count(),
  by_kind: z.record(z.string(), count()),
  filing_date: days(),
  publication_date: days(),
  languages: z.array(z.string()),
});

export const coverageSchema = z.strictObject({
  total: count().describe('Publications'),
  by_country: z.partialRecord(z.enum(COUNTRIES), coverageCountrySchema),
  chunks: count().describe('Passages'),
  index: z.strictObject({
    model: z.string(),
    dimensions: z.int(),
    generation: z.int(),
    updated_at: z.iso.datetime(),
  }),
  generated_at: z.iso.datetime(),
});
