import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files below a folder (or a single file), as sorted paths relative to `root`, with `/` between names.
 * @param {string} root
 * @param {string} path relative to root
 * @param {(name: string, path: string) => boolean} [leaveOut] true for a file or folder to skip
 */
export function filesUnder(root, path, leaveOut = () => false) {
  const found = [];
  const visit = (at) => {
    const stat = statSync(join(root, at), { throwIfNoEntry: false });
    if (stat?.isFile()) found.push(at);
    if (!stat?.isDirectory()) return;
    for (const name of readdirSync(join(root, at)).sort()) {
      const below = at === '' ? name : `${at}/${name}`;
      if (!leaveOut(name, below)) visit(below);
    }
  };
  visit(path);
  return found;
}

/**
 * SHA-256 over names and contents, in hex. Times are ignored: a fresh clone has new times for the same files,
 * and saving a file without a change must not cause a build.
 * @param {string} root
 * @param {string[]} files relative to root
 * @param {string[]} [also] further strings that the result depends on
 */
export function digestOf(root, files, also = []) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  for (const text of also) hash.update(`\0${text}`);
  return hash.digest('hex');
}
