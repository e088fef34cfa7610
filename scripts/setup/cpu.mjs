import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** CPU levels of the addon, best first. `baseline` runs on every CPU of an architecture. */
export const LEVELS = ['avx2', 'baseline'];

/**
 * CPU features of level avx2: x86-64-v3 of the System V psABI, in the names of /proc/cpuinfo (`abm` is
 * lzcnt). The C++ of the shim uses only the first three, Rust's target-cpu uses all.
 */
const AVX2_FLAGS = ['avx2', 'fma', 'f16c', 'bmi1', 'bmi2', 'movbe', 'abm'];

/** Name of the addon's file in native/. */
export function addonFileName(level) {
  return `priorart.${process.platform}-${process.arch}-${level}.node`;
}

/** Whether the flags of a /proc/cpuinfo include all features of level avx2. */
export function cpuinfoHasAvx2(cpuinfo) {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  return AVX2_FLAGS.every((flag) => flags.has(flag));
}

/** The best level that this machine's CPU supports. */
export function hostLevel() {
  if (process.arch !== 'x64') return 'baseline';
  try {
    if (process.platform === 'linux') {
      return cpuinfoHasAvx2(readFileSync('/proc/cpuinfo', 'utf8')) ? 'avx2' : 'baseline';
    }
    if (process.platform === 'darwin') {
      const features = execFileSync('sysctl', ['-n', 'machdep.cpu.features', 'machdep.cpu.leaf7_features'], {
        encoding: 'utf8',
      }).toLowerCase();
      return ['avx2', 'fma', 'f16c', 'bmi2'].every((name) => features.includes(name)) ? 'avx2' : 'baseline';
    }
  } catch {
    // Unknown CPU: `baseline` runs everywhere.
  }
  return 'baseline';
}

/** The level to build and run: PRIORART_CPU, else the level of this machine's CPU. */
export function chosenLevel(env = process.env) {
  return env.PRIORART_CPU || hostLevel();
}
