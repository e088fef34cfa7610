/** Copies of the build, each without one step, in folders that the build accepts as the repository. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Trial } from '../harness/part.js';
import type { Patch, Variant } from './variants.js';

/** The repository of this build. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Files that the build expects beside it. */
const BESIDE = ['node_modules', 'native', 'models', 'fixtures', 'package.json', 'test'];

/**
 * Copies the build into a new folder, and patches the copy.
 * @throws Error if a patch does not fit
 */
export function sabotaged(into: string, variant: Variant): void {
  mkdirSync(into, { recursive: true });
  for (const part of BESIDE) symlinkSync(join(ROOT, part), join(into, part));
  for (const part of ['src', 'test'])
    cpSync(join(ROOT, 'dist', part), join(into, 'dist', part), { recursive: true });
  for (const [file, text] of patchedFiles(variant)) writeFileSync(join(into, 'dist/src', file), text);
}

/**
 * Texts of the files that a variant changes, by their path below `dist/src`.
 * @throws Error if a patch does not fit
 */
export function patchedFiles({ name, patches }: Variant): Map<string, string> {
  const files = new Map<string, string>();
  for (const patch of patches) {
    const { file } = patch;
    const text =
      files.get(file) ??
      `import * as fs_ from 'node:fs';\n${readFileSync(join(ROOT, 'dist/src', file), 'utf8')}`;
    files.set(file, patched(text, patch, name));
  }
  return files;
}

/** Replaces one place in a text. Any white space matches any other. */
function patched(text: string, { file, find, replace }: Patch, name: string): string {
  const words = find.trim().split(/\s+/);
  const found = text.split(new RegExp(words.map(escaped).join('\\s+')));
  if (found.length === 2) return found.join(replace);
  throw new Error(
    `${name}: the text to replace occurs ${found.length - 1} times in dist/src/${file}, expected once: ${find}`,
  );
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Parts of the harness that are run. */
export const PARTS = ['power-cuts', 'kills', 'bit-flips', 'full-disks'] as const;

export interface Found {
  trials: number;
  /** The first fault with the description of its trial; undefined if there was none. */
  fault: string | undefined;
}

/** Runs a part of a copy's harness until its first fault. */
export async function firstFault(
  folder: string,
  part: (typeof PARTS)[number],
  trials: number,
  seed: number,
): Promise<Found> {
  const harness = join(folder, 'dist/test/crash/harness.js');
  const args = [harness, `--${part}`, `${trials}`, '--seed', `${seed}`, '--first', '--json'];
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
  });
  let [text, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  child.stderr.setEncoding('utf8').on('data', (more: string) => (said = (said + more).slice(-4000)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && code !== 1) throw new Error(`the harness of ${folder} ended with ${code}: ${said}`);
  const [{ trials: rows }] = JSON.parse(text) as [{ trials: Trial[] }];
  const [fault] = rows.flatMap(({ what, faults }) => faults.map((words) => `${what}: ${words}`));
  return { trials: rows.length, fault };
}
