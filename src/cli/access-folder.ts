/** The access store of a data folder, for the commands about accounts, keys, usage and logs. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { ACCESS_FOLDER, type Account } from '../access/records.js';
import { shareSessionSecret } from '../access/shared-secret.js';
import { AccessStore } from '../access/store.js';
import type { Config } from '../config.js';
import { PriorartError } from '../errors.js';
import { wrongFolder } from '../store/faults.js';
import { isOnReadOnlyDisk } from '../store/room.js';
import { clusterOf, dataCommand, indexSettings, OF_A_CLUSTER, withSettings } from './options.js';
import { inOneLine } from './output.js';

/** Folder of the access store within a data folder. */
export function accessDir(data: string): string {
  return join(data, ACCESS_FOLDER);
}

/** A command about accounts, keys, usage or logs. */
export function accessCommand(name: string, description: string): Command {
  return withSettings(dataCommand(name, description), OF_A_CLUSTER);
}

/**
 * Opens the access store that the settings name: that of the data folder, or one that the servers on a cluster share.
 * @param isServer a server starts without a store in the folder, and waits for no lock. Commands create the store
 */
export async function openAccess(config: Config, isServer: boolean): Promise<AccessStore> {
  const folder = accessDir(config.data);
  const cluster = clusterOf(config);
  if (cluster === undefined) return AccessStore.open(folder, { create: !isServer });
  const { openSharedStore } = await import('../cluster/shared-store.js');
  const shared = await openSharedStore(cluster);
  const access = await AccessStore.openShared(folder, shared, !isServer);
  try {
    if (isServer) await shareSessionSecret(folder, shared.documents);
    return access;
  } catch (error) {
    await access.close();
    throw error;
  }
}

/** Opens the access store of a command. Creates the store if it does not exist. */
export async function withAccess(
  flags: Record<string, unknown>,
  work: (access: AccessStore) => Promise<void>,
): Promise<void> {
  const config = indexSettings(flags);
  // Do not create a mistyped folder: it would have no keys. On a cluster, the folder has a copy of them.
  const wrong = config.engine === 'embedded' ? wrongFolder(config.data) : undefined;
  if (wrong !== undefined) throw wrong;
  const access = await openAccess(config, false).catch((error: unknown) => {
    const isReadOnly = config.engine === 'embedded' && isOnReadOnlyDisk(config.data);
    throw isReadOnly ? keysOnReadOnlyDisk(config.data, error) : error;
  });
  try {
    await work(access);
  } finally {
    await access.close();
  }
}

/**
 * The error for accounts and keys on a read-only file system. SQLite cannot make the files there that its readers share.
 */
function keysOnReadOnlyDisk(data: string, cause: unknown): PriorartError {
  const message = `${data} is on a read-only file system: accounts, keys and their use can be neither read nor changed there; copy the folder to a writable disk`;
  return new PriorartError('read_only', message, { cause });
}

/**
 * The account with an id or a name, or undefined.
 * @throws PriorartError `usage` if several accounts have the name
 */
export function findAccount(access: AccessStore, asked: string): Account | undefined {
  const accounts = access.accounts();
  const found = accounts.filter(({ id }) => id === asked);
  if (found.length === 0) found.push(...accounts.filter(({ name }) => name === asked));
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).join(', ');
  throw new PriorartError(
    'usage',
    `account: ${found.length} accounts have the name ${JSON.stringify(asked)}; use an id instead: ${ids}`,
  );
}

/**
 * @throws PriorartError `not_found` if no account has this id or name, `usage` if several accounts have the
 *   name
 */
export function accountNamed(access: AccessStore, asked: string): Account {
  const found = findAccount(access, asked);
  if (found !== undefined) return found;
  throw new PriorartError(
    'not_found',
    `account: no account has the id or name "${asked}"; see \`priorart accounts list\``,
  );
}

/** Value of an integer option. */
export function integerOption(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new PriorartError('usage', `${flag}: got "${text}"; expected an integer`);
}

/** Rows with columns of equal width. Control characters in names and queries are shown escaped. */
export function table(shown: readonly (readonly string[])[]): string {
  const rows = shown.map((row) => row.map(inOneLine));
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
