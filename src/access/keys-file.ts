/**
 * keys.db: accounts, keys and settings. The file is small and rarely written. An acknowledged change is on
 * the disk.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PriorartError } from '../errors.js';
import { ACCOUNT_ENDED_SESSIONS_MAX, DEACTIVATED_KEYS_MAX } from '../limits.js';
import { type Account, type ApiKey, isPageKey } from './records.js';
import { known } from './rules.js';
import { type Layout, type OpenOptions, Sqlite } from './sqlite.js';

/** Tables that format 4 added to format 3. */
const FORMAT_4 = [
  `CREATE TABLE passwords (
     account TEXT PRIMARY KEY REFERENCES accounts (id),
     hash TEXT NOT NULL, -- see password.ts
     changed_at TEXT NOT NULL
   ) STRICT`,
  // Sessions of an account have the number of its last change of password, or revocation, by which they end.
  'CREATE TABLE session_epochs (account TEXT PRIMARY KEY REFERENCES accounts (id), epoch INTEGER NOT NULL) STRICT',
  // Sessions that were signed out before they expired (ms since 1970).
  `CREATE TABLE ended_sessions (
     id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts (id), expires INTEGER NOT NULL
   ) STRICT`,
];

/** What format 5 added to format 4: the first characters of a secret (key.ts), for keys made since. */
const FORMAT_5 = ['ALTER TABLE keys ADD COLUMN prefix TEXT'];

export const KEYS_LAYOUT: Layout = {
  format: 5,
  tables: [
    `CREATE TABLE accounts (
       id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, monthly_quota INTEGER NOT NULL,
       environments TEXT NOT NULL, -- a JSON array
       created_at TEXT NOT NULL
     ) STRICT`,
    `CREATE TABLE keys (
       lookup BLOB PRIMARY KEY, -- the first LOOKUP_BYTES of the hash
       hash BLOB NOT NULL, -- SHA-256 of the secret
       id TEXT NOT NULL UNIQUE, account TEXT NOT NULL REFERENCES accounts (id), environment TEXT NOT NULL,
       name TEXT NOT NULL, state TEXT NOT NULL, created_at TEXT NOT NULL, deactivated_at TEXT
     ) STRICT`,
    // 'maintenance': Maintenance, if it is on. 'ended_sessions': EndedSessions of the administration.
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
    ...FORMAT_4,
    ...FORMAT_5,
  ],
  upgrades: { 3: FORMAT_4, 4: FORMAT_5 },
  synchronous: 'FULL',
  pageBytes: 4096,
  checkpoints: true,
  checked: true,
  remedy: 'Stop the servers on this folder and put back a copy of it (`priorart snapshot` makes one)',
};

export const KEYS_FILE = 'keys.db';

/** Bytes of the hash of a secret that find its key. */
export const LOOKUP_BYTES = 16;

type AccountRow = [
  id: string,
  name: string,
  plan: string,
  quota: number,
  environments: string,
  created: string,
];
type KeyRow = [
  id: string,
  account: string,
  environment: string,
  name: string,
  state: string,
  created: string,
  deactivated: string | null,
  prefix: string | null,
];
const ACCOUNT_COLUMNS = 'a.id, a.name, a.plan, a.monthly_quota, a.environments, a.created_at';
const KEY_COLUMNS =
  'k.id, k.account, k.environment, k.name, k.state, k.created_at, k.deactivated_at, k.prefix';
/** Number of these columns. */
const KEY_WIDTH = 8;

function accountOf([id, name, plan, quota, environments, created]: AccountRow): Account {
  return {
    id,
    name,
    plan: plan as Account['plan'],
    monthly_quota: quota,
    environments: JSON.parse(environments),
    created_at: created,
  };
}

function keyOf([id, account, environment, name, state, created, deactivated, prefix]: KeyRow): ApiKey {
  return {
    id,
    account,
    environment,
    name,
    ...(prefix === null ? {} : { prefix }),
    state: state as ApiKey['state'],
    created_at: created,
    ...(deactivated === null ? {} : { deactivated_at: deactivated }),
  };
}

