import type { Command } from 'commander';
import { AccessStore } from '../access/store.js';
import { snapshotFolder } from '../index/snapshot-folder.js';
import type { SnapshotSummary } from '../index/snapshot-summary.js';
import { Store } from '../store/store.js';
import { accessDir } from './access-folder.js';
import { dataCommand, openOptions, shellWord } from './options.js';
import { COMMAND, count, counted, interruption, ProgressLine, print, size } from './output.js';

export function snapshotCommand(): Command {
  return dataCommand('snapshot', 'copy the current state of a data folder while others search and write')
    .argument(
      '<folder>',
      'path of the copy; must not exist, nor be in the data folder; its parent folder must exist',
    )
    .option('--copy', 'copy every byte; by default, files on the same disk are hard links and take no space')
    .addHelpText(
      'after',
      `
Accounts, keys and their use are copied too; request logs are not. The copy appears when it is complete. To restore it,
open it, or move it to the place of the folder. The parent folder of the copy is not made. So if it is a folder on the
disk for backups, the command fails while that disk is not mounted.

Examples:
  priorart snapshot --data ./patents ./patents-$(date +%F)
  priorart snapshot --data ./patents /mnt/backup/priorart/patents --json`,
    )
    .action(run);
}

async function run(folder: string, flags: Record<string, unknown>): Promise<void> {
  const { data } = openOptions(flags);
  const store = Store.open(data);
  const line = new ProgressLine();
  try {
    const onProgress = (text: string) => line.update(text);
    const alongside = (copy: string) => copyAccess(data, copy);
    const summary = await snapshotFolder(store, folder, {
      copy: flags['copy'] === true,
      alongside,
      onProgress,
      signal: interruption(),
    });
    line.end();
    print(summary, flags['json'] === true, () => text(summary));
  } finally {
    line.end();
    await store.close();
  }
}

/** Copies accounts and keys, if any. A server makes the folder for its secret before there are any. */
async function copyAccess(data: string, copy: string): Promise<void> {
  const found = AccessStore.open(accessDir(data), { create: false });
  const isMissing = found.isMissing();
  await found.close();
  if (isMissing) return;
  const access = AccessStore.open(accessDir(data));
  try {
    await access.copyTo(accessDir(copy));
  } finally {
    await access.close();
  }
}

function text({ folder, documents, passages, files, bytes, linked }: SnapshotSummary): string {
  return (
    `${counted(documents, 'publication')}, ${counted(passages, 'passage')}: ${counted(files, 'file')} of ${size(bytes)} in ${folder}, ` +
    `${count(linked)} of them hard links.\nTo verify it: ${COMMAND} check --data ${shellWord(folder)}`
  );
}
