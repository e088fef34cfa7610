/**
 * The tools: one definition for every transport and revision of the protocol. Arguments and results have the fields of the
 * HTTP interface, from its schemas. `max_tokens`, `view`, `offset` and `as` exist only here.
 */
import { z } from 'zod';
import { MCP_IMAGE_MAX_BYTES, MCP_SEARCH_RESULTS, MCP_TOKENS } from '../limits.js';
import {
  analyticsResponseSchema,
  analyticsResultSchema,
  chunkSchema,
  coverageSchema,
  detailsEntrySchema,
  searchResponseSchema,
  searchResultSchema,
} from '../search/answer-schema.js';
import { integer, oneOf, text } from '../search/fields.js';
import { invalidField, invalidRequest } from '../search/invalid.js';
import {
  analyticsSchema,
  detailsSchema,
  drawingSchema,
  querySchema,
  semanticSchema,
} from '../search/schema.js';
import type { AnalyticsResult, DetailsEntry, SearchResult } from '../search/types.js';
import type { CallOptions, PatentApi } from './api.js';
import { clipped, fairShare, fitting, jsonTokens, lengthWithin, tokensOf } from './budget.js';
import { NOTICE } from './notice.js';

type Arguments = Record<string, unknown>;
type Row = Record<string, unknown>;

/** A block of a result besides its text. */
export type Block =
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string };

export interface ToolAnswer {
  /** The result as JSON. Its text is the same. */
  structured: Row;
  blocks?: Block[];
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** Rejects with PriorartError. */
  run(given: Arguments, api: PatentApi, options: CallOptions): Promise<ToolAnswer>;
}

const maxTokens = integer(MCP_TOKENS)
  .nullish()
  .describe('Most tokens of the answer, estimated. What does not fit is left out; left_out says what')
  .meta({ default: MCP_TOKENS.default });
const view = oneOf(['lean', 'full'])
  .nullish()
  .describe(
    'lean: the fields that matter and the best passage of each patent. full: every field and passage. Default: lean, ' +
      'with explain full',
  );

const count = () => z.exactOptional(z.int().min(0));
const leftOutSchema = z
  .strictObject({
    results: count().describe('Results that do not fit'),
    characters: count().describe('Characters of the texts shown that do not fit'),
    hint: z.string().describe('How to get them'),
  })
  .describe('What the answer left out to keep max_tokens; absent if nothing');
const framed = {
  left_out: z.exactOptional(leftOutSchema),
  notice: z.string().describe('How to treat the texts of the answer'),
};

/** Own arguments of a tool, checked, and the request that the service checks. */
function taken<Own extends z.ZodObject>(
  own: Own,
  given: Arguments,
): { own: z.output<Own>; request: Arguments } {
  const names = Object.keys(own.shape);
  const entries = Object.entries(given);
  const mine = Object.fromEntries(entries.filter(([name]) => names.includes(name)));
  const result = own.safeParse(mine);
  if (!result.success) {
    throw invalidRequest(mine, result.error.issues, { known: { '': names }, elsewhere: () => undefined });
  }
  return {
    own: result.data,
    request: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
  };
}

/** Tokens that an answer needs besides its rows: names, braces, notice and hint. */
const FRAME_TOKENS = 150;
/** A passage is not shown with fewer tokens than this, unless it is shorter; more are of little use in a lean row. */
const PASSAGE_TOKENS = { min: 30, max: 400 } as const;

interface LeanRow {
  row: Row;
  text: string;
}

