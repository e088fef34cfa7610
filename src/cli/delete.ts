import type { Command } from 'commander';
import { dataCommand, OF_A_CLUSTER, withSettings } from './options.js';
import { print } from './output.js';
import { openPublications, tellMissing } from './publications.js';

export function deleteCommand(): Command {
  const command = dataCommand('delete', 'delete publications from the index')
    .argument('<numbers...>', 'publication numbers in any spelling')
    .addHelpText(
      'after',
      `
Exit code 1 if a number is not in the index; the others are deleted.

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
      deleted.length > 0 ? `Deleted ${deleted.join(', ')}.` : 'Deleted nothing.',
    );
    tellMissing(missing);
  } finally {
    await publications.close();
  }
}
