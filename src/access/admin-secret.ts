/**
 * The secret of the administration. A setting gives the secret. Otherwise a file of the access store holds
 * the secret, and only the owner may read the file. The secret signs sessions, so a new secret ends all
 * sessions.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PriorartError } from '../errors.js';
import { ADMIN_SECRET_MIN_CHARS, ADMIN_SESSION_S } from '../limits.js';
import { makeFolderWithin, syncFolder } from '../store/room.js';
import { SecretFile } from './secret-file.js';

/** A session of an administrator, as in its cookie. Times in ms since 1970. */
export interface Session {
  id: string;
  begun: number;
  expires: number;
}

export class AdminSecret {
  readonly #file: SecretFile;
  readonly #given: string | undefined;

  /**
   * @param folder folder of the access store
   * @param given the setting; takes precedence over the file
   * @throws PriorartError `usage` if the setting is too short, or a header cannot carry it
   */
  constructor(folder: string, given?: string) {
    const wrong = given === undefined ? undefined : faultOf(given);
    if (wrong !== undefined) throw new PriorartError('usage', `the administrator's secret ${wrong}`);
    this.#file = new SecretFile(join(folder, 'admin-secret'), 'the administration is closed', faultOf);
    this.#given = given;
  }

  /** Path of the file. */
  get file(): string {
    return this.#file.file;
  }

  /**
   * Creates the file, and the folder of the access store in its data folder, if neither the file nor the setting exists.
   * @returns whether the file was created
   * @throws Error of the file system, ENOENT if the data folder is missing
   */
  make(): boolean {
    if (this.#given !== undefined) return false;
    const folder = dirname(this.file);
    if (!existsSync(folder)) {
      makeFolderWithin(folder, 0o700);
      syncFolder(dirname(folder));
    }
    return this.#file.make();
  }

  /** Whether there is a secret: the setting, or the file. */
  exists(): boolean {
    return this.#given !== undefined || this.#file.exists();
  }

  /**
   * Whether a text is the secret. The comparison takes the same time for every text.
   * @throws PriorartError `unavailable` if the secret does not exist, or if other users can read it
   */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), digest(this.#secret()));
  }

  /** A new session, as the value of its cookie. */
  newSession(now: number = Date.now()): { token: string; expires: number } {
    const expires = now + ADMIN_SESSION_S * 1000;
    const body = `${expires.toString(36)}.${randomBytes(12).toString('base64url')}`;
    return { token: `${body}.${this.#sign(body)}`, expires };
  }

  /** The session of a cookie's value; undefined if the signature is invalid or the session has expired. */
  session(token: string, now: number = Date.now()): Session | undefined {
    const [, body = '', id = '', signature = ''] =
      /^([0-9a-z]{1,12}\.([\w-]{16}))\.([\w-]{43})$/.exec(token) ?? [];
    if (body === '') return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(body)))) return undefined;
    const expires = Number.parseInt(body, 36);
    return expires > now ? { id, begun: expires - ADMIN_SESSION_S * 1000, expires } : undefined;
  }

  #sign(body: string): string {
    return createHmac('sha256', `priorart session ${this.#secret()}`).update(body).digest('base64url');
  }

  #secret(): string {
    return this.#given ?? this.#file.secret();
  }
}

/**
 * Why a text cannot be the secret; undefined if it can. It travels in a header: a blank at its ends is not part of the
 * value there, and clients and servers differ in how they write other characters than those of ASCII.
 */
function faultOf(text: string): string | undefined {
  if (text.length < ADMIN_SECRET_MIN_CHARS)
    return `has ${text.length} characters; expected at least ${ADMIN_SECRET_MIN_CHARS}`;
  if (/[^\x20-\x7e]/.test(text))
    return 'has a character that a header cannot carry; expected printable ASCII';
  return text === text.trim() ? undefined : 'begins or ends with a blank; expected none there';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
