import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Calibration } from '../embed/calibration.js';
import type { Embedder } from '../embed/embedder.js';
import { PriorartError } from '../errors.js';
import { type Fit, fitCalibration, type Pairs } from '../eval/calibration-fit.js';
import { Judgements } from '../eval/judgements.js';
import { pairsOfFolder, pairsOfTable, parsePairs } from '../eval/pool-pairs.js';
import { CALIBRATION } from '../limits.js';
import { type ModelsConfig, type ModelsInput, readModels } from '../models/config.js';
import { checkModel } from '../models/identity.js';
import { openEmbedder } from '../models/load.js';
import { Store } from '../store/store.js';
import { qrelsOf, questionsOf, textOf } from './measure-files.js';
import { dataCommand, modelsOf, settings, withSettings } from './options.js';
import { count, ProgressLine, print } from './output.js';

export function calibrateCommand(): Command {
  const command = dataCommand(
    'calibrate',
    'fit how the cosines of a model become similarities, from judged pairs',
  )
    .option('--queries <file>', 'questions, as `priorart eval` takes them; asked of the folder')
    .option('--qrels <file>', 'judgements in TREC form')
    .option('--pairs <file>', 'instead: lines of question<TAB>text<TAB>label, the label 1 (answers) or 0')
    .option('--write <file>', 'write the calibration into this models.json')
    .addHelpText(
      'after',
      `
A similarity of 0.5 is to mean the same for every model: the cosine at which half of the pairs are relevant when a
question is scored against about ${count(CALIBRATION.pool)} documents. Pairs are weighted accordingly. With --pairs, the texts labelled
0 stand for all documents, so draw them at random. At least ${CALIBRATION.relevantMin} relevant and ${count(CALIBRATION.irrelevantMin)} other pairs are needed.

Examples:
  priorart calibrate --data ./patents --queries mine.tsv --qrels mine.txt
  priorart calibrate --pairs pairs.tsv --write models.json`,
    )
    .action(run);
  return withSettings(command, ['models']);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const models = await modelsOf(flags);
  const embedder = await openEmbedder(models.embedder);
  const line = new ProgressLine();
  try {
    const onProgress = (done: number, of: number) => line.update(`${count(done)} of ${count(of)}`);
    const pairs =
      flags['pairs'] === undefined
        ? await fromFolder(flags, embedder, onProgress)
        : await fromTable(String(flags['pairs']), embedder, onProgress);
    line.end();
    const { midpoint, slope, ...quality } = fitCalibration(pairs);
    const calibration = { midpoint, slope };
    if (flags['write'] !== undefined) writeCalibration(String(flags['write']), models, calibration);
    const model = `${embedder.name} ${embedder.version}`;
    print({ model, calibration, ...quality }, flags['json'] === true, () =>
      text(model, { ...calibration, ...quality }),
    );
  } finally {
    line.end();
    await embedder.close();
  }
}

type OnProgress = (done: number, of: number) => void;

async function fromFolder(
  flags: Record<string, unknown>,
  embedder: Embedder,
  onProgress: OnProgress,
): Promise<Pairs> {
  if (flags['queries'] === undefined || flags['qrels'] === undefined) {
    throw new PriorartError('usage', 'no pairs given; expected --queries and --qrels, or --pairs');
  }
  const questions = questionsOf(String(flags['queries']));
  const qrels = qrelsOf(String(flags['qrels']));
  const { data } = settings(flags);
  const store = Store.open(data);
  try {
    checkModel(store.manifest().model, embedder, data);
    return await pairsOfFolder(store, embedder, questions, new Judgements(store, qrels), onProgress);
  } finally {
    await store.close();
  }
}

function fromTable(file: string, embedder: Embedder, onProgress: OnProgress): Promise<Pairs> {
  return pairsOfTable(embedder, parsePairs(textOf(file, '--pairs'), file), onProgress);
}

/**
 * Puts a calibration into the embedder of a models.json, and leaves the rest of the file as it is. One that is not
 * there is made from the models in force.
 * @throws PriorartError `usage` where the file describes another embedder than the one that was measured
 */
function writeCalibration(file: string, models: ModelsConfig, calibration: Calibration): void {
  const present = existsSync(file) ? readModels(file).embedder : models.embedder;
  if (!isDeepStrictEqual(withoutCalibration(present), withoutCalibration(models.embedder))) {
    throw new PriorartError(
      'usage',
      `--write: ${file} describes another embedder than the one that was measured; expected the file that ` +
        '--models names, or one that is not there yet',
    );
  }
  const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ModelsInput) : models;
  const embedder = { ...(written.embedder ?? models.embedder), calibration };
  // A file that is cut short in the middle would stop the server that it belongs to.
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...written, embedder }, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

function withoutCalibration(embedder: ModelsConfig['embedder']): object {
  return { ...embedder, calibration: undefined };
}

function text(model: string, fit: Fit): string {
  const { midpoint, slope, relevant, irrelevant, logLoss, baseLogLoss, reliability } = fit;
  const rows = reliability.map(({ from, to, pairs, said, true: hit }) =>
    [`${from.toFixed(1)}–${to.toFixed(1)}`, count(pairs), said.toFixed(3), hit.toFixed(3)]
      .map((cell, n) => (n === 0 ? cell.padEnd(10) : cell.padStart(12)))
      .join(''),
  );
  return [
    `Model ${model}; ${count(relevant)} relevant and ${count(irrelevant)} other pairs.`,
    '',
    `"calibration": { "midpoint": ${midpoint}, "slope": ${slope} }`,
    '',
    `Log loss ${logLoss.toPrecision(3)} a pair; saying the share of relevant pairs each time gives ${baseLogLoss.toPrecision(3)}.`,
    'similarity       pairs        said        true',
    ...rows,
  ].join('\n');
}
