/**
 * Accounts and API keys, in a separate SQLite file that servers and the command line use at the same time. A
 * key that one process revokes is refused at the next request to a different process.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import {
  ENVIRONMENTS_MAX,
  KEYS_PER_ACCOUNT_MAX,
  LOCK_WAIT_MS,
  MAINTENANCE_RETRY_S,
  RECORDS_REMEMBERED_MAX,
} from '../limits.js';
import { makeDurableFolder, syncFolder } from '../store/room.js';
import type { AccountSession } from './account-session.js';
import type { Session } from './admin-secret.js';
import { type Cycle, cycleAt } from './billing.js';
import { COUNTERS_FILE, Counters } from './counters.js';
import { type EndedSessions, isEnded, withEnded } from './ended-sessions.js';
import { hashSecret, isWellFormed, newSecret, randomBase62 } from './key.js';
import {
  accountIn,
  accountsIn,
  type Credentials,
  countActive,
  credentialsIn,
  deactivateKey,
  endSessionsIn,
  hasPasswordIn,
  hasPasswordsIn,
  insertKey,
  isSignedOut,
  keyAndAccountIn,
  keyIn,
  keysIn,
  keysOfIn,
  keyWithIdIn,
  LOOKUP_BYTES,
  openKeys,
  putAccount,
  putPassword,
  putSetting,
  replaceHash,
  sessionEpochIn,
  setting,
  signOut,
} from './keys-file.js';
import { LockQueue } from './lock-queue.js';
import { hashPassword, isOutdated, matchesPassword } from './password.js';
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
import { FileMissing, LockHeld, type Sqlite } from './sqlite.js';

/** Time between checks that the file is in its place, and between attempts to open a failed store, ms. */
const INSPECT_MS = 1_000;

export interface AccessStoreOptions {
  /**
   * Create the store if it does not exist, and throw if it is damaged (the default). A server passes false:
   * it then starts without a store or with a damaged store, answers 503, and recovers with the store.
   */
  create?: boolean;
}

export class AccessStore {
  readonly #dir: string;
  readonly #waitMs: number;
  readonly #queue = new LockQueue();
  /**
   * Results of reads since the last change of the file, by name. All callers share these objects and must not
   * change them.
   */
  readonly #known = new Map<string, object>();
  /** SQLite's number of the last change by a different connection. `#known` has this state. */
  #version = 0;
  #file: Sqlite | undefined;
  #counters: Counters | undefined;
  #maintenance: Maintenance | undefined;
  #fault: unknown;
  #inspectedAt = 0;
  #closed = false;

  private constructor(dir: string, waitMs: number) {
    this.#dir = dir;
    this.#waitMs = waitMs;
  }