/** Rows with as much of their texts as the budget allows. */
function leanRows(
  given: readonly LeanRow[],
  budget: number,
): { rows: LeanRow[]; results: number; characters: number } {
  const bases = given.map(({ row }) => jsonTokens(row) + 10);
  const texts = given.map(({ text: passage }) => Math.min(tokensOf(passage), PASSAGE_TOKENS.max));
  const least = bases.map((base, n) => base + Math.min(texts[n]!, PASSAGE_TOKENS.min));
  const shown = fitting(least, budget);
  const left = budget - bases.slice(0, shown).reduce((sum, base) => sum + base, 0);
  const share = fairShare(texts.slice(0, shown), left);
  let characters = 0;
  const rows = given.slice(0, shown).map(({ row, text: passage }) => {
    const part = clipped(passage, Math.min(share, PASSAGE_TOKENS.max));
    if (part !== passage) characters += passage.length - (part.length - 1);
    return { row, text: part };
  });
  return { rows, results: given.length - shown, characters };
}

function leftOut(results: number, characters: number, hint: string): { left_out?: Row } {
  if (results === 0 && characters === 0) return {};
  return {
    left_out: { ...(results > 0 ? { results } : {}), ...(characters > 0 ? { characters } : {}), hint },
  };
}

/** The fields of an object that have a value. */
function picked<T extends object>(object: T, names: readonly (keyof T & string)[]): Row {
  return Object.fromEntries(
    names
      .filter((name) => object[name] !== undefined && object[name] !== '')
      .map((name) => [name, object[name]]),
  );
}

const searchRow = searchResultSchema
  .partial()
  .required({ patent_id: true, similarity_score: true })
  .extend({
    chunks: z
      .exactOptional(z.array(chunkSchema.partial().required({ text: true })))
      .describe('Matched passages, best first; view lean shows the best one'),
  });

const SEARCH_OWN = z.object({ view, max_tokens: maxTokens });

/** What a model needs of a hit to choose. Country and kind code are in patent_id. */
const LEAN_FIELDS = [
  'patent_id',
  'title',
  'applicant',
  'filing_date',
  'publication_date',
  'similarity_score',
  'representative_figure',
  'members',
  'explanation',
] as const;
const LEAN_CHUNK = ['section_name', 'claim_numbers', 'paragraph_numbers', 'highlights'] as const;

/** Fields of the best passage, beside its text. */
function chunkFields(hit: SearchResult): Row {
  const [best] = hit.chunks;
  if (best === undefined) return {};
  const fields = picked(best, LEAN_CHUNK);
  for (const name of ['claim_numbers', 'paragraph_numbers'] as const)
    if (best[name].length === 0) delete fields[name];
  return fields;
}

function leanHit(hit: SearchResult): LeanRow {
  const row = { ...picked(hit, LEAN_FIELDS), chunks: hit.chunks.length > 0 ? [chunkFields(hit)] : [] };
  return { row, text: hit.chunks[0]?.text ?? '' };
}

/** A lean row with its passage, and with the places in it that its text still holds. */
function withPassage(hit: SearchResult, { row, text: shown }: LeanRow): Row {
  const [best] = hit.chunks;
  if (best === undefined) return row;
  const end = shown === best.text ? shown.length : shown.length - 1;
  const isShown = ({ to }: { to: number }) => to <= end;
  const chunk: Row = { text: shown, ...chunkFields(hit) };
  if (best.highlights) chunk['highlights'] = best.highlights.filter(isShown);
  if (!hit.explanation) return { ...row, chunks: [chunk] };
  const matches = hit.explanation.matches.filter((match) => match.chunk === 0 && isShown(match));
  return { ...row, chunks: [chunk], explanation: { ...hit.explanation, matches } };
}

