import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { addonFileName, hostLevel, LEVELS } from './cpu.mjs';
import { digestOf, filesUnder } from './digest.mjs';
import { checkBuildTools, findRust } from './prerequisites.mjs';
import { cacheFolder, SQLITE_FLAGS, withTarget } from './target.mjs';

const CRATE = 'priorart-node';
const LIBRARY = process.platform === 'darwin' ? 'libpriorart_node.dylib' : 'libpriorart_node.so';
const PROGRESS_POLL_MS = 250;

/**
 * Files in `native/` that are not sources of the addon: built files, hidden files of editors, cases that failed
 * property tests, and fuzz targets and examples, which a package does not contain.
 */
const notSource = (name) =>
  ['target', 'fuzz', 'examples', 'proptest-regressions'].includes(name) ||
  name.endsWith('.node') ||
  name.startsWith('.');

/**
 * @typedef {object} AddonPlan
 * @property {string} root folder that contains `native/`
 * @property {string} level
 * @property {string} file path of the addon in `native/`
 * @property {string} cached path of the addon in the cache, by sources, compiler and flags
 * @property {Awaited<ReturnType<typeof checkBuildTools>>} rust
 */

/**
 * Plans the addon of one CPU level: checks whether it must be built, and whether this is possible. Takes
 * milliseconds if it need not be built.
 * @param {string} root a checkout or an installed package
 * @param {string} level `avx2` or `baseline`
 * @returns {Promise<AddonPlan>}
 * @throws {SetupError} if the level is unknown, or a build tool is missing
 */
export async function planAddon(root, level, env = process.env) {
  if (!LEVELS.includes(level)) {
    throw new SetupError(`PRIORART_CPU is ${JSON.stringify(level)}; expected ${LEVELS.join(' or ')}.`);
  }
  const name = addonFileName(level);
  const sources = filesUnder(root, 'native', notSource);
  const cachedAs = (rust) => {
    const key = digestOf(root, sources, [rust.text, level, SQLITE_FLAGS]);
    return join(cacheFolder(env), 'addon', key, name);
  };
  let rust = await findRust(env);
  if (!rust || !existsSync(cachedAs(rust))) rust = await checkBuildTools(env);
  return { root, level, file: join(root, 'native', name), cached: cachedAs(rust), rust };
}

/**
 * Puts an addon into `native/`: from the cache if it is there, else by a build.
 * @param {AddonPlan} plan
 * @param {(text: string) => void} report
 * @returns {Promise<{built: boolean, placed: boolean}>} whether it was compiled; whether the file in
 *   `native/` changed
 * @throws {SetupError} if the build fails
 */
export async function provideAddon(plan, report, env = process.env) {
  const { cached, file } = plan;
  const built = !existsSync(cached);
  if (built) {
    // Copied to the cache before the lock is released: the next build overwrites the library in the target
    // folder.
    const buildIfStillMissing = async (cargoEnv) => {
      if (existsSync(cached)) return;
      const library = await build(plan, report, cargoEnv);
      const definitions = join(cargoEnv.NAPI_TYPE_DEF_TMP_FOLDER, CRATE);
      if (existsSync(definitions)) placeFile(definitions, typeDefinitions(plan));
      placeFile(library, cached);
    };
    await withTarget(plan, buildIfStillMissing, report, env);
  }
  const placed = !sameBytes(cached, file);
  if (placed) placeFile(cached, file);
  return { built, placed };
}

/**
 * Where the declarations of the addon's exports are kept, one JSON object a line, as napi-derive writes them.
 * `scripts/addon-types.mjs` makes TypeScript of them.
 * @param {AddonPlan} plan
 */
export const typeDefinitions = ({ cached }) => join(dirname(cached), 'type-definitions.jsonl');

