import type { Command } from 'commander';
import { type Engine, open } from '../engine.js';
import type { SearchOptions } from '../engine-options.js';
import { bestSimilarity, isFar } from '../search/explanation.js';
import { parseSemantic } from '../search/query.js';
import type { SemanticRequest } from '../search/schema.js';
import type { SearchResponse, SearchResult } from '../search/types.js';
import { allowedBy } from './nothing-found.js';
import { dataCommand, OF_A_CLUSTER, openOptions, whereOf, withSettings } from './options.js';
import { interruption, print } from './output.js';
import { hasReading, questionOf, readingHint, withQuestion } from './question.js';
import { requestOf, withFilters } from './request.js';

const EXCERPT_CHARS = 240;
/** Characters shown before the first word of the question, if it is far behind the beginning. */
const BEFORE_FIRST = 60;

export function searchCommand(): Command {
  const command = withQuestion(
    dataCommand('search', 'search the index from the command line, without a server'),
  )
    .addHelpText(
      'after',
      `
With --json the output is exactly the body of POST /api/v1/search/semantic.

Examples:
  priorart search "solid electrolyte for lithium batteries"
  priorart search "리튬 이차전지의 고체 전해질" --countries KR,JP --filing-date-from 2015-01-01
  priorart search "wind turbine blade" --doc-type grant --ipc-codes F03D --top-k 3 --json
  priorart search - < question.txt`,
    )
    .action(run);
  return withFilters(withSettings(command, ['models', ...OF_A_CLUSTER]));
}

async function run(words: string[], flags: Record<string, unknown>, command: Command): Promise<void> {
  const { place, data, ...options } = openOptions(flags);
  const query = await questionOf(words, command);
  const engine = await open(place, { ...options, workers: 0 });
  try {
    const how = { exact: flags['exact'] === true, signal: interruption() };
    const request = requestOf(query, flags);
    const response = await engine.search(request, how);
    const json = flags['json'] === true;
    const hints = json ? [] : await hintsOf(engine, request, response, how, whereOf(flags, 'show'));
    const nothing =
      json || response.total > 0 || place !== data
        ? undefined
        : (await allowedBy(data, parseSemantic(request).filters)).nothing;
    print(response, json, () => [...hints, nothing ?? (text(response) || NOTHING)].join('\n\n'));
  } finally {
    await engine.close();
  }
}

/** If the filters allow publications, but none that the question asks for. */
const NOTHING = 'The filters allow nothing of it.';

/** Says how the question was read, and if no result seems to be about it. */
async function hintsOf(
  engine: Engine,
  request: SemanticRequest,
  response: SearchResponse,
  how: SearchOptions,
  where: string,
): Promise<string[]> {
  const { query } = request;
  const { rerank: _, ...unranked } = request;
  const { reading } =
    query && hasReading(query)
      ? await engine.explain({ ...unranked, top_k: 1 }, { ...how, rerank: false })
      : {};
  const hints = [
    query && reading ? readingHint(query, reading, where) : undefined,
    await hintOf(engine, request, response, how),
  ];
  return hints.filter((hint) => hint !== undefined);
}

/**
 * Hint if no result is similar to the question, or no document holds one of its words. Asks the engine whether the model is
 * calibrated, and which words documents hold, which an answer does not say.
 */
async function hintOf(
  engine: Engine,
  request: SemanticRequest,
  { results }: SearchResponse,
  how: SearchOptions,
): Promise<string | undefined> {
  const best = bestSimilarity(results);
  if (best === undefined) return undefined;
  if (!isFar(best)) return request.query ? await unknownWords(engine, request, how) : undefined;
  const { calibrated, unrelated } = await engine.explain(request, how);
  if (!calibrated) return undefined;
  if (!unrelated)
    return `The first result holds words of the question or their translations, but none of the results shown is similar to the whole: their best similarity is ${best.toFixed(2)}.`;
  return (
    `Nothing here seems to be about this: the best similarity is ${best.toFixed(2)}. ` +
    'Try other words or fewer filters, or ingest patents of this field.'
  );
}

