/**
 * The text of an API key: `psk_live_`, 32 random base62 characters, then 6 base62 characters with the CRC-32
 * of the random part. The checksum detects a mistyped or invented key without a read of the store, and
 * scanners for leaked secrets can recognise a real key.
 *
 * The store holds the SHA-256 of the whole text. A slow hash (bcrypt, argon2) protects secrets that people
 * choose, because an attacker can guess them. 32 base62 characters are 190 random bits, too many to try. A
 * slow hash would only add milliseconds to each request.
 */
import * as crypto from 'node:crypto';
import { crc32 } from '../store/crc32.js';

export const KEY_PREFIX = 'psk_live_';
const RANDOM_CHARS = 32;
const CHECKSUM_CHARS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`);

export function newSecret(): string {
  const random = randomBase62(RANDOM_CHARS);
  return KEY_PREFIX + random + checksum(random);
}

/** Whether a text has the form of a key and a correct checksum. The key may still not exist. */
export function isWellFormed(secret: string): boolean {
  if (!FORM.test(secret)) return false;
  const random = secret.slice(KEY_PREFIX.length, KEY_PREFIX.length + RANDOM_CHARS);
  return secret.endsWith(checksum(random));
}

/** Random characters of a secret that are kept and shown. The others are 26 characters, or 154 random bits. */
const SHOWN_CHARS = 6;

/** The first characters of a secret, by which people find its key: `psk_live_Xy12ab`. */
export function prefixOf(secret: string): string {
  return secret.slice(0, KEY_PREFIX.length + SHOWN_CHARS);
}

/** The SHA-256 of a secret, 32 bytes. */
export function hashSecret(secret: string): Buffer {
  return sha256(secret);
}

// Node 20.12 and 21.7 added crypto.hash; it takes a third of the time.
const sha256: (text: string) => Buffer =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'buffer')
    : (text) => crypto.createHash('sha256').update(text).digest();

/** Random base62 text. All characters are equally likely. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.randomBytes(2 * length)) {
      // 248 is the largest multiple of 62 in a byte. Without this limit, modulo 62 would favour some
      // characters.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let value = crc32(Buffer.from(text, 'latin1'));
  let out = '';
  for (let i = 0; i < CHECKSUM_CHARS; i++) {
    out = BASE62[value % 62] + out;
    value = Math.floor(value / 62);
  }
  return out;
}
