#!/usr/bin/env node
/**
 * Builds the native addon of this package from the sources it carries, where none of the ones it was published
 * with fits: `npx priorart-build-addon`. A command of its own, because the others load the addon.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planAddon, provideAddon } from './setup/addon.mjs';
import { reportFailure } from './setup/child.mjs';
import { chosenLevel } from './setup/cpu.mjs';
import { checkNode } from './setup/prerequisites.mjs';
import { withProgress } from './setup/progress.mjs';

const PACKAGE = resolve(fileURLToPath(import.meta.url), '../..');

async function buildAddon() {
  checkNode();
  const plan = await planAddon(PACKAGE, chosenLevel());
  const { built } = await withProgress(`native addon (${plan.level})`, (report) =>
    provideAddon(plan, report),
  );
  console.log(`${built ? 'Built' : 'Built earlier on this machine:'} ${plan.file}`);
}

await buildAddon().catch(reportFailure);