const searchPatents: Tool = {
  name: 'search_patents',
  title: 'Search patents',
  description:
    'Finds patents and applications of US, KR, JP, CN and EP by meaning, best first, in one call for all offices and ' +
    'languages. Give query (a sentence in English, Korean, Japanese or Chinese), or like (publication numbers), or both. ' +
    'Narrow with the filters. For prior art give as_of. For one result per invention give collapse "family". Read whole ' +
    'documents with get_patents. Each call counts as one search of the monthly quota.',
  input: semanticSchema.extend(SEARCH_OWN.shape),
  output: searchResponseSchema.extend({ results: z.array(searchRow), ...framed }),
  async run(given, api, options) {
    const { own, request } = taken(SEARCH_OWN, given);
    const { results, ...head } = await api.search(request, options);
    const budget = (own.max_tokens ?? MCP_TOKENS.default) - FRAME_TOKENS - jsonTokens(head);
    const hint = 'Give a larger max_tokens or a smaller top_k, or read documents with get_patents';
    if ((own.view ?? (request['explain'] === true ? 'full' : 'lean')) === 'full') {
      const shown = results.slice(0, fitting(results.map(jsonTokens), budget));
      const cut = leftOut(results.length - shown.length, 0, hint);
      return { structured: { ...head, results: shown, ...cut, notice: NOTICE } };
    }
    const { rows, results: without, characters } = leanRows(results.map(leanHit), budget);
    const shown = rows.map((row, n) => withPassage(results[n]!, row));
    return { structured: { ...head, results: shown, ...leftOut(without, characters, hint), notice: NOTICE } };
  },
};

const ANALYTICS_FIELDS = [
  'patent_id',
  'title',
  'applicant',
  'filing_date',
  'publication_date',
  'similarity_score',
  'members',
] as const;

function leanDocument(result: AnalyticsResult): LeanRow {
  return { row: picked(result, ANALYTICS_FIELDS), text: result.chunk_text };
}

const analyzePatents: Tool = {
  name: 'analyze_patents',
  title: 'Count patents about a subject',
  description:
    'Counts the patents about a subject by year, country, applicant and IPC subclass (stats_group_by), and lists a page of ' +
    'them. For landscapes and trends; use search_patents to find the best matches. Each call counts as one search of the ' +
    'monthly quota.',
  // top_k has no effect on statistics.
  input: analyticsSchema.omit({ top_k: true }).extend(SEARCH_OWN.shape),
  output: analyticsResponseSchema.extend({
    results: z.array(analyticsResultSchema.partial().required({ patent_id: true, similarity_score: true })),
    ...framed,
  }),
  async run(given, api, options) {
    const { own, request } = taken(SEARCH_OWN, given);
    const { results, ...counts } = await api.analyze(request, options);
    const budget = (own.max_tokens ?? MCP_TOKENS.default) - FRAME_TOKENS - jsonTokens(counts);
    const hint = 'Give a larger max_tokens or a smaller page_size';
    if (own.view === 'full') {
      const shown = results.slice(0, fitting(results.map(jsonTokens), budget));
      const cut = leftOut(results.length - shown.length, 0, hint);
      return { structured: { ...counts, results: shown, ...cut, notice: NOTICE } };
    }
    const { rows, results: without, characters } = leanRows(results.map(leanDocument), budget);
    const shown = rows.map(({ row, text: passage }) => ({ ...row, chunk_text: passage }));
    return {
      structured: { ...counts, results: shown, ...leftOut(without, characters, hint), notice: NOTICE },
    };
  },
};

const offset = z
  .int({ error: 'an integer from 0' })
  .min(0, { error: 'an integer from 0' })
  .nullish()
  .describe(
    'Where to begin in content, in characters: next_offset of the answer before. Only with one number',
  )
  .meta({ default: 0 });
const DETAILS_OWN = z.object({ offset, max_tokens: maxTokens });

const shownEntry = detailsEntrySchema.extend({
  next_offset: count().describe(
    'Where content goes on: give it as offset; absent at the end of the document',
  ),
});

/** Tokens of a document without its content. */
function headTokens({ content: _, ...head }: DetailsEntry): number {
  return jsonTokens(head) + 20;
}

