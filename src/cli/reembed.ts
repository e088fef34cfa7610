import type { Command } from 'commander';
import { PriorartError } from '../errors.js';
import type { ReembedProgress, ReembedSummary } from '../ingest/summary.js';
import { forgetUnfinished, reembed } from '../pool/reembed.js';
import { beNice } from './niceness.js';
import { dataCommand, openOptions, settingsOf, withSettings } from './options.js';
import { count, counted, duration, interruption, ProgressLine, print } from './output.js';

export function reembedCommand(): Command {
  const command = dataCommand('reembed', 'embed all passages of a data folder with another model')
    .option(
      '--models <file>',
      "models.json of the new model (default: the models of the unfinished re-embedding, or the installed version of the folder's own model)",
    )
    .option('--discard', 'discard an unfinished re-embedding and free its disk space')
    .addHelpText(
      'after',
      `
Servers, ingests and deletions may continue: searches use the old model until re-embedding is complete, and the new one
right after, without a restart. --models names the new model. Without it, the command resumes a run that was stopped or
killed, with the models of that run. If no run is unfinished, it gives the passages vectors of the installed version of the
folder's own model, and fails if they have them. If the folder has the model already, only its configuration is replaced
(paths, calibration, reranker).

Examples:
  priorart reembed --data ./patents --models models.json
  priorart reembed --data ./patents`,
    )
    .action(run);
  return withSettings(command, ['workers', 'nice']);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const { data, models } = openOptions(flags);
  const json = flags['json'] === true;
  if (flags['discard']) {
    const discarded = await forgetUnfinished(data);
    return print({ discarded }, json, () =>
      discarded ? 'The unfinished re-embedding is discarded.' : 'There is no unfinished re-embedding.',
    );
  }
  const { workers, nice } = settingsOf(flags, ['workers', 'nice']);
  beNice(nice);
  const line = new ProgressLine();
  const signal = interruption();
  const started = performance.now();
  let first: number | undefined;
  const onProgress = (progress: ReembedProgress) => {
    first ??= progress.passages;
    line.update(progressText(progress, first, started));
  };
  try {
    const summary = await reembed(data, { models, workers, signal, onProgress });
    line.end();
    print(summary, json, () => summaryText(summary));
  } catch (error) {
    line.end();
    if (!signal.aborted) throw error;
    throw new PriorartError('cancelled', 'stopped; run `priorart reembed` again to resume', { cause: error });
  }
}

/** @param first passages that were complete when this run began */
function progressText(
  { passages, totalPassages, note }: ReembedProgress,
  first: number,
  started: number,
): string {
  const seconds = (performance.now() - started) / 1000;
  const share = totalPassages > 0 ? Math.min(1, passages / totalPassages) : 1;
  const rate = (passages - first) / seconds;
  const parts = [
    `${Math.floor(share * 100)
      .toString()
      .padStart(3)} %`,
    `${count(passages)} of ${counted(totalPassages, 'passage')}`,
    `${rate.toFixed(0)}/s`,
  ];
  if (rate > 0 && share < 1) parts.push(`${duration((totalPassages - passages) / rate)} left`);
  if (note) parts.push(note);
  return parts.join(', ');
}

function summaryText({ model, embedded, seconds }: ReembedSummary): string {
  return embedded === 0
    ? `The folder's model is ${model}; its configuration is now the given one.`
    : `${counted(embedded, 'publication')} embedded in ${seconds} s; the folder's model is ${model} now.`;
}
