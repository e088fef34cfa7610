/**
 * Before `npm pack` and `npm publish`: compiles everything, and the addon for every CPU level of this
 * platform. Then bundles the libraries of MCP, OAuth and metrics.
 */
import { bundleLibraries } from './setup/bundle.mjs';
import { reportFailure } from './setup/child.mjs';
import { LEVELS } from './setup/cpu.mjs';
import { ROOT, setUp } from './setup.mjs';

const levels = process.arch === 'x64' ? LEVELS : ['baseline'];
await setUp({ levels })
  .then(() => bundleLibraries(ROOT))
  .catch(reportFailure);
