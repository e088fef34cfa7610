/**
 * Accounts and API keys, in an LMDB environment of their own so that servers and the command line can use it
 * at the same time: a key revoked in one process is refused at the next request of another.
 */
import { timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { isPriorartError, PriorartError } from '../errors.js';
import { KEYS_PER_ACCOUNT_MAX, MAINTENANCE_RETRY_S } from '../limits.js';
import { diskFullIn } from '../store/faults.js';
import { makeRoom } from '../store/room.js';
import type { Session } from './admin-secret.js';
import { type Cycle, cycleAt } from './billing.js';
import type { UsedQuota } from './counters.js';
import { type EndedSessions, isEnded, withEnded } from './ended-sessions.js';
import {
  dataFile,
  type Environment,
  LOOKUP_BYTES,
  openEnvironment,
  type StoredKey,
  writing,
} from './environment.js';
import { hashSecret, isWellFormed, newSecret, randomBase62 } from './key.js';
import type { Account, ApiKey, Maintenance, Plan, Verification } from './records.js';
import { Remembered } from './remembered.js';
import { checkedQuota, checkInteger, checkName, known, withEnvironment } from './rules.js';

/** Bytes of pages that an account's quota may change. */
const CHANGED_BY_A_QUOTA = 16 << 10;
/** How often the data file is looked at, and a store that is out of order opened again, ms. */
const INSPECT_MS = 1_000;

export interface AccessStoreOptions {
  /**
   * Make the store where there is none, and throw where it is damaged (the default). A server passes false:
   * it then starts without a store or with a damaged one, answers 503, and recovers when the store does.
   */
  create?: boolean;
}

export class AccessStore {
  readonly #dir: string;
  readonly #keys = new Remembered((stored: StoredKey) => ({
    key: Object.freeze(publicPart(stored)),
    // The decoder's bytes are part of a buffer that is much larger.
    hash: Uint8Array.from(stored.hash),
  }));
  readonly #accounts = new Remembered((account: Account) => account);
  #environment: Environment | undefined;
  #fault: unknown;
  #inspectedAt = 0;
  #closed = false;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Opens the store in a folder, `<data>/access`.
   * @throws PriorartError `unavailable` where it is damaged and `create` is not false, `disk_full` where there is no room
   *   to make it
   */
  static open(dir: string, options: AccessStoreOptions = {}): AccessStore {
    const store = new AccessStore(dir);
    const create = options.create ?? true;
    store.#reopen(create);
    if (!create) return store;
    // To a server a full disk is one of the reasons why keys cannot be checked; who makes a store is told to free some.
    const fault = diskFullIn(dir, store.#fault);
    if (isPriorartError(fault)) throw fault;
    store.#current();
    return store;
  }

  /**
   * Checks the value of an X-API-Key header. Costs one read of LMDB, and none where the checksum is wrong.
   * @throws PriorartError `unavailable` while the store cannot be read
   */
  verify(secret: string | undefined): Verification {
    // A store that is out of order is said to be so whatever the key, or half the clients would see a 401.
    const environment = this.#current();
    if (secret === undefined || secret === '') return { ok: false, reason: 'missing' };
    if (!isWellFormed(secret)) return { ok: false, reason: 'unknown' };
    const hash = hashSecret(secret);
    const stored = this.#reading(() => {
      // lmdb renews its snapshot once per turn of the event loop; a revocation must not wait for that.
      environment.root.resetReadTxn();
      const lookup = hash.subarray(0, LOOKUP_BYTES);
      return this.#keys.get(environment.keys, lookup, lookup.toString('latin1'));
    });
    if (stored === undefined || !timingSafeEqual(stored.hash, hash)) return { ok: false, reason: 'unknown' };
    const { key } = stored;
    if (key.state !== 'active') return { ok: false, reason: 'deactivated', key };
    const account = this.#reading(() => this.#accounts.get(environment.accounts, key.account, key.account));
    if (account === undefined) return { ok: false, reason: 'unknown' };
    return { ok: true, key, account };
  }

  /** What is set while calls are to be answered 503; undefined otherwise, and while the store cannot be read. */
  maintenance(): Maintenance | undefined {
    this.#inspect();
    const environment = this.#environment;
    if (!environment) return undefined;
    return this.#reading(() => {
      environment.root.resetReadTxn();
      return environment.meta.get('maintenance') as Maintenance | undefined;
    });
  }

  /** Turns maintenance on or off, in every process at once; resolves when it is on the disk. */
  async setMaintenance(
    on: boolean,
    retryAfter: number = MAINTENANCE_RETRY_S.default,
  ): Promise<Maintenance | undefined> {
    const { min, max } = MAINTENANCE_RETRY_S;
    checkInteger('retry_after', retryAfter, min, max);
    const environment = this.#current();
    const { root, meta } = environment;
    const set = on ? { since: new Date().toISOString(), retry_after: retryAfter } : undefined;
    writing(environment, () => {
      if (set) meta.putSync('maintenance', set);
      else meta.removeSync('maintenance');
    });
    await root.flushed;
    return set;
  }

  /** Ends a session of the administration in every process at once; resolves when that is on the disk. */
  async endSession(session: Session): Promise<void> {
    const environment = this.#current();
    const { root, meta } = environment;
    writing(environment, () => {
      const ended = meta.get('ended_sessions') as EndedSessions | undefined;
      meta.putSync('ended_sessions', withEnded(ended, session, Date.now()));
    });
    await root.flushed;
  }

  /** @throws PriorartError `unavailable` */
  isSessionEnded(session: Session): boolean {
    const { root, meta } = this.#current();
    return this.#reading(() => {
      root.resetReadTxn();
      return isEnded(meta.get('ended_sessions') as EndedSessions | undefined, session);
    });
  }

  /** Whether keys can be checked at this moment. */
  isAvailable(): boolean {
    this.#inspect();
    return this.#environment !== undefined;
  }

  /**
   * Makes an account; resolves when it is on the disk.
   * @param input `monthlyQuota` is for the Enterprise plan: the others have numbers of their own
   * @throws PriorartError `usage`
   */
  async createAccount(input: { name: string; plan: Plan; monthlyQuota?: number }): Promise<Account> {
    checkName('account name', input.name);
    const environment = this.#current();
    const { root, accounts } = environment;
    const account: Account = {
      id: `acc_${randomBase62(12)}`,
      name: input.name,
      plan: input.plan,
      monthly_quota: checkedQuota(input.plan, input.monthlyQuota),
      environments: [],
      created_at: new Date().toISOString(),
    };
    writing(environment, () => accounts.putSync(account.id, account));
    await root.flushed;
    return account;
  }

  /**
   * Changes name, plan or quota of an account, or adds an environment; what is used of the quota stays used.
   * @throws PriorartError `usage`, `not_found`
   */
  async changeAccount(
    id: string,
    change: { name?: string; plan?: Plan; monthlyQuota?: number; addEnvironment?: string },
  ): Promise<Account> {
    if (change.name !== undefined) checkName('account name', change.name);
    const environment = this.#current();
    const { root, accounts } = environment;
    const changed = writing(environment, () => {
      let account = known(accounts.get(id), 'account', id);
      if (change.name !== undefined) account = { ...account, name: change.name };
      if (change.plan !== undefined || change.monthlyQuota !== undefined) {
        const plan = change.plan ?? account.plan;
        // Whoever names the plan that the account has already does not mean to take its own quota away.
        const kept = plan === account.plan && plan === 'enterprise' ? account.monthly_quota : undefined;
        account = { ...account, plan, monthly_quota: checkedQuota(plan, change.monthlyQuota ?? kept) };
      }
      if (change.addEnvironment !== undefined) account = withEnvironment(account, change.addEnvironment);
      accounts.putSync(id, account);
      return account;
    });
    await root.flushed;
    return changed;
  }

  /**
   * Makes a key; resolves when it is on the disk. The secret is returned here and can never be read again. An
   * environment that the account does not have yet is added to it.
   * @throws PriorartError `not_found` for an unknown account, `usage` for a bad name of an environment
   */
  async createKey(input: {
    account: string;
    environment: string;
    name: string;
  }): Promise<{ id: string; secret: string }> {
    checkName('key name', input.name);
    const environment = this.#current();
    const { root, accounts, keys, keyIds } = environment;
    const secret = newSecret();
    const hash = hashSecret(secret);
    const id = `key_${randomBase62(12)}`;
    const lookup = hash.subarray(0, LOOKUP_BYTES);
    writing(environment, () => {
      const account = known(accounts.get(input.account), 'account', input.account);
      const changed = withEnvironment(account, input.environment);
      if (changed !== account) accounts.putSync(account.id, changed);
      let active = 0;
      for (const { value } of keys.getRange())
        if (value.account === account.id && value.state === 'active') active++;
      if (active >= KEYS_PER_ACCOUNT_MAX) {
        throw new PriorartError(
          'usage',
          `account ${account.id} has ${active} active keys, which is the most; revoke one first`,
        );
      }
      keys.putSync(lookup, { id, ...input, state: 'active', created_at: new Date().toISOString(), hash });
      keyIds.putSync(id, lookup);
    });
    await root.flushed;
    return { id, secret };
  }

  /**
   * Deactivates a key. No request is let in with it once this has returned its promise; the promise resolves
   * when the change is on the disk. Revoking twice changes nothing.
   * @throws PriorartError `not_found` for an unknown id
   */
  async revoke(id: string): Promise<ApiKey> {
    const environment = this.#current();
    const { root, keys, keyIds } = environment;
    const revoked = writing(environment, () => {
      const lookup = keyIds.get(id);
      const stored = known(lookup && keys.get(lookup), 'key', id);
      if (stored.state === 'deactivated') return stored;
      const changed: StoredKey = {
        ...stored,
        state: 'deactivated',
        deactivated_at: new Date().toISOString(),
      };
      keys.putSync(lookup!, changed);
      return changed;
    });
    await root.flushed;
    return publicPart(revoked);
  }

  /** Every key, oldest first, without secrets or hashes. */
  list(): ApiKey[] {
    const { root, keys } = this.#current();
    root.resetReadTxn();
    const all = Array.from(keys.getRange(), ({ value }) => publicPart(value));
    return all.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  }

  /** Every account, oldest first. */
  accounts(): Account[] {
    const { root, accounts } = this.#current();
    root.resetReadTxn();
    const all = Array.from(accounts.getRange(), ({ value }) => value);
    return all.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  }

  /** @throws PriorartError `not_found` */
  account(id: string): Account {
    const { root, accounts } = this.#current();
    root.resetReadTxn();
    return known(accounts.get(id), 'account', id);
  }

  /** @throws PriorartError `not_found` */
  key(id: string): ApiKey {
    const { root, keys, keyIds } = this.#current();
    root.resetReadTxn();
    const lookup = keyIds.get(id);
    return publicPart(known(lookup && keys.get(lookup), 'key', id));
  }

  /** How much of its quota an account has used in the current billing cycle, at most a second ago. */
  quotaUsed(account: Account, now: number = Date.now()): { used: number; cycle: Cycle } {
    const { root, quotas } = this.#current();
    root.resetReadTxn();
    const cycle = cycleAt(account.created_at, now);
    const stored = quotas.get(account.id);
    return { used: stored && stored.cycle >= cycle.start ? stored.used : 0, cycle };
  }

  /** Used quotas, for counters that begin anew. */
  *quotas(): Generator<[string, UsedQuota]> {
    const { root, quotas } = this.#current();
    root.resetReadTxn();
    for (const { key, value } of quotas.getRange()) yield [key, value];
  }

  /**
   * Keeps the used quotas of accounts over the next start of the machine; on the disk when this returns. Within a cycle
   * what is used only grows, so of several processes that keep it whoever knows more is right.
   * @throws PriorartError `unavailable`
   */
  keepQuotas(used: readonly [account: string, used: UsedQuota][]): void {
    const { root, file, quotas } = this.#current();
    root.transactionSync(() => {
      makeRoom(file, { changed: used.length * CHANGED_BY_A_QUOTA });
      for (const [account, now] of used) {
        const kept = quotas.get(account);
        if (!kept || kept.cycle < now.cycle || (kept.cycle === now.cycle && kept.used < now.used))
          quotas.putSync(account, now);
      }
    });
  }

  /** The folder that it is in. */
  get folder(): string {
    return this.#dir;
  }

  /** Copies accounts, keys and quotas, as they are at this moment, into a folder that is not there; logs are left out. */
  async copyTo(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await this.#current().root.backup(folder, false);
    chmodSync(dataFile(folder), 0o600);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const environment = this.#environment;
    this.#environment = undefined;
    await environment?.root.close();
  }

  #current(): Environment {
    this.#inspect();
    if (this.#environment) return this.#environment;
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

  /** Runs a read; a store that cannot be read is put out of order until it opens cleanly again. */
  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.#fail(error);
      throw this.#unavailable();
    }
  }

  #inspect(): void {
    if (this.#closed) return;
    const now = performance.now();
    if (now - this.#inspectedAt < INSPECT_MS) return;
    this.#inspectedAt = now;
    if (this.#environment) {
      // LMDB goes on serving a file that was deleted or replaced, and would never hear of a revocation.
      const found = statSync(dataFile(this.#dir), { throwIfNoEntry: false });
      if (found?.ino === this.#environment.inode) return;
      this.#fail(new Error(found ? 'the data file was replaced' : 'the data file is gone'));
    }
    this.#reopen(false);
  }

  #reopen(create: boolean): void {
    this.#inspectedAt = performance.now();
    try {
      this.#environment = openEnvironment(this.#dir, create);
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
    }
  }

  #fail(fault: unknown): void {
    const broken = this.#environment;
    this.#environment = undefined;
    this.#fault = fault;
    this.#inspectedAt = performance.now();
    void broken?.root.close().catch(() => {});
  }
}

function publicPart(stored: StoredKey): ApiKey {
  const { hash: _, ...key } = stored;
  return key;
}

function reason(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'it is closed';
}
