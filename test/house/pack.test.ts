import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, before, describe, test } from 'node:test';
import ts from 'typescript';
import { ROOT, read } from './checkout.js';
import { codeBlocks, linksOf } from './docs.js';

const MINUTES = 60_000;
/**
 * Maximum size of an app's node_modules with the package alone: bytes of the files in MB (1,000,000 bytes), and MiB on the
 * disk as `du` counts them. The model is 59 MB, the addons for two kinds of processors are 24, LMDB 18, zod 6, the table of terms 5.
 * Optional peers come on top: sharp 20, uWebSockets.js 257.
 */
const INSTALLED_MB = 125;
const INSTALLED_MIB = 128;
const wanted = process.env['CI'] || process.env['PRIORART_TEST_PACK'] === '1';
const skip = wanted ? false : 'packing and installing takes minutes; PRIORART_TEST_PACK=1 runs it';

/** The npm that started this test run, otherwise the one in PATH. */
function npm(args: string[], cwd: string): string {
  const own = process.env['npm_execpath'];
  const [command, before] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []];
  // Without the variables that `npm test` sets, such as a prefix or a lifecycle.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)/.test(name)),
  );
  return execFileSync(command, [...before, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function run(file: string, app: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: app,
    encoding: 'utf8',
    timeout: 5 * MINUTES,
  });
  return { status, output: stdout + stderr };
}

/** Pages that begin with an example of the library. */
const PAGES = ['README.md', 'docs/library.md'];

/** The library example of a page: the first JavaScript block under a heading about the library. */
function libraryExample(page: string): string {
  const example = codeBlocks(read(page)).find(
    ({ language, heading }) => /^(js|javascript|mjs|ts)$/.test(language) && /library/i.test(heading),
  );
  assert.ok(example, `${page} has a \`\`\`js block under a heading that says "library"`);
  return example.text;
}

/** The example as CommonJS: imports first, the rest in an async function, because CommonJS has no top-level await. */
function wrapped(example: string, importLine: (line: string) => string): string {
  const lines = example.split('\n');
  const isImport = (line: string) => /^import .* from /.test(line);
  const imports = lines.filter(isImport).map(importLine);
  const body = lines.filter((line) => !isImport(line));
  return `${imports.join('\n')}\nvoid (async () => {\n${body.join('\n')}\n})();\n`;
}