/** @throws the errors of Sqlite */
export function openKeys(folder: string, options: OpenOptions): Sqlite {
  const file = join(folder, KEYS_FILE);
  // Without this check, a new and empty store would appear beside the old keys.
  const old = join(folder, 'data.mdb');
  if (!existsSync(file) && existsSync(old)) {
    throw new Error(
      `${old} is of a version before 0.1, whose keys cannot be taken over: move ${folder} away, and make accounts and keys again`,
    );
  }
  return new Sqlite(file, KEYS_LAYOUT, options);
}

/** The key and its account, found by the first bytes of the secret's hash. */
export function keyAndAccountIn(
  file: Sqlite,
  lookup: Uint8Array,
): { hash: Uint8Array; key: ApiKey; account: Account } | undefined {
  const found = file.row<[hash: Uint8Array, ...KeyRow, ...AccountRow]>(
    `SELECT k.hash, ${KEY_COLUMNS}, ${ACCOUNT_COLUMNS} FROM keys k JOIN accounts a ON a.id = k.account
     WHERE k.lookup = ?`,
    lookup,
  );
  if (found === undefined) return undefined;
  const [hash, ...row] = found;
  return {
    hash,
    key: Object.freeze(keyOf(row.slice(0, KEY_WIDTH) as KeyRow)),
    account: Object.freeze(accountOf(row.slice(KEY_WIDTH) as AccountRow)),
  };
}

/** The value of a setting; undefined if it is not set. */
export function setting<T>(file: Sqlite, name: string): T | undefined {
  const found = file.row<[string]>('SELECT value FROM settings WHERE name = ?', name);
  return found && (JSON.parse(found[0]) as T);
}

