/** A result list as a file, and a search as a line of curl and as code. */
import type { SearchResult, SemanticRequest } from '../../search/public-types.js';

const COLUMNS = [
  'rank',
  'patent_id',
  'title',
  'applicant',
  'country',
  'kind_code',
  'filing_date',
  'publication_date',
  'similarity_score',
  'ipc_codes',
  'members',
  'passage',
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

/** CSV by RFC 4180, with a byte order mark, by which Excel knows UTF-8. */
export function csvOf(results: readonly SearchResult[]): string {
  const rows = results.map((result, at) => [
    at + 1,
    result.patent_id,
    result.title,
    result.applicant,
    result.country,
    result.kind_code,
    result.filing_date,
    result.publication_date,
    result.similarity_score,
    result.ipc_codes.join('; '),
    (result.members ?? []).map(({ patent_id }) => patent_id).join('; '),
    result.chunks[0]?.text,
  ]);
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
