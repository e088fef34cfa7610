import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from './checkout.js';

/** The set-up is plain JavaScript without types, because it runs before a compiler is installed. */
const setup = (file: string) => import(pathToFileURL(join(ROOT, 'scripts/setup', file)).href);
const folder = mkdtempSync(join(tmpdir(), 'priorart-setup-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const { installedMatches, npmCommand } = await setup('dependencies.mjs');
const { bundlePage, SHARED } = await setup('page.mjs');
const { compileTypeScript } = await setup('typescript.mjs');
const { cpuinfoHasAvx2 } = await setup('cpu.mjs');
const { withLock } = await setup('lock.mjs');
const { checkNode, checkBuildTools, findRust } = await setup('prerequisites.mjs');
const { planAddon, provideAddon } = await setup('addon.mjs');
const quiet = () => undefined;

describe('dependencies', () => {
  const one = { version: '1.0.0', integrity: 'sha512-a' };
  const elsewhere = { ...one, optional: true, os: ['no-such-system'] };
  const lock = { packages: { '': {}, 'node_modules/a': one, 'node_modules/b': elsewhere } };

  test('dependencies are complete if npm recorded every package of the lockfile for this platform', () => {
    assert.equal(installedMatches(lock, { packages: { 'node_modules/a': one } }), true);
  });

  test('dependencies are incomplete if a package is missing, or has another version or hash', () => {
    const here = { ...one, optional: true };
    for (const installed of [
      {},
      { 'node_modules/a': { ...one, version: '1.0.1' } },
      { 'node_modules/a': { ...one, integrity: 'x' } },
    ]) {
      assert.equal(installedMatches(lock, { packages: installed }), false);
    }
    const withOptional = { packages: { ...lock.packages, 'node_modules/c': here } };
    assert.equal(installedMatches(withOptional, { packages: { 'node_modules/a': one } }), false);
  });

  test('the npm that runs this process is used, if there is one', () => {
    assert.deepEqual(npmCommand({ npm_execpath: '/x/npm-cli.js' }), [process.execPath, '/x/npm-cli.js']);
    assert.deepEqual(npmCommand({}), ['npm']);
  });
});

describe('prerequisites', () => {
  test('an old Node is reported with the required version', () => {
    assert.throws(() => checkNode('18.19.1'), /Node 20\.?\d* or newer.*\n.*18\.19\.1/);
    assert.doesNotThrow(() => checkNode('20.0.0'));
    assert.doesNotThrow(() => checkNode('24.1.0'));
  });

  test('all missing prerequisites are reported at once', async () => {
    const env = { PATH: folder, CARGO_HOME: folder };
    await assert.rejects(checkBuildTools(env), (error: Error) => {
      assert.match(error.message, /Rust 1\.\d+ or newer[^\n]*\n\s+found:\s+no cargo and rustc/);
      assert.match(error.message, /C\+\+17 compiler[^\n]*\n\s+found:\s+no program c\+\+/);
      assert.match(error.message, /rustup/);
      return true;
    });
  });

  test('an old Rust is reported with its version', async () => {
    const bin = join(folder, 'old-rust');
    mkdirSync(bin);
    for (const name of ['cargo', 'rustc']) {
      writeFileSync(
        join(bin, name),
        '#!/bin/sh\necho "release: 1.70.0"\necho "host: x86_64-unknown-linux-gnu"\n',
      );
      chmodSync(join(bin, name), 0o755);
    }
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
    await assert.rejects(checkBuildTools(env), /found:\s+Rust 1\.70\.0/);
  });
});

test('a CPU is avx2 only with all extensions that the compilers may use', () => {
  const flags = 'fpu sse2 avx2 fma f16c bmi1 bmi2 movbe abm';
  assert.equal(cpuinfoHasAvx2(`processor: 0\nflags\t\t: ${flags}\n`), true);
  for (const flag of ['avx2', 'fma', 'f16c', 'bmi2']) {
    assert.equal(cpuinfoHasAvx2(`flags\t\t: ${flags.replace(flag, '')}\n`), false, flag);
  }
  assert.equal(cpuinfoHasAvx2(''), false);
});

describe('the lock', () => {
  test('a lock has one holder at a time, also from several processes', async () => {
    const file = join(folder, 'one.lock');
    const log = join(folder, 'one.log');
    const script = `
      import { appendFileSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(pathToFileURL(join(ROOT, 'scripts/setup/lock.mjs')).href)};
      await withLock(${JSON.stringify(file)}, async () => {
        appendFileSync(${JSON.stringify(log)}, 'in ');
        await new Promise((resolve) => setTimeout(resolve, 50));
        appendFileSync(${JSON.stringify(log)}, 'out ');
      });`;
    const runs = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      return new Promise((resolve) => child.on('close', resolve));
    });
    assert.deepEqual(await Promise.all(runs), [0, 0, 0, 0]);
    assert.equal(readFileSync(log, 'utf8'), 'in out '.repeat(4));
    assert.equal(existsSync(file), false);
  });

  test('a lock of an ended process, or without a recent update, is taken over', async () => {
    const file = join(folder, 'abandoned.lock');
    const gone = spawnSync(process.execPath, [
      '-p',
      'JSON.stringify({ pid: process.pid, host: os.hostname(), id: 1 })',
    ]);
    writeFileSync(file, gone.stdout);
    assert.equal(await withLock(file, async () => 'in'), 'in');

    writeFileSync(file, JSON.stringify({ pid: 1, host: 'another-host', id: 2 }));
    const before = new Date(Date.now() - 120_000);
    utimesSync(file, before, before);
    assert.equal(await withLock(file, async () => 'in'), 'in');
  });

  test('a lock of a running process is awaited, with a message', async () => {
    const file = join(folder, 'held.lock');
    writeFileSync(file, JSON.stringify({ pid: process.pid, host: 'another-host', id: 3 }));
    setTimeout(() => rmSync(file), 300);
    const told: string[] = [];
    await withLock(
      file,
      async () => undefined,
      (holder: string) => told.push(holder),
    );
    assert.deepEqual(told, [`process ${process.pid}`]);
  });
});

