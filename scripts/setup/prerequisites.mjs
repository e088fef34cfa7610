import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';

const MIN_NODE = [20, 0];
/** The minimum that the native workspace states. */
const MIN_RUST = /^rust-version = "(\d+)\.(\d+)/m
  .exec(readFileSync(new URL('../../native/Cargo.toml', import.meta.url), 'utf8'))
  .slice(1, 3)
  .map(Number);

/** Installation hints, by platform. */
const HOW_TO_GET = {
  node: {
    linux: 'https://nodejs.org/en/download or your version manager, for example: nvm install 22',
    darwin: 'brew install node, or your version manager, for example: nvm install 22',
  },
  rust: {
    linux:
      'rustup update stable, or without rustup: https://rustup.rs (distributions often carry an older Rust)',
    darwin: 'rustup update stable, or without rustup: https://rustup.rs, or brew install rust',
  },
  cxx: {
    linux:
      'Debian, Ubuntu: apt install g++    Fedora: dnf install gcc-c++    Arch: pacman -S gcc    Alpine: apk add build-base',
    darwin: 'xcode-select --install',
  },
};

const howToGet = (part) => HOW_TO_GET[part][process.platform] ?? HOW_TO_GET[part].linux;

function atLeast(version, [major, minor]) {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

function missing(what, found, part) {
  return `  ${what} is needed.\n    found:       ${found}\n    to get it:   ${howToGet(part)}`;
}

function failOn(problems) {
  if (problems.length === 0) return;
  throw new SetupError(
    `Tools to build priorart are missing on this machine:\n\n${problems.join('\n\n')}\n\nThen run the same command again.`,
  );
}

/** @throws {SetupError} if this process runs on a Node that is too old. */
export function checkNode(version = process.versions.node) {
  if (atLeast(version, MIN_NODE)) return;
  failOn([missing(`Node ${MIN_NODE[0]} or newer`, `${version} (${process.execPath})`, 'node')]);
}

/**
 * Path of a tool of the Rust toolchain: on the PATH, else in rustup's folder. A shell that was open during
 * the installation does not have that folder on its PATH.
 * @param {'cargo' | 'rustc'} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function findRustTool(name, env = process.env) {
  const folders = [
    ...(env.PATH ?? '').split(delimiter),
    join(env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin'),
  ];
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/**
 * The Rust toolchain, from its own description.
 * @returns {Promise<{cargo: string, release: string, host: string, text: string} | undefined>} `host` is its
 *   default target triple, `text` all of `rustc -vV`; undefined without a working toolchain
 */
export async function findRust(env = process.env) {
  const [cargo, rustc] = [findRustTool('cargo', env), findRustTool('rustc', env)];
  if (!cargo || !rustc) return undefined;
  const { code, lines } = await runCaptured(rustc, ['-vV'], { env });
  const text = lines.join('\n');
  const release = /^release: (\S+)/m.exec(text)?.[1];
  const host = /^host: (\S+)/m.exec(text)?.[1];
  return code === 0 && release && host ? { cargo, release, host, text } : undefined;
}

function rustProblem(rust, env) {
  if (rust && atLeast(rust.release, MIN_RUST)) return undefined;
  const [cargo, rustc] = [findRustTool('cargo', env), findRustTool('rustc', env)];
  const absent = [cargo ? '' : 'cargo', rustc ? '' : 'rustc'].filter(Boolean).join(' and ');
  let found = `no ${absent} on the PATH or in ~/.cargo/bin`;
  if (rust) found = `Rust ${rust.release} (${rustc})`;
  else if (!absent) found = `${rustc}, which fails at rustc -vV (rustup without a toolchain?)`;
  return missing(`Rust ${MIN_RUST.join('.')} or newer (cargo and rustc)`, found, 'rust');
}

/**
 * Compiles and links a C++17 program. A compiler without its headers or without a linker fails here.
 * @returns {Promise<string | undefined>} the problem, or undefined
 */
async function cxxProblem(env) {
  const compiler = env.CXX || 'c++';
  const folder = mkdtempSync(join(tmpdir(), 'priorart-cxx-'));
  const source = join(folder, 'probe.cpp');
  writeFileSync(
    source,
    '#include <optional>\n#include <string_view>\nint main() { std::optional<std::string_view> a("x"); return a->size() == 1 ? 0 : 1; }\n',
  );
  try {
    const [command, ...args] = compiler.split(/\s+/);
    const { code, lines } = await runCaptured(
      command,
      [...args, '-std=c++17', source, '-o', join(folder, 'probe')],
      {
        env,
      },
    );
    if (code === 0) return undefined;
    return missing(
      'A C++17 compiler',
      `${compiler} -std=c++17 fails: ${lines.slice(0, 5).join('\n                 ')}`,
      'cxx',
    );
  } catch {
    const hint = env.CXX ? ' (named by the environment variable CXX)' : '';
    return missing('A C++17 compiler', `no program ${compiler}${hint}`, 'cxx');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Checks all tools of a native build and reports every missing one in the same message.
 * @returns {Promise<NonNullable<Awaited<ReturnType<typeof findRust>>>>}
 * @throws {SetupError} with each missing tool, the version found, and how to install it on this platform
 */
export async function checkBuildTools(env = process.env) {
  const rust = await findRust(env);
  failOn([rustProblem(rust, env), await cxxProblem(env)].filter(Boolean));
  return rust;
}
