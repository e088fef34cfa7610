import { Command } from 'commander';
import { type Account, type AccountPlan, PLANS } from '../access/records.js';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { endGrantsOf } from '../http/oauth/grants.js';
import { accessCommand, accountNamed, integerOption, table, withAccess } from './access-folder.js';
import { withGrants } from './grants.js';
import { proposing } from './messages.js';
import { asDefault } from './options.js';
import { count, counted, print, searchesAMonth } from './output.js';
import { askPassword } from './password-input.js';

type Flags = Record<string, string | undefined>;

export function accountsCommand(): Command {
  const accounts = new Command('accounts')
    .description('create, list, change and delete accounts: plan, monthly quota, environments')
    .addHelpText(
      'after',
      `
Examples:
  priorart accounts create "Patent team" --plan basic
  priorart accounts list
  priorart accounts change "Patent team" --plan enterprise --monthly-quota 5000`,
    );
  accounts.addCommand(
    accessCommand('create', 'create an account; its name must be free')
      .argument('<name>', 'name of the account')
      .requiredOption('--plan <plan>', PLANS.join(', '))
      .option('--monthly-quota <searches>', 'searches a month; only with the plan enterprise')
      .addHelpText('after', '\nExamples:\n  priorart accounts create Trial --plan free --json')
      .action(create),
  );
  accounts.addCommand(
    asDefault(
      accessCommand('list', 'list accounts and their use of this month').addHelpText(
        'after',
        '\nExamples:\n  priorart accounts list --json',
      ),
      list,
    ),
    { isDefault: true },
  );
  accounts.addCommand(
    accessCommand(
      'change',
      'change name, plan or quota, or add an environment; takes effect with the next call',
    )
      .argument('<account>', 'id or name')
      .option('--name <name>', 'new name')
      .option('--plan <plan>', PLANS.join(', '))
      .option('--monthly-quota <searches>', 'searches a month; only with the plan enterprise')
      .option('--add-environment <name>', 'add an environment, such as staging')
      .addHelpText(
        'after',
        '\nExamples:\n  priorart accounts change Trial --plan pro --add-environment staging',
      )
      .action(change),
  );
  accounts.addCommand(
    accessCommand(
      'password',
      'set the password with which an account signs in on the web page; ends its sessions',
    )
      .argument('<account>', 'id or name')
      .option('--remove', 'remove the password: it signs in no more')
      .addHelpText(
        'after',
        `
The password is asked for on a terminal, or else read from standard input.

Examples:
  priorart accounts password Trial
  openssl rand -base64 18 | tee password.txt | priorart accounts password Trial
  priorart accounts password Trial --remove`,
      )
      .action(password),
  );
  accounts.addCommand(
    accessCommand('sign-out', 'end all sessions of an account on the web page, on every server')
      .argument('<account>', 'id or name')
      .addHelpText('after', '\nExamples:\n  priorart accounts sign-out Trial')
      .action(signOut),
  );
  accounts.addCommand(
    accessCommand('delete', 'delete an account with its keys, its password and its sessions')
      .argument('<account>', 'id or name')
      .option('--revoke-keys', 'also delete an account with active keys, and revoke them')
      .addHelpText(
        'after',
        `
An account with active keys is refused (exit code 2), because programs may use them. Revoke the keys first, or add --revoke-keys:
calls with them are answered 401 from then on. Access that the account gave to clients of MCP ends, too. Lines in the log of requests
stay until they are too old. There is no way back but a snapshot.

Examples:
  priorart accounts delete Trial
  priorart accounts delete Trial --revoke-keys --json`,
      )
      .action(deleteAccount),
  );
  return accounts;
}