/** Sets a setting; undefined removes it. */
export function putSetting(file: Sqlite, name: string, value: object | undefined): void {
  if (value === undefined) file.rows('DELETE FROM settings WHERE name = ?', name);
  else file.rows('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, JSON.stringify(value));
}

/** @throws PriorartError `not_found` */
export function accountIn(file: Sqlite, id: string): Account {
  const found = file.row<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.id = ?`, id);
  return accountOf(known(found, 'account', id));
}

/** @throws PriorartError `not_found` */
export function keyIn(file: Sqlite, id: string): ApiKey {
  return keyOf(known(file.row<KeyRow>(`SELECT ${KEY_COLUMNS} FROM keys k WHERE k.id = ?`, id), 'key', id));
}

/** A key by its id, with its account. */
export function keyWithIdIn(file: Sqlite, id: string): { key: ApiKey; account: Account } | undefined {
  const row = file.row<[...KeyRow, ...AccountRow]>(
    `SELECT ${KEY_COLUMNS}, ${ACCOUNT_COLUMNS} FROM keys k JOIN accounts a ON a.id = k.account WHERE k.id = ?`,
    id,
  );
  if (row === undefined) return undefined;
  return {
    key: Object.freeze(keyOf(row.slice(0, KEY_WIDTH) as KeyRow)),
    account: Object.freeze(accountOf(row.slice(KEY_WIDTH) as AccountRow)),
  };
}

/** The account that a person names to sign in, and its password. */
export interface Credentials {
  account: Account;
  hash: string;
  /** Sessions with a smaller number have ended. */
  epoch: number;
}

/**
 * The account with an id or a name, if it has a password. Undefined if several of these accounts have the name:
 * their owners sign in with the id.
 */
export function credentialsIn(file: Sqlite, asked: string): Credentials | undefined {
  const found = file.rows<[hash: string, epoch: number, ...AccountRow]>(
    `SELECT p.hash, coalesce(e.epoch, 0), ${ACCOUNT_COLUMNS}
     FROM accounts a JOIN passwords p ON p.account = a.id LEFT JOIN session_epochs e ON e.account = a.id
     WHERE a.id = ?1 OR a.name = ?1`,
    asked,
  );
  const row = found.find(([, , id]) => id === asked) ?? (found.length === 1 ? found[0] : undefined);
  if (row === undefined) return undefined;
  const [hash, epoch, ...account] = row;
  return { hash, epoch, account: accountOf(account as AccountRow) };
}

/** @throws PriorartError `name_taken` if an account has the name */
export function requireFreeName(file: Sqlite, name: string): void {
  const other = file.row<[string]>('SELECT id FROM accounts WHERE name = ?', name)?.[0];
  if (other !== undefined) throw nameTaken(other, `has the name ${JSON.stringify(name)}`);
}

/**
 * People sign in with the name of their account. Accounts of earlier versions may share a name, and one of them gets a password.
 * @param but an account that may have the name
 * @throws PriorartError `name_taken` if another account has the name and a password
 */
export function requireFreeSignIn(file: Sqlite, name: string, but: string): void {
  const other = file.row<[string]>(
    'SELECT a.id FROM accounts a JOIN passwords p ON p.account = a.id WHERE a.name = ? AND a.id <> ?',
    name,
    but,
  )?.[0];
  if (other !== undefined)
    throw nameTaken(other, `has the name ${JSON.stringify(name)} and signs in with it`);
}

function nameTaken(other: string, how: string): PriorartError {
  const remedy = 'choose another name for this account, or rename that one';
  const command = `\`priorart accounts change ${other} --name NAME\``;
  return new PriorartError('name_taken', `account ${other} ${how}; ${remedy}: ${command}`);
}

/** Sets the password of an account, and ends its sessions. Undefined removes it. */
export function putPassword(file: Sqlite, account: string, hash: string | undefined): void {
  if (hash === undefined) file.rows('DELETE FROM passwords WHERE account = ?', account);
  else {
    file.rows(
      'INSERT OR REPLACE INTO passwords (account, hash, changed_at) VALUES (?, ?, ?)',
      account,
      hash,
      new Date().toISOString(),
    );
  }
  endSessionsIn(file, account);
}

/** Replaces the hash of a password by another hash of the same password. */
export function replaceHash(file: Sqlite, account: string, old: string, hash: string): void {
  file.rows('UPDATE passwords SET hash = ? WHERE account = ? AND hash = ?', hash, account, old);
}

/** Ends all sessions of an account. */
export function endSessionsIn(file: Sqlite, account: string): void {
  file.rows(
    `INSERT INTO session_epochs (account, epoch) VALUES (?, 1)
     ON CONFLICT (account) DO UPDATE SET epoch = epoch + 1`,
    account,
  );
  file.rows('DELETE FROM ended_sessions WHERE account = ?', account);
}

/** The number that sessions of an account must have; greater after a change of password or a revocation. */
export function sessionEpochIn(file: Sqlite, account: string): number {
  return file.row<[number]>('SELECT epoch FROM session_epochs WHERE account = ?', account)?.[0] ?? 0;
}

/** Whether a session was signed out before it expired. */
export function isSignedOut(file: Sqlite, session: string): boolean {
  return file.row('SELECT 1 FROM ended_sessions WHERE id = ?', session) !== undefined;
}

/**
 * Records that a session was signed out. The number of records of an account is bounded: beyond it, all sessions
 * of the account end.
 * @param now ms since 1970
 */
export function signOut(
  file: Sqlite,
  { id, account, expires }: { id: string; account: string; expires: number },
  now: number,
): void {
  // Of this account only: a change is shared as the accounts that it touches.
  file.rows('DELETE FROM ended_sessions WHERE account = ? AND expires <= ?', account, now);
  const [[ended]] = file.rows<[number]>('SELECT count(*) FROM ended_sessions WHERE account = ?', account) as [
    [number],
  ];
  if (ended >= ACCOUNT_ENDED_SESSIONS_MAX) endSessionsIn(file, account);
  else {
    file.rows(
      'INSERT OR IGNORE INTO ended_sessions (id, account, expires) VALUES (?, ?, ?)',
      id,
      account,
      expires,
    );
  }
}

/** Whether an account has a password. */
export function hasPasswordIn(file: Sqlite, account: string): boolean {
  return file.row('SELECT 1 FROM passwords WHERE account = ?', account) !== undefined;
}

/** Whether any account has a password. */
export function hasPasswordsIn(file: Sqlite): boolean {
  return file.row('SELECT 1 FROM passwords LIMIT 1') !== undefined;
}

/** Adds or changes an account. */
export function putAccount(file: Sqlite, account: Account): void {
  const { id, name, plan, monthly_quota: quota, environments, created_at: created } = account;
  file.rows(
    `INSERT INTO accounts (id, name, plan, monthly_quota, environments, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       name = excluded.name, plan = excluded.plan, monthly_quota = excluded.monthly_quota,
       environments = excluded.environments`,
    id,
    name,
    plan,
    quota,
    JSON.stringify(environments),
    created,
  );
}

/** Removes an account with its keys, password and sessions. */
export function removeAccount(file: Sqlite, id: string): void {
  for (const table of ['keys', 'passwords', 'session_epochs', 'ended_sessions'])
    file.rows(`DELETE FROM ${table} WHERE account = ?`, id);
  file.rows('DELETE FROM accounts WHERE id = ?', id);
}

/** All accounts, oldest first. */
export function accountsIn(file: Sqlite): Account[] {
  const sql = `SELECT ${ACCOUNT_COLUMNS} FROM accounts a ORDER BY a.created_at, a.rowid`;
  return file.rows<AccountRow>(sql).map(accountOf);
}

/** All keys, oldest first. */
export function keysIn(file: Sqlite): ApiKey[] {
  return file.rows<KeyRow>(`SELECT ${KEY_COLUMNS} FROM keys k ORDER BY k.created_at, k.rowid`).map(keyOf);
}

/** Keys of an account, oldest first. */
export function keysOfIn(file: Sqlite, account: string): ApiKey[] {
  const sql = `SELECT ${KEY_COLUMNS} FROM keys k WHERE k.account = ? ORDER BY k.created_at, k.rowid`;
  return file.rows<KeyRow>(sql, account).map(keyOf);
}

/** Ids of the active keys of an account. */
function activeIn(file: Sqlite, account: string): string[] {
  const sql = "SELECT id FROM keys WHERE account = ? AND state = 'active'";
  return file.rows<[string]>(sql, account).map(([id]) => id);
}

/** Number of active keys of an account. */
export function countActive(file: Sqlite, account: string): number {
  return activeIn(file, account).length;
}

/** Number of active keys of an account that a client may have: all but that of the page. */
export function countUsable(file: Sqlite, account: string): number {
  return activeIn(file, account).filter((id) => !isPageKey(id)).length;
}

/** Deactivates a key. Its account keeps a bounded number of deactivated keys; the earliest are removed. */
export function deactivateKey(file: Sqlite, { id, account }: Pick<ApiKey, 'id' | 'account'>): void {
  file.rows(
    "UPDATE keys SET state = 'deactivated', deactivated_at = ? WHERE id = ? AND state = 'active'",
    new Date().toISOString(),
    id,
  );
  file.rows(
    `DELETE FROM keys WHERE id IN (
       SELECT id FROM keys WHERE account = ?1 AND state = 'deactivated' AND id <> ?2
       ORDER BY deactivated_at DESC, id LIMIT -1 OFFSET ?3
     )`,
    account,
    id,
    DEACTIVATED_KEYS_MAX - 1,
  );
}

/** Deactivates all keys of an account but that of the page. Returns how many. */
export function deactivateKeysOf(file: Sqlite, account: string): number {
  const ids = activeIn(file, account).filter((id) => !isPageKey(id));
  for (const id of ids) deactivateKey(file, { id, account });
  return ids.length;
}

export function insertKey(
  file: Sqlite,
  hash: Uint8Array,
  {
    id,
    account,
    environment,
    name,
    prefix,
  }: Pick<ApiKey, 'id' | 'account' | 'environment' | 'name' | 'prefix'>,
): void {
  file.rows(
    `INSERT INTO keys (lookup, hash, id, account, environment, name, state, created_at, prefix)
     VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?)`,
    hash.subarray(0, LOOKUP_BYTES),
    hash,
    id,
    account,
    environment,
    name,
    new Date().toISOString(),
    prefix ?? null,
  );
}
