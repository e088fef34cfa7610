import { Command } from 'commander';
import { PLANS, type Plan } from '../access/records.js';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { integerOption, withAccess } from './access-folder.js';
import { dataCommand } from './options.js';
import { print } from './output.js';

export function keysCommand(): Command {
  const keys = new Command('keys').description('make, list and revoke API keys').addHelpText(
    'after',
    `
Examples:
  priorart keys create --account "Patent team" --name laptop
  priorart keys list
  priorart keys revoke key_Xy12abcdef34`,
  );
  keys.addCommand(
    dataCommand('create', 'make a key; its secret is shown once')
      .requiredOption('--account <name>', 'account by name or id; made where there is none of that name')
      .option('--plan <plan>', `plan of an account that is made: ${PLANS.join(', ')}`, 'enterprise')
      .option(
        '--monthly-quota <searches>',
        'searches a month of an account that is made, on the plan enterprise',
      )
      .option('--environment <name>', 'where the key is used', 'production')
      .option('--name <name>', 'what the key is for', 'default')
      .addHelpText(
        'after',
        `
Examples:
  priorart keys create --account "Patent team" --name laptop
  priorart keys create --account Trial --plan free --environment development --json`,
      )
      .action(create),
  );
  keys.addCommand(
    dataCommand('list', 'list keys, without their secrets')
      .addHelpText('after', '\nExamples:\n  priorart keys list --data ./patents --json')
      .action(list),
  );
  keys.addCommand(
    dataCommand('revoke', 'deactivate a key at once')
      .argument('<id>', 'id of the key')
      .addHelpText('after', '\nExamples:\n  priorart keys revoke key_Xy12abcdef34')
      .action(revoke),
  );
  return keys;
}

async function create(flags: Record<string, string>): Promise<void> {
  const plan = PLANS.find((known) => known === flags['plan']);
  if (plan === undefined) {
    throw new PriorartError('usage', `--plan: got "${flags['plan']}"; expected one of ${PLANS.join(', ')}`);
  }
  await withAccess(flags, async (access) => {
    const { name = 'default', environment = 'production' } = flags;
    const monthlyQuota = integerOption('--monthly-quota', flags['monthlyQuota']);
    const key = await createKey(access, {
      account: flags['account']!,
      plan,
      environment,
      name,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    print(
      key,
      Boolean(flags['json']),
      () => `${key.secret}\nThis is key ${key.id}. Its secret is not shown again.`,
    );
  });
}

/** Makes a key for an account, and the account where there is none of that name. */
export async function createKey(
  access: AccessStore,
  wanted: { account: string; plan: Plan; environment: string; name: string; monthlyQuota?: number },
): Promise<{ id: string; secret: string; account: string }> {
  const { account: asked, plan, environment, name, monthlyQuota } = wanted;
  const known = access.accounts().find((account) => account.id === asked || account.name === asked);
  const account =
    known ??
    (await access.createAccount({
      name: asked,
      plan,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    }));
  const key = await access.createKey({ account: account.id, environment, name });
  return { ...key, account: account.id };
}

async function list(flags: Record<string, unknown>): Promise<void> {
  await withAccess(flags, async (access) => {
    const keys = access.list();
    print(keys, flags['json'] === true, () =>
      keys.length === 0
        ? 'There is no key yet; make one with `priorart keys create --account NAME`.'
        : keys
            .map((key) =>
              [key.id, key.state.padEnd(11), key.environment, key.account, key.created_at, key.name].join(
                '  ',
              ),
            )
            .join('\n'),
    );
  });
}

async function revoke(id: string, flags: Record<string, unknown>): Promise<void> {
  await withAccess(flags, async (access) => {
    const key = await access.revoke(id);
    print(
      key,
      flags['json'] === true,
      () => `Key ${key.id} is deactivated; requests with it get 403 from now on.`,
    );
  });
}