describe('compiling', () => {
  const checkout = join(folder, 'typescript');
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  };
  const has = (file: string) => existsSync(join(checkout, 'dist', file));

  test('the compiler runs for changed sources only', async () => {
    for (const file of ['tsconfig.json', 'package.json', 'package-lock.json']) {
      mkdirSync(checkout, { recursive: true });
      cpSync(join(ROOT, file), join(checkout, file));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    write('src/a.ts', 'export const a = 1;\n');
    write('src/schema/b.json', '{}');
    write('test/a.test.ts', `import { a } from '../src/a.js';\nvoid a;\n`);
    assert.equal(await compileTypeScript(checkout, quiet), true);
    assert.deepEqual(['src/a.js', 'src/a.d.ts', 'src/schema/b.json', 'test/a.test.js'].map(has), [
      true,
      true,
      true,
      true,
    ]);
    assert.equal(await compileTypeScript(checkout, quiet), false);

    // A deleted test must not run again.
    rmSync(join(checkout, 'test/a.test.ts'));
    write('src/b.ts', 'export const b = 2;\n');
    assert.equal(await compileTypeScript(checkout, quiet), true);
    assert.deepEqual(['src/b.js', 'test/a.test.js', 'test/a.test.js.map'].map(has), [true, false, false]);

    // Deleted output is written again with the next change, although tsc considers it current.
    rmSync(join(checkout, 'dist/src/a.js'));
    write('src/b.ts', 'export const b = 3;\n');
    assert.equal(await compileTypeScript(checkout, quiet), true);
    assert.deepEqual(['src/a.js', 'src/b.js'].map(has), [true, true]);
  });

  test('a type error is reported, and the next run compiles again', async () => {
    write('src/b.ts', 'export const b: string = 4;\n');
    for (let time = 0; time < 2; time++) {
      await assert.rejects(
        compileTypeScript(checkout, quiet),
        /do not compile \(1 errors?\)[\s\S]*src\/b\.ts\(1,14\)/,
      );
    }
  });
});

