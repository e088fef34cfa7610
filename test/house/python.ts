/**
 * A Python with the packages of python-packages.txt, for comparison with independent implementations. `.ci/run` makes
 * it; PRIORART_TEST_PYTHON names another interpreter. Without it, tests that need it are skipped.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.js';
import { ROOT, read } from './checkout.js';

const PACKAGES = 'test/house/python-packages.txt';

function madeByCi(): string {
  const list = createHash('sha256').update(read(PACKAGES)).digest('hex').slice(0, 16);
  return join(CACHE, `python-${list}`, 'bin/python');
}

export const PYTHON = process.env['PRIORART_TEST_PYTHON'] ?? madeByCi();

/** Reason why a test that needs these packages cannot run, or false if it can. */
export const noPython =
  process.env['PRIORART_TEST_PYTHON'] !== undefined || existsSync(PYTHON)
    ? false
    : `no Python with the packages of ${PACKAGES}; .ci/run installs one`;

/**
 * Runs a script of the checkout.
 * @param input its standard input
 * @returns its standard output
 */
export function runPython(script: string, args: readonly string[] = [], input = ''): Buffer {
  const { status, stdout, stderr, error } = spawnSync(PYTHON, [join(ROOT, script), ...args], {
    input,
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr.toString().slice(-4000)}`);
  return stdout;
}
