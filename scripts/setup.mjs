/**
 * The set-up that `npm start` and `npm test` share: npm dependencies, native addon, compiled TypeScript. Each step
 * finds out for itself whether it has anything to do; with nothing changed all of it takes a fraction of a second.
 * Runs on bare Node: nothing is installed yet when it starts.
 */
import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planAddon, provideAddon } from './setup/addon.mjs';
import { reportFailure } from './setup/child.mjs';
import { addonFileName, chosenLevel, LEVELS } from './setup/cpu.mjs';
import { installDependencies } from './setup/dependencies.mjs';
import { withLock } from './setup/lock.mjs';
import { checkNode } from './setup/prerequisites.mjs';
import { withProgress } from './setup/progress.mjs';
import { cacheFolder } from './setup/target.mjs';
import { compileTypeScript } from './setup/typescript.mjs';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../..');

/**
 * Makes a checkout ready to run.
 * @param {{root?: string, levels?: string[]}} [options] levels: the CPU levels to provide the addon for; by default
 *   the one this machine runs
 * @throws {import('./setup/child.mjs').SetupError} saying what is missing or failed and what to do
 */
export async function setUp({ root = ROOT, levels = [chosenLevel()] } = {}) {
  checkNode();
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const waiting = (holder) =>
    console.error(`Another set-up of this folder is running (${holder}); waiting for it.`);
  await withLock(join(cacheFolder(), `checkout-${name}.lock`), () => steps(root, levels), waiting);
}

async function steps(root, levels) {
  // First whether all of it can be done: nobody should learn after minutes that a compiler is missing.
  const addons = await Promise.all(levels.map((level) => planAddon(root, level)));
  await withProgress('npm dependencies', (report) => installDependencies(root, report));
  for (const addon of addons) {
    await withProgress(`native addon (${addon.level})`, (report) => provideAddon(addon, report));
  }
  // The program takes the best addon there is: one of another level, made from older sources, must not be among them.
  for (const level of LEVELS.filter((other) => !levels.includes(other))) {
    rmSync(join(root, 'native', addonFileName(level)), { force: true });
  }
  await withProgress('TypeScript', (report) => compileTypeScript(root, report));
}

// By real paths: the folder may have been reached through a link.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp().catch(reportFailure);