describe('the web page', () => {
  const checkout = join(folder, 'page');

  test('is bundled if it changed, with names that change with the content', async () => {
    mkdirSync(checkout, { recursive: true });
    for (const file of [
      'tsconfig.json',
      'package-lock.json',
      'scripts/setup/page.mjs',
      'src/page',
      'src/patent',
      ...SHARED,
    ]) {
      cpSync(join(ROOT, file), join(checkout, file), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const script = () =>
      /src="page\/(page-[A-Z0-9]+\.js)"/.exec(
        readFileSync(join(checkout, 'dist/page/index.html'), 'utf8'),
      )![1]!;
    assert.equal(await bundlePage(checkout, quiet), true);
    const first = script();
    assert.ok(existsSync(join(checkout, 'dist/page', first)));
    assert.equal(await bundlePage(checkout, quiet), false);

    const english = join(checkout, 'src/page/languages/en.ts');
    writeFileSync(english, readFileSync(english, 'utf8').replace('Search patents by meaning', 'Search'));
    assert.equal(await bundlePage(checkout, quiet), true);
    assert.notEqual(script(), first);
    assert.equal(existsSync(join(checkout, 'dist/page', first)), false, 'the old file is removed');
  });

  test('a text that a language lacks is an error', async () => {
    const korean = join(checkout, 'src/page/languages/ko.ts');
    writeFileSync(korean, readFileSync(korean, 'utf8').replace(/ {4}heading: '필터',\n/, ''));
    for (let time = 0; time < 2; time++) {
      await assert.rejects(bundlePage(checkout, quiet), /does not compile[\s\S]*'heading' is missing/);
    }
  });
});

describe('the native addon', async () => {
  const skip = (await findRust()) ? false : 'Rust is not installed';
  const checkout = join(folder, 'native');
  const env = { ...process.env, PRIORART_CACHE: join(folder, 'cache') };
  /** A workspace of one crate whose library can only be loaded. */
  const plant = (body: string, root = checkout) => {
    const library = join(root, 'native/node/src/lib.rs');
    mkdirSync(dirname(library), { recursive: true });
    writeFileSync(join(root, 'native/Cargo.toml'), '[workspace]\nresolver = "2"\nmembers = ["node"]\n');
    writeFileSync(
      join(root, 'native/Cargo.lock'),
      'version = 4\n\n[[package]]\nname = "priorart-node"\nversion = "0.1.0"\n',
    );
    writeFileSync(
      join(root, 'native/node/Cargo.toml'),
      '[package]\nname = "priorart-node"\nversion = "0.1.0"\nedition = "2021"\n[lib]\nname = "priorart_node"\ncrate-type = ["cdylib"]\n',
    );
    writeFileSync(library, body);
  };
  const provide = async (root = checkout) => {
    const plan = await planAddon(root, 'baseline', env);
    return { ...(await provideAddon(plan, quiet, env)), file: plan.file as string };
  };
  const loads =
    '#[no_mangle] pub extern "C" fn napi_register_module_v1(_env: usize, exports: usize) -> usize { exports }\n';

  test('the addon is built once for the same sources, also for another checkout', { skip }, async () => {
    plant(loads);
    const { file, ...first } = await provide();
    assert.deepEqual(first, { built: true, placed: true });
    const addon = readFileSync(file);
    const again = await provide();
    assert.deepEqual([again.built, again.placed], [false, false]);

    // A copy over the placed file does not change the cached one.
    writeFileSync(file, 'something else');
    const mended = await provide();
    assert.deepEqual([mended.built, mended.placed], [false, true]);
    assert.deepEqual(readFileSync(file), addon);

    plant(`${loads}#[no_mangle] pub extern "C" fn more() {}\n`);
    assert.equal((await provide()).built, true);
    plant(loads);
    assert.deepEqual([(await provide()).built, readFileSync(file).equals(addon)], [false, true]);
  });

  test('the addon is built from its own sources, also if another checkout compiled newer ones', {
    skip,
  }, async () => {
    const exporting = (name: string) => `${loads}#[no_mangle] pub extern "C" fn ${name}() {}\n`;
    const [first, second] = ['first', 'second'].map((name) => join(folder, name));
    plant(exporting('of_the_first'), first);
    plant(exporting('of_the_second'), second);
    for (const path of ['Cargo.toml', 'node/Cargo.toml', 'node/src/lib.rs']) {
      utimesSync(join(second!, 'native', path), 1e9, 1e9);
    }
    for (const [root, name] of [
      [first, 'of_the_first'],
      [second, 'of_the_second'],
    ]) {
      const { file, built } = await provide(root);
      assert.deepEqual([built, readFileSync(file).includes(name!)], [true, true]);
    }
  });

  test('an addon that does not compile or load is refused with the reason', { skip }, async () => {
    plant('pub fn broken( {}\n');
    await assert.rejects(provide(), /Building the native addon failed[\s\S]*error[\s\S]*lib\.rs/);
    plant(
      'extern "C" { fn nobody_defines_this(); }\n#[no_mangle] pub extern "C" fn napi_register_module_v1() { unsafe { nobody_defines_this() } }\n',
    );
    await assert.rejects(
      provide(),
      /cannot load it[\s\S]*nobody_defines_this|Building the native addon failed[\s\S]*nobody_defines_this/,
    );
  });

  test('an unknown CPU level is refused', async () => {
    await assert.rejects(planAddon(checkout, 'avx9', env), /"avx9"; expected avx2 or baseline/);
  });
});