/** @returns {Promise<string>} path of the library that cargo wrote */
async function build({ root, level, rust: { cargo, host } }, report, cargoEnv) {
  writeFileSync(cargoEnv.PRIORART_PROGRESS, '');
  mkdirSync(cargoEnv.NAPI_TYPE_DEF_TMP_FOLDER, { recursive: true });
  const poll = setInterval(() => {
    if (!existsSync(cargoEnv.PRIORART_PROGRESS)) return;
    const line = readFileSync(cargoEnv.PRIORART_PROGRESS, 'utf8').trimEnd().split('\n').at(-1);
    if (line) report(line);
  }, PROGRESS_POLL_MS);
  try {
    // With an explicit target, even the host's, cargo does not apply the flags for the CPU level to build
    // scripts and macros, which run on this machine.
    const args = ['build', '--release', '--locked', '-p', CRATE, '--target', host];
    const { code, signal, lines } = await runCaptured(cargo, args, {
      cwd: join(root, 'native'),
      env: cargoEnv,
      onLine: (line) =>
        /^\s+(Compiling|Downloading|Updating|Blocking)/.test(line) &&
        report(line.trim().replace(/ \(.*\)$/, '')),
    });
    if (code !== 0) throw new SetupError(describeFailure(lines, code, signal, cargoEnv));
  } finally {
    clearInterval(poll);
  }
  const library = join(cargoEnv.CARGO_TARGET_DIR, host, 'release', LIBRARY);
  if (!existsSync(library)) throw new SetupError(`cargo reported success, but ${library} does not exist.`);
  await checkLoads(library, level);
  return library;
}

/**
 * Checks that Node can load the library. A linked library may still lack a symbol, which only loading shows.
 */
async function checkLoads(library, level) {
  if (level === 'avx2' && hostLevel() !== 'avx2') return;
  const script = `process.dlopen({ exports: {} }, ${JSON.stringify(library)})`;
  const { code, signal, lines } = await runCaptured(process.execPath, ['-e', script]);
  if (code === 0) return;
  throw new SetupError(
    `The addon was built, but Node cannot load it (${signal ?? `exit code ${code}`}):\n\n${lines.slice(-12).join('\n')}`,
  );
}

/** Hints for messages at the end of a failed build, most specific first. */
const HINTS = [
  [
    /No space left on device/,
    () => 'The disk is full: free some space, or set PRIORART_CACHE to a folder on another disk.',
  ],
  [
    /failed to (download|get|fetch|load source)|Could not resolve|spurious network error|SSL|timed out/i,
    () =>
      'cargo could not fetch the crates: check the network, a proxy (HTTPS_PROXY) or your registry in ~/.cargo/config.toml.',
  ],
  [
    /lock file .* needs to be updated/,
    () =>
      'native/Cargo.lock does not match native/*/Cargo.toml: run cargo update -w in native/ and commit it.',
  ],
  [
    /gomp|omp\.h/,
    () =>
      'The OpenMP runtime is missing. Debian, Ubuntu: apt install libgomp1 g++    macOS: brew install libomp',
  ],
  [
    /linker `[^`]*` not found/,
    () => 'No linker was found: install the C++ compiler package of your system (Debian: apt install g++).',
  ],
  [
    /Killed|signal: 9|out of memory|Cannot allocate/i,
    () =>
      'A compiler was killed, most likely because memory ran out: try again with CARGO_BUILD_JOBS=1 in the environment.',
  ],
];

function describeFailure(lines, code, signal, cargoEnv) {
  const text = lines.join('\n');
  const hints = HINTS.filter(([pattern]) => pattern.test(text)).map(([, hint]) => hint());
  if (hints.length === 0) {
    hints.push(`If an earlier build may be the cause, remove ${cargoEnv.CARGO_TARGET_DIR} and try again.`);
  }
  return `Building the native addon failed (${signal ?? `exit code ${code}`}). The end of its output:\n\n${lines
    .slice(-40)
    .join('\n')}\n\n${hints.join('\n')}`;
}

/** Copies a file to its place in one step. Readers see the whole new file, the whole old file, or none. */
function placeFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const draft = `${to}.${process.pid}.part`;
  try {
    // Not a hard link: overwriting the file in native/ would then change the cache.
    copyFileSync(from, draft, constants.COPYFILE_FICLONE);
    renameSync(draft, to);
  } finally {
    rmSync(draft, { force: true });
  }
}

function sameBytes(a, b) {
  const [left, right] = [a, b].map((file) => statSync(file, { throwIfNoEntry: false }));
  return (
    left !== undefined &&
    right !== undefined &&
    left.size === right.size &&
    readFileSync(a).equals(readFileSync(b))
  );
}
