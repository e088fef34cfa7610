/** The secret that signs links to drawings: one for each data folder, or the operator's own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PriorartError } from '../errors.js';
import { DRAWING_SECRET_MIN_CHARS } from '../limits.js';
import { makeFileOnce } from '../store/room.js';

const SECRET_FILE = 'drawing-links.secret';
const SECRET_BYTES = 32;

/**
 * Reads the secret. Makes one if the folder has none; processes that start at once agree on one.
 * @param file of the operator's own secret; must exist
 * @throws PriorartError `usage` if the file cannot be read or holds too few characters
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
    const message = `the secret of links to drawings cannot be read: ${(cause as Error).message}`;
    throw new PriorartError('usage', `${message}; expected a file that this user may read`, { cause });
  }
  if (text.length >= DRAWING_SECRET_MIN_CHARS) return text;
  const message = `${file} holds ${text.length} characters; expected a secret of ${DRAWING_SECRET_MIN_CHARS} or more`;
  throw new PriorartError('usage', `${message}: make one with \`openssl rand -base64 32\``);
}

/** @throws PriorartError `usage` if the file cannot be written */
function makeSecret(path: string): void {
  try {
    makeFileOnce(path, `${randomBytes(SECRET_BYTES).toString('base64')}\n`);
  } catch (error) {
    const message = `the secret of links to drawings cannot be stored: ${(error as Error).message}`;
    throw new PriorartError('usage', `${message}; name one with --drawing-secret-file`, { cause: error });
  }
}
