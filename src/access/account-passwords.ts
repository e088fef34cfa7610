/**
 * Passwords of accounts, and the sessions that begin with them. A change of a password, or a revocation, ends all
 * sessions of the account in all processes.
 */
import { PriorartError } from '../errors.js';
import type { AccountSession } from './account-session.js';
import type { KeysSource } from './keys-connection.js';
import {
  accountIn,
  type Credentials,
  credentialsIn,
  endSessionsIn,
  hasPasswordIn,
  hasPasswordsIn,
  isSignedOut,
  putPassword,
  replaceHash,
  requireFreeSignIn,
  sessionEpochIn,
  signOut,
} from './keys-file.js';
import { hashPassword, isOutdated, matchesPassword } from './password.js';
import type { Account } from './records.js';

export class AccountPasswords {
  readonly #keys: KeysSource;

  constructor(keys: KeysSource) {
    this.#keys = keys;
  }

  /**
   * Sets the password of an account, and ends its sessions. Resolves when the change is on the disk.
   * @param password undefined removes the password
   * @param epoch of the session that asks for the change. If the session has ended meanwhile, nothing is changed
   * @returns the number for new sessions
   * @throws PriorartError `usage` for a length that is not allowed, `name_taken` for a first password if another account
   *   with a password has the same name, `not_found`, `overloaded`, `unauthorized` if the session has ended
   */
  async set(accountId: string, password: string | undefined, epoch?: number): Promise<number> {
    const hash = password === undefined ? undefined : await hashPassword(password);
    return this.#keys.write((file) => {
      const { id, name } = accountIn(file, accountId);
      if (epoch !== undefined && sessionEpochIn(file, id) !== epoch) {
        throw new PriorartError('unauthorized', 'the session has ended meanwhile; sign in');
      }
      // Accounts of earlier versions may share a name. Their people sign in with the id, and change their passwords.
      if (hash !== undefined && !hasPasswordIn(file, id)) requireFreeSignIn(file, name, id);
      putPassword(file, id, hash);
      return sessionEpochIn(file, id);
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
      await this.#keys.write((file) => replaceHash(file, found.account.id, found.hash, hash));
    }
    // The password may have been changed during the check.
    return this.#credentials(found.account.id)?.epoch === found.epoch ? found : undefined;
  }

  #credentials(asked: string): Credentials | undefined {
    return this.#keys.read((file) => credentialsIn(file, asked));
  }

  /**
   * The id of the account that a person names to sign in; undefined without such an account.
   * @throws PriorartError `unavailable`
   */
  accountWithPassword(asked: string): string | undefined {
    return this.#credentials(asked)?.account.id;
  }

  /** Whether an account has a password. @throws PriorartError `unavailable` */
  isSet(accountId: string): boolean {
    return this.#keys.read((file) => hasPasswordIn(file, accountId));
  }

  /** Whether any account can sign in. @throws PriorartError `unavailable` */
  hasPasswords(): boolean {
    return this.#keys.read((file) => hasPasswordsIn(file));
  }

  /**
   * The number that valid sessions of an account have.
   * @throws PriorartError `unavailable`
   */
  sessionEpoch(accountId: string): number {
    return this.#keys.remembered(`epoch ${accountId}`, (file) => ({ epoch: sessionEpochIn(file, accountId) }))
      .epoch;
  }

  /** @throws PriorartError `unavailable` */
  isAccountSessionEnded({ id, account, epoch }: AccountSession): boolean {
    if (epoch !== this.sessionEpoch(account)) return true;
    return this.#keys.read((file) => isSignedOut(file, id));
  }

  /** Signs a session out in all processes. Resolves when the change is on the disk. */
  async endAccountSession(session: AccountSession): Promise<void> {
    await this.#keys.write((file) => {
      // A session that has ended needs no record, and its account may be gone.
      if (sessionEpochIn(file, session.account) === session.epoch) signOut(file, session, Date.now());
    });
  }

  /**
   * Ends all sessions of an account in all processes. Resolves when the change is on the disk.
   * @throws PriorartError `not_found`
   */
  async endSessions(accountId: string): Promise<void> {
    await this.#keys.write((file) => endSessionsIn(file, accountIn(file, accountId).id));
  }
}
