/**
 * Set-up for `npm start` and `npm test`: npm dependencies, native addon, compiled TypeScript. Each step
 * checks whether it has work; without changes, the whole set-up takes a fraction of a second. Runs on bare
 * Node, since nothing is installed when it starts.
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
import { bundlePage } from './setup/page.mjs';
import { checkNode } from './setup/prerequisites.mjs';
import { withProgress } from './setup/progress.mjs';
import { cacheFolder } from './setup/target.mjs';
import { compileTypeScript } from './setup/typescript.mjs';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../..');

/**
 * Makes a checkout ready to run.
 * @param {{root?: string, levels?: string[]}} [options] levels: CPU levels to build the addon for. Default:
 *   the level of this machine
 * @throws {import('./setup/child.mjs').SetupError} with what is missing or failed, and a remedy
 */
export async function setUp({ root = ROOT, levels = [chosenLevel()] } = {}) {
  checkNode();
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const waiting = (holder) =>
    console.error(`Another set-up of this folder is running (${holder}); waiting for it to finish.`);
  await withLock(join(cacheFolder(), `checkout-${name}.lock`), () => steps(root, levels), waiting);
}

async function steps(root, levels) {
  // Checks the prerequisites of all steps first, so that a missing compiler is reported at once.
  const addons = await Promise.all(levels.map((level) => planAddon(root, level)));
  await withProgress('npm dependencies', (report) => installDependencies(root, report));
  for (const addon of addons) {
    await withProgress(`native addon (${addon.level})`, (report) => provideAddon(addon, report));
  }
  // The program loads the best addon it finds. Removes addons of other levels, which may come from older
  // sources.
  for (const level of LEVELS.filter((other) => !levels.includes(other))) {
    rmSync(join(root, 'native', addonFileName(level)), { force: true });
  }
  await withProgress('TypeScript', (report) => compileTypeScript(root, report));
  await withProgress('web page', (report) => bundlePage(root, report));
}

// Compares real paths, since the folder may have been reached through a link.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUp().catch(reportFailure);
