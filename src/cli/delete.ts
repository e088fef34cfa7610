import type { Command } from 'commander';
import { dataCommand, OF_A_CLUSTER, withSettings } from './options.js';
import { print } from './output.js';
import { openPublications } from './publications.js';

export function deleteCommand(): Command {
  const command = dataCommand('delete', 'delete publications from the index')
    .argument('<numbers...>', 'publication numbers in any spelling')
    .addHelpText(
      'after',
      `
Examples:
  priorart delete KR1020200104349A "US 9,971,313 B2"`,
    )
    .action(run);
  return withSettings(command, OF_A_CLUSTER);
}

async function run(numbers: string[], flags: Record<string, unknown>): Promise<void> {
  const publications = await openPublications(flags);
  try {
    const outcome = await publications.delete(numbers);
    const { deleted, not_found: missing } = outcome;
    print(outcome, flags['json'] === true, () =>
      [
        deleted.length > 0 ? `Deleted ${deleted.join(', ')}.` : 'Deleted nothing.',
        ...(missing.length > 0 ? [`Not in the index: ${missing.join(', ')}.`] : []),
      ].join('\n'),
    );
  } finally {
    await publications.close();
  }
}
