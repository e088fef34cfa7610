/**
 * Loads the native addon: selects the file for this machine, and converts its errors to PriorartErrors. No other module
 * loads it. addon.ts declares its exports.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ERROR_STATUS, type ErrorCode, PriorartError } from '../errors.js';
import { reading } from '../store/faults.js';
import type * as addon from './addon.js';
import { NATIVE_FOLDER } from './bundled.js';

export type * from './addon.js';
export type {
  Snapshot as NativeSnapshot,
  Sqlite as NativeSqlite,
  StaticModel as NativeStaticModel,
  TokenizerJson as NativeTokenizerJson,
} from './addon.js';

/** The exports of the addon. */
type Addon = typeof addon;

/**
 * CPU features that code compiled for level avx2 may use, as named in /proc/cpuinfo: x86-64-v3 of the System V psABI.
 * scripts/setup/cpu.mjs, which must run before anything is compiled, has the same list.
 */
const AVX2_FLAGS = ['avx2', 'fma', 'f16c', 'bmi1', 'bmi2', 'movbe', 'abm'];

/** Whether this processor can run the addon compiled for AVX2. */
function hasAvx2(): boolean {
  if (arch !== 'x64') return false;
  if (platform !== 'linux') return false; // FAISS is compiled on Linux only
  try {
    const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    return AVX2_FLAGS.every((flag) => flags.split(' ').includes(flag));
  } catch {
    return false;
  }
}

function load(): Addon {
  const folder = fileURLToPath(NATIVE_FOLDER);
  const levels = hasAvx2() ? ['avx2', 'baseline'] : ['baseline'];
  const names = levels.map((level) => `priorart.${platform}-${arch}-${level}.node`);
  const name = names.find((candidate) => existsSync(folder + candidate));
  if (name === undefined) {
    throw new PriorartError(
      'addon_missing',
      `the native addon is not built for this machine (looked for ${names.join(' and ')}); ` +
        'in a clone run `npm start`, in an app that uses the package run `npx priorart-build-addon`',
    );
  }
  return createRequire(import.meta.url)(folder + name) as Addon;
}

/** The exports of the addon. */
export const native: Addon = load();

/** The addon's internal error codes, and the public codes for them. */
const TRANSLATED: Record<string, ErrorCode> = { data_missing: 'data_corrupt', io: 'internal' };

/** Messages of the operating system for a full disk or quota. */
const NO_SPACE = /No space left|os error 28\b|quota exceeded|os error 122\b/i;

/**
 * Converts an error of the addon, whose message starts with a code, to a PriorartError. Returns any other value
 * unchanged.
 */
export function fromNative(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, code, message] = /^([a-z_]+): ([\s\S]*)$/.exec(error.message) ?? [];
  if (code === undefined || message === undefined) return panicked(error);
  if (code === 'disk_full' || (code === 'io' && NO_SPACE.test(message))) {
    return new PriorartError('disk_full', `no room to write: ${message}. Free some space and try again`, {
      cause: error,
    });
  }
  const known = code in ERROR_STATUS ? (code as ErrorCode) : TRANSLATED[code];
  return known === undefined ? error : new PriorartError(known, message, { cause: error });
}

/**
 * Errors of Rust's own bounds checks have no code of the addon. They occur on a read beyond the end of a damaged file.
 * napi marks them differently from errors of wrong arguments.
 */
function panicked(error: Error): unknown {
  if ((error as { code?: unknown }).code !== 'GenericFailure') return error;
  const message =
    `the native addon could not go on (${error.message}); a segment may be damaged: run \`priorart check\`, ` +
    'and report this if it finds nothing';
  return new PriorartError('internal', message, { cause: error });
}

/** Calls the addon. Throws its errors as PriorartErrors. */
export function calling<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/**
 * Takes a lock of a data folder; null while another process has it.
 * @param name of the lock's file, which is made
 * @throws PriorartError `read_only`, `disk_full`
 */
export function lockInFolder(dir: string, name: string): addon.FileLock | null {
  return calling(() => reading(dir, () => native.FileLock.acquire(join(dir, name))));
}

/** Awaits a task of the addon. Rejects with its errors as PriorartErrors. */
export async function awaiting<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    throw fromNative(error);
  }
}
