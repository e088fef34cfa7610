import { Command } from 'commander';
import { MAINTENANCE_RETRY_S } from '../limits.js';
import { accessCommand, integerOption, withAccess } from './access-folder.js';
import { asDefault } from './options.js';
import { print } from './output.js';

type Flags = Record<string, string | undefined>;

export function maintenanceCommand(): Command {
  const maintenance = new Command('maintenance')
    .description(
      'answer every call with 503, except health, administration and the files of the web page, on all servers of a data folder',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  priorart maintenance on --retry-after 600\n  priorart maintenance off',
    );
  maintenance.addCommand(
    accessCommand('on', 'turn maintenance on; takes effect with the next call')
      .option(
        '--retry-after <seconds>',
        'Retry-After that clients receive, s',
        String(MAINTENANCE_RETRY_S.default),
      )
      .addHelpText('after', '\nExamples:\n  priorart maintenance on --retry-after 600')
      .action((flags: Flags) => set(true, flags)),
  );
  maintenance.addCommand(
    accessCommand('off', 'turn maintenance off')
      .addHelpText('after', '\nExamples:\n  priorart maintenance off')
      .action((flags: Flags) => set(false, flags)),
  );
  maintenance.addCommand(
    asDefault(
      accessCommand('status', 'show whether maintenance is on').addHelpText(
        'after',
        '\nExamples:\n  priorart maintenance status --json',
      ),
      status,
    ),
    { isDefault: true },
  );
  return maintenance;
}

async function set(on: boolean, flags: Flags): Promise<void> {
  const retryAfter = integerOption('--retry-after', flags['retryAfter']);
  await withAccess(flags, async (access) => {
    await access.setMaintenance(on, retryAfter);
    print({ on }, Boolean(flags['json']), () =>
      on
        ? 'Maintenance is on: every call except health, administration and the files of the web page is answered 503.'
        : 'Maintenance is off: calls are answered again.',
    );
  });
}

async function status(flags: Flags): Promise<void> {
  await withAccess(flags, async (access) => {
    const found = access.maintenance();
    print({ on: found !== undefined, ...found }, Boolean(flags['json']), () =>
      found ? `Maintenance has been on since ${found.since}.` : 'Maintenance is off.',
    );
  });
}
