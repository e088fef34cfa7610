#!/usr/bin/env node
/**
 * `npx priorart-build-addon`: builds the native addon of this package from its sources, for platforms without
 * a prebuilt addon. It is separate from `priorart` because that command loads the addon.
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
  console.log(`${built ? 'Built' : 'Already built on this machine:'} ${plan.file}`);
}

await buildAddon().catch(reportFailure);
