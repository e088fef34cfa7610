import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Calibration } from '../embed/calibration.js';
import type { Embedder } from '../embed/embedder.js';
import { PriorartError } from '../errors.js';
import { type Fit, fitCalibration, type Pairs } from '../eval/calibration-fit.js';
import { clearlyRelevant, Judgements } from '../eval/judgements.js';
import { pairsOfFolder, pairsOfTable, parsePairs } from '../eval/pool-pairs.js';
import { CALIBRATION } from '../limits.js';
import { type ModelsConfig, type ModelsInput, readModels } from '../models/config.js';
import { checkModel } from '../models/identity.js';
import { openEmbedder } from '../models/load.js';
import { replaceFile } from '../store/room.js';
import { Store } from '../store/store.js';
import { qrelsOf, questionsOf, textOf } from './measure-files.js';
import { dataCommand, indexSettings, modelsOf, requireFolder, withSettings } from './options.js';
import { count, ProgressLine, print } from './output.js';

export function calibrateCommand(): Command {
  const command = dataCommand(
    'calibrate',
    'fit the curve that turns cosines into similarities, from judged pairs',
  )
    .option('--queries <file>', 'questions in the format of `priorart eval`; searched in the folder')
    .option('--qrels <file>', 'judgements in TREC form')
    .option(
      '--pairs <file>',
      'instead of questions: lines of question<TAB>text<TAB>label; 1 if the text answers, else 0',
    )
    .option('--write <file>', 'models.json to write the calibration to')
    .addHelpText(
      'after',
      `
A similarity of 0.5 means the same for every model: the threshold with the best F1 of clearly relevant documents
(grade ${CALIBRATION.clearGrade}; grade 1 if all grades are 0 and 1), all questions together. The slope is fitted to the relevant
documents and the ${CALIBRATION.nearest} nearest others of each question, from ${CALIBRATION.slopeMin} to ${CALIBRATION.slopeMax}. The threshold rises with the
number of documents: measure on a folder like the searched one, and give each question of --pairs a like number of texts
labelled 0. At least ${CALIBRATION.relevantMin} relevant and ${count(CALIBRATION.irrelevantMin)} other pairs are needed.

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
  requireFolder('`calibrate` without --pairs', flags);
  const { data } = indexSettings(flags);
  const store = Store.open(data);
  try {
    checkModel(store.manifest().model, embedder, data);
    const judgements = new Judgements(store, clearlyRelevant(qrels));
    return await pairsOfFolder(store, embedder, questions, judgements, onProgress);
  } finally {
    await store.close();
  }
}

function fromTable(file: string, embedder: Embedder, onProgress: OnProgress): Promise<Pairs> {
  return pairsOfTable(embedder, parsePairs(textOf(file, '--pairs'), file), onProgress);
}

/**
 * Writes a calibration to the embedder of a models.json and keeps the rest of the file. Creates a missing
 * file from the models in force.
 * @throws PriorartError `usage` if the file describes another embedder than the measured one
 */
function writeCalibration(file: string, models: ModelsConfig, calibration: Calibration): void {
  const present = existsSync(file) ? readModels(file, '--write').embedder : models.embedder;
  if (!isDeepStrictEqual(withoutCalibration(present), withoutCalibration(models.embedder))) {
    throw new PriorartError(
      'usage',
      `--write: ${file} describes another embedder than the measured one; expected the file of ` +
        '--models, or a file that does not exist yet',
    );
  }
  const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ModelsInput) : models;
  const embedder = { ...(written.embedder ?? models.embedder), calibration };
  // A half-written file would keep a server from starting.
  replaceFile(file, `${JSON.stringify({ ...written, embedder }, null, 2)}\n`, 0o666);
}

function withoutCalibration(embedder: ModelsConfig['embedder']): object {
  return { ...embedder, calibration: undefined };
}

function text(model: string, fit: Fit): string {
  const { midpoint, slope, relevant, irrelevant, near, f1, precision, recall, deciles } = fit;
  const tenths = deciles.relevant.map((_, n) => `${(n + 1) * 10} %`);
  const row = (name: string, cells: readonly string[]) =>
    name.padEnd(16) + cells.map((cell) => cell.padStart(7)).join('');
  const shares = (values: readonly number[]) => values.map((value) => value.toFixed(3));
  const bound = slope === CALIBRATION.slopeMin || slope === CALIBRATION.slopeMax;
  return [
    `Model ${model}; ${count(relevant)} relevant and ${count(irrelevant)} other pairs, ${count(near)} of the others near their question.`,
    '',
    `"calibration": { "midpoint": ${midpoint}, "slope": ${slope} }`,
    '',
    `At a similarity of 0.5: F1 ${f1.toFixed(3)}, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}.`,
    ...(bound ? [`The slope is at its bound: ${slope}.`] : []),
    '',
    'Similarity that a share of the pairs does not exceed:',
    row('', tenths),
    row('relevant', shares(deciles.relevant)),
    row('near irrelevant', shares(deciles.near)),
  ].join('\n');
}
