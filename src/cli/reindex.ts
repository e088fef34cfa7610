import type { Command } from 'commander';
import { type ReindexSummary, reindex } from '../cluster/reindex.js';
import { beNice } from './niceness.js';
import { addressOf, dataCommand, OF_A_BUCKET, OF_A_CLUSTER, settingsOf, withSettings } from './options.js';
import { count, counted, interruption, ProgressLine, print } from './output.js';

export function reindexCommand(): Command {
  const command = dataCommand(
    'reindex',
    'move an index on a cluster of OpenSearch to a new one, of another model or other shards',
  )
    .option('--delete-old', 'delete the old index at the end')
    .addHelpText(
      'after',
      `
Searches go on, and use the new index right after. Ingests go on; they wait while the last changes are copied. Shards,
replicas and the engine of the vectors are those of the options. Without --models, vectors are copied. To resume a run that
was stopped, run the command again.

Examples:
  priorart reindex --opensearch-nodes https://node-1:9200 --opensearch-shards 6
  priorart reindex --opensearch-nodes https://node-1:9200 --models models.json --delete-old`,
    )
    .action(run);
  const ofCluster = OF_A_CLUSTER.filter((name) => name !== 'engine');
  return withSettings(command, ['models', 'workers', 'nice', ...ofCluster]);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const config = settingsOf(flags, ['models', 'workers', 'nice', ...OF_A_CLUSTER, ...OF_A_BUCKET]);
  const { engine: _, ...address } = addressOf(config);
  beNice(config.nice);
  const line = new ProgressLine();
  const onProgress = (copied: number, all: number) =>
    line.update(`${counted(copied, 'publication')} of ${count(all)}`);
  const { models, workers } = config;
  const options = { models, workers, deleteOld: flags['deleteOld'] === true, onProgress };
  const summary = await reindex(address, { ...options, signal: interruption() }).finally(() => line.end());
  print(summary, flags['json'] === true, () => text(summary));
}

function text({ to, model, documents, copied, removed, blocked_seconds }: ReindexSummary): string {
  return (
    `${counted(documents, 'publication')} are in ${to} now, of the model ${model}: ${count(copied)} copied, ` +
    `${count(removed)} removed. The index took no writes for ${blocked_seconds} s.`
  );
}