/** Hint if no document holds a word of the question: the model compares unknown words by their letters. */
async function unknownWords(
  engine: Engine,
  request: SemanticRequest,
  how: SearchOptions,
): Promise<string | undefined> {
  const { words, reading } = await engine.explain({ ...request, highlight: true, top_k: 1 }, how);
  if (words.used.length > 0 || reading) return undefined;
  return 'No document holds a word of the question, or a known translation of one. Check the spelling: the results are similar by meaning alone, and that of a misspelled word is a guess.';
}

function text({ results, applicant_names: names }: SearchResponse): string {
  return [...namesText(names), ...results.map(resultText)].join('\n\n');
}

/** The names that were added to the applicant, if the request has `--applicant-expand`. */
export function namesText(names: readonly string[] | undefined): string[] {
  if (names === undefined) return [];
  return [
    names.length === 0
      ? 'No other names of the applicant are known.'
      : `Applicant also as ${names.join('; ')}`,
  ];
}

/** The other publications for which a result stands, if the search states `--collapse`. */
function othersText({ patent_id, members = [] }: SearchResult): string {
  const others = members.filter((member) => member.patent_id !== patent_id);
  return others.length === 0 ? '' : `    stands for ${others.map((member) => member.patent_id).join(', ')}`;
}

/** The parts of the score, and the words that matched, if the search has `--explain`. */
function explanationText({ explanation }: SearchResult): string {
  if (explanation === undefined) return '';
  const { reranker, lexical, lexical_weight: weight, language, matches } = explanation;
  const own = [...new Set(matches.filter((match) => !match.translation_of).map(({ term }) => term))];
  // A word of a script without spaces matches by its pairs of characters, too.
  const whole = own.filter((word) => !own.some((other) => other !== word && other.includes(word)));
  const translations = matches.flatMap(({ term, translation_of: of }) => (of ? `${term} (${of})` : []));
  const words = [...whole, ...new Set(translations)];
  const named = words.length > 0 ? `; words: ${words.join(', ')}` : '';
  const parts = `reranker ${reranker.toFixed(3)} + words ${(weight * lexical).toFixed(3)}`;
  return `    ${parts}${language === 0 ? '' : ` + language ${language.toFixed(3)}`}${named}`;
}

function resultText(result: SearchResult, n: number): string {
  const facts = [result.applicant, result.publication_date, result.ipc_codes[0]].filter(Boolean).join(' · ');
  const [best] = result.chunks;
  return [
    `${String(n + 1).padStart(2)}. ${result.patent_id}  ${result.title}`,
    `    ${facts}`,
    `    similarity ${result.similarity_score.toFixed(3)}, rerank ${result.rerank_score.toFixed(3)}`,
    othersText(result),
    explanationText(result),
    best ? `    ${best.section_name}: ${excerptOf(best)}` : '',
  ]
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** The beginning of a passage, or the part with its first word of the question, which is marked, if the search has `--highlight`. */
function excerptOf({ text, highlights = [] }: SearchResult['chunks'][number]): string {
  const first = highlights[0]?.from ?? 0;
  const from = first < EXCERPT_CHARS / 2 ? 0 : first - BEFORE_FIRST;
  const to = from + EXCERPT_CHARS;
  const [open, close] =
    process.stdout.isTTY && !process.env['NO_COLOR'] ? ['\x1b[1m', '\x1b[0m'] : ['**', '**'];
  let [marked, at] = ['', from];
  for (const place of joined(highlights)) {
    if (place.from < at || place.to > to) continue;
    marked += text.slice(at, place.from) + open + text.slice(place.from, place.to) + close;
    at = place.to;
  }
  const shown = (marked + text.slice(at, to)).replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${shown}${text.length > to ? '…' : ''}`;
}

/** Places in which those that touch are one. */
function joined(places: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const out: { from: number; to: number }[] = [];
  for (const { from, to } of places) {
    const last = out.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else out.push({ from, to });
  }
  return out;
}
