/**
 * Accounts and API keys, in a separate SQLite file that servers and the command line use at the same time. A
 * key that one process revokes is refused at the next request to a different process.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { PriorartError } from '../errors.js';
import { ENVIRONMENTS_MAX, KEYS_PER_ACCOUNT_MAX, LOCK_WAIT_MS, MAINTENANCE_RETRY_S } from '../limits.js';
import { makeDurableFolder, syncFolder } from '../store/room.js';
import { AccountPasswords } from './account-passwords.js';
import type { Session } from './admin-secret.js';
import { type Cycle, cycleAt } from './billing.js';
import { CountersReader } from './counters-reader.js';
import { type EndedSessions, isEnded, withEnded } from './ended-sessions.js';
import { FileLog, type FileLogOptions } from './file-log.js';
import { hashSecret, isWellFormed, newSecret, prefixOf, randomBase62 } from './key.js';
import { KeysConnection, type KeysSource } from './keys-connection.js';
import {
  accountIn,
  accountsIn,
  countActive,
  countUsable,
  deactivateKey,
  deactivateKeysOf,
  insertKey,
  keyAndAccountIn,
  keyIn,
  keysIn,
  keysOfIn,
  keyWithIdIn,
  LOOKUP_BYTES,
  putAccount,
  putSetting,
  removeAccount,
  requireFreeName,
  setting,
} from './keys-file.js';
import type { LogStore } from './log-store.js';
import {
  type Account,
  type AccountPlan,
  type ApiKey,
  isPageKey,
  type Maintenance,
  PAGE_ENVIRONMENT,
  pageKeyOf,
  type Verification,
} from './records.js';
import { checkedQuota, checkInteger, checkName, withEnvironment } from './rules.js';
import type { SharedStore } from './shared-documents.js';
import { SharedKeys } from './shared-keys.js';
import { SharedQuotas } from './shared-quotas.js';
import { LockHeld, type Sqlite } from './sqlite.js';

export interface AccessStoreOptions {
  /**
   * Create the store if it does not exist, and throw if it is damaged (the default). A server passes false:
   * it then starts without a store or with a damaged store, answers 503, and recovers with the store.
   */
  create?: boolean;
}

export class AccessStore {
  /** The folder of the store. */
  readonly folder: string;
  /** Passwords of the accounts, and their sessions. */
  readonly passwords: AccountPasswords;
  readonly #keys: KeysSource;
  readonly #shared: ({ quotas: SharedQuotas } & SharedStore) | undefined;
  readonly #counters: CountersReader;
  #maintenance: Maintenance | undefined;

