import { Command } from 'commander';
import { type Account, PLANS, type Plan } from '../access/records.js';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { findAccount, integerOption, table, withAccess } from './access-folder.js';
import { asDefault, dataCommand } from './options.js';
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
      .option('--plan <plan>', `plan of an account that is made: ${PLANS.join(', ')} (default: enterprise)`)
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
    asDefault(
      dataCommand('list', 'list keys, without their secrets').addHelpText(
        'after',
        '\nExamples:\n  priorart keys list --data ./patents --json',
      ),
      list,
    ),
    { isDefault: true },
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
  if (plan === undefined && flags['plan'] !== undefined) {
    throw new PriorartError('usage', `--plan: got "${flags['plan']}"; expected one of ${PLANS.join(', ')}`);
  }
  await withAccess(flags, async (access) => {
    const { name = 'default', environment = 'production' } = flags;
    const monthlyQuota = integerOption('--monthly-quota', flags['monthlyQuota']);
    const key = await createKey(access, {
      account: flags['account']!,
      environment,
      name,
      ...(plan === undefined ? {} : { plan }),
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    print(
      key,
      Boolean(flags['json']),
      () => `${key.secret}\nThis is key ${key.id}. Its secret is not shown again.`,
    );
  });
}

/**
 * Makes a key for an account, and the account where there is none of that name, on the plan `enterprise` unless told
 * otherwise.
 * @throws PriorartError `usage` where several accounts have the name, or the one that has it another plan or quota
 */
export async function createKey(
  access: AccessStore,
  wanted: { account: string; plan?: Plan; environment: string; name: string; monthlyQuota?: number },
): Promise<{ id: string; secret: string; account: string }> {
  const { account: asked, plan = 'enterprise', environment, name, monthlyQuota } = wanted;
  const known = findAccount(access, asked);
  if (known !== undefined) checkAsked(known, wanted);
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

/** An account is not changed by making a key, nor is a wish for another plan passed over. */
function checkAsked(account: Account, { plan, monthlyQuota }: { plan?: Plan; monthlyQuota?: number }): void {
  const { id, name, plan: has, monthly_quota: quota } = account;
  if ((plan ?? has) === has && (monthlyQuota ?? quota) === quota) return;
  throw new PriorartError(
    'usage',
    `account ${JSON.stringify(name)} is there already, with the plan ${has} and ${quota} searches a month; ` +
      `leave out --plan and --monthly-quota, or change it first: priorart accounts change ${id} …`,
  );
}

async function list(flags: Record<string, unknown>): Promise<void> {
  await withAccess(flags, async (access) => {
    const keys = access.list();
    print(keys, flags['json'] === true, () =>
      keys.length === 0
        ? 'There is no key yet; make one with `priorart keys create --account NAME`.'
        : table(
            keys.map(({ id, state, environment, account, created_at, name }) => [
              id,
              state,
              environment,
              account,
              created_at,
              name,
            ]),
          ),
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
