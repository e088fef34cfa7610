import type { Command } from 'commander';
import { open } from '../engine.js';
import { parseAnalytics } from '../search/query.js';
import { type AnalyticsRequest, STATS_AXES } from '../search/schema.js';
import type { AnalyticsResponse, AnalyticsStats, CountExplanation } from '../search/types.js';
import { isShort } from '../search/words.js';
import { allowedBy } from './nothing-found.js';
import { dataCommand, OF_A_CLUSTER, openOptions, shellWord, withSettings } from './options.js';
import { count, counted, inOneLine, interruption, print } from './output.js';
import { hasReading, questionOf, withQuestion } from './question.js';
import { analyticsOf, inList, withAnalytics } from './request.js';
import { namesText } from './search.js';

const BAR_CHARS = 40;
const NAME_CHARS = 40;

export function statsCommand(): Command {
  const command = withQuestion(
    dataCommand('stats', 'count the patents about a question by year, country, applicant, IPC'),
  )
    .addHelpText(
      'after',
      `
Counts every patent whose best passage has at least --min-score. Without --stats-group-by all four axes are shown.
A question that is a classification code counts its whole class. With --explain a line says whether the count is exact, and --exact makes it so.
With --json the output is exactly the body of POST /api/v1/search/semantic-analytics.

Examples:
  priorart stats "solid electrolyte for lithium batteries"
  priorart stats "wind turbine blade" --countries EP,US --date-range-from 2015-01-01 --stats-group-by year
  priorart stats "H01M 10/0562" --stats-group-by applicant
  priorart stats "lidar" --min-score 0.6 --page 2 --page-size 50 --json`,
    )
    .action(run);
  return withAnalytics(withSettings(command, ['models', ...OF_A_CLUSTER]));
}

async function run(words: string[], flags: Record<string, unknown>, command: Command): Promise<void> {
  const { place, data, ...options } = openOptions(flags);
  const request = {
    stats_group_by: [...STATS_AXES],
    ...analyticsOf(await questionOf(words, command), flags),
  };
  const json = flags['json'] === true;
  const engine = await open(place, { ...options, workers: 0 });
  try {
    // The text says which class was counted, which only an explained answer tells.
    const asked = !json && hasReading(request.query ?? '') ? { ...request, explain: true } : request;
    const exact = flags['exact'] === true;
    const response = await engine.analyze(asked, { exact, signal: interruption() });
    const nothing =
      !json && response.total_matched === 0 && place === data
        ? await whyNothing(data, request, response)
        : undefined;
    const hints = nothing?.byFilters === true ? [] : roughHints(request);
    print(response, json, () =>
      [nothing?.text ?? textOf(response, request.explain === true), ...hints].join('\n\n'),
    );
  } finally {
    await engine.close();
  }
}

/** A hint if a few words are counted by their meaning alone: their vectors are too vague to count by. */
function roughHints(request: AnalyticsRequest): string[] {
  const { query, min_score, must_terms, like } = request;
  const hasDefaults = min_score === undefined && must_terms === undefined && like === undefined;
  if (!hasDefaults || !query || hasReading(query) || !isShort(query)) return [];
  return [
    'A question of one to three words is counted by its meaning alone, which is rough. To count the patents that hold it or ' +
      `a translation, add --must-terms ${shellWord(inList(inOneLine(query.trim())))} --translate-terms --min-score 0`,
  ];
}

/** Why nothing counts, and whether that is for the filters alone. */
async function whyNothing(
  data: string,
  request: AnalyticsRequest,
  { classification, min_score_used: minScore }: AnalyticsResponse,
): Promise<{ text: string; byFilters: boolean }> {
  const { publications, nothing } = await allowedBy(data, parseAnalytics(request).filters, true);
  if (nothing !== undefined) return { text: nothing, byFilters: true };
  const ofClass = classification === undefined ? '' : ` is classified under ${classification}`;
  const similar = `has a similarity of ${minScore} or more; lower the limit with --min-score`;
  // All documents of a class count, unless the request has a limit.
  const lacks = ofClass === '' ? ` ${similar}` : minScore === 0 ? ofClass : `${ofClass} and ${similar}`;
  const text = `None of the ${counted(publications, 'publication')} that the filters allow${lacks}.`;
  return { text, byFilters: false };
}

function textOf(
  {
    total_matched,
    min_score_used,
    stats,
    page,
    total_pages,
    results,
    applicant_names: names,
    classification,
    explanation,
  }: AnalyticsResponse,
  isExplained: boolean,
): string {
  const ofClass = classification === undefined ? '' : ` classified under ${classification}`;
  // All documents of a class count.
  const similar =
    ofClass !== '' && min_score_used === 0 ? '' : ` with a similarity of ${min_score_used} or more`;
  return [
    ...namesText(names),
    `${counted(total_matched, 'patent')}${ofClass}${similar}`,
    ...(isExplained && explanation ? [explanationText(explanation)] : []),
    ...charts(stats),
    `Page ${page} of ${count(total_pages)}:\n${results
      .map(
        ({ patent_id, similarity_score, title, applicant }) =>
          `  ${similarity_score.toFixed(3)}  ${patent_id}  ${[title, applicant].filter(Boolean).join(' · ')}`,
      )
      .join('\n')}`,
  ].join('\n\n');
}

function explanationText({ exact, documents, scans }: CountExplanation): string {
  const how = exact
    ? 'The count is exact'
    : 'The count may miss patents that barely reach this similarity, 1 % at most';
  const by = scans.length === 0 ? '' : ` (scan: ${scans.join(', ')})`;
  return `${how}${by}. ${counted(documents, 'publication')} could count.`;
}

function charts({ by_year, by_country, top_applicants, top_ipc }: AnalyticsStats): string[] {
  const named = (counts: Record<string, number> | undefined): [string, number][] | undefined =>
    counts && Object.entries(counts);
  const axes: [string, [string, number][] | undefined][] = [
    ['By year', named(by_year)?.sort(([a], [b]) => (a < b ? -1 : 1))],
    ['By country', named(by_country)?.sort(([, a], [, b]) => b - a)],
    ['Applicants', top_applicants?.map(({ name, count }) => [name, count])],
    ['IPC', top_ipc?.map(({ code, count }) => [code, count])],
  ];
  return axes.flatMap(([title, rows]) => (rows && rows.length > 0 ? [`${title}\n${bars(rows)}`] : []));
}

/** A line for each row, with a bar in proportion to the largest number. */
export function bars(rows: readonly (readonly [name: string, number: number])[]): string {
  const names = rows.map(([name]) => shortened(name));
  const width = Math.max(...names.map(columns));
  const most = Math.max(...rows.map(([, number]) => number), 1);
  return rows
    .map(([, number], n) => {
      const name = names[n]! + ' '.repeat(width - columns(names[n]!));
      const length = number === 0 ? 0 : Math.max(1, Math.round((number / most) * BAR_CHARS));
      return `  ${name}  ${'█'.repeat(length)} ${count(number)}`;
    })
    .join('\n');
}

/** Characters that take two columns of a terminal, such as Korean, Japanese and Chinese. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** Columns of a terminal that a text takes. */
function columns(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

function shortened(name: string): string {
  let short = '';
  for (const character of name) {
    if (columns(short) >= NAME_CHARS - 1) return `${short}…`;
    short += character;
  }
  return short;
}
