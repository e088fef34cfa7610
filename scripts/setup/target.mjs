import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf, filesUnder } from './digest.mjs';
import { withLock } from './lock.mjs';

/**
 * Where built things are kept between checkouts: a fresh clone of the same sources on the same machine compiles
 * nothing.
 * @param {NodeJS.ProcessEnv} [env] `PRIORART_CACHE` names another folder
 */
export function cacheFolder(env = process.env) {
  if (env.PRIORART_CACHE) return env.PRIORART_CACHE;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches/priorart');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'priorart');
}

/** The environment for cargo in the workspace: what the native build scripts expect, and flags for the CPU level. */
function cargoEnvironment(level, env) {
  const cache = cacheFolder(env);
  const flags = [env.RUSTFLAGS, level === 'avx2' ? '-C target-cpu=x86-64-v3' : ''].filter(Boolean).join(' ');
  return {
    ...env,
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
 * Runs cargo in the target folder that all checkouts share, one at a time. Cargo knows a workspace's crates there by
 * their place in the workspace, and what is fresh by times: a checkout whose files are older than another's last build
 * would be served what was compiled from the other's. So whatever was compiled from other contents is removed first;
 * registry crates, which are most of the work, stay.
 * @template T
 * @param {{root: string, level: string, rust: {cargo: string, host: string}}} checkout
 * @param {(cargoEnv: NodeJS.ProcessEnv) => Promise<T>} work
 * @param {(text: string) => void} report
 * @returns {Promise<T>}
 * @throws {SetupError} when cargo can not remove what is in the way
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
    // Between the two nothing is claimed of them: an end in the middle leaves them to be removed by the next.
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
    (holder) => report(`waiting for ${holder}, which is building`),
  );
}

/** Digests of the crates' sources by folder; the package in `native/core` is `priorart-core`. */
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
    `cargo could not remove what another checkout built (${signal ?? `exit code ${code}`}); remove ${env.CARGO_TARGET_DIR} and try again:\n\n${lines.slice(-12).join('\n')}`,
  );
}

/** @returns {Record<string, string | null>} what the crates in the folder were compiled from; nothing when unknown */
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
