import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** CPU levels an addon is built for, best first. `baseline` runs on every CPU of an architecture. */
export const LEVELS = ['avx2', 'baseline'];

/**
 * What the compilers may use at level avx2: x86-64-v3 of the System V psABI, as /proc/cpuinfo spells it (`abm` is
 * lzcnt). The shim's C++ asks for the first three only, Rust's target-cpu for all.
 */
const AVX2_FLAGS = ['avx2', 'fma', 'f16c', 'bmi1', 'bmi2', 'movbe', 'abm'];

/** The file an addon is stored as in native/. */
export function addonFileName(level) {
  return `priorart.${process.platform}-${process.arch}-${level}.node`;
}

/** Whether the flags line(s) of a /proc/cpuinfo cover level avx2. */
export function cpuinfoHasAvx2(cpuinfo) {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/));
  return AVX2_FLAGS.every((flag) => flags.has(flag));
}

/** The best level this machine's CPU can run. */
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
    // Not to be found out: what runs everywhere is the answer.
  }
  return 'baseline';
}

/** The level to build and run: what PRIORART_CPU says, else what the CPU can do. */
export function chosenLevel(env = process.env) {
  return env.PRIORART_CPU || hostLevel();
}
