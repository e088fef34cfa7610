/** Where a benchmark runs: a figure without it can not be compared. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, type as system, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from './result.js';

/** The checkout: this file is compiled to dist/bench. */
export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

export function machine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown processor',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${system()} ${release()}`,
    node: process.versions.node,
  };
}

/** Processes that ran or waited over the last minute. */
export function load(): number {
  return loadavg()[0]!;
}

/** The commit, with `+` where the working tree differs from it; `unknown` outside of a checkout. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
