import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { open } from '../engine.js';
import { PriorartError } from '../errors.js';
import { type Evaluation, evaluate, type Group, type Measures, RECALL_AT } from '../eval/evaluate.js';
import { Judgements } from '../eval/judgements.js';
import { rank } from '../eval/rank.js';
import { formatRun } from '../eval/trec.js';
import { EVAL_DEPTH } from '../limits.js';
import { qrelsOf, questionsOf } from './measure-files.js';
import { dataCommand, OF_A_CLUSTER, openOptions, settingsOf, withSettings } from './options.js';
import { COMMAND, count, counted, interruption, ProgressLine, print } from './output.js';
import { openPublications } from './publications.js';

export function evalCommand(): Command {
  const command = dataCommand('eval', 'measure how well the index answers judged questions')
    .requiredOption('--queries <file>', 'questions: lines of id<TAB>text, or id<TAB>language<TAB>text')
    .requiredOption('--qrels <file>', 'judgements in TREC form: question 0 publication grade')
    .option('--recall-at <list>', `ranks at which recall is measured (default: ${RECALL_AT.join(',')})`)
    .option('--no-rerank', 'measure only the order by similarity')
    .option('--run <file>', 'write the results to this file as a TREC run')
    .addHelpText(
      'after',
      `
Measures recall, nDCG@10 (the grade is the gain, as in trec_eval) and the mean reciprocal rank, of the order by
similarity (dense) and of the order of answers (reranked), with 95 % intervals by bootstrap over the
questions. An application and its grant count as one document; designs are ignored. Questions that state their
language are also measured on the documents of each language separately, within the first ${EVAL_DEPTH} found.

Examples:
  priorart eval --queries mine.tsv --qrels mine.txt
  priorart eval --data ./patents --queries mine.tsv --qrels mine.txt --recall-at 5,20 --run mine.run --json`,
    )
    .action(run);
  return withSettings(command, ['models', 'workers', ...OF_A_CLUSTER]);
}

interface EvalReport extends Evaluation {
  data: string;
  model: string;
  reranker: string;
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const { workers } = settingsOf(flags, ['workers']);
  const { place, models: chosen } = openOptions(flags);
  const models = chosen === undefined ? {} : { models: chosen };
  const recallAt = placesOf(flags['recallAt']);
  const questions = questionsOf(String(flags['queries']));
  const qrels = qrelsOf(String(flags['qrels']));
  const rerank = flags['rerank'] !== false;
  const engine = await open(place, { ...models, workers });
  const publications = await openPublications(flags);
  const line = new ProgressLine();
  try {
    const onProgress = (done: number, of: number) =>
      line.update(`${count(done)} of ${counted(of, 'question')}`);
    const rankings = await rank(engine, questions, { rerank, onProgress, signal: interruption() });
    line.end();
    const { model, reranker } = await engine.explain({ query: questions[0]!.text, top_k: 1 }, { rerank });
    const measured = await publications.look((found) =>
      evaluate(rankings, questions, new Judgements(found, qrels), recallAt),
    );
    if (measured.all.questions === 0) throw noneAnswerable(measured, engine.dir);
    const report = { data: engine.dir, model, reranker, ...measured };
    if (flags['run'] !== undefined) {
      const tag = rankings.reranked ? 'priorart-reranked' : 'priorart-dense';
      writeFileSync(String(flags['run']), formatRun(rankings.reranked ?? rankings.dense, tag));
    }
    print(report, flags['json'] === true, () => text(report));
  } finally {
    line.end();
    await engine.close();
    await publications.close();
  }
}

function placesOf(given: unknown): readonly number[] {
  if (given === undefined) return RECALL_AT;
  const places = String(given).split(',').map(Number);
  if (places.every((k) => Number.isInteger(k) && k >= 1 && k <= EVAL_DEPTH)) return places;
  throw new PriorartError(
    'usage',
    `--recall-at: got "${given}"; expected integers from 1 to ${EVAL_DEPTH}, comma-separated`,
  );
}

/** Measures of no question would be no measures. */
function noneAnswerable({ questions, judged }: Evaluation, data: string): PriorartError {
  const missing = `not there: ${counted(judged.missing, 'judged publication')}`;
  return new PriorartError(
    'not_found',
    `none of ${counted(questions, 'question')} has a relevant publication in ${data} (${missing}); expected judgements of its publications`,
  );
}

function text(report: EvalReport): string {
  const { judged, unanswerable, all, groups, model, reranker } = report;
  const names = Object.keys(all.dense);
  const lines = [
    `${counted(all.questions, 'question')}, ${count(judged.documents)} judged publications; model ${model}, reranker ${reranker}`,
  ];
  if (judged.missing > 0) lines.push(`${count(judged.missing)} judged publications are not in the index`);
  if (judged.designs > 0) lines.push(`${count(judged.designs)} judged designs are ignored`);
  if (unanswerable.length > 0) {
    lines.push(
      `${counted(unanswerable.length, 'question')} ignored: no relevant publication is in the index`,
    );
  }
  lines.push('', row(['', 'questions', 'order', ...names]), ...rowsOf('all', all, true));
  for (const group of groups) lines.push(...rowsOf(`${group.from} → ${group.to}`, group, false));
  if (groups.length === 0) {
    lines.push(
      '',
      `With a language column, questions get a row for each pair of languages: ${COMMAND} eval --help`,
    );
  }
  return lines.join('\n');
}

/** Rows of a group: one for each order, and for the total the difference of the orders. */
function rowsOf(name: string, { questions, dense, reranked, difference }: Group, full: boolean): string[] {
  const orders: [string, Measures | undefined][] = [
    ['dense', dense],
    ['reranked', reranked],
    ...(full ? ([['difference', difference]] as [string, Measures | undefined][]) : []),
  ];
  return orders.flatMap(([order, measures], n) => {
    if (!measures) return [];
    const cells = Object.values(measures).map(({ mean, low, high }) =>
      full ? `${figure(mean)} [${figure(low)}, ${figure(high)}]` : figure(mean),
    );
    return [row([n === 0 ? name : '', n === 0 ? count(questions) : '', order, ...cells])];
  });
}

const figure = (value: number) => value.toFixed(3);
const WIDTHS = [9, 10, 11];
const row = (cells: string[]) =>
  cells
    .map((cell, n) => cell.padEnd(WIDTHS[n] ?? 22))
    .join('')
    .trimEnd();
