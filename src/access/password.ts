/**
 * Passwords of accounts, as scrypt hashes (RFC 7914). A hash is a text in the PHC string format, with its
 * parameters and its salt: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. So parameters can be raised later: old hashes
 * can still be checked, and are replaced at the next correct password.
 *
 * The parameters are one of the equivalent minimums of the OWASP Password Storage Cheat Sheet, N = 2^15, r = 8,
 * p = 3. It needs 32 MiB, and about a quarter of a second. The threads of libuv compute hashes, at most
 * PASSWORD_HASHES.atOnce at a time, since other work needs these threads, too.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { PriorartError } from '../errors.js';
import { PASSWORD_CHARS, PASSWORD_HASHES } from '../limits.js';

/** Parameters of scrypt; N is 2 to the power of `ln`. */
const COST = { ln: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

interface Hash {
  ln: number;
  r: number;
  p: number;
  salt: Buffer;
  hash: Buffer;
}

/** The hash that a password is compared with if its account is unknown. No password has it. */
const UNKNOWN = formatted({ ...COST, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) });

/**
 * The password as it is hashed: in Unicode's normal form NFKC, since keyboards write the same characters in
 * different forms.
 * @throws PriorartError `usage` for a length that is not allowed
 */
export function checkedPassword(text: string): string {
  // As it was typed: the length that schemas state, too.
  const { length } = [...text];
  const { min, max } = PASSWORD_CHARS;
  if (length >= min && length <= max) return text.normalize('NFKC');
  throw new PriorartError('usage', `password: got ${length} characters; expected ${min} to ${max}`);
}

/**
 * The hash of a password with a new salt.
 * @throws PriorartError `usage`, `overloaded`
 */
export async function hashPassword(text: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return formatted({ ...COST, salt, hash: await computed(checkedPassword(text), { ...COST, salt }) });
}

/**
 * Whether a password has the hash. The comparison takes the same time for every password, and also without a
 * hash.
 * @param hash undefined for an account that does not exist or has no password: no password matches
 * @throws PriorartError `overloaded`
 */
export async function matchesPassword(text: string, hash: string | undefined): Promise<boolean> {
  // No password has this length, whatever the account is.
  if (text.length > 4 * PASSWORD_CHARS.max) return false;
  const stored = parsed(hash ?? UNKNOWN);
  return timingSafeEqual(await computed(text.normalize('NFKC'), stored), stored.hash);
}

/** Whether a hash was made with other parameters than new hashes. */
export function isOutdated(hash: string): boolean {
  const { ln, r, p } = parsed(hash);
  return ln !== COST.ln || r !== COST.r || p !== COST.p;
}

function formatted({ ln, r, p, salt, hash }: Hash): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`;
}

function parsed(text: string): Hash {
  const [, ln, r, p, salt = '', hash = ''] = FORM.exec(text) ?? [];
  if (ln === undefined) throw new Error('the hash of a password has an unknown form');
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

let running = 0;
const waiting: (() => void)[] = [];

/** @throws PriorartError `overloaded` if too many passwords wait */
async function computed(password: string, { ln, r, p, salt }: Omit<Hash, 'hash'>): Promise<Buffer> {
  if (running < PASSWORD_HASHES.atOnce) running++;
  else {
    if (waiting.length >= PASSWORD_HASHES.waiting) {
      throw new PriorartError('overloaded', 'overloaded: too many sign-ins', { retryAfter: 2 });
    }
    // The one that ends passes its place on.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  try {
    const N = 2 ** ln;
    // scrypt needs 128 · N · r bytes, and little more.
    const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + (1 << 20) };
    return await new Promise<Buffer>((resolve, reject) => {
      scrypt(password, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