/** Documents with as much of their contents as the budget allows. Small documents leave room to large ones. */
function shownEntries(entries: readonly DetailsEntry[], from: number, budget: number): Row {
  const heads = entries.map(headTokens);
  const shown = entries.slice(0, fitting(heads, budget));
  const left = budget - heads.slice(0, shown.length).reduce((sum, head) => sum + head, 0);
  const contents = shown.map(({ content }) => content?.slice(from));
  const share = fairShare(
    contents.map((content) => (content === undefined ? 0 : tokensOf(content))),
    left,
  );
  let characters = 0;
  const patents = shown.map((entry, n): Row => {
    const content = contents[n];
    if (content === undefined) return { ...entry };
    const length = lengthWithin(content, share);
    if (length === content.length) return { ...entry, content };
    characters += content.length - length;
    return { ...entry, content: content.slice(0, length), next_offset: from + length };
  });
  const hint =
    'Ask for one number with offset next_offset, for fewer numbers, for fewer sections, or give a larger max_tokens';
  return { patents, ...leftOut(entries.length - shown.length, characters, hint), notice: NOTICE };
}

const getPatents: Tool = {
  name: 'get_patents',
  title: 'Read patents',
  description:
    'Reads whole documents by publication number in any spelling, as Markdown with bibliographic data. sections "claims" ' +
    'gives the claims only. A document that does not fit into max_tokens goes on at next_offset. Costs no search of the ' +
    'quota.',
  input: detailsSchema.extend(DETAILS_OWN.shape),
  output: z.strictObject({
    patents: z.array(shownEntry).describe('One entry for each number, in the order of the request'),
    ...framed,
  }),
  async run(given, api, options) {
    const { own, request } = taken(DETAILS_OWN, given);
    const numbers = request['patent_ids'];
    if (own.offset && Array.isArray(numbers) && numbers.length > 1) {
      throw invalidField('offset', own.offset, 'it with one number in patent_ids');
    }
    const { patents } = await api.details(request, options);
    const budget = (own.max_tokens ?? MCP_TOKENS.default) - FRAME_TOKENS;
    return { structured: shownEntries(patents, own.offset ?? 0, budget) };
  },
};

const DRAWING_OWN = z.object({
  as: oneOf(['image', 'link'])
    .nullish()
    .describe('image: the image itself, to look into it. link: only its address')
    .meta({ default: 'image' }),
});
const IMAGE_TYPE = 'image/webp';

/** The address of a drawing as a resource of this interface. */
export function drawingUri(publication: string, file: string): string {
  return `drawing://${encodeURIComponent(publication)}/${encodeURIComponent(file)}`;
}

const getDrawing: Tool = {
  name: 'get_drawing',
  title: 'See a drawing',
  description:
    'Shows a drawing of a patent. Take publication_id (a patent_id) and filename (representative_figure, or the last part ' +
    'of an image link in content) from answers of the other tools.',
  input: drawingSchema.extend(DRAWING_OWN.shape),
  output: z.strictObject({
    publication_id: drawingSchema.shape.publication_id,
    filename: drawingSchema.shape.filename,
    mime_type: z.string().describe('Type of the image'),
    bytes: count().describe('Size of the image; absent if only its link is given'),
    link: z
      .exactOptional(z.string())
      .describe('Address of the image for people; absent if no server serves it'),
    left_out: z.exactOptional(leftOutSchema),
    notice: framed.notice,
  }),
  async run(given, api, options) {
    const { own, request } = taken(DRAWING_OWN, given);
    const result = drawingSchema.safeParse(request);
    if (!result.success) {
      const known = { '': Object.keys(drawingSchema.shape) };
      throw invalidRequest(request, result.error.issues, { known, elsewhere: () => undefined });
    }
    const { publication_id, filename } = result.data;
    const drawing = await api.drawing(publication_id, filename, options);
    const uri = drawing.link ?? drawingUri(publication_id, filename);
    const about = {
      ...{ publication_id, filename, mime_type: IMAGE_TYPE },
      ...(drawing.link === undefined ? {} : { link: drawing.link }),
    };
    const link: Block = { type: 'resource_link', uri, name: filename, mimeType: IMAGE_TYPE };
    if (own.as === 'link') return { structured: { ...about, notice: NOTICE }, blocks: [link] };
    const image = await drawing.image();
    const structured = { ...about, bytes: image.length, notice: NOTICE };
    if (image.length > MCP_IMAGE_MAX_BYTES) {
      const hint = `The image has more than ${MCP_IMAGE_MAX_BYTES} bytes: open its link`;
      return { structured: { ...structured, left_out: { hint } }, blocks: [link] };
    }
    const data = Buffer.from(image).toString('base64');
    return { structured, blocks: [{ type: 'image', data, mimeType: IMAGE_TYPE }, link] };
  },
};

