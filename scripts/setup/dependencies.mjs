import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf } from './digest.mjs';

/** Stamp of a complete installation. Inside node_modules, so that it is deleted with that folder. */
const STAMP = 'node_modules/.priorart-lock';

/** Includes the platform and Node's ABI, for which the same lockfile installs other binaries. */
function wantedStamp(root) {
  const { platform, arch, versions } = process;
  return digestOf(root, ['package-lock.json'], [platform, arch, versions.modules]);
}

/**
 * Installs the npm dependencies if node_modules does not match package-lock.json.
 * @param {string} root the checkout
 * @param {(text: string) => void} report
 * @returns {Promise<boolean>} whether it installed
 * @throws {SetupError} with the end of npm's output
 */
export async function installDependencies(root, report) {
  if (dependenciesFit(root)) return false;
  let requests = 0;
  // No dependency needs an install script. npm 11 and later run none by default; the flag makes older
  // versions do the same. Development packages are installed even under NODE_ENV=production, since the build
  // needs them.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const [command, ...before] = npmCommand();
  const { code, lines } = await runCaptured(command, [...before, ...args, '--loglevel=http'], {
    cwd: root,
    onLine: (line) => {
      if (/^npm http (fetch|cache)/.test(line)) report(`${++requests} requests`);
    },
  });
  if (code !== 0) {
    const tail = lines.filter((line) => !line.startsWith('npm http')).slice(-40);
    throw new SetupError(
      `npm ci failed (exit code ${code}):\n\n${tail.join('\n')}\n\n` +
        'Check the network and npm config get registry; npm cache verify repairs a damaged cache. Then run the same command again.',
    );
  }
  writeFileSync(join(root, STAMP), wantedStamp(root));
  return true;
}

/** Usually npm started this process and states its own path, which certainly exists. */
export function npmCommand(env = process.env) {
  return env.npm_execpath?.endsWith('.js') ? [process.execPath, env.npm_execpath] : ['npm'];
}

function dependenciesFit(root) {
  const stamp = join(root, STAMP);
  const wanted = wantedStamp(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  const installed = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  if (!installedMatches(read(join(root, 'package-lock.json')), read(installed))) return false;
  writeFileSync(stamp, wanted);
  return true;
}

/**
 * Whether node_modules matches the lockfile: npm's record of its last installation
 * (node_modules/.package-lock.json) has every package in the same version with the same bytes. After a manual
 * `npm install`, no second one is needed. Only packages for other platforms may be missing.
 * @param {{packages: Record<string, object>}} lock
 * @param {{packages: Record<string, object>}} installed
 */
export function installedMatches(lock, installed) {
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed.packages?.[path];
    if (found === undefined) return Boolean(wanted.optional) && !forThisPlatform(wanted);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function forThisPlatform({ os, cpu, libc }) {
  const fits = (list, value) => list === undefined || list.includes(value);
  return (
    fits(os, process.platform) &&
    fits(cpu, process.arch) &&
    (process.platform !== 'linux' || fits(libc, hostLibc()))
  );
}

let libc;
function hostLibc() {
  libc ??= process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
  return libc;
}
