/** Compiles shim.c, which records what a program writes and lets its disk fill up, and says how to preload it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = resolve('test/crash/harness/shim.c');

/** What the shim is to do; shim.c says it in detail. */
export interface ShimOptions {
  /** Prefix of the paths that it looks at. */
  root: string;
  /** File that gets the record of every change. */
  log?: string;
  /** Number of the write from which on there is no room. */
  fail?: number;
  /** The file that, once it is there, makes room again. */
  space?: string;
}

/**
 * Compiles it.
 * @param dir where the library goes
 * @returns the library's path, or why there is none
 */
export function compileShim(dir: string): { library: string } | { missing: string } {
  if (process.platform !== 'linux') return { missing: 'the shim is written for Linux' };
  const library = join(dir, 'shim.so');
  if (existsSync(library)) return { library };
  const compiler = process.env['CC'] ?? 'cc';
  const args = ['-O1', '-Wall', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl', '-lpthread'];
  const { status, error, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
  if (error) return { missing: `no C compiler: ${error.message}` };
  return status === 0 ? { library } : { missing: `${compiler} could not compile shim.c: ${stderr}` };
}

/** The environment of a process that runs over the shim. */
export function shimmed(library: string, options: ShimOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LD_PRELOAD: library,
    PRIORART_SHIM_ROOT: options.root,
    ...(options.log === undefined ? {} : { PRIORART_SHIM_LOG: options.log }),
    ...(options.fail === undefined ? {} : { PRIORART_SHIM_FAIL: String(options.fail) }),
    ...(options.space === undefined ? {} : { PRIORART_SHIM_SPACE: options.space }),
  };
}
