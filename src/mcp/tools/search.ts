/** `search_patents` and `analyze_patents`. */
import { z } from 'zod';
import { MCP_TOKENS, TOP_LIST } from '../../limits.js';
import {
  analyticsResponseSchema,
  analyticsResultSchema,
  chunkSchema,
  searchResponseSchema,
  searchResultSchema,
} from '../../search/answer-schema.js';
import { oneOf } from '../../search/fields.js';
import { analyticsSchema, semanticSchema } from '../../search/schema.js';
import type {
  AnalyticsResponse,
  AnalyticsResult,
  AnalyticsStats,
  Chunk,
  HitExplanation,
  SearchResult,
} from '../../search/types.js';
import { type Cut, jsonTokens, shorterList, shorterText } from '../budget.js';
import {
  cutWithin,
  type LeanRow,
  listCut,
  onlyNames,
  picked,
  textCut,
  withoutFields,
  withRows,
} from './rows.js';
import { framed, maxTokens, type Row, refuseHidden, type Tool, taken, view } from './tool.js';

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
  const row = {
    ...picked(hit, LEAN_FIELDS),
    ...(hit.explanation ? { explanation: ofChunks(hit.explanation, 1) } : {}),
    chunks: hit.chunks.length > 0 ? [chunkFields(hit)] : [],
  };
  return { row, text: hit.chunks[0]?.text ?? '' };
}

/** A lean row with its passage, and with the places in it that its text still holds. */
function withPassage({ row, text: shown }: LeanRow, hit: SearchResult): Row {
  const [best] = hit.chunks;
  if (best === undefined) return row;
  return { ...row, ...shownPart({ ...row, chunks: [{ text: best.text, ...chunkFields(hit) }] }, shown) };
}

/** A row of one passage, as cuts see it. */
type HitRow = Partial<Omit<SearchResult, 'chunks'>> & { chunks?: ShownChunk[] };
type ShownChunk = Partial<Chunk> & { text: string };

/** The passage with the beginning of its text that is shown, and the places that lie in it. */
function shownPart({ chunks, explanation }: HitRow, text: string): Row {
  const [best] = chunks!;
  const end = text === best!.text ? text.length : text.length - 1;
  const isShown = ({ to }: { to: number }) => to <= end;
  const highlights = best!.highlights?.filter(isShown);
  const chunk = { ...best!, text, ...(highlights ? { highlights } : {}) };
  if (!explanation) return { chunks: [chunk] };
  const { matches, ...rest } = ofChunks(explanation, 1);
  return { chunks: [chunk], explanation: { ...rest, matches: matches.filter(isShown) } };
}

/** An explanation for a result that shows only its first passages. */
function ofChunks({ decided_by: decided, ...explanation }: HitExplanation, shown: number): HitExplanation {
  return {
    ...explanation,
    ...(decided === undefined || decided >= shown ? {} : { decided_by: decided }),
    matches: explanation.matches.filter(({ chunk }) => chunk < shown),
  };
}

/** Leaves out the last passages, but for the first one. */
const chunksCut: Cut<Row> = (row, excess) => {
  const { chunks = [], explanation } = row as HitRow;
  const [first, ...others] = chunks;
  if (first === undefined || others.length === 0) return row;
  const some = [first, ...shorterList(others, excess)];
  return {
    ...row,
    chunks: some,
    ...(explanation ? { explanation: ofChunks(explanation, some.length) } : {}),
  };
};

/** Shortens the text of the only passage. */
const passageCut: Cut<Row> = (row, excess) => {
  const [best] = (row as HitRow).chunks ?? [];
  return best === undefined ? row : { ...row, ...shownPart(row as HitRow, shorterText(best.text, excess)) };
};

const HIT_CUTS: readonly Cut<Row>[] = [
  cutWithin('explanation', listCut('matches')),
  chunksCut,
  listCut('members', 1),
  passageCut,
  withoutFields('explanation'),
  textCut('applicant'),
  listCut('ipc_codes'),
  onlyNames,
];