  private constructor(folder: string, keys: KeysSource, waitMs: number, shared?: SharedStore) {
    this.folder = folder;
    this.#keys = keys;
    this.#counters = new CountersReader(folder, waitMs);
    this.#shared = shared && { ...shared, quotas: new SharedQuotas(shared.documents) };
    this.passwords = new AccountPasswords(this.#keys);
  }

  /**
   * Opens the store in a folder, `<data>/access`.
   * @throws PriorartError `unavailable` if the store is damaged and `create` is not false, `disk_full` if the
   *   disk has no room for a new store
   */
  static open(folder: string, { create = true }: AccessStoreOptions = {}): AccessStore {
    if (create) makeDurableFolder(folder, 0o700);
    const waitMs = create ? LOCK_WAIT_MS : 0;
    return new AccessStore(folder, new KeysConnection(folder, { create, waitMs }), waitMs);
  }

  /**
   * Opens the store of servers that share accounts, keys and quotas. The folder has a copy of accounts and keys. If it has
   * accounts that were never shared, they become shared, with their quotas.
   * @param shared its documents are closed with the store
   * @param waits whether this thread may wait for locks of other processes; false on an event loop
   * @throws PriorartError `unavailable`, as a rejection
   */
  static async openShared(folder: string, shared: SharedStore, waits: boolean): Promise<AccessStore> {
    const { documents } = shared;
    makeDurableFolder(folder, 0o700);
    const waitMs = waits ? LOCK_WAIT_MS : 0;
    const copy = new KeysConnection(folder, { create: true, waitMs });
    const own = new AccessStore(folder, copy, waitMs);
    const quotas = new SharedQuotas(documents);
    try {
      const takeQuotas = async () => {
        for (const account of own.accounts()) {
          const { used, cycle } = own.quotaUsed(account);
          if (used > 0) await quotas.take(account.id, cycle, used);
        }
      };
      const keys = await SharedKeys.open(copy, documents, takeQuotas);
      return new AccessStore(folder, keys, waitMs, shared);
    } catch (error) {
      copy.close();
      await documents.close();
      throw error;
    } finally {
      await quotas.close();
      own.#counters.close();
    }
  }

  /** The quotas, if several servers share them. */
  get sharedQuotas(): SharedQuotas | undefined {
    return this.#shared?.quotas;
  }

  /** The log of requests, of all servers that share this store. The caller closes it. */
  openLog(options: FileLogOptions = {}): LogStore {
    return this.#shared?.openLog(options) ?? new FileLog(this.folder, options);
  }

  /**
   * Checks the value of an X-API-Key header. Checks the file for changes, unless the checksum is wrong.
   * @throws LockHeld
   * @throws PriorartError `unavailable` while the store cannot be read
   */
  verify(secret: string | undefined): Verification {
    // A failed store is reported for every key. Otherwise clients with an invalid checksum would see a 401.
    this.#keys.require();
    if (secret === undefined || secret === '') return { ok: false, reason: 'missing' };
    if (!isWellFormed(secret)) return { ok: false, reason: 'unknown' };
    const hash = hashSecret(secret);
    const lookup = hash.subarray(0, LOOKUP_BYTES);
    const name = `key ${lookup.toString('latin1')}`;
    const found = this.#keys.remembered(name, (file) => keyAndAccountIn(file, lookup));
    if (found === undefined || !timingSafeEqual(found.hash, hash)) return { ok: false, reason: 'unknown' };
    const { key, account } = found;
    return key.state === 'active' ? { ok: true, key, account } : { ok: false, reason: 'deactivated', key };
  }

  /**
   * The key with an id, and its account.
   * @throws LockHeld
   * @throws PriorartError `unavailable`
   */
  verifyId(id: string): Verification {
    const found = this.#keys.remembered(`id ${id}`, (file) => keyWithIdIn(file, id) ?? { key: undefined });
    if (found.key === undefined) return { ok: false, reason: 'unknown' };
    const { key, account } = found;
    return key.state === 'active' ? { ok: true, key, account } : { ok: false, reason: 'deactivated', key };
  }

  /**
   * Present while calls are answered 503. While the store cannot be read, the last known value; if another process has the
   * file locked, the value can change only after that process ends.
   */
  maintenance(): Maintenance | undefined {
    if (!this.#keys.isOpen()) return this.#maintenance;
    try {
      const read = (file: Sqlite) => ({ set: setting<Maintenance>(file, 'maintenance') });
      this.#maintenance = this.#keys.remembered('maintenance', read).set;
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
    }
    return this.#maintenance;
  }

  /** Turns maintenance on or off in all processes. Resolves when the change is on the disk. */
  async setMaintenance(
    on: boolean,
    retryAfter: number = MAINTENANCE_RETRY_S.default,
  ): Promise<Maintenance | undefined> {
    const { min, max } = MAINTENANCE_RETRY_S;
    checkInteger('retry_after', retryAfter, min, max);
    const set = on ? { since: new Date().toISOString(), retry_after: retryAfter } : undefined;
    await this.#keys.write((file) => putSetting(file, 'maintenance', set));
    return set;
  }

  /** Ends a session of the administration in all processes. Resolves when the change is on the disk. */
  async endSession(session: Session): Promise<void> {
    await this.#keys.write((file) => {
      const ended = setting<EndedSessions>(file, 'ended_sessions');
      putSetting(file, 'ended_sessions', withEnded(ended, session, Date.now()));
    });
  }

  /** @throws PriorartError `unavailable` */
  isSessionEnded(session: Session): boolean {
    const ended = this.#keys.read((file) => setting<EndedSessions>(file, 'ended_sessions'));
    return isEnded(ended, session);
  }

  /** Whether keys can be checked now. */
  isAvailable(): boolean {
    return this.#keys.isOpen();
  }

  /** Whether the folder has no key store yet, because no key was created. */
  isMissing(): boolean {
    return this.#keys.isMissing();
  }

