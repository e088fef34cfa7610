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
import { printedNumber } from './number.js';
import { CLEAR, isTitleOnly } from './relevance.js';
import { semanticRequest } from './request.js';

const COLUMNS = [
  'rank',
  'patent_id',
  'title',
  'applicant',
  'inventors',
  'country',
  'kind_code',
  'office_number',
  'application_number',
  'priority_date',
  'filing_date',
  'publication_date',
  'similarity_score',
  'below_0.5',
  'title_only',
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

/** `countries=KR; as_of=US11217824B2`. The order and the hidden lines of a list are no filters of its file. */
function filtersOf(search: Search): string {
  return [...parametersOf({ ...search, query: '', view: 'list', sort: 'best', titles: 'shown' })]
    .map((pair) => pair.join('='))
    .join('; ');
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
      printedNumber(result.patent_id),
      entry?.bibliography?.application_number,
      entry && priorityOf(entry),
      result.filing_date,
      result.publication_date,
      result.similarity_score,
      result.similarity_score < CLEAR ? 'yes' : '',
      isTitleOnly(result) ? 'yes' : '',
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

/** Characters that a file system or a shell reads as something else, and blanks. */
const UNFIT = /[\p{C}\p{Z}<>:"/\\|?*'`$&;#%{}[\]]+/gu;
/** At most 200 bytes, of the 255 that a name may have. */
const NAME_CHARS = 50;

/**
 * Name of a file with results: the question, and the day of the answer.
 * @param ending such as `csv`
 * @returns `priorart-solid-electrolyte-2026-01-02.csv`
 */
export function fileNameOf({ search: { query, like }, searchedAt }: Source, ending: string): string {
  const words = (query.trim() || like.join(' ')).normalize('NFC').replace(UNFIT, '-');
  return ['priorart', withoutEdges([...words].slice(0, NAME_CHARS)), searchedAt.slice(0, 10)]
    .filter(Boolean)
    .join('-')
    .concat('.', ending);
}

/** Characters without the dots and hyphens at both ends. */
function withoutEdges(characters: string[]): string {
  const isKept = (character: string) => character !== '-' && character !== '.';
  const from = characters.findIndex(isKept);
  return from < 0 ? '' : characters.slice(from, characters.findLastIndex(isKept) + 1).join('');
}

/**
 * A line for a POSIX shell.
 * @param key default: a variable with the key of the reader
 */
export function curlOf(origin: string, request: SemanticRequest, key = '$KEY'): string {
  const body = JSON.stringify(request).replaceAll("'", `'\\''`);
  return [
    `curl -s ${origin}/api/v1/search/semantic`,
    `-H "X-API-Key: ${key}"`,
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
