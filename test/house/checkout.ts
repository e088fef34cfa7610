import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout: this file is compiled to <build folder>/test/house. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Reason why a test of the checkout's files cannot run, or false if it can. */
export const noGit = existsSync(join(ROOT, '.git')) ? false : 'not a git checkout';

/** Files of the checkout that git tracks or would add, below the given folders, as `src/patent/kind.ts`. */
export function trackedFiles(...below: string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...below];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  return files.filter((file) => existsSync(join(ROOT, file)));
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
