/**
 * keys.db: accounts, keys and switches. Small, seldom written, and on the disk when a change is acknowledged.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Account, ApiKey } from './records.js';
import { type Layout, type OpenOptions, Sqlite } from './sqlite.js';

const LAYOUT: Layout = {
  format: 3,
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
    // 'maintenance': Maintenance, where it is on. 'ended_sessions': EndedSessions of the administration.
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  ],
  synchronous: 'FULL',
  pageBytes: 4096,
  checkpoints: true,
  checked: true,
  remedy: 'Stop the servers on this folder and put back a copy of it (`priorart snapshot` makes one)',
};

/** Bytes of a secret's hash by which its key is found. */
export const LOOKUP_BYTES = 16;

export type AccountRow = [
  id: string,
  name: string,
  plan: string,
  quota: number,
  environments: string,
  created: string,
];
export type KeyRow = [
  id: string,
  account: string,
  environment: string,
  name: string,
  state: string,
  created: string,
  deactivated: string | null,
];
export const ACCOUNT_COLUMNS = 'a.id, a.name, a.plan, a.monthly_quota, a.environments, a.created_at';
export const KEY_COLUMNS = 'k.id, k.account, k.environment, k.name, k.state, k.created_at, k.deactivated_at';

export function accountOf([id, name, plan, quota, environments, created]: AccountRow): Account {
  return {
    id,
    name,
    plan: plan as Account['plan'],
    monthly_quota: quota,
    environments: JSON.parse(environments),
    created_at: created,
  };
}

export function keyOf([id, account, environment, name, state, created, deactivated]: KeyRow): ApiKey {
  return {
    id,
    account,
    environment,
    name,
    state: state as ApiKey['state'],
    created_at: created,
    ...(deactivated === null ? {} : { deactivated_at: deactivated }),
  };
}

/** @throws what Sqlite throws */
export function openKeys(folder: string, options: OpenOptions): Sqlite {
  const file = join(folder, 'keys.db');
  // Nobody is to wonder where the keys are, nor to get a new and empty store beside them.
  const old = join(folder, 'data.mdb');
  if (!existsSync(file) && existsSync(old)) {
    throw new Error(
      `${old} is of a version before 0.1, whose keys cannot be taken over: move ${folder} away, and make accounts and keys again`,
    );
  }
  return new Sqlite(file, LAYOUT, options);
}
