/** Copies of the build, each with a step less, in folders that look like the repository to it. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Patch, Variant } from './variants.js';

/** The repository that this build is of. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** What the build finds beside it. */
const BESIDE = ['node_modules', 'native', 'models', 'fixtures', 'package.json', 'test'];

/**
 * Copies the build into a folder that is made, and patches the copy.
 * @throws Error where a patch does not fit
 */
export function sabotaged(into: string, { name, patches }: Pick<Variant, 'name' | 'patches'>): void {
  mkdirSync(into, { recursive: true });
  for (const part of BESIDE) symlinkSync(join(ROOT, part), join(into, part));
  for (const part of ['src', 'test'])
    cpSync(join(ROOT, 'dist', part), join(into, 'dist', part), { recursive: true });
  for (const file of new Set(patches.map((patch) => patch.file))) {
    const path = join(into, 'dist/src', file);
    const own = patches.filter((patch) => patch.file === file);
    const text = own.reduce((before, patch) => patched(before, patch, name), readFileSync(path, 'utf8'));
    writeFileSync(path, `import * as fs_ from 'node:fs';\n${text}`);
  }
}

/** A text with one place replaced; any white space stands for any other. */
function patched(text: string, { file, find, replace }: Patch, name: string): string {
  const words = find.trim().split(/\s+/);
  const found = text.split(new RegExp(words.map(escaped).join('\\s+')));
  if (found.length === 2) return found.join(replace);
  throw new Error(
    `${name}: the text to be replaced is ${found.length - 1} times in dist/src/${file}, expected once: ${find}`,
  );
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The harness of a copy. */
export function harnessOf(folder: string): string {
  return join(folder, 'dist/test/crash/harness.js');
}