  /**
   * Creates an account. Resolves when the account is on the disk.
   * @param input `monthlyQuota` is for the Enterprise plan; the other plans have fixed numbers
   * @throws PriorartError `usage`; `name_taken` if an account has the name
   */
  async createAccount(input: { name: string; plan: AccountPlan; monthlyQuota?: number }): Promise<Account> {
    checkName('account name', input.name);
    const account: Account = {
      id: `acc_${randomBase62(12)}`,
      name: input.name,
      plan: input.plan,
      monthly_quota: checkedQuota(input.plan, input.monthlyQuota),
      environments: [],
      created_at: new Date().toISOString(),
    };
    await this.#keys.write((file) => {
      requireFreeName(file, account.name);
      putAccount(file, account);
    });
    return account;
  }

  /**
   * Changes the name, plan or quota of an account, or adds an environment. The used quota does not change.
   * @throws PriorartError `usage`, `not_found`; `name_taken` if another account has the new name
   */
  async changeAccount(
    id: string,
    change: { name?: string; plan?: AccountPlan; monthlyQuota?: number; addEnvironment?: string },
  ): Promise<Account> {
    if (change.name !== undefined) checkName('account name', change.name);
    return this.#keys.write((file) => {
      let account = accountIn(file, id);
      if (change.name !== undefined && change.name !== account.name) {
        requireFreeName(file, change.name);
        account = { ...account, name: change.name };
      }
      if (change.plan !== undefined || change.monthlyQuota !== undefined) {
        const plan = change.plan ?? account.plan;
        // A change to the current Enterprise plan without a quota keeps the own quota.
        const kept = plan === account.plan && plan === 'enterprise' ? account.monthly_quota : undefined;
        account = { ...account, plan, monthly_quota: checkedQuota(plan, change.monthlyQuota ?? kept) };
      }
      if (change.addEnvironment !== undefined) account = withEnvironment(account, change.addEnvironment);
      putAccount(file, account);
      return account;
    });
  }

  /**
   * Deletes an account, with its keys, its password and its sessions, in all processes. A server removes its quotas from the folder
   * within a minute or two; its lines in the log stay until they are too old. Resolves when the change is on the disk.
   * @param revokes whether to revoke the active keys of the account. The page's own key does not count as one
   * @returns how many active keys it had
   * @throws PriorartError `not_found`; `usage` if it has active keys and `revokes` is not true
   */
  async deleteAccount(id: string, { revokes = false } = {}): Promise<{ account: Account; revoked: number }> {
    return this.#keys.write((file) => {
      const account = accountIn(file, id);
      const revoked = countUsable(file, id);
      if (revoked > 0 && !revokes) throw hasKeys(id, revoked);
      removeAccount(file, id);
      return { account, revoked };
    });
  }

  /**
   * Creates a key. Resolves when the key is on the disk. The secret is returned once and cannot be read
   * again. An environment that the account does not have is added to the account.
   * @throws PriorartError `not_found` for an unknown account, `usage` for an invalid name of an environment
   */
  async createKey(input: {
    account: string;
    environment: string;
    name: string;
  }): Promise<{ id: string; secret: string }> {
    checkName('key name', input.name);
    const secret = newSecret();
    const hash = hashSecret(secret);
    const id = `key_${randomBase62(12)}`;
    await this.#keys.write((file) => {
      const account = accountIn(file, input.account);
      const changed = withEnvironment(account, input.environment);
      if (changed !== account) putAccount(file, changed);
      const active = countActive(file, account.id);
      if (active >= KEYS_PER_ACCOUNT_MAX) {
        throw new PriorartError(
          'usage',
          `account ${account.id} has ${active} active keys, which is the most; revoke one first`,
        );
      }
      const { environment, name } = input;
      insertKey(file, hash, { id, account: account.id, environment, name, prefix: prefixOf(secret) });
    });
    return { id, secret };
  }

  /**
   * Deactivates a key. After the promise resolves, the change is on the disk and requests with the key are
   * refused. A second call changes nothing. An account keeps its last DEACTIVATED_KEYS_MAX deactivated keys; the
   * secrets of earlier ones are unknown.
   * @throws PriorartError `not_found` for an unknown id, `usage` for the key of the page
   */
  async revoke(id: string): Promise<ApiKey> {
    if (isPageKey(id)) {
      throw new PriorartError(
        'usage',
        `key ${id} belongs to the web page and has no secret; end the sessions of its account instead`,
      );
    }
    return this.#keys.write((file) => {
      deactivateKey(file, keyIn(file, id));
      return keyIn(file, id);
    });
  }

  /**
   * Deactivates all keys of an account but that of the page, in one step. Returns how many were active.
   * @throws PriorartError `not_found`
   */
  async revokeAll(accountId: string): Promise<number> {
    return this.#keys.write((file) => deactivateKeysOf(file, accountIn(file, accountId).id));
  }

  /**
   * Makes the key that sessions of an account on the page use, unless it exists. No client has a secret for it.
   * @throws PriorartError `not_found`
   */
  async makePageKey(accountId: string): Promise<void> {
    const id = pageKeyOf(accountId);
    if (this.verifyId(id).ok) return;
    await this.#keys.write((file) => {
      const account = accountIn(file, accountId);
      if (keyWithIdIn(file, id) !== undefined) return;
      if (account.environments.length < ENVIRONMENTS_MAX)
        putAccount(file, withEnvironment(account, PAGE_ENVIRONMENT));
      // Random bytes instead of the hash of a secret.
      insertKey(file, randomBytes(32), {
        id,
        account: account.id,
        environment: PAGE_ENVIRONMENT,
        name: 'Page',
      });
    });
  }

  /**
   * The account with a name; undefined if no account, or more than one, has the name.
   * @throws PriorartError `unavailable`
   */
  accountNamed(name: string): Account | undefined {
    const read = (file: Sqlite) => ({ found: accountsIn(file).filter((account) => account.name === name) });
    const { found } = this.#keys.remembered(`name ${name}`, read);
    return found.length === 1 ? found[0] : undefined;
  }

  /**
   * Changes the name of a key.
   * @throws PriorartError `not_found`, `usage` for an invalid name
   */
  async renameKey(id: string, name: string): Promise<ApiKey> {
    checkName('key name', name);
    return this.#keys.write((file) => {
      keyIn(file, id);
      file.rows('UPDATE keys SET name = ? WHERE id = ?', name, id);
      return keyIn(file, id);
    });
  }

  /** Keys of an account, oldest first, without secrets and hashes. */
  keysOf(accountId: string): ApiKey[] {
    return this.#keys.read((file) => keysOfIn(file, accountId));
  }

  /**
   * Ids of the keys that are selected: those of an account, one key, or the key if it is of that account. Undefined if neither is
   * stated.
   * @throws PriorartError `not_found` for an unknown account or key
   */
  selectedKeys(by: { account?: string | undefined; key?: string | undefined }): string[] | undefined {
    const ofAccount =
      by.account === undefined ? undefined : this.keysOf(this.account(by.account).id).map(({ id }) => id);
    if (by.key === undefined) return ofAccount;
    const { id } = this.key(by.key);
    return ofAccount === undefined || ofAccount.includes(id) ? [id] : [];
  }

  /** All keys, oldest first, without secrets and hashes. */
  list(): ApiKey[] {
    return this.#keys.read((file) => keysIn(file));
  }

  /** All accounts, oldest first. */
  accounts(): Account[] {
    return this.#keys.read((file) => accountsIn(file));
  }

  /** @throws PriorartError `not_found` */
  account(id: string): Account {
    return this.#keys.read((file) => accountIn(file, id));
  }

  /** @throws PriorartError `not_found` */
  key(id: string): ApiKey {
    return this.#keys.read((file) => keyIn(file, id));
  }

  /**
   * Searches that an account has used of its quota in the current billing cycle, on the servers of this folder.
   * @throws PriorartError `unavailable` if the counters cannot be read
   */
  quotaUsed(account: Account, now: number = Date.now()): { used: number; cycle: Cycle } {
    const cycle = cycleAt(account.created_at, now);
    return { used: this.#counters.used(account.id, cycle), cycle };
  }

  /**
   * Searches that accounts have used of their quotas in their current billing cycles, on all servers.
   * @throws PriorartError `unavailable`, as a rejection
   */
  async quotasUsed(accounts: readonly Account[]): Promise<{ used: number; cycle: Cycle }[]> {
    if (this.#shared) return this.#shared.quotas.usedBy(accounts);
    return accounts.map((account) => this.quotaUsed(account));
  }

  /** Copies a snapshot of accounts, keys and quotas into a new folder. Logs are omitted. */
  async copyTo(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#keys.copyTo(folder);
    this.#counters.copyTo(folder);
    syncFolder(folder);
  }

  async close(): Promise<void> {
    await this.#shared?.quotas.close();
    this.#keys.close();
    this.#counters.close();
    await this.#shared?.documents.close();
  }
}

function hasKeys(account: string, active: number): PriorartError {
  const keys = active === 1 ? 'an active key' : `${active} active keys`;
  const message = `account ${account} has ${keys}; revoke ${active === 1 ? 'it' : 'them'} first`;
  return new PriorartError('usage', message, { inCommand: `${message}, or add --revoke-keys` });
}
