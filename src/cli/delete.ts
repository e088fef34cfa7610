import type { Command } from 'commander';
import { deletePublications } from '../store/delete-publications.js';
import { Store } from '../store/store.js';
import { dataCommand, settings } from './options.js';
import { print } from './output.js';

export function deleteCommand(): Command {
  return dataCommand('delete', 'delete publications from the index')
    .argument('<numbers...>', 'publication numbers in any spelling')
    .addHelpText(
      'after',
      `
Examples:
  priorart delete KR1020200104349A "US 9,971,313 B2"`,
    )
    .action(run);
}

async function run(numbers: string[], flags: Record<string, unknown>): Promise<void> {
  const store = Store.open(settings(flags).data);
  try {
    const outcome = deletePublications(store, numbers);
    const { deleted, not_found: missing } = outcome;
    print(outcome, flags['json'] === true, () =>
      [
        deleted.length > 0 ? `Deleted ${deleted.join(', ')}.` : 'Deleted nothing.',
        ...(missing.length > 0 ? [`Not in the index: ${missing.join(', ')}.`] : []),
      ].join('\n'),
    );
  } finally {
    await store.close();
  }
}