  /**
   * Opens the store in a folder, `<data>/access`.
   * @throws PriorartError `unavailable` if the store is damaged and `create` is not false, `disk_full` if the
   *   disk has no room for a new store
   */
  static open(dir: string, options: AccessStoreOptions = {}): AccessStore {
    const create = options.create ?? true;
    if (create) makeDurableFolder(dir, 0o700);
    const store = new AccessStore(dir, create ? LOCK_WAIT_MS : 0);
    store.#reopen(create);
    if (!create) return store;
    // For a server, a full disk is one reason why keys cannot be checked. The creator of a store has to free
    // space.
    if (isPriorartError(store.#fault)) throw store.#fault;
    store.#current();
    return store;
  }

  /**
   * Checks the value of an X-API-Key header. Checks the file for changes, unless the checksum is wrong.
   * @throws LockHeld
   * @throws PriorartError `unavailable` while the store cannot be read
   */
  verify(secret: string | undefined): Verification {
    // A failed store is reported for every key. Otherwise clients with an invalid checksum would see a 401.
    const file = this.#current();
    if (secret === undefined || secret === '') return { ok: false, reason: 'missing' };
    if (!isWellFormed(secret)) return { ok: false, reason: 'unknown' };
    const hash = hashSecret(secret);
    const lookup = hash.subarray(0, LOOKUP_BYTES);
    const name = `key ${lookup.toString('latin1')}`;
    const found = this.#reading(() => this.#remembering(file, name, () => keyAndAccountIn(file, lookup)));
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
    const file = this.#current();
    const found = this.#reading(() =>
      this.#remembering(file, `id ${id}`, () => keyWithIdIn(file, id) ?? { key: undefined }),
    );
    if (found.key === undefined) return { ok: false, reason: 'unknown' };
    const { key, account } = found;
    return key.state === 'active' ? { ok: true, key, account } : { ok: false, reason: 'deactivated', key };
  }

  /**
   * Present while calls are answered 503; undefined otherwise, and while the store cannot be read. If another
   * process has the file locked, the last known value: the value can change only after that process ends.
   */
  maintenance(): Maintenance | undefined {
    this.#inspect();
    const file = this.#file;
    if (!file) return undefined;
    try {
      const { set } = this.#reading(() =>
        this.#remembering(file, 'maintenance', () => ({ set: setting<Maintenance>(file, 'maintenance') })),
      );
      this.#maintenance = set;
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
    await this.#writing((file) => putSetting(file, 'maintenance', set));
    return set;
  }

  /** Ends a session of the administration in all processes. Resolves when the change is on the disk. */
  async endSession(session: Session): Promise<void> {
    await this.#writing((file) => {
      const ended = setting<EndedSessions>(file, 'ended_sessions');
      putSetting(file, 'ended_sessions', withEnded(ended, session, Date.now()));
    });
  }

  /** @throws PriorartError `unavailable` */
  isSessionEnded(session: Session): boolean {
    const file = this.#current();
    return isEnded(
      this.#reading(() => setting<EndedSessions>(file, 'ended_sessions')),
      session,
    );
  }

  /** Whether keys can be checked now. */
  isAvailable(): boolean {
    this.#inspect();
    return this.#file !== undefined;
  }

  /** Whether the folder has no key store yet, because no key was created. */
  isMissing(): boolean {
    this.#inspect();
    return this.#file === undefined && this.#fault instanceof FileMissing;
  }

  /**
   * Creates an account. Resolves when the account is on the disk.
   * @param input `monthlyQuota` is for the Enterprise plan; the other plans have fixed numbers
   * @throws PriorartError `usage`
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
    await this.#writing((file) => putAccount(file, account));
    return account;
  }

  /**
   * Changes the name, plan or quota of an account, or adds an environment. The used quota does not change.
   * @throws PriorartError `usage`, `not_found`
   */
  async changeAccount(
    id: string,
    change: { name?: string; plan?: AccountPlan; monthlyQuota?: number; addEnvironment?: string },
  ): Promise<Account> {
    if (change.name !== undefined) checkName('account name', change.name);
    return this.#writing((file) => {
      let account = accountIn(file, id);
      if (change.name !== undefined) account = { ...account, name: change.name };
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
    await this.#writing((file) => {
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
      insertKey(file, hash, { id, account: account.id, environment: input.environment, name: input.name });
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
    return this.#writing((file) => {
      deactivateKey(file, keyIn(file, id));
      return keyIn(file, id);
    });
  }

  /**
   * Sets the password of an account, and ends its sessions. Resolves when the change is on the disk.
   * @param password undefined removes the password
   * @throws PriorartError `usage` for a length that is not allowed, `not_found`, `overloaded`
   */
  async setPassword(accountId: string, password: string | undefined): Promise<void> {
    const hash = password === undefined ? undefined : await hashPassword(password);
    await this.#writing((file) => {
      putPassword(file, accountIn(file, accountId).id, hash);
    });
  }

  /**
   * The account whose password this is. The check takes the same time whether the account exists or not, and
   * blocks no event loop. Callers that take passwords from a network use SignIns, which slows guesses.
   * @param asked id or name. A name that several accounts with passwords have is not accepted
   * @returns the account, and the number for its session; undefined if the password is wrong, or the account does not
   *   exist or has no password
   * @throws PriorartError `overloaded`, `unavailable`
   */
  async signIn(asked: string, password: string): Promise<{ account: Account; epoch: number } | undefined> {
    const found = this.#credentials(asked);
    if (!(await matchesPassword(password, found?.hash)) || found === undefined) return undefined;
    if (isOutdated(found.hash)) {
      const hash = await hashPassword(password);
      await this.#writing((file) => replaceHash(file, found.account.id, found.hash, hash));
    }
    // The password may have been changed during the check.
    return this.#credentials(found.account.id)?.epoch === found.epoch ? found : undefined;
  }

  #credentials(asked: string): Credentials | undefined {
    const file = this.#current();
    return this.#reading(() => credentialsIn(file, asked));
  }

  /**
   * The id of the account that a person names to sign in; undefined without such an account.
   * @throws PriorartError `unavailable`
   */
  accountWithPassword(asked: string): string | undefined {
    return this.#credentials(asked)?.account.id;
  }

  /** @throws PriorartError `unavailable` */
  hasPassword(accountId: string): boolean {
    const file = this.#current();
    return this.#reading(() => hasPasswordIn(file, accountId));
  }

  /** Whether any account can sign in. @throws PriorartError `unavailable` */
  hasPasswords(): boolean {
    const file = this.#current();
    return this.#reading(() => hasPasswordsIn(file));
  }

  /**
   * The number that valid sessions of an account have.
   * @throws PriorartError `unavailable`
   */
  sessionEpoch(accountId: string): number {
    const file = this.#current();
    const read = () => ({ epoch: sessionEpochIn(file, accountId) });
    return this.#reading(() => this.#remembering(file, `epoch ${accountId}`, read)).epoch;
  }

  /** @throws PriorartError `unavailable` */
  isAccountSessionEnded({ id, account, epoch }: AccountSession): boolean {
    if (epoch !== this.sessionEpoch(account)) return true;
    const file = this.#current();
    return this.#reading(() => isSignedOut(file, id));
  }

  /** Signs a session out in all processes. Resolves when the change is on the disk. */
  async endAccountSession(session: AccountSession): Promise<void> {
    await this.#writing((file) => {
      // A session that has ended needs no record, and its account may be gone.
      if (sessionEpochIn(file, session.account) === session.epoch) signOut(file, session, Date.now());
    });
  }

  /**
   * Ends all sessions of an account in all processes. Resolves when the change is on the disk.
   * @throws PriorartError `not_found`
   */
  async endSessions(accountId: string): Promise<void> {
    await this.#writing((file) => endSessionsIn(file, accountIn(file, accountId).id));
  }

  /**
   * Makes the key that sessions of an account on the page use, unless it exists. No client has a secret for it.
   * @throws PriorartError `not_found`
   */
  async makePageKey(accountId: string): Promise<void> {
    const id = pageKeyOf(accountId);
    if (this.verifyId(id).ok) return;
    await this.#writing((file) => {
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
    const file = this.#current();
    const read = () => ({ found: accountsIn(file).filter((account) => account.name === name) });
    const { found } = this.#reading(() => this.#remembering(file, `name ${name}`, read));
    return found.length === 1 ? found[0] : undefined;
  }

  /**
   * Changes the name of a key.
   * @throws PriorartError `not_found`, `usage` for an invalid name
   */
  async renameKey(id: string, name: string): Promise<ApiKey> {
    checkName('key name', name);
    return this.#writing((file) => {
      keyIn(file, id);
      file.rows('UPDATE keys SET name = ? WHERE id = ?', name, id);
      return keyIn(file, id);
    });
  }

  /** Keys of an account, oldest first, without secrets and hashes. */
  keysOf(accountId: string): ApiKey[] {
    const file = this.#current();
    return this.#reading(() => keysOfIn(file, accountId));
  }

  /** All keys, oldest first, without secrets and hashes. */
  list(): ApiKey[] {
    const file = this.#current();
    return this.#reading(() => keysIn(file));
  }

  /** All accounts, oldest first. */
  accounts(): Account[] {
    const file = this.#current();
    return this.#reading(() => accountsIn(file));
  }

  /** @throws PriorartError `not_found` */
  account(id: string): Account {
    const file = this.#current();
    return this.#reading(() => accountIn(file, id));
  }

  /** @throws PriorartError `not_found` */
  key(id: string): ApiKey {
    const file = this.#current();
    return this.#reading(() => keyIn(file, id));
  }

  /**
   * Searches that an account has used of its quota in the current billing cycle.
   * @throws PriorartError `unavailable` if the counters cannot be read
   */
  quotaUsed(account: Account, now: number = Date.now()): { used: number; cycle: Cycle } {
    const cycle = cycleAt(account.created_at, now);
    return { used: this.#openCounters()?.used(account.id, cycle) ?? 0, cycle };
  }

  /** The folder of the store. */
  get folder(): string {
    return this.#dir;
  }

  /** Copies a snapshot of accounts, keys and quotas into a new folder. Logs are omitted. */
  async copyTo(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#current().copyTo(join(folder, 'keys.db'));
    this.#openCounters()?.copyTo(join(folder, COUNTERS_FILE));
    syncFolder(folder);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const [file, counters] = [this.#file, this.#counters];
    this.#file = undefined;
    this.#counters = undefined;
    file?.close();
    counters?.close();
  }

  /** The counters; undefined if no call has been counted. */
  #openCounters(): Counters | undefined {
    if (this.#counters && !this.#counters.isMoved()) return this.#counters;
    this.#counters?.close();
    this.#counters = undefined;
    try {
      this.#counters = new Counters(this.#dir, { create: false, waitMs: this.#waitMs });
      return this.#counters;
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      if (isPriorartError(error)) throw error;
      throw new PriorartError('unavailable', `quotas cannot be read: ${reason(error)}`, { cause: error });
    }
  }

  #current(): Sqlite {
    this.#inspect();
    if (this.#file) return this.#file;
    throw this.#unavailable();
  }

  #unavailable(): PriorartError {
    return new PriorartError(
      'unavailable',
      `the key store in ${this.#dir} cannot be read: ${reason(this.#fault)}`,
      {
        cause: this.#fault,
        retryAfter: Math.ceil(INSPECT_MS / 1000),
      },
    );
  }

  /** Runs a read. If the read fails, the store is closed until it opens without an error. */
  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (isPriorartError(error)) throw error;
      this.#fail(error);
      throw this.#unavailable();
    }
  }

  /**
   * Runs a change as one transaction, when no other process holds the lock. Resolves when the change is on
   * the disk.
   */
  async #writing<T>(change: (file: Sqlite) => T): Promise<T> {
    return this.#queue.run(() => {
      const file = this.#current();
      this.#known.clear();
      return this.#reading(() => file.write(() => change(file)));
    });
  }

  /** The result of a read. If the file has not changed since the last read, returns the stored result. */
  #remembering<T extends object | undefined>(file: Sqlite, name: string, read: () => T): T {
    const [version] = file.row<[number]>('PRAGMA data_version')!;
    if (version !== this.#version || this.#known.size >= RECORDS_REMEMBERED_MAX) this.#known.clear();
    this.#version = version;
    const known = this.#known.get(name) as T;
    if (known !== undefined) return known;
    const found = read();
    // Missing names are not stored: clients without an account can ask for an unlimited number of them.
    if (found !== undefined) this.#known.set(name, Object.freeze(found));
    return found;
  }

  #inspect(): void {
    if (this.#closed) return;
    const now = performance.now();
    if (now - this.#inspectedAt < INSPECT_MS) return;
    this.#inspectedAt = now;
    if (this.#file) {
      // SQLite continues to serve a deleted or replaced file, and would not see a revocation.
      if (!this.#file.isMoved()) return;
      this.#fail(new Error('its file was removed or replaced'));
    }
    this.#reopen(false);
  }

  #reopen(create: boolean): void {
    this.#inspectedAt = performance.now();
    try {
      this.#known.clear();
      this.#file = openKeys(this.#dir, { create, waitMs: this.#waitMs });
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
    }
  }

  #fail(fault: unknown): void {
    const broken = this.#file;
    this.#file = undefined;
    this.#fault = fault;
    this.#inspectedAt = performance.now();
    broken?.close();
  }
}

function reason(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'it is closed';
}