const getCoverage: Tool = {
  name: 'get_coverage',
  title: 'What the index holds',
  description:
    'Says what can be found: publications by country and kind, first and last dates, languages. Ask it before you conclude ' +
    'that something does not exist.',
  input: z.strictObject({}),
  output: coverageSchema,
  async run(given, api, options) {
    const [name] = Object.keys(given);
    if (name !== undefined) throw invalidField(name, given[name], 'no arguments');
    return { structured: { ...(await api.coverage(options)) } };
  },
};

/** The address of a patent as a resource of this interface. */
export function patentUri(patentId: string): string {
  return `patent://${encodeURIComponent(patentId)}`;
}

const search: Tool = {
  name: 'search',
  title: 'Search (short form)',
  description:
    'Short form of search_patents for clients that look for tools named search and fetch: the ten best patents for a query.',
  input: z.strictObject({ query: querySchema.describe('Natural-language query in sentence form') }),
  output: z.strictObject({
    results: z.array(
      z.strictObject({
        id: z.string().describe('patent_id, for fetch'),
        title: z.string().describe('Title and applicant'),
        url: z.string().describe('Resource of the patent'),
      }),
    ),
  }),
  async run(given, api, options) {
    const { results } = await api.search({ top_k: MCP_SEARCH_RESULTS, ...given }, options);
    return {
      structured: {
        results: results.map(({ patent_id, title, applicant }) => ({
          id: patent_id,
          title: [title || patent_id, applicant].filter(Boolean).join(' — '),
          url: patentUri(patent_id),
        })),
      },
    };
  },
};

const idSchema = z.strictObject({
  id: text('a publication number').describe('patent_id of a result of search, or a publication number'),
});

const fetchPatent: Tool = {
  name: 'fetch',
  title: 'Fetch (short form)',
  description:
    'Short form of get_patents for clients that look for tools named search and fetch: one whole patent.',
  input: idSchema,
  output: z.strictObject({
    id: z.string().describe('patent_id'),
    title: z.string().describe('Title'),
    text: z.string().describe('The document as Markdown'),
    url: z.string().describe('Resource of the patent'),
    metadata: z.record(z.string(), z.unknown()).describe('Bibliographic data, and what was left out'),
  }),
  async run(given, api, options) {
    const checked = idSchema.safeParse(given);
    if (!checked.success) {
      throw invalidRequest(given, checked.error.issues, {
        known: { '': ['id'] },
        elsewhere: () => undefined,
      });
    }
    const { patents } = await api.details({ patent_ids: [checked.data.id] }, options);
    const entry = patents[0]!;
    if (entry.error !== undefined) {
      const expected = entry.candidates
        ? `one of ${entry.candidates.join(', ')}`
        : 'the number of a stored publication';
      throw invalidField('id', checked.data.id, expected);
    }
    const { patents: shown, left_out, notice } = shownEntries([entry], 0, MCP_TOKENS.fetch);
    const content = String((shown as Row[])[0]!['content'] ?? '');
    return {
      structured: {
        id: entry.patent_id,
        title: entry.metadata?.title ?? '',
        text: content,
        url: patentUri(entry.patent_id),
        metadata: { ...entry.metadata, ...(left_out === undefined ? {} : { left_out }), notice },
      },
    };
  },
};

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  searchPatents,
  analyzePatents,
  getPatents,
  getDrawing,
  getCoverage,
  search,
  fetchPatent,
];
