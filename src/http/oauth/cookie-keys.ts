/**
 * The keys that sign the cookies of a sign-in, in a file that only its owner may read. They are replaced from time to
 * time; the key before is accepted for as long again. Tokens are not signed: they are random and looked up.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { PriorartError } from '../../errors.js';
import { OAUTH_KEY_MS } from '../../limits.js';
import { syncFolder } from '../../store/room.js';

interface KeyFile {
  /** The first signs. */
  keys: string[];
  made_at: string;
}

const KEY_BYTES = 32;

export function cookieKeyFile(folder: string): string {
  return join(folder, 'cookie-keys.json');
}

/**
 * Makes the file, or replaces its oldest key if it is time. To be called while no other process does.
 * @returns whether the file was written
 */
export function tendCookieKeys(folder: string, now: number = Date.now()): boolean {
  const file = cookieKeyFile(folder);
  const known = statSync(file, { throwIfNoEntry: false }) ? read(file) : undefined;
  if (known && now - Date.parse(known.made_at) < OAUTH_KEY_MS) return false;
  const keys = [randomBytes(KEY_BYTES).toString('base64url'), ...(known?.keys.slice(0, 1) ?? [])];
  const aside = `${file}.${randomUUID()}`;
  try {
    const out = openSync(aside, 'wx', 0o600);
    try {
      const value: KeyFile = { keys, made_at: new Date(now).toISOString() };
      writeSync(out, `${JSON.stringify(value)}\n`);
      fsyncSync(out);
    } finally {
      closeSync(out);
    }
    renameSync(aside, file);
    syncFolder(folder);
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

/**
 * The keys, the newest first.
 * @throws PriorartError `unavailable` if others may read the file, or it is damaged
 */
export function cookieKeys(folder: string): string[] {
  const file = cookieKeyFile(folder);
  // Windows has no such permission bits.
  if (platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new PriorartError('unavailable', `${file} can be read by others; expected mode 0600: chmod 600 it`);
  }
  return read(file).keys;
}

function read(file: string): KeyFile {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as KeyFile;
    if (value.keys.length > 0 && !Number.isNaN(Date.parse(value.made_at))) return value;
  } catch (cause) {
    throw new PriorartError('unavailable', `${file} is damaged; delete it, and a new one is made`, { cause });
  }
  throw new PriorartError('unavailable', `${file} is damaged; delete it, and a new one is made`);
}
