/**
 * The code for 64-bit ARM: compiled for it, and run by an emulator. With the dot products of newer processors, and without.
 * `.ci/run` installs the compiler and the emulator on Debian.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CACHE } from './cache.js';
import { ROOT } from './checkout.js';

const TARGET = 'aarch64-unknown-linux-gnu';
const COMPILER = 'aarch64-linux-gnu-gcc';
const EMULATOR = 'qemu-aarch64-static';
/** Tests by processor. Cortex-A72 is of 2015; `max` has everything. */
const RUNS = {
  'cortex-a72': ['vectors::', 'products::'],
  max: ['vectors::', 'products::', 'sketch::', 'late::', 'search::'],
};

function whatIsMissing(): string | false {
  const lacks = [COMPILER, EMULATOR].find((name) => spawnSync(name, ['--version']).status !== 0);
  if (lacks) return `no ${lacks}; .ci/run installs it if it can use apt-get as root`;
  const { status, stdout } = spawnSync('rustc', ['--print', 'target-libdir', '--target', TARGET], {
    encoding: 'utf8',
  });
  return status === 0 && existsSync(stdout.trim()) ? false : `Rust lacks ${TARGET}; .ci/run adds it`;
}

describe('the code for 64-bit ARM', {
  skip: process.arch === 'x64' ? whatIsMissing() : 'tests itself',
}, () => {
  it('passes the tests of vectors, sketches, late interaction and searches', () => {
    const env = {
      ...process.env,
      CARGO_TARGET_DIR: join(CACHE, 'target-arm'),
      CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: COMPILER,
      CC_aarch64_unknown_linux_gnu: COMPILER,
      // Little work for the compiler, since the emulator is slow anyway.
      CARGO_PROFILE_TEST_OPT_LEVEL: '1',
      CARGO_PROFILE_TEST_DEBUG: '0',
      PROPTEST_RNG_SEED: process.env['PRIORART_TEST_PROPERTY_SEED'] ?? '1',
    };
    const core = ['--locked', '--target', TARGET, '-p', 'priorart-core'];
    const cargo = (...args: string[]) =>
      execFileSync('cargo', args, {
        ...{ cwd: join(ROOT, 'native'), env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 },
      });
    // Another checkout may have compiled it in this folder, as in scripts/setup/target.mjs.
    cargo('clean', ...core);
    const built = cargo('test', ...core, '--lib', '--no-run', '--message-format=json');
    const artifacts = built
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { executable?: string });
    const program = artifacts.find(({ executable }) => executable)!.executable!;
    for (const [processor, modules] of Object.entries(RUNS)) {
      const args = ['-cpu', processor, '-L', '/usr/aarch64-linux-gnu', program, ...modules];
      const { status, stdout, stderr } = spawnSync(EMULATOR, args, { env, encoding: 'utf8' });
      assert.equal(status, 0, `${processor}: ${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`);
      assert.ok(Number(/(\d+) passed/.exec(stdout)?.[1]) > 2, stdout);
    }
  });
});