/** `import { a, b as c } from 'x'` in CommonJS. */
function asRequire(line: string): string {
  const named = /^import \{(.*)\} from (['"].*['"]);?$/.exec(line);
  if (named) return `const {${named[1]!.replaceAll(' as ', ': ')}} = require(${named[2]});`;
  const whole = /^import (?:\* as )?(\w+) from (['"].*['"]);?$/.exec(line);
  assert.ok(whole, `an import with a CommonJS form: ${line}`);
  return `const ${whole[1]} = require(${whole[2]});`;
}

describe('the package of npm pack', { skip, timeout: 40 * MINUTES }, () => {
  let app: string;
  let packed: string[];

  before(() => {
    app = mkdtempSync(join(tmpdir(), 'priorart-app-'));
    const [tarball] = JSON.parse(npm(['pack', '--json', '--pack-destination', app], ROOT)) as [
      { filename: string; files: { path: string }[] },
    ];
    packed = tarball.files.map((file) => file.path);
    writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true }));
    npm(
      [
        'install',
        join(app, tarball.filename),
        '--ignore-scripts',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
      ],
      app,
    );
    cpSync(join(ROOT, 'fixtures'), join(app, 'fixtures'), { recursive: true });
  });
  after(() => rmSync(app, { recursive: true, force: true }));

  /** Each run starts without the data of the previous one. */
  const fresh = () => {
    for (const name of readdirSync(app)) {
      if (!['node_modules', 'fixtures', 'package.json', 'package-lock.json'].includes(name)) {
        rmSync(join(app, name), { recursive: true });
      }
    }
  };

  test('contains exactly the expected files', () => {
    for (const path of [
      'README.md',
      'LICENSE',
      'NOTICE',
      'ARCHITECTURE.md',
      'docs/cli.md',
      'docs/library.md',
      'native/Cargo.lock',
      'dist/src/index.d.cts',
    ]) {
      assert.ok(packed.includes(path), path);
    }
    const addons = packed.filter((path) => path.endsWith('.node')).sort();
    if (process.platform === 'linux' && process.arch === 'x64') {
      assert.deepEqual(addons, [
        'native/priorart.linux-x64-avx2.node',
        'native/priorart.linux-x64-baseline.node',
      ]);
    } else assert.ok(addons.length > 0);
    const astray = packed.filter((path) =>
      /\.map$|\/target\/|^(test|fixtures|dist\/test)\/|\.part$/.test(path),
    );
    assert.deepEqual(astray, []);
  });

  test('has what its documents link to', () => {
    const isThere = (path: string) => packed.some((file) => file === path || file.startsWith(`${path}/`));
    const pages = packed.filter((path) => path.endsWith('.md'));
    assert.ok(pages.includes('docs/glossary.md'));
    const dead = pages.flatMap((page) =>
      linksOf(read(page))
        .map((link) => posix.join(posix.dirname(page), link.split('#')[0] || posix.basename(page)))
        .filter((target) => !isThere(posix.normalize(target).replace(/\/$/, '')))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(dead, []);
  });

  test(`takes an app at most ${INSTALLED_MB} MB, ${INSTALLED_MIB} MiB on the disk, and brings no uWebSockets.js`, () => {
    const entries = readdirSync(join(app, 'node_modules'), { recursive: true, withFileTypes: true });
    const files = entries.map((file) => lstatSync(join(file.parentPath, file.name)));
    const megabytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6;
    const mebibytes = files.reduce((sum, { blocks }) => sum + blocks, 0) / 2048;
    assert.ok(megabytes > 50 && megabytes <= INSTALLED_MB, `${megabytes.toFixed(1)} MB`);
    assert.ok(mebibytes <= INSTALLED_MIB, `${mebibytes.toFixed(1)} MiB`);
    assert.ok(!existsSync(join(app, 'node_modules/uWebSockets.js')));
  });

  test('holds every declaration that its own refer to', () => {
    const types = ['index.d.ts', 'index.d.cts', 'index/faiss.d.ts'];
    const entries = types.map((file) => join(app, 'node_modules/priorart/dist/src', file));
    const { NodeNext } = ts.ModuleKind;
    const program = ts.createProgram(entries, {
      module: NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    });
    assert.ok(program.getSourceFiles().length > 20, 'the declarations are found');
    const missing = program
      .getSemanticDiagnostics()
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .filter((text) => /^Cannot find module '\.{1,2}\//.test(text));
    assert.deepEqual(missing, []);
  });

  test('has types for the older way in which CommonJS projects find modules', () => {
    fresh();
    const file = join(app, 'older.ts');
    writeFileSync(
      file,
      `import { open } from 'priorart';\nimport { FaissIndex } from 'priorart/faiss';\nvoid FaissIndex;\n` +
        `// A wrong type must be an error, which proves that the types are found.\n// @ts-expect-error\nvoid open(1);\n`,
    );
    const program = ts.createProgram([file], {
      ...{ module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10, noEmit: true },
      ...{ target: ts.ScriptTarget.ES2022, strict: true, esModuleInterop: true, types: ['node'] },
      typeRoots: [join(ROOT, 'node_modules/@types')],
    });
    const faults = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    assert.deepEqual(faults, []);
  });

  for (const page of PAGES) {
    test(`runs the example of ${page} as an ES module`, () => {
      fresh();
      writeFileSync(join(app, 'example.mjs'), libraryExample(page));
      const { status, output } = run('example.mjs', app);
      assert.equal(status, 0, output);
      assert.notEqual(output.trim(), '', 'the example prints something');
    });

    test(`runs the example of ${page} as CommonJS`, () => {
      fresh();
      writeFileSync(join(app, 'example.cjs'), wrapped(libraryExample(page), asRequire));
      const { status, output } = run('example.cjs', app);
      assert.equal(status, 0, output);
      assert.notEqual(output.trim(), '', 'the example prints something');
    });
  }

  test('type-checks the examples of the pages for both kinds of module', () => {
    fresh();
    PAGES.forEach((page, at) => {
      const example = libraryExample(page);
      writeFileSync(join(app, `example${at}.mts`), example);
      writeFileSync(
        join(app, `example${at}.cts`),
        wrapped(example, (line) => line),
      );
    });
    // A missing property must be an error, which proves that the types are found.
    writeFileSync(
      join(app, 'wrong.mts'),
      `// @ts-expect-error\nimport { nonsense } from 'priorart';\nvoid nonsense;\n`,
    );
    const compilerOptions = {
      ...{ target: 'es2023', module: 'nodenext', strict: true, noEmit: true, types: ['node'] },
      typeRoots: [join(ROOT, 'node_modules/@types')],
      skipLibCheck: false,
    };
    writeFileSync(
      join(app, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.mts', '*.cts'] }),
    );
    const tsc = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', app], {
      encoding: 'utf8',
    });
    assert.equal(tsc.status, 0, tsc.stdout);
  });

  test('without an addon for this machine prints the command that builds one, and the command works', () => {
    fresh();
    const native = join(app, 'node_modules/priorart/native');
    for (const name of readdirSync(native).filter((file) => file.endsWith('.node')))
      rmSync(join(native, name));
    writeFileSync(join(app, 'example.mjs'), libraryExample('README.md'));
    const without = run('example.mjs', app);
    assert.notEqual(without.status, 0);
    assert.match(without.output, /addon_missing/);
    assert.match(without.output, /npx priorart-build-addon/);

    // The sources in the package equal those of the checkout, so the addon of the checkout is found in the cache.
    const build = run('node_modules/.bin/priorart-build-addon', app);
    assert.equal(build.status, 0, build.output);
    assert.match(build.output, /Already built on this machine/);
    const again = run('example.mjs', app);
    assert.equal(again.status, 0, again.output);
  });
});
