/** What the commands about accounts, keys, usage and logs share: the access store of a data folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS_FOLDER, type Account } from '../access/records.js';
import { AccessStore } from '../access/store.js';
import { PriorartError } from '../errors.js';
import { settings } from './options.js';
import { inOneLine } from './output.js';

/** Where keys live within a data folder. */
export function accessDir(data: string): string {
  return join(data, ACCESS_FOLDER);
}

/** Opens the access store of a command's data folder, and makes it where there is none yet. */
export async function withAccess(
  flags: Record<string, unknown>,
  work: (access: AccessStore) => Promise<void>,
): Promise<void> {
  const { data } = settings(flags);
  // A mistyped folder must not be made, and then have no keys.
  if (!existsSync(data)) {
    throw new PriorartError(
      'no_data',
      `there is no folder ${data}; check --data, or make one with \`priorart ingest\``,
    );
  }
  const access = AccessStore.open(accessDir(data));
  try {
    await work(access);
  } finally {
    await access.close();
  }
}

/**
 * The account of an id or a name; undefined where there is none.
 * @throws PriorartError `usage` where several have the name
 */
export function findAccount(access: AccessStore, asked: string): Account | undefined {
  const accounts = access.accounts();
  const found = accounts.filter(({ id }) => id === asked);
  if (found.length === 0) found.push(...accounts.filter(({ name }) => name === asked));
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).join(', ');
  throw new PriorartError(
    'usage',
    `account: ${found.length} are called ${JSON.stringify(asked)}; name one by id: ${ids}`,
  );
}

/** @throws PriorartError `not_found` where no account has this id or name, `usage` where several have the name */
export function accountNamed(access: AccessStore, asked: string): Account {
  const found = findAccount(access, asked);
  if (found !== undefined) return found;
  throw new PriorartError(
    'not_found',
    `account: there is no account "${asked}"; see \`priorart accounts list\``,
  );
}

/** A number that an option was given. */
export function integerOption(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new PriorartError('usage', `${flag}: got "${text}"; expected an integer`);
}

/** Rows with columns of equal width. What a terminal would act on, in names and queries say, is shown as text. */
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
