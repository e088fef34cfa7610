/**
 * Before `npm pack` and `npm publish`: compiles everything, and the addon for every CPU level of this
 * platform.
 */
import { reportFailure } from './setup/child.mjs';
import { LEVELS } from './setup/cpu.mjs';
import { setUp } from './setup.mjs';

const levels = process.arch === 'x64' ? LEVELS : ['baseline'];
await setUp({ levels }).catch(reportFailure);
