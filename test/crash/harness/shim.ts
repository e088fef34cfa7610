/** Compiles shim.c, which records a program's writes and simulates a full disk, and returns how to preload it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = resolve('test/crash/harness/shim.c');

/** Settings of the shim; shim.c documents them. */
export interface ShimOptions {
  /** Prefix of the recorded paths. */
  root: string;
  /** File for the record of every change. */
  log?: string;
  /** Number of the first write without space. */
  fail?: number;
  /** A file whose existence frees space. */
  space?: string;
}

/**
 * Compiles the shim.
 * @param dir folder for the library
 * @returns the library's path, or the reason why it cannot be compiled
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
