/**
 * Before `npm pack` and `npm publish`: compiles everything, and the addon for every CPU level of this
 * platform. Then bundles the library of MCP.
 */
import { bundleSdk } from './setup/bundle.mjs';
import { reportFailure } from './setup/child.mjs';
import { LEVELS } from './setup/cpu.mjs';
import { ROOT, setUp } from './setup.mjs';

const levels = process.arch === 'x64' ? LEVELS : ['baseline'];
await setUp({ levels })
  .then(() => bundleSdk(ROOT))
  .catch(reportFailure);
