/** A secret in a file of the access store. All servers on the folder share it, and only its owner can read it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { platform } from 'node:process';
import { PriorartError } from '../errors.js';
import { makeFileOnce, replaceFile } from '../store/room.js';
import { randomBase62 } from './key.js';

const CHARS = 40;

export class SecretFile {
  readonly file: string;
  readonly #closed: string;
  readonly #faultOf: (text: string) => string | undefined;
  #read: { changed: number; secret: string } | undefined;

  /**
   * @param closed what does not work without the secret: the beginning of error messages
   * @param faultOf why a text cannot be the secret; undefined if it can
   */
  constructor(file: string, closed: string, faultOf: (text: string) => string | undefined = tooShort) {
    this.file = file;
    this.#closed = closed;
    this.#faultOf = faultOf;
  }

  /**
   * Creates the file, with random letters and digits, if it does not exist. Creates no folder: a data folder
   * that was deleted or renamed must not appear again.
   * @returns whether the file was created
   * @throws PriorartError `unavailable` if the folder is missing
   */
  make(): boolean {
    try {
      return makeFileOnce(this.file, `${randomBase62(CHARS)}\n`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw this.#unavailable(`the folder of ${this.file} is missing`);
    }
  }

  /** Makes this the secret, unless it is already. */
  put(secret: string): void {
    if (!this.exists() || this.secret() !== secret) replaceFile(this.file, `${secret}\n`);
  }

  /** Whether the file exists. */
  exists(): boolean {
    return existsSync(this.file);
  }

  /**
   * The secret. A changed file is read again.
   * @throws PriorartError `unavailable` if the secret does not exist, or if other users can read it
   */
  secret(): string {
    const found = statSync(this.file, { throwIfNoEntry: false });
    if (!found) throw this.#unavailable(`there is no file ${this.file}; it is made when a server starts`);
    // Windows has no such permission bits.
    if (platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw this.#unavailable(`${this.file} can be read by others; expected mode 0600: chmod 600 it`);
    }
    if (this.#read?.changed !== found.mtimeMs) {
      const secret = readFileSync(this.file, 'utf8').trim();
      const fault = this.#faultOf(secret);
      if (fault !== undefined) throw this.#unavailable(`the secret in ${this.file} ${fault}`);
      this.#read = { changed: found.mtimeMs, secret };
    }
    return this.#read.secret;
  }

  #unavailable(message: string): PriorartError {
    return new PriorartError('unavailable', `${this.#closed}: ${message}`);
  }
}

function tooShort({ length }: string): string | undefined {
  return length < CHARS ? `has ${length} characters; expected ${CHARS}` : undefined;
}
