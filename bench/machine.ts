/** The machine that a benchmark runs on, without which figures cannot be compared. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type as system, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Machine } from './result.js';

/** Root of the checkout. This file is compiled to dist/bench. */
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

/** Load average of the last minute: processes that ran or waited. */
export function load(): number {
  return loadavg()[0]!;
}

/** Whether processes can be kept on chosen processors: `taskset` is there, and more than one processor. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}

/** A command that runs only on the given processors, numbered from 0; the command itself if that is impossible. */
export function pinned(
  processors: readonly number[],
  command: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  if (!canPin()) return { command, args };
  return { command: 'taskset', args: ['-c', processors.join(','), command, ...args] };
}

/** Clock ticks a second in /proc; 100 on every Linux that Node supports. */
export const TICKS_PER_SECOND = 100;

/** Processor time of all processes of the machine, plus time stolen by the host, s. NaN without /proc. */
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

/** Share of the processors above which other processes distort latencies. */
export const QUIET_SHARE = 0.1;
const LOOK_S = 3;

/**
 * Waits until other processes leave the processors idle for a few seconds. The benchmark itself must be idle.
 * @param patienceSeconds maximum wait
 * @returns the share of the processors last in use, 0 to 1; NaN if unknown
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

/** The commit, with `+` if the working tree differs from it; `unknown` outside of a checkout. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