export const searchPatents: Tool = {
  name: 'search_patents',
  title: 'Search patents',
  description:
    'Finds patents and applications of US, KR, JP, CN and EP by meaning, best first, in one call for all offices and ' +
    'languages. Give query (a sentence in English, Korean, Japanese or Chinese), or like (publication numbers), or both. ' +
    'Narrow with the filters. For prior art give as_of. For one result per invention give collapse "family". Read whole ' +
    'documents with get_patents. The answer always has top_k results if the filters allow: those with a ' +
    'similarity_score far below .5 may be about something else. The order is that of a reranker, not of similarity_score. ' +
    'Each call counts as one search of the monthly quota.',
  input: semanticSchema.extend(SEARCH_OWN.shape),
  output: searchResponseSchema.extend({ results: z.array(searchRow), ...framed }),
  async run(given, api, options) {
    const { own, request } = taken(SEARCH_OWN, given);
    const { results, ...head } = await api.search(request, options);
    const structured = withRows(head, results, {
      full: (own.view ?? (request['explain'] === true ? 'full' : 'lean')) === 'full',
      tokens: own.max_tokens ?? MCP_TOKENS.default,
      hint: 'Give a larger max_tokens or a smaller top_k, or read documents with get_patents',
      headCuts: [listCut('applicant_names'), listCut('excluded_by')],
      rowCuts: HIT_CUTS,
      lean: leanHit,
      joined: withPassage,
    });
    return { structured };
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

const ANALYTICS_OWN = z.object({
  view: oneOf(['lean', 'full'])
    .nullish()
    .describe('lean: the fields that matter, and the beginning of the passage; … means that it goes on')
    .meta({ default: 'lean' }),
  max_tokens: maxTokens,
});

/** Fewer documents than this are few for a landscape. */
const FEW = 10;
/** The threshold to try then. Some of what it counts is about other subjects. */
const BROAD = 0.2;

/** What to do if few documents count, because of a threshold that the question does not reach. */
function adviceOn({ total_matched: total, min_score_used: least }: AnalyticsResponse): { advice?: string } {
  if (total >= FEW || least <= BROAD) return {};
  const advice =
    `Only ${total} reach min_score ${least}. If the subject is broad, give min_score ${BROAD}, which counts some documents ` +
    'about other subjects, too. Or write query as a full sentence';
  return { advice };
}

/** Shortens lists of counts to a number of entries: the most frequent ones, of years the last ones. */
function statsCut(most: number): Cut<Row> {
  return (head) => {
    const stats = head['stats'] as AnalyticsStats;
    const { by_year: years, top_applicants: applicants, top_ipc: ipc } = stats;
    const last = Object.entries(years ?? {}).slice(most === 0 ? Infinity : -most);
    const shorter = {
      ...stats,
      ...(years ? { by_year: Object.fromEntries(last) } : {}),
      ...(applicants ? { top_applicants: applicants.slice(0, most) } : {}),
      ...(ipc ? { top_ipc: ipc.slice(0, most) } : {}),
    };
    return jsonTokens(shorter) < jsonTokens(stats) ? { ...head, stats: shorter } : head;
  };
}

/** The client knows its question: a beginning says enough. */
const COUNTS_CUTS: readonly Cut<Row>[] = [
  textCut('query', 30),
  listCut('applicant_names'),
  ...[TOP_LIST, 10, 5, 3].map(statsCut),
  listCut('excluded_by'),
  withoutFields('advice'),
  ...[1, 0].map(statsCut),
];
const DOCUMENT_CUTS: readonly Cut<Row>[] = [
  listCut('members', 1),
  textCut('chunk_text'),
  textCut('applicant'),
  listCut('ipc_codes'),
  onlyNames,
];

export const analyzePatents: Tool = {
  name: 'analyze_patents',
  title: 'Count patents about a subject',
  description:
    'Counts the patents about a subject by year, country, applicant and IPC subclass (stats_group_by), and lists a page of ' +
    'them. For landscapes and trends; use search_patents to find the best matches. Write query as a full sentence that ' +
    'describes the subject. A document counts if its similarity reaches min_score: .5 is for documents that are ' +
    'clearly about the query; a smaller one counts more, some of them about something else. To count a term of one to three ' +
    'words, put it into must_terms, too, with translate_terms true and min_score 0: documents count if they hold it or a ' +
    'translation. Give collapse "family" to count each invention once, under the country and ' +
    'applicant of one member. Applicants are counted under their names as printed, in any language. Each call counts as ' +
    'one search of the monthly quota.',
  // top_k has no effect on statistics.
  input: analyticsSchema.omit({ top_k: true }).extend(ANALYTICS_OWN.shape),
  output: analyticsResponseSchema.extend({
    results: z.array(analyticsResultSchema.partial().required({ patent_id: true, similarity_score: true })),
    advice: z.exactOptional(z.string()).describe('What to change if few documents count; absent if many do'),
    ...framed,
  }),
  async run(given, api, options) {
    refuseHidden(analyzePatents.input, given, ['top_k']);
    const { own, request } = taken(ANALYTICS_OWN, given);
    const answer = await api.analyze(request, options);
    const { results, ...counts } = answer;
    const structured = withRows({ ...counts, ...adviceOn(answer) }, results, {
      full: own.view === 'full',
      tokens: own.max_tokens ?? MCP_TOKENS.default,
      hint: 'Give a larger max_tokens or a smaller page_size',
      headCuts: COUNTS_CUTS,
      rowCuts: DOCUMENT_CUTS,
      lean: leanDocument,
      joined: ({ row, text }) => ({ ...row, chunk_text: text }),
    });
    return { structured };
  },
};
