import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf, filesUnder } from './digest.mjs';
import { withLock } from './lock.mjs';

/**
 * Folder of built files that checkouts share: a fresh clone of the same sources compiles nothing.
 * @param {NodeJS.ProcessEnv} [env] `PRIORART_CACHE` overrides the folder
 */
export function cacheFolder(env = process.env) {
  if (env.PRIORART_CACHE) return env.PRIORART_CACHE;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches/priorart');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'priorart');
}

/** SQLite's full-text and spatial indexes, which libsqlite3-sys would compile in, are not used. */
export const SQLITE_FLAGS = ['FTS3', 'FTS3_PARENTHESIS', 'FTS5', 'RTREE']
  .map((feature) => `-USQLITE_ENABLE_${feature}`)
  .join(' ');

/**
 * Environment of cargo in the workspace: variables of the native build scripts, and flags for the CPU level.
 */
function cargoEnvironment(level, env) {
  const cache = cacheFolder(env);
  const flags = [env.RUSTFLAGS, level === 'avx2' ? '-C target-cpu=x86-64-v3' : ''].filter(Boolean).join(' ');
  return {
    ...env,
    LIBSQLITE3_FLAGS: SQLITE_FLAGS,
    PRIORART_CPU: level,
    PRIORART_CACHE: cache,
    PRIORART_PROGRESS: join(cache, `target-${level}.progress`),
    CARGO_TARGET_DIR: join(cache, `target-${level}`),
    // napi-derive writes the declarations of a crate's exports to this folder while the crate is compiled.
    NAPI_TYPE_DEF_TMP_FOLDER: join(cache, `target-${level}`, 'type-definitions'),
    ...(flags && { RUSTFLAGS: flags }),
    CARGO_TERM_COLOR: 'never',
  };
}

/**
 * Runs cargo in the target folder that all checkouts share, one at a time. Cargo identifies a workspace's
 * crates by their path within the workspace, and detects changes by file times. For a checkout whose files
 * are older than the last build of another checkout, cargo would therefore use the other's compiled crates.
 * To prevent this, crates compiled from other contents are removed first. Registry crates, which take most of
 * the time, stay.
 * @template T
 * @param {{root: string, level: string, rust: {cargo: string, host: string}}} checkout
 * @param {(cargoEnv: NodeJS.ProcessEnv) => Promise<T>} work
 * @param {(text: string) => void} report
 * @returns {Promise<T>}
 * @throws {SetupError} if cargo cannot remove these crates
 */
export function withTarget({ root, level, rust }, work, report, env = process.env) {
  const cargoEnv = cargoEnvironment(level, env);
  const target = cargoEnv.CARGO_TARGET_DIR;
  const removeForeign = async () => {
    const stamp = join(target, 'sources.json');
    const before = readStamp(stamp);
    const now = crateDigests(root);
    const foreign = Object.keys(now).filter((crate) => before[crate] !== now[crate]);
    if (foreign.length === 0) return;
    // Until the removal is complete, the stamp makes no claim: after an interruption, the next run removes
    // them.
    writeStamp(stamp, { ...before, ...Object.fromEntries(foreign.map((crate) => [crate, null])) });
    if (existsSync(join(target, rust.host))) await clean(foreign, root, rust, cargoEnv);
    writeStamp(stamp, { ...before, ...now });
  };
  return withLock(
    `${target}.lock`,
    async () => {
      await removeForeign();
      return work(cargoEnv);
    },
    (holder) => report(`waiting for the build of ${holder}`),
  );
}

/** Digests of the crates' sources. The crate in `native/core` is `priorart-core`. */
function crateDigests(root) {
  const leaveOut = (name) => name === 'target' || name === 'fuzz' || name.startsWith('.');
  const manifests = filesUnder(root, 'native', leaveOut).filter((file) =>
    /^native\/\w+\/Cargo\.toml$/.test(file),
  );
  return Object.fromEntries(
    manifests.map((file) => {
      const folder = dirname(file);
      return [`priorart-${folder.split('/')[1]}`, digestOf(root, filesUnder(root, folder, leaveOut))];
    }),
  );
}

async function clean(crates, root, { cargo, host }, env) {
  const args = [
    'clean',
    '--release',
    '--locked',
    '--target',
    host,
    ...crates.flatMap((name) => ['-p', name]),
  ];
  const { code, signal, lines } = await runCaptured(cargo, args, { cwd: join(root, 'native'), env });
  if (code === 0) return;
  throw new SetupError(
    `cargo could not remove the crates of another checkout (${signal ?? `exit code ${code}`}); remove ${env.CARGO_TARGET_DIR} and try again:\n\n${lines.slice(-12).join('\n')}`,
  );
}

/** @returns {Record<string, string | null>} digest of the sources of each compiled crate; empty if unknown */
function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(file, digests) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, JSON.stringify(digests));
  renameSync(`${file}.part`, file);
}
