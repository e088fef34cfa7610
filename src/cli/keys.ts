import { Command } from 'commander';
import { type Account, type AccountPlan, PLANS } from '../access/records.js';
import { checkEnvironment, checkName } from '../access/rules.js';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { accessCommand, findAccount, integerOption, table, withAccess } from './access-folder.js';
import { proposing } from './messages.js';
import { asDefault } from './options.js';
import { print, searchesAMonth } from './output.js';

export function keysCommand(): Command {
  const keys = new Command('keys').description('create, list and revoke API keys').addHelpText(
    'after',
    `
Examples:
  priorart keys create --account "Patent team" --name laptop
  priorart keys list
  priorart keys revoke key_Xy12abcdef34`,
  );
  keys.addCommand(
    accessCommand('create', 'create a key; its secret is shown once')
      .requiredOption('--account <name>', 'account by name or id; created if no account has the name')
      .option('--plan <plan>', `plan of a new account: ${PLANS.join(', ')} (default: enterprise)`)
      .option(
        '--monthly-quota <searches>',
        'searches a month of a new account; only with the plan enterprise',
      )
      .option('--environment <name>', 'environment of the key', 'production')
      .option('--name <name>', 'name of the key', 'default')
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
      accessCommand('list', 'list keys, without their secrets').addHelpText(
        'after',
        '\nExamples:\n  priorart keys list --data ./patents --json',
      ),
      list,
    ),
    { isDefault: true },
  );
  keys.addCommand(
    accessCommand('revoke', 'revoke a key immediately and for ever')
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
    print(key, Boolean(flags['json']), () => {
      const made = key.new_account ? `\n${newAccountText(flags['account']!, key.new_account)}` : '';
      return `${key.secret}\nThis is key ${key.id}. Its secret is not shown again.${made}`;
    });
  });
}

function newAccountText(name: string, { plan, monthly_quota: quota }: NewAccount): string {
  return `No account had the name ${JSON.stringify(name)}, so one was created: plan ${plan}, ${searchesAMonth(quota)}.`;
}

/** The plan of an account that was created with a key. */
type NewAccount = Pick<Account, 'plan' | 'monthly_quota'>;

/**
 * Creates a key. Creates the account too if no account has the name, with the plan `enterprise` by default.
 * @throws PriorartError `usage` if several accounts have the name, or the account has another plan or quota
 *   than asked for
 */
export async function createKey(
  access: AccessStore,
  wanted: { account: string; plan?: AccountPlan; environment: string; name: string; monthlyQuota?: number },
): Promise<{ id: string; secret: string; account: string; new_account?: NewAccount }> {
  const { account: asked, plan = 'enterprise', environment, name, monthlyQuota } = wanted;
  const known = findAccount(access, asked);
  if (known !== undefined) checkAsked(known, wanted);
  // A refused key leaves no new account behind.
  checkName('key name', name);
  checkEnvironment(environment);
  const account =
    known ??
    (await access.createAccount({
      name: asked,
      plan,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    }));
  const key = await access.createKey({ account: account.id, environment, name });
  const { plan: made, monthly_quota } = account;
  return {
    ...key,
    account: account.id,
    ...(known === undefined ? { new_account: { plan: made, monthly_quota } } : {}),
  };
}

/** Creating a key does not change an existing account: a different plan or quota is an error. */
function checkAsked(
  account: Account,
  { plan, monthlyQuota }: { plan?: AccountPlan; monthlyQuota?: number },
): void {
  const { id, name, plan: has, monthly_quota: quota } = account;
  if ((plan ?? has) === has && (monthlyQuota ?? quota) === quota) return;
  throw new PriorartError(
    'usage',
    `account ${JSON.stringify(name)} exists with the plan ${has} and ${quota} searches a month; ` +
      `omit --plan and --monthly-quota, or change the account first: \`priorart accounts change ${id} …\``,
  );
}

async function list(flags: Record<string, unknown>): Promise<void> {
  await withAccess(flags, async (access) => {
    const keys = access.list();
    print(keys, flags['json'] === true, () =>
      keys.length === 0
        ? proposing('No keys yet; create one with `priorart keys create --account NAME`.')
        : table(
            keys.map(({ id, state, environment, account, created_at, name }) => [
              id,
              state === 'active' ? state : 'revoked',
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
      () => `Key ${key.id} is revoked; requests with it get 403 from now on.`,
    );
  });
}
