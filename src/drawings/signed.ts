/**
 * Drawings that the program itself serves: links to the images of a data folder, signed with HMAC-SHA256 over name,
 * expiry and a nonce. Every server process with the same secret accepts them.
 *
 * `/files/drawings/<SHA-256 in hex>.webp?expires=<seconds since 1970>&nonce=<text>&signature=<base64url>`
 */
import {
  createHmac,
  createSecretKey,
  type Hmac,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { PriorartError } from '../errors.js';
import { DRAWING_LINK_SECONDS } from '../limits.js';
import { LocalDrawings } from './files.js';
import type { DrawingStore } from './store.js';

/** Path of the links, without the file name. */
export const LINK_PATH = '/files/drawings/';
const FILE = /^([0-9a-f]{64})\.webp$/;
const QUERY = /^expires=(\d{1,12})&nonce=([\w-]{16})&signature=([\w-]{43})$/;
const NONCE_BYTES = 12;
/** Nonces generated at once: one call for many random bytes costs the same as one for few. */
const NONCES_AT_ONCE = 256;

export interface LinkOptions {
  /** Lifetime of links, s. */
  seconds?: number;
  /** Clock, milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}

export class SignedDrawings extends LocalDrawings implements DrawingStore {
  readonly #secret: KeyObject;
  readonly #seconds: number;
  readonly #now: () => number;
  readonly #random = Buffer.alloc(NONCE_BYTES * NONCES_AT_ONCE);
  #randomTaken = NONCE_BYTES * NONCES_AT_ONCE;

  /** @param secret shared by all processes that serve the folder */
  constructor(dataDir: string, secret: string, options: LinkOptions = {}) {
    super(dataDir);
    this.#secret = createSecretKey(secret, 'utf8');
    this.#seconds = options.seconds ?? DRAWING_LINK_SECONDS.default;
    this.#now = options.now ?? Date.now;
  }

  link(content: string): string {
    const expires = String(Math.ceil(this.#now() / 1000) + this.#seconds);
    const nonce = this.#nonce();
    const signature = this.#mac(content, expires, nonce).digest('base64url');
    return `${LINK_PATH}${content}.webp?expires=${expires}&nonce=${nonce}&signature=${signature}`;
  }

  linkOrigin(): undefined {
    return undefined;
  }

  /**
   * Verifies a link. Returns its image and its remaining lifetime, s.
   * @param query of the URL, after the `?`, not decoded
   * @throws PriorartError `link_invalid`
   */
  check(file: string, query: string): { content: string; secondsLeft: number } {
    const content = FILE.exec(file)?.[1];
    const [, expires = '', nonce = '', signature = ''] = QUERY.exec(query) ?? [];
    if (content === undefined || !this.#isOurs(content, expires, nonce, signature)) {
      throw new PriorartError('link_invalid', `the link is not valid; ${REMEDY}`);
    }
    const secondsLeft = Number(expires) - this.#now() / 1000;
    if (secondsLeft <= 0) throw new PriorartError('link_invalid', `the link has expired; ${REMEDY}`);
    return { content, secondsLeft };
  }

  #isOurs(content: string, expires: string, nonce: string, signature: string): boolean {
    const expected = this.#mac(content, expires, nonce).digest();
    const given = Buffer.from(signature, 'base64url');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #nonce(): string {
    if (this.#randomTaken === this.#random.length) {
      randomFillSync(this.#random);
      this.#randomTaken = 0;
    }
    const from = this.#randomTaken;
    this.#randomTaken += NONCE_BYTES;
    return this.#random.toString('base64url', from, this.#randomTaken);
  }

  #mac(content: string, expires: string, nonce: string): Hmac {
    return createHmac('sha256', this.#secret).update(`drawing\n${content}\n${expires}\n${nonce}`);
  }
}

const REMEDY = 'ask for the drawing again under /api/v1/drawings/';
