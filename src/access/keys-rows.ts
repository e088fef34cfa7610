/**
 * The rows of keys.db by what they belong to: an account, with its keys, password and sessions, or a setting. Servers on a
 * cluster share them in this form. A change of the file touches few of them.
 */
import type { SqliteValue } from '../index/native.js';
import type { Sqlite } from './sqlite.js';

/** Bytes are hexadecimal. */
type Value = string | number | null | { hex: string };

/** Rows of one owner, by table and column. */
export type OwnedRows = Record<string, Record<string, Value>[]>;

/** What an owner has after a change. */
export interface OwnedChange {
  /** `account-acc_Xy12…`, `setting-maintenance` */
  owner: string;
  rows: OwnedRows;
}

interface Table {
  /** The column that names the owner. */
  owner: string;
  columns: readonly string[];
}

const ACCOUNT_TABLES: Readonly<Record<string, Table>> = {
  accounts: {
    owner: 'id',
    columns: ['id', 'name', 'plan', 'monthly_quota', 'environments', 'created_at'],
  },
  keys: {
    owner: 'account',
    columns: [
      ...['lookup', 'hash', 'id', 'account', 'environment', 'name', 'state', 'created_at'],
      ...['deactivated_at', 'prefix'],
    ],
  },
  passwords: { owner: 'account', columns: ['account', 'hash', 'changed_at'] },
  session_epochs: { owner: 'account', columns: ['account', 'epoch'] },
  ended_sessions: { owner: 'account', columns: ['id', 'account', 'expires'] },
};
const SETTING_TABLES: Readonly<Record<string, Table>> = {
  settings: { owner: 'name', columns: ['name', 'value'] },
};
const KINDS: readonly [kind: string, tables: Readonly<Record<string, Table>>][] = [
  ['account', ACCOUNT_TABLES],
  ['setting', SETTING_TABLES],
];

/** What a change would do. Run it in a transaction that is rolled back. */
export function changesOf<T>(
  file: Sqlite,
  change: (file: Sqlite) => T,
): { result: T; changes: OwnedChange[] } {
  file.rows('CREATE TEMP TABLE changed (owner TEXT PRIMARY KEY)');
  for (const [kind, tables] of KINDS) {
    for (const [table, { owner }] of Object.entries(tables)) {
      for (const [action, row] of [
        ['INSERT', 'NEW'],
        ['UPDATE', 'NEW'],
        ['DELETE', 'OLD'],
      ]) {
        file.rows(
          `CREATE TEMP TRIGGER ${table}_${action} AFTER ${action} ON main.${table}
           BEGIN INSERT OR IGNORE INTO changed VALUES ('${kind}-' || ${row}.${owner}); END`,
        );
      }
    }
  }
  const result = change(file);
  const changed = file.rows<[string]>('SELECT owner FROM changed ORDER BY owner');
  return { result, changes: changed.map(([owner]) => ({ owner, rows: rowsOf(file, owner) })) };
}

/** Names of all accounts, as owners. */
export function accountOwners(file: Sqlite): string[] {
  return file.rows<[string]>('SELECT id FROM accounts ORDER BY rowid').map(([id]) => `account-${id}`);
}

/** The rows of an owner. */
export function rowsOf(file: Sqlite, owner: string): OwnedRows {
  const [tables, id] = partsOf(owner);
  const rows: OwnedRows = {};
  for (const [table, { owner: column, columns }] of Object.entries(tables)) {
    const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${column} = ? ORDER BY rowid`;
    const found = file.rows(sql, id);
    if (found.length === 0) continue;
    rows[table] = found.map((row) => Object.fromEntries(columns.map((name, n) => [name, toJson(row[n]!)])));
  }
  return rows;
}

/** Gives an owner these rows and no others. An account without a row of its own is removed. */
export function putRows(file: Sqlite, { owner, rows }: OwnedChange): void {
  const [tables, id] = partsOf(owner);
  for (const [table, { owner: column, columns }] of Object.entries(tables)) {
    const isReferred = table === 'accounts';
    // Rows of other tables refer to an account.
    if (!isReferred) file.rows(`DELETE FROM ${table} WHERE ${column} = ?`, id);
    const update = columns.map((name) => `${name} = excluded.${name}`).join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})${
      isReferred ? ` ON CONFLICT (id) DO UPDATE SET ${update}` : ''
    }`;
    for (const row of rows[table] ?? []) file.rows(sql, ...columns.map((name) => fromJson(row[name])));
  }
  if (tables === ACCOUNT_TABLES && rows['accounts'] === undefined)
    file.rows('DELETE FROM accounts WHERE id = ?', id);
}

/** Removes all accounts and settings. */
export function clearRows(file: Sqlite): void {
  for (const table of [...Object.keys(ACCOUNT_TABLES).reverse(), ...Object.keys(SETTING_TABLES)])
    file.rows(`DELETE FROM ${table}`);
}

function partsOf(owner: string): [tables: Readonly<Record<string, Table>>, id: string] {
  const at = owner.indexOf('-');
  const found = KINDS.find(([kind]) => kind === owner.slice(0, at));
  if (found === undefined) throw new Error(`${JSON.stringify(owner)} is neither an account nor a setting`);
  return [found[1], owner.slice(at + 1)];
}

function toJson(value: SqliteValue): Value {
  return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : (value as Value);
}

function fromJson(value: Value | undefined): SqliteValue {
  if (typeof value === 'object' && value !== null) return Buffer.from(value.hex, 'hex');
  return (value ?? null) as SqliteValue;
}
