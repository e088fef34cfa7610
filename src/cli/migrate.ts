import type { Command } from 'commander';
import { type MigrateSummary, migrateToCluster, migrateToFolder } from '../cluster/migrate.js';
import { PriorartError } from '../errors.js';
import { addressOf, dataCommand, OF_A_BUCKET, OF_A_CLUSTER, settingsOf, withSettings } from './options.js';
import { count, counted, interruption, ProgressLine, print } from './output.js';

const DIRECTIONS = ['to-cluster', 'to-folder'] as const;

export function migrateCommand(): Command {
  const command = dataCommand('migrate', 'copy publications and vectors to a cluster of OpenSearch, or back')
    .argument('<direction>', DIRECTIONS.join(' or '))
    .addHelpText(
      'after',
      `
Nothing is embedded again. To resume a run that was stopped, run the command again. Accounts and keys stay where
they are. Drawings are copied to the S3 bucket of --s3-bucket, or from it; credentials come from AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.

Examples:
  priorart migrate to-cluster --data ./patents --opensearch-nodes https://node-1:9200
  priorart migrate to-folder --data ./copy --opensearch-nodes https://node-1:9200`,
    )
    .action(run);
  return withSettings(command, [...OF_A_CLUSTER.filter((name) => name !== 'engine'), ...OF_A_BUCKET]);
}

async function run(direction: string, flags: Record<string, unknown>): Promise<void> {
  const config = settingsOf(flags, ['data', ...OF_A_CLUSTER, ...OF_A_BUCKET]);
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

function text({ documents, written, updated, unchanged, drawings }: MigrateSummary): string {
  const lines = [
    `${counted(documents, 'publication')}: ${count(written)} new, ${count(updated)} updated, ` +
      `${count(unchanged)} unchanged`,
  ];
  if (drawings) lines.push(drawingsText(drawings));
  return lines.join('\n');
}

function drawingsText({ copied, failed, left }: NonNullable<MigrateSummary['drawings']>): string {
  if (left > 0) {
    return `${counted(left, 'drawing')} not copied: name the S3 bucket of the cluster with --s3-bucket and run it again`;
  }
  const failing = failed > 0 ? `, ${count(failed)} failed: their images are missing or damaged` : '';
  return `${counted(copied, 'drawing')} in the target${failing}`;
}
