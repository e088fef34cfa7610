import type { Command } from 'commander';
import { open } from '../engine.js';
import type { Explanation, Reading } from '../search/explanation.js';
import { PLAN_REASONS, type SegmentPlan } from '../search/plan.js';
import { dataCommand, OF_A_CLUSTER, openOptions, withSettings } from './options.js';
import { count, counted, print } from './output.js';
import { questionOf, withQuestion } from './question.js';
import { requestOf, withFilters } from './request.js';

/** How a cluster found the candidates. */
const GATHERED: Readonly<Record<NonNullable<Explanation['gathered']>, string>> = {
  exact: 'all passages that the filter allows were compared',
  index: 'candidates from the index of the k-NN plugin, which may miss some',
};

/** Words that are listed. */
const WORDS_SHOWN = 8;

export function explainCommand(): Command {
  const command = withQuestion(dataCommand('explain', 'show how a search is answered: plan, counts, timings'))
    .addHelpText(
      'after',
      `
Examples:
  priorart explain "solid electrolyte" --countries KR
  priorart explain "solid electrolyte" --exact --json`,
    )
    .action(run);
  return withFilters(withSettings(command, ['models', ...OF_A_CLUSTER]));
}

async function run(words: string[], flags: Record<string, unknown>, command: Command): Promise<void> {
  const query = await questionOf(words, command);
  const { place, data: _, ...options } = openOptions(flags);
  const engine = await open(place, { ...options, workers: 0 });
  try {
    const explanation = await engine.explain(requestOf(query, flags), { exact: flags['exact'] === true });
    print(explanation, flags['json'] === true, () => text(explanation));
  } finally {
    await engine.close();
  }
}

function text({
  plan,
  gathered,
  asOf,
  reading,
  model,
  calibrated,
  best,
  unrelated,
  reranker,
  documents,
  reranked,
  read,
  scored,
  candidates,
  visited,
  widened,
  rescanned,
  words,
  timings,
}: Explanation): string {
  return [
    ...(reading === undefined ? [] : [`read as   ${readingText(reading)}`]),
    `model     ${model}${calibrated ? '' : ' (not calibrated)'}`,
    `reranker  ${reranker === 'none' ? 'none: ordered by similarity' : rerankedText(reranker, { reranked, documents, read })}`,
    `nearest   ${best === undefined ? 'nothing fits' : `similarity ${best.toFixed(2)}`}${unrelated ? '; nothing here seems to be about this' : ''}`,
    `words     ${wordsText(words, reading)}`,
    ...(asOf === undefined ? [] : [`as of     ${asOf}: only documents published before this day`]),
    ...(gathered === undefined ? [] : [`cluster   ${GATHERED[gathered]}`]),
    `plan      ${plan.exact ? 'exact' : 'approximate'}; the filter allows ${counted(plan.documents, 'document')}`,
    ...plan.segments.map((segment) => `  ${segmentText(segment)}`),
    `scored    ${counted(scored, 'passage')} exactly (those of both rounds twice), ${counted(visited, 'document')} visited, ${count(candidates)} estimated by indexes, widened ${counted(widened, 'time')}`,
    ...(rescanned > 0 ? [`          ${rescannedText(rescanned)}`] : []),
    `ms        ${Object.entries(timings)
      .map(([stage, ms]) => `${stage} ${ms.toFixed(2)}`)
      .join(', ')}`,
  ].join('\n');
}

function rerankedText(
  reranker: string,
  { reranked, documents, read }: Pick<Explanation, 'reranked' | 'documents' | 'read'>,
): string {
  const scored = reranked < documents ? `ran out of time after ${count(reranked)} of` : 'scored';
  const texts = read > 0 ? `, ${count(read)} by reading their texts` : '';
  return `${reranker}; ${scored} ${counted(documents, 'document')}${texts}`;
}

function rescannedText(segments: number): string {
  return (
    `${counted(segments, 'segment')} scanned as a whole against the plan: ` +
    'the index found too little near the query that the filter allows'
  );
}

function wordsText({ used, weight, added }: Explanation['words'], reading: Reading | undefined): string {
  if (reading?.as === 'classification' && reading.documents > 0) return 'none: a code is no text';
  if (used.length === 0) return 'no document holds a word of the question';
  const [first, rest] = [used.slice(0, WORDS_SHOWN), used.slice(WORDS_SHOWN)];
  const list = first.map(({ text, documents }) => `${text} (${count(documents)})`).join(', ');
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return `${list}${more}; weight ${weight.toFixed(2)}; ${counted(added, 'candidate')} by words alone`;
}

function readingText(reading: Reading): string {
  if (reading.as === 'classification') {
    return reading.documents === 0
      ? `classification ${reading.code}: nothing is under it`
      : `classification ${reading.code} of ${counted(reading.documents, 'publication')}`;
  }
  const { publications } = reading;
  return publications.length === 0 ? 'number: no publication has it' : `number of ${publications.join(', ')}`;
}

function segmentText(plan: SegmentPlan): string {
  const { segment, scan, passages, why } = plan;
  if (scan === 'none') return `${segment}: none of ${counted(passages, 'passage')} allowed`;
  return `${segment}: ${scanText(plan)}${expectedText(plan)}${why === undefined ? '' : `; why: ${PLAN_REASONS[why]}`}`;
}

function scanText({
  scan,
  index,
  allowed,
  passages,
  k,
  nprobe,
  lists,
  efSearch,
  deviations,
  deviationsOfSeveral,
}: SegmentPlan): string {
  const share = `${count(allowed)} of ${counted(passages, 'passage')}`;
  if (scan === 'exact') return `exact scan of ${share}`;
  if (scan === 'documents') {
    return `documents by bounds of ${deviations} deviations, ${deviationsOfSeveral} for several passages; ${share}`;
  }
  if (scan === 'codes') return `${index}, scan of all codes; ${share}`;
  const effort = scan === 'ivf' ? `nprobe ${nprobe} of ${lists}` : `efSearch ${efSearch}`;
  return `${index}, ${k === undefined ? '' : `k ${k}, `}${effort}; ${share}`;
}

/** Expected time of the chosen plan and of the alternatives. */
function expectedText({ scan, expected }: SegmentPlan): string {
  if (expected === undefined) return '';
  const others = Object.entries(expected)
    .filter(([way]) => way !== scan)
    .map(([way, ms]) => `${way} ${ms.toFixed(2)}`);
  const own = `; expected ${expected[scan]?.toFixed(2)} ms`;
  return others.length === 0 ? own : `${own} (${others.join(', ')})`;
}
