import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { endGrant } from '../http/oauth/grants.js';
import { OAUTH_FOLDER, OAuthTables } from '../http/oauth/tables.js';
import { accessCommand, accountNamed, table, withAccess } from './access-folder.js';
import { proposing } from './messages.js';
import { asDefault } from './options.js';
import { print } from './output.js';

type Flags = Record<string, string | undefined>;

export function grantsCommand(): Command {
  const grants = new Command('grants')
    .description('list and end the access that accounts gave to clients of MCP')
    .addHelpText(
      'after',
      '\nExamples:\n  priorart grants list\n  priorart grants revoke grant_Xy12abcdef345678',
    );
  grants.addCommand(
    asDefault(
      accessCommand('list', 'list the clients that have access')
        .option('--account <name>', 'only those of an account, by name or id')
        .addHelpText('after', '\nExamples:\n  priorart grants list --account Trial --json'),
      list,
    ),
    { isDefault: true },
  );
  grants.addCommand(
    accessCommand('revoke', 'end the access of a client; holds from its next call on')
      .argument('<id>', 'id of the grant')
      .addHelpText('after', '\nExamples:\n  priorart grants revoke grant_Xy12abcdef345678')
      .action(revoke),
  );
  return grants;
}

/** @param work gets no tables if no account has ever signed in */
export async function withGrants(
  flags: Flags,
  work: (access: AccessStore, tables: OAuthTables | undefined) => Promise<void>,
): Promise<void> {
  await withAccess(flags, async (access) => {
    const tables = existsSync(join(access.folder, OAUTH_FOLDER)) ? new OAuthTables(access.folder) : undefined;
    try {
      await work(access, tables);
    } finally {
      await tables?.close();
    }
  });
}

async function list(flags: Flags): Promise<void> {
  await withGrants(flags, async (access, tables) => {
    const asked = flags['account'];
    const account = asked === undefined ? undefined : accountNamed(access, asked).id;
    const all = tables?.connections() ?? [];
    const grants = all.filter((one) => account === undefined || one.account === account);
    print(grants, Boolean(flags['json']), () =>
      grants.length === 0
        ? proposing(
            'No client has access; accounts give it on the sign-in page of `priorart serve --oauth-embedded on`.',
          )
        : table(
            grants.map((one) => [
              one.id,
              one.account,
              one.key,
              one.created_at,
              one.client_name,
              one.client_id,
            ]),
          ),
    );
  });
}

async function revoke(id: string, flags: Flags): Promise<void> {
  await withGrants(flags, async (access, tables) => {
    const ended = tables && (await endGrant(tables, access, id));
    if (!ended)
      throw new PriorartError(
        'not_found',
        `there is no grant ${JSON.stringify(id)}; see \`priorart grants list\``,
      );
    print(
      ended,
      Boolean(flags['json']),
      () => `Grant ${id} has ended: ${ended.client_name} has no access any more.`,
    );
  });
}
