/** Programs of npm-tools.txt. `.ci/run` installs them; tests that need one are skipped without it. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.js';
import { read } from './checkout.js';

const LIST = 'test/house/npm-tools.txt';

/** The folder of the packages; undefined if they are not installed. */
function packages(): string | undefined {
  const list = createHash('sha256').update(read(LIST)).digest('hex').slice(0, 16);
  const folder = join(CACHE, `npm-${list}`);
  return existsSync(join(folder, 'complete')) ? join(folder, 'node_modules') : undefined;
}

const found = packages();

/** The script of the conformance suite of MCP. PRIORART_TEST_CONFORMANCE names another. */
export const CONFORMANCE =
  process.env['PRIORART_TEST_CONFORMANCE'] ??
  (found === undefined ? undefined : join(found, '@modelcontextprotocol/conformance/dist/index.js'));

/** Reason why a test that needs the suite cannot run, or false if it can. */
export const noConformance =
  CONFORMANCE === undefined ? `no packages of ${LIST}; .ci/run installs them` : false;

/** Programs of newer versions of Node than the oldest that is supported. Empty if they are not installed, or run elsewhere. */
export const NEWER_NODES: readonly string[] =
  found === undefined || process.platform !== 'linux' || process.arch !== 'x64'
    ? []
    : ['node24', 'node26'].map((name) => join(found, name, 'bin/node'));
