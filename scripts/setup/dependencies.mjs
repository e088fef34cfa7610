import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf } from './digest.mjs';

/** Inside node_modules, so that whoever deletes that folder deletes the claim that it is complete. */
const STAMP = 'node_modules/.priorart-lock';

/** Node's ABI and the platform are in it: the same lockfile installs other binaries elsewhere. */
function wantedStamp(root) {
  const { platform, arch, versions } = process;
  return digestOf(root, ['package-lock.json'], [platform, arch, versions.modules]);
}

/**
 * Installs the npm dependencies when node_modules is not what package-lock.json says.
 * @param {string} root the checkout
 * @param {(text: string) => void} report
 * @returns {Promise<boolean>} whether it installed
 * @throws {SetupError} with the end of npm's own output
 */
export async function installDependencies(root, report) {
  if (dependenciesFit(root)) return false;
  let requests = 0;
  // No install script is needed by anything here, and npm from version 11 on runs none by default: with the flag an
  // older npm does the same. Development packages come in even under NODE_ENV=production: the build needs them.
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
        'Check the network and npm config get registry; npm cache verify mends a damaged cache. Then run the same command again.',
    );
  }
  writeFileSync(join(root, STAMP), wantedStamp(root));
  return true;
}

/** npm started this process as a rule, and says where it is itself; that one is sure to be there. */
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
 * Whether npm's record of what it installed (node_modules/.package-lock.json) has every package of the lockfile, in
 * the same version and with the same bytes. A developer who ran `npm install` himself need not install again.
 * A package for other platforms may be absent, any other may not.
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
