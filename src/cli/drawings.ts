import { Command } from 'commander';
import { LocalDrawings } from '../drawings/files.js';
import { type PushSummary, pushDrawings } from '../drawings/push.js';
import { S3Drawings } from '../drawings/s3/drawings.js';
import { bucketOf } from '../drawings/s3/settings.js';
import { PriorartError } from '../errors.js';
import { Store } from '../store/store.js';
import { dataCommand, OF_A_BUCKET, settingsOf, withSettings } from './options.js';
import { count, counted, ProgressLine, size } from './output.js';

export function drawingsCommand(): Command {
  return new Command('drawings')
    .description('copy drawings to the storage that serves them')
    .addHelpText(
      'after',
      `
Examples:
  priorart drawings push --data ./patents --s3-bucket patents`,
    )
    .addCommand(pushCommand());
}

function pushCommand(): Command {
  const command = dataCommand('push', 'upload the drawings that an S3 bucket lacks')
    .addHelpText(
      'after',
      `
Credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Run it after each ingest; a
server with the same --s3-bucket links to the bucket.

Examples:
  priorart drawings push --data ./patents --s3-bucket patents --s3-endpoint https://s3.example.com`,
    )
    .action(push);
  return withSettings(command, OF_A_BUCKET);
}

async function push(flags: Record<string, unknown>): Promise<void> {
  const config = settingsOf(flags, ['data', ...OF_A_BUCKET]);
  const bucket = bucketOf(config);
  if (bucket === undefined) throw new PriorartError('usage', 'no bucket given; expected --s3-bucket');
  // A mistyped folder must not pass for one without drawings.
  await Store.open(config.data).close();
  const progress = new ProgressLine();
  const summary = await pushDrawings(new LocalDrawings(config.data), new S3Drawings(bucket), {
    onProgress: (sofar) => progress.update(line(sofar)),
  });
  progress.end();
  const json = flags['json'] === true;
  process.stdout.write(json ? `${JSON.stringify(summary)}\n` : `${line(summary)}\n${failures(summary)}`);
  if (summary.failed > 0) process.exitCode = 1;
}

function line({ uploaded, present, bytes, failed }: PushSummary): string {
  const failing = failed > 0 ? `, ${count(failed)} failed` : '';
  return `${counted(uploaded, 'drawing')} uploaded (${size(bytes)}), ${count(present)} already there${failing}`;
}

function failures({ failures: listed }: PushSummary): string {
  return listed.map(({ drawing, reason }) => `  ${drawing}: ${reason}\n`).join('');
}
