/** Where a benchmark runs: a figure without it can not be compared. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type as system, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Clock ticks of /proc; 100 on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

/** Processor time that all processes of the machine have had, and what the host took away, s; NaN where there is no /proc. */
export function busySeconds(): number {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'utf8');
  } catch {
    return Number.NaN;
  }
  // cpu user nice system idle iowait irq softirq steal
  const [user, nice, kernel, , , irq, softirq, steal] = text
    .slice(0, text.indexOf('\n'))
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user! + nice! + kernel! + irq! + softirq! + steal!) / TICKS_PER_SECOND;
}

/** Above this share of the processors, others make latencies theirs. */
export const QUIET_SHARE = 0.1;
const LOOK_S = 3;

/**
 * Waits until others leave the processors alone for a few seconds, while nothing of the benchmark's own runs.
 * @param patienceSeconds how long at most
 * @returns the share of the processors that was taken at last, 0 to 1; NaN where it cannot be told
 */
export async function untilQuiet(patienceSeconds: number): Promise<number> {
  const until = performance.now() + patienceSeconds * 1000;
  for (;;) {
    const [busy, started] = [busySeconds(), performance.now()];
    await sleep(LOOK_S * 1000);
    const seconds = (performance.now() - started) / 1000;
    const share = (busySeconds() - busy) / (seconds * availableParallelism());
    if (!(share > QUIET_SHARE) || performance.now() > until) return share;
  }
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
