import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf, filesUnder } from './digest.mjs';

const SOURCES = ['src', 'test', 'bench'];
const STAMP = 'dist/.setup-stamp';

/** Extensions of tsc's output files, by extension of the source file. */
const OUTPUTS = {
  '.ts': ['.js', '.js.map', '.d.ts'],
  '.cts': ['.cjs', '.cjs.map', '.d.cts'],
  '.mts': ['.mjs', '.mjs.map', '.d.mts'],
};

/** Excludes the folders of tests that compile the checkout, and what only the page's bundle uses (page.mjs). */
const hidden = (name, path) =>
  name.startsWith('.') ||
  name === 'node_modules' ||
  ['src/page/view', 'src/page/index.html', 'src/page/icon.svg'].includes(path);

/**
 * Expected contents of dist/.
 * @returns {{compiled: string[], assets: string[]}} compiled: files that tsc writes, relative to dist;
 *   assets: other files of src (schemas, pages), which are copied next to the code that reads them
 */
export function expectedOutputs(root) {
  const compiled = [];
  const assets = [];
  for (const file of SOURCES.flatMap((folder) => filesUnder(root, folder, hidden))) {
    const extension = extname(file);
    if (file.endsWith('.d.ts')) continue;
    if (extension in OUTPUTS) {
      for (const output of OUTPUTS[extension]) compiled.push(file.slice(0, -extension.length) + output);
    } else if (file.startsWith('src/')) assets.push(file);
  }
  return { compiled, assets };
}

/**
 * Compiles src, test and bench to dist if any of them changed.
 * @param {string} root the checkout
 * @param {(text: string) => void} report
 * @returns {Promise<boolean>} whether it compiled
 * @throws {SetupError} with the compiler's messages
 */
export async function compileTypeScript(root, report) {
  const digest = sourcesDigest(root);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return false;
  // Removed before the compilation: after an interruption, no old stamp may remain.
  rmSync(stamp, { force: true });

  const { compiled, assets } = expectedOutputs(root);
  report(`tsc, ${compiled.length / 3} files`);
  await tsc(root);
  if (!compiled.every((file) => existsSync(join(root, 'dist', file)))) {
    // Output files were deleted, but tsc's incremental state still lists them.
    rmSync(join(root, 'dist/.tsbuildinfo'), { force: true });
    await tsc(root);
  }
  for (const file of assets) {
    mkdirSync(dirname(join(root, 'dist', file)), { recursive: true });
    copyFileSync(join(root, file), join(root, 'dist', file));
  }
  removeOutputsWithoutSource(root, new Set([...compiled, ...assets]));
  writeFileSync(stamp, digest);
  return true;
}

function sourcesDigest(root) {
  const files = SOURCES.flatMap((folder) => filesUnder(root, folder, hidden));
  return digestOf(root, [...files, 'tsconfig.json', 'package.json', 'package-lock.json']);
}

async function tsc(root) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { code, lines } = await runCaptured(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
    cwd: root,
  });
  if (code === 0) return;
  const errors = lines.filter((line) => /: error TS/.test(line)).length;
  throw new SetupError(
    `The TypeScript sources do not compile${errors > 0 ? ` (${errors} errors)` : ''}:\n\n${lines.slice(0, 60).join('\n')}`,
  );
}

/** Removes output of deleted sources, which would still be run as tests or imported. */
function removeOutputsWithoutSource(root, expected) {
  for (const file of SOURCES.flatMap((folder) => filesUnder(join(root, 'dist'), folder))) {
    if (!expected.has(file)) rmSync(join(root, 'dist', file));
  }
}
