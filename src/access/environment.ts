/**
 * The LMDB environment of the access store and its tables.
 *
 *   meta      'format'                 → FORMAT
 *             'maintenance'            → Maintenance, where it is on
 *             'ended_sessions'         → EndedSessions of the administration
 *   accounts  account id               → Account
 *   keys      first 16 bytes of hash   → StoredKey (with the whole hash)
 *   key_ids   key id                   → first 16 bytes of hash
 *   quotas    account id               → UsedQuota, at most a second behind the counters (counters.ts)
 *
 * Format 1 had neither quotas nor an account's environments and own quota; it is brought up to date when opened.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { diskFullIn } from '../store/faults.js';
import { faultOfLmdbFile, fillLmdbFile } from '../store/lmdb-file.js';
import { openLmdb } from '../store/lmdb-open.js';
import { damageBeforeOpening } from '../store/pages.js';
import { makeDurableFolder, makeRoom, syncFolder } from '../store/room.js';
import type { UsedQuota } from './counters.js';
import type { EndedSessions } from './ended-sessions.js';
import { type Account, type ApiKey, type Maintenance, quotaOfPlan } from './records.js';

const FORMAT = 2;
/** Bytes of a secret's hash by which its record is found. */
export const LOOKUP_BYTES = 16;

export interface StoredKey extends ApiKey {
  /** SHA-256 of the secret, 32 bytes. */
  hash: Uint8Array;
}

export interface Environment {
  root: RootDatabase;
  file: string;
  meta: Database<number | Maintenance | EndedSessions, string>;
  accounts: Database<Account, string>;
  keys: Database<StoredKey, Uint8Array>;
  keyIds: Database<Uint8Array, string>;
  quotas: Database<UsedQuota, string>;
  /** Of the data file that is mapped, to notice when another has taken its place. */
  inode: number;
}

export function dataFile(dir: string): string {
  return join(dir, 'data.mdb');
}

/**
 * Opens the environment in a folder. Throws an Error that says what is wrong where the file is missing (and
 * may not be made) or damaged.
 */
export function openEnvironment(dir: string, create: boolean): Environment {
  const file = dataFile(dir);
  const exists = existsSync(file) && statSync(file).size > 0;
  if (exists) {
    const fault = faultOfLmdbFile(file) ?? damageBeforeOpening(file);
    if (fault !== undefined) throw new Error(`${file} is damaged: ${fault}`);
  } else if (create) {
    makeDurableFolder(dir, 0o700);
  } else {
    throw new Error(`${file} is missing or empty`);
  }
  const root = openLmdb({ path: dir, noSubdir: false, maxDbs: 8 });
  try {
    root.transactionSync(() => {
      fillLmdbFile(file);
      // Its tables are made below; a store that has them must be readable on a full disk.
      if (!exists) makeRoom(file);
    });
    return readTables(root, file, create);
  } catch (error) {
    void root.close();
    throw error;
  }
}

/**
 * One write transaction.
 * @throws PriorartError `disk_full`; nothing is changed then
 */
export function writing<T>({ root, file }: Environment, body: () => T): T {
  try {
    return root.transactionSync(() => {
      makeRoom(file);
      return body();
    });
  } catch (error) {
    throw diskFullIn(dirname(file), error);
  }
}

function readTables(root: RootDatabase, file: string, create: boolean): Environment {
  // A process that was killed leaves its reader slot behind, which would keep old pages from being reused.
  root.readerCheck();
  const meta = root.openDB<number | Maintenance | EndedSessions, string>({ name: 'meta' });
  const accounts = root.openDB<Account, string>({ name: 'accounts' });
  const keys = root.openDB<StoredKey, Uint8Array>({ name: 'keys', keyEncoding: 'binary' });
  const keyIds = root.openDB<Uint8Array, string>({ name: 'key_ids' });
  const quotas = root.openDB<UsedQuota, string>({ name: 'quotas' });
  const environment = { root, file, meta, accounts, keys, keyIds, quotas, inode: statSync(file).ino };
  const format = meta.get('format');
  if (format === undefined && create) {
    meta.putSync('format', FORMAT);
    syncFolder(dirname(file));
  } else if (format === 1) upgradeFrom1(environment);
  else if (format !== FORMAT) throw new Error(`${file} has format ${format}; expected ${FORMAT}`);
  // Reading everything once finds a damaged page now rather than at some customer's request.
  for (const { value } of keys.getRange()) {
    if (value.hash.length !== 32) throw new Error(`${file} is damaged: key ${value.id} has no hash`);
  }
  for (const _ of accounts.getRange());
  for (const _ of keyIds.getRange());
  for (const _ of quotas.getRange());
  return environment;
}

function upgradeFrom1({ root, meta, accounts, keys }: Environment): void {
  root.transactionSync(() => {
    if (meta.get('format') !== 1) return;
    const environments = new Map<string, Set<string>>();
    for (const { value } of keys.getRange()) {
      const known = environments.get(value.account) ?? new Set();
      environments.set(value.account, known.add(value.environment));
    }
    for (const { key, value } of [...accounts.getRange()]) {
      accounts.putSync(key, {
        ...value,
        monthly_quota: quotaOfPlan(value.plan),
        environments: [...(environments.get(key) ?? [])].sort(),
      });
    }
    meta.putSync('format', FORMAT);
  });
}
