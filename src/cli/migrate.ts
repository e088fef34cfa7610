import type { Command } from 'commander';
import { type MigrateSummary, migrateToCluster, migrateToFolder } from '../cluster/migrate.js';
import { PriorartError } from '../errors.js';
import { addressOf, dataCommand, OF_A_CLUSTER, settings, withSettings } from './options.js';
import { count, counted, interruption, ProgressLine, print } from './output.js';

const DIRECTIONS = ['to-cluster', 'to-folder'] as const;

export function migrateCommand(): Command {
  const command = dataCommand('migrate', 'copy publications and vectors to a cluster of OpenSearch, or back')
    .argument('<direction>', DIRECTIONS.join(' or '))
    .addHelpText(
      'after',
      `
Nothing is embedded again. To resume a run that was stopped, run the command again. Drawings, accounts and keys stay where
they are.

Examples:
  priorart migrate to-cluster --data ./patents --opensearch-nodes https://node-1:9200
  priorart migrate to-folder --data ./copy --opensearch-nodes https://node-1:9200`,
    )
    .action(run);
  return withSettings(
    command,
    OF_A_CLUSTER.filter((name) => name !== 'engine'),
  );
}

async function run(direction: string, flags: Record<string, unknown>): Promise<void> {
  const config = settings(flags);
  const known = DIRECTIONS.find((name) => name === direction);
  if (known === undefined) {
    const message = `unknown direction '${direction}'; expected ${DIRECTIONS.join(' or ')}`;
    throw new PriorartError('usage', message);
  }
  const { engine: _, ...address } = addressOf(config);
  const line = new ProgressLine();
  const onProgress = (read: number, all: number) => {
    line.update(`${counted(read, 'publication')} of ${count(all)}`);
  };
  const options = { signal: interruption(), onProgress };
  const summary = await (known === 'to-cluster'
    ? migrateToCluster(config.data, address, options)
    : migrateToFolder(address, config.data, options)
  ).finally(() => line.end());
  print(summary, flags['json'] === true, () => text(summary));
}

function text({ documents, written, updated, unchanged }: MigrateSummary): string {
  return (
    `${counted(documents, 'publication')}: ${count(written)} new, ${count(updated)} updated, ` +
    `${count(unchanged)} unchanged`
  );
}