async function create(name: string, flags: Flags): Promise<void> {
  const monthlyQuota = integerOption('--monthly-quota', flags['monthlyQuota']);
  await withAccess(flags, async (access) => {
    const made = await access.createAccount({
      name,
      plan: flags['plan'] as AccountPlan,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    print(made, Boolean(flags['json']), () => `Account ${made.id}: ${describe(made)}.`);
  });
}

async function list(flags: Flags): Promise<void> {
  await withAccess(flags, async (access) => {
    const accounts = await withUse(access, access.accounts());
    print(accounts, Boolean(flags['json']), () =>
      accounts.length === 0
        ? proposing('No accounts yet; create one with `priorart accounts create NAME --plan PLAN`.')
        : table(
            accounts.map((account) => [
              account.id,
              account.plan,
              `${count(account.used)} of ${count(account.monthly_quota)} until ${account.resets_at.slice(0, 10)}`,
              account.environments.join(',') || '-',
              account.name,
            ]),
          ),
    );
  });
}

/** Options of `accounts change`, one of which it needs. */
const CHANGES: Readonly<Record<string, string>> = {
  name: '--name',
  plan: '--plan',
  monthlyQuota: '--monthly-quota',
  addEnvironment: '--add-environment',
};

async function change(asked: string, flags: Flags): Promise<void> {
  if (Object.keys(CHANGES).every((option) => flags[option] === undefined)) {
    const expected = Object.values(CHANGES).join(', ');
    throw new PriorartError('usage', `nothing to change; expected one or more of ${expected}`);
  }
  const monthlyQuota = integerOption('--monthly-quota', flags['monthlyQuota']);
  await withAccess(flags, async (access) => {
    const changed = await access.changeAccount(accountNamed(access, asked).id, {
      ...(flags['name'] === undefined ? {} : { name: flags['name'] }),
      ...(flags['plan'] === undefined ? {} : { plan: flags['plan'] as AccountPlan }),
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
      ...(flags['addEnvironment'] === undefined ? {} : { addEnvironment: flags['addEnvironment'] }),
    });
    print(changed, Boolean(flags['json']), () => `Account ${changed.id}: ${describe(changed)}.`);
  });
}

async function password(asked: string, flags: Flags & { remove?: boolean }): Promise<void> {
  await withAccess(flags, async (access) => {
    const { id, name } = accountNamed(access, asked);
    const isSet = flags['remove'] !== true;
    await access.passwords.set(
      id,
      isSet ? await askPassword(`Password of ${JSON.stringify(name)}`) : undefined,
    );
    print({ id, password: isSet }, Boolean(flags['json']), () =>
      isSet
        ? `Account ${id}: the password is set, and all its sessions have ended.`
        : `Account ${id}: it has no password any more, and all its sessions have ended.`,
    );
  });
}

async function signOut(asked: string, flags: Flags): Promise<void> {
  await withAccess(flags, async (access) => {
    const { id } = accountNamed(access, asked);
    await access.passwords.endSessions(id);
    print({ id }, Boolean(flags['json']), () => `Account ${id}: all its sessions have ended.`);
  });
}

async function deleteAccount(asked: string, flags: Flags & { revokeKeys?: boolean }): Promise<void> {
  await withGrants(flags, async (access, grants) => {
    const { id, name } = accountNamed(access, asked);
    const { revoked } = await access.deleteAccount(id, { revokes: flags['revokeKeys'] === true });
    if (grants) await endGrantsOf(grants, access, id);
    const keys = revoked === 0 ? '' : `, and ${counted(revoked, 'key')} revoked with it`;
    print(
      { id, name, revoked_keys: revoked },
      Boolean(flags['json']),
      () => `Account ${id}, ${JSON.stringify(name)}, is deleted${keys}.`,
    );
  });
}

async function withUse(access: AccessStore, accounts: readonly Account[]) {
  const quotas = await access.quotasUsed(accounts);
  return accounts.map((account, n) => {
    const { used, cycle } = quotas[n]!;
    return { ...account, used, resets_at: new Date(cycle.end).toISOString() };
  });
}

function describe(account: Account): string {
  const { name, plan, monthly_quota: quota, environments } = account;
  const named = environments.length === 0 ? '' : `, environments ${environments.join(', ')}`;
  return `${JSON.stringify(name)}, plan ${plan}, ${searchesAMonth(quota)}${named}`;
}
