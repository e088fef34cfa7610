/**
 * Sessions of accounts on the page, as signed cookies. A file of the access store holds the secret that signs
 * them, so every server on the folder accepts the sessions of the others. Two facts of the store end a session
 * before it expires: the account has another epoch (changed password, revocation), or the session was signed out.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { ACCOUNT_SESSION_S } from '../limits.js';
import { SecretFile } from './secret-file.js';

/** A session of an account, as in its cookie. */
export interface AccountSession {
  id: string;
  /** Id of the account. */
  account: string;
  /** `visitor`: opened without a password. It may search, and sees nothing else of the account. */
  kind: 'visitor' | 'account';
  /** The epoch of the account's sessions when this one began. */
  epoch: number;
  /** ms since 1970 */
  expires: number;
}

const KINDS = { v: 'visitor', a: 'account' } as const;
/** expires.id.account.epoch.kind.signature; numbers are in base 36. */
const FORM =
  /^(([0-9a-z]{1,12})\.([\w-]{16})\.(acc_[0-9A-Za-z]{12})\.([0-9a-z]{1,11})\.([va]))\.([\w-]{43})$/;

/** The file with the secret that signs sessions. */
export function sessionSecret(folder: string): SecretFile {
  return new SecretFile(join(folder, 'session-secret'), 'accounts cannot sign in');
}

export class SessionSigner {
  readonly #file: SecretFile;
  #derived: { secret: string; key: Buffer } | undefined;

  /** @param folder folder of the access store */
  constructor(folder: string) {
    this.#file = sessionSecret(folder);
  }

  /**
   * A new session and the value of its cookie. The first session of a folder creates the secret.
   * @throws PriorartError `unavailable` if the secret cannot be read, or the folder is missing
   */
  begin(
    { account, kind, epoch }: Pick<AccountSession, 'account' | 'kind' | 'epoch'>,
    now: number = Date.now(),
  ): { session: AccountSession; token: string } {
    if (!this.#file.exists()) this.#file.make();
    const id = randomBytes(12).toString('base64url');
    const expires = now + ACCOUNT_SESSION_S * 1000;
    const body = [expires.toString(36), id, account, epoch.toString(36), kind[0]].join('.');
    return { session: { id, account, kind, epoch, expires }, token: `${body}.${this.#sign(body)}` };
  }

  /**
   * The session of a cookie's value; undefined if the signature is wrong or the session has expired. The store
   * knows whether it has ended.
   * @throws PriorartError `unavailable` if the secret cannot be read
   */
  read(token: string, now: number = Date.now()): AccountSession | undefined {
    const [, body = '', until = '', id = '', account = '', epoch = '', kind, signature = ''] =
      FORM.exec(token) ?? [];
    // Without the secret no session is valid. Reading creates nothing.
    if (body === '' || !this.#file.exists()) return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(body)))) return undefined;
    const expires = Number.parseInt(until, 36);
    if (expires <= now) return undefined;
    return { id, account, kind: KINDS[kind as 'v' | 'a'], epoch: Number.parseInt(epoch, 36), expires };
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key()).update(body).digest('base64url');
  }

  /** A key for this purpose only, derived from the secret (RFC 5869). */
  #key(): Buffer {
    const secret = this.#file.secret();
    if (this.#derived?.secret !== secret) {
      const key = hkdfSync('sha256', secret, '', 'priorart session of an account', 32);
      this.#derived = { secret, key: Buffer.from(key) };
    }
    return this.#derived.key;
  }
}
