/** A result list as a file, and a search as a line of curl and as code. */
import type {
  DetailsEntry,
  SearchResponse,
  SearchResult,
  SemanticRequest,
} from '../../search/public-types.js';
import { linkTo } from './address.js';
import { priorityOf } from './as-of.js';
import { parametersOf, type Search } from './fields.js';
import { semanticRequest } from './request.js';

const COLUMNS = [
  'rank',
  'patent_id',
  'title',
  'applicant',
  'inventors',
  'country',
  'kind_code',
  'priority_date',
  'filing_date',
  'publication_date',
  'similarity_score',
  'ipc_codes',
  'cpc_codes',
  'members',
  'passage',
  'link',
  'question',
  'filters',
  'searched_at',
  'search_link',
] as const;

/** Programs for tables read a cell that begins with one of these as a formula. */
const FORMULA = /^[\t\r\n =+\-@＝＋－＠]/;

/** A cell of CSV. A formula becomes text by the apostrophe that programs for tables know. */
function cell(value: string | number | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What a list of results answers, and where. */
export interface Source {
  search: Search;
  /** Address of the page, without its part behind `#`. */
  page: string;
  /** Time of the answer, ISO 8601. */
  searchedAt: string;
}

/** `countries=KR; as_of=US11217824B2`. */
function filtersOf(search: Search): string {
  return [...parametersOf({ ...search, query: '', view: 'list' })].map((pair) => pair.join('=')).join('; ');
}

const searchLink = ({ page, search }: Source): string =>
  page + linkTo([], parametersOf({ ...search, view: 'list' }));

/** The answer with the search that it answers. */
export function jsonOf(answer: SearchResponse, source: Source): string {
  const about = { searched_at: source.searchedAt, search_link: searchLink(source) };
  return JSON.stringify({ ...about, request: semanticRequest(source.search), ...answer }, undefined, 2);
}

/**
 * CSV by RFC 4180, with a byte order mark, by which Excel knows UTF-8.
 * @param details of the results, with bibliography. The cells of a result without them are empty.
 */
export function csvOf(
  results: readonly SearchResult[],
  details: readonly DetailsEntry[],
  source: Source,
): string {
  const { search, page, searchedAt } = source;
  const about = [search.query, filtersOf(search), searchedAt, searchLink(source)];
  const entries = new Map(details.map((entry) => [entry.patent_id, entry]));
  const rows = results.map((result, at) => {
    const entry = entries.get(result.patent_id);
    const { inventors = [], cpc_codes: cpcCodes = [] } = entry?.bibliography ?? {};
    return [
      at + 1,
      result.patent_id,
      result.title,
      result.applicant,
      inventors.map(({ name }) => name).join('; '),
      result.country,
      result.kind_code,
      entry && priorityOf(entry),
      result.filing_date,
      result.publication_date,
      result.similarity_score,
      result.ipc_codes.join('; '),
      cpcCodes.join('; '),
      (result.members ?? []).map(({ patent_id }) => patent_id).join('; '),
      result.chunks[0]?.text,
      page + linkTo(['patent', result.patent_id]),
      ...about,
    ];
  });
  return `\uFEFF${[COLUMNS, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** A line for a POSIX shell. `$KEY` is a key of the reader. */
export function curlOf(origin: string, request: SemanticRequest): string {
  const body = JSON.stringify(request).replaceAll("'", `'\\''`);
  return [
    `curl -s ${origin}/api/v1/search/semantic`,
    '-H "X-API-Key: $KEY"',
    "-H 'Content-Type: application/json'",
    `-d '${body}'`,
  ].join(' \\\n  ');
}

export function libraryCodeOf(request: SemanticRequest): string {
  return `import { open } from 'priorart';

const index = await open('./patents');
const { results } = await index.search(${JSON.stringify(request, undefined, 2)});
console.log(results);
await index.close();`;
}
