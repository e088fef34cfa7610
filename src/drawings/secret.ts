/** The secret that links to drawings are signed with: one a data folder, or the operator's own. */
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PriorartError } from '../errors.js';
import { DRAWING_SECRET_MIN_CHARS } from '../limits.js';

const SECRET_FILE = 'drawing-links.secret';
const SECRET_BYTES = 32;

/**
 * The secret, made where the folder has none yet; of several processes that begin at once, one's.
 * @param file the operator's own; must be there
 * @throws PriorartError `usage` for a file that can not be read or holds too little
 */
export function linkSecret(dataDir: string, file?: string): string {
  if (file !== undefined) return readSecret(file);
  const own = join(dataDir, SECRET_FILE);
  try {
    return readSecret(own);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw error;
  }
  makeSecret(own);
  return readSecret(own);
}

function readSecret(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const message = `the secret of links to drawings can not be read: ${(cause as Error).message}`;
    throw new PriorartError('usage', `${message}; expected a file that this user may read`, { cause });
  }
  if (text.length >= DRAWING_SECRET_MIN_CHARS) return text;
  const message = `${file} holds ${text.length} characters; expected a secret of ${DRAWING_SECRET_MIN_CHARS} or more`;
  throw new PriorartError('usage', `${message}: make one with \`openssl rand -base64 32\``);
}

/** Written aside first, for its owner only, so that no process ever reads half of it. */
function makeSecret(path: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    const file = openSync(aside, 'wx', 0o600);
    try {
      writeSync(file, `${randomBytes(SECRET_BYTES).toString('base64')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(aside, path);
    syncFolder(dirname(path));
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    const message = `the secret of links to drawings can not be kept: ${(error as Error).message}`;
    throw new PriorartError('usage', `${message}; name one with --drawing-secret-file`, { cause: error });
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Links that were given out must work after a power cut, too. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // A folder can not be opened there, and need not be.
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
