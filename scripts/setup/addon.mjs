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
import { cacheFolder, withTarget } from './target.mjs';

const CRATE = 'priorart-node';
const LIBRARY = process.platform === 'darwin' ? 'libpriorart_node.dylib' : 'libpriorart_node.so';
const PROGRESS_POLL_MS = 250;

/** Built things, and what an editor or a colleague leaves lying about, are not what the addon is made from. */
/** Of what lies in `native/`, what the addon is not made of; a package has no fuzz targets and examples. */
const notSource = (name) =>
  ['target', 'fuzz', 'examples'].includes(name) || name.endsWith('.node') || name.startsWith('.');

/**
 * @typedef {object} AddonPlan
 * @property {string} root the folder that holds `native/`
 * @property {string} level
 * @property {string} file where the addon belongs in `native/`
 * @property {string} cached where these very sources, compiled by this very compiler, are kept
 * @property {Awaited<ReturnType<typeof checkBuildTools>>} rust
 */

/**
 * Finds out what is to be done for the addon of one CPU level, and that it can be done, in milliseconds where
 * nothing is.
 * @param {string} root a checkout or an installed package
 * @param {string} level `avx2` or `baseline`
 * @returns {Promise<AddonPlan>}
 * @throws {SetupError} when the level is unknown, or something a build needs is missing
 */
export async function planAddon(root, level, env = process.env) {
  if (!LEVELS.includes(level)) {
    throw new SetupError(`PRIORART_CPU is ${JSON.stringify(level)}; it may be ${LEVELS.join(' or ')}.`);
  }
  const name = addonFileName(level);
  const sources = filesUnder(root, 'native', notSource);
  const cachedAs = (rust) => {
    const key = digestOf(root, sources, [rust.text, level]);
    return join(cacheFolder(env), 'addon', key, name);
  };
  let rust = await findRust(env);
  if (!rust || !existsSync(cachedAs(rust))) rust = await checkBuildTools(env);
  return { root, level, file: join(root, 'native', name), cached: cachedAs(rust), rust };
}

/**
 * Puts an addon into `native/`: from the cache, else by building it.
 * @param {AddonPlan} plan
 * @param {(text: string) => void} report
 * @returns {Promise<{built: boolean, placed: boolean}>} whether it was compiled; whether the file in `native/` is a
 *   new one
 * @throws {SetupError} when the build fails
 */
export async function provideAddon(plan, report, env = process.env) {
  const { cached, file } = plan;
  const built = !existsSync(cached);
  if (built) {
    // Until it is in the cache: the library in the target folder is whoever's built last.
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

/** @returns {Promise<string>} the library cargo wrote */
async function build({ root, level, rust: { cargo, host } }, report, cargoEnv) {
  writeFileSync(cargoEnv.PRIORART_PROGRESS, '');
  mkdirSync(cargoEnv.NAPI_TYPE_DEF_TMP_FOLDER, { recursive: true });
  const poll = setInterval(() => {
    if (!existsSync(cargoEnv.PRIORART_PROGRESS)) return;
    const line = readFileSync(cargoEnv.PRIORART_PROGRESS, 'utf8').trimEnd().split('\n').at(-1);
    if (line) report(line);
  }, PROGRESS_POLL_MS);
  try {
    // The target is named, though it is the host's: only so do the flags for the CPU level not reach build scripts
    // and macros, which run here and now, on whatever CPU this is.
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
  if (!existsSync(library)) throw new SetupError(`cargo reported success, but ${library} is not there.`);
  await checkLoads(library, level);
  return library;
}

/** A library can link and yet not load (a symbol nobody defines): better found here than at the first search. */
async function checkLoads(library, level) {
  if (level === 'avx2' && hostLevel() !== 'avx2') return;
  const script = `process.dlopen({ exports: {} }, ${JSON.stringify(library)})`;
  const { code, signal, lines } = await runCaptured(process.execPath, ['-e', script]);
  if (code === 0) return;
  throw new SetupError(
    `The addon was built, but Node can not load it (${signal ?? `exit code ${code}`}):\n\n${lines.slice(-12).join('\n')}`,
  );
}

/** What the end of a failed build hints at, most specific first. */
const HINTS = [
  [
    /No space left on device/,
    () => 'The disk is full: free some space, or name a cache folder elsewhere with PRIORART_CACHE.',
  ],
  [
    /failed to (download|get|fetch|load source)|Could not resolve|spurious network error|SSL|timed out/i,
    () =>
      'cargo could not fetch the crates: check the network, a proxy (HTTPS_PROXY) or your registry in ~/.cargo/config.toml.',
  ],
  [
    /lock file .* needs to be updated/,
    () => 'native/Cargo.lock does not fit native/*/Cargo.toml: run cargo update -w in native/ and commit it.',
  ],
  [
    /gomp|omp\.h/,
    () =>
      'The OpenMP runtime is missing. Debian, Ubuntu: apt install libgomp1 g++    macOS: brew install libomp',
  ],
  [
    /linker `[^`]*` not found/,
    () => 'There is no linker: install the C++ compiler package of your system (Debian: apt install g++).',
  ],
  [
    /Killed|signal: 9|out of memory|Cannot allocate/i,
    () =>
      'A compiler was killed, most likely for want of memory: try again with CARGO_BUILD_JOBS=1 in the environment.',
  ],
];

function describeFailure(lines, code, signal, cargoEnv) {
  const text = lines.join('\n');
  const hints = HINTS.filter(([pattern]) => pattern.test(text)).map(([, hint]) => hint());
  if (hints.length === 0) {
    hints.push(
      `Should the reason lie in an earlier build, remove ${cargoEnv.CARGO_TARGET_DIR} and try again.`,
    );
  }
  return `Building the native addon failed (${signal ?? `exit code ${code}`}). The end of its output:\n\n${lines
    .slice(-40)
    .join('\n')}\n\n${hints.join('\n')}`;
}

/** Copies a file to its place in one step: who looks there sees the whole new file, the whole old one, or none. */
function placeFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const draft = `${to}.${process.pid}.part`;
  try {
    // No hard link: whoever copied another build over the file in native/ would change the cache with it.
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
