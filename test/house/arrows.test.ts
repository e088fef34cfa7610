import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOWED, violations } from './arrows.js';
import { noGit, read, trackedFiles } from './checkout.js';

const isSource = (path: string) => /\.([cm]?ts|tsx)$/.test(path);

test('imports among the folders of src/ point one way', { skip: noGit }, () => {
  const sources = new Map(
    trackedFiles('src')
      .filter(isSource)
      .map((path) => [path, read(path)]),
  );
  assert.ok(sources.size > 5, 'the sources were found');
  assert.deepEqual(violations(sources), []);
});

test('only one file opens LMDB environments, because a careless open can undo commits of other processes', {
  skip: noGit,
}, () => {
  const opening = trackedFiles('src')
    .filter(isSource)
    .filter((path) => /^import (?!type\b)[^;]*from 'lmdb';/m.test(read(path)));
  assert.deepEqual(opening, ['src/store/lmdb-open.ts']);
});

test('property tests have the seed of the run', { skip: noGit }, () => {
  const importing = trackedFiles('test')
    .filter(isSource)
    .filter((path) => /^import (?!type\b)[^;]*from 'fast-check';/m.test(read(path)));
  assert.deepEqual(importing, ['test/property.ts']);
});

test('the table itself has no circle', () => {
  const visit = (name: string, path: readonly string[]): void => {
    assert.ok(!path.includes(name), `${[...path, name].join(' → ')} is a circle`);
    for (const next of ALLOWED[name] ?? []) visit(next, [...path, name]);
  };
  for (const name of Object.keys(ALLOWED)) visit(name, []);
});

/** One planted violation each, with the expected message. */
const PLANTED: ReadonlyArray<[path: string, source: string, expected: RegExp]> = [
  [
    'src/patent/kind.ts',
    `import { open } from '../store/open.js';`,
    /^src\/patent\/kind\.ts:1: patent imports store/,
  ],
  ['src/store/a.ts', `\nimport type { Plan } from '../search/plan.js';`, /:2: store imports search/],
  ['src/store/a.ts', `export * from '../index/segment.js';`, /store imports index/],
  ['src/embed/a.ts', `const x = await import('../pool/pool.js');`, /embed imports pool/],
  ['src/search/a.ts', `export type T = import('../engine.js').Engine;`, /search imports engine\.ts/],
  ['src/ingest/readers/a.ts', `import { serve } from '../../http/app.js';`, /ingest imports http/],
  ['src/http/app.ts', `import { run } from '../cli/serve.js';`, /http imports cli/],
  ['src/search/a.ts', `new Worker(new URL('../pool/worker.js', import.meta.url));`, /search imports pool/],
  ['src/patent/a.ts', `import '../engine.js';`, /patent imports engine\.ts/],
  ['src/errors.ts', `import { Patent } from './patent/record.js';`, /errors\.ts imports patent/],
  ['src/tools/a.ts', `import { x } from '../patent/x.js';`, /tools is not in the table/],
  ['src/patent/a.ts', `import { x } from '../../bench/x.js';`, /bench\/x\.js, which is outside src/],
  ['src/http/app.ts', `import uws from 'uWebSockets.js';`, /only src\/http\/adapters\/uws\.ts may/],
  ['src/search/a.ts', `import type { Database } from 'lmdb';`, /imports lmdb/],
  ['src/access/a.ts', `import { open } from 'lmdb';`, /imports lmdb/],
  ['src/engine.ts', `import { Piscina } from 'piscina';`, /imports piscina/],
  [
    'src/store/a.ts',
    `import lmdb from 'lmdb/node';\nconst p = await import('piscina');`,
    /:2: imports piscina/,
  ],
  ['src/search/a.ts', `import { createRequire } from 'node:module';`, /loads native code/],
  ['src/store/a.ts', `process.dlopen(m, file);`, /loads native code/],
  ['src/index/other.ts', 'const file = `native/priorart.\x24{platform}.node`;', /loads native code/],
  [
    'src/page/view/a.tsx',
    `import type { A } from '../../search/a.js';\nimport { b } from '../../search/b.js';`,
    /:2: page imports search into a browser/,
  ],
  [
    'src/page/model/a.ts',
    `import { LIMIT } from '../../limits.js';`,
    /page imports limits\.ts into a browser/,
  ],
  ['src/http/app.ts', `import { render } from 'preact';`, /imports preact/],
  ['src/embed/a.ts', `const m = await import(name);`, /computed name/],
];

test('a planted violation is found', () => {
  for (const [path, source, expected] of PLANTED) {
    const found = violations(new Map([[path, source]]));
    assert.equal(found.length, 1, `${path}: ${source}`);
    assert.match(found[0]!, expected);
  }
});

test('allowed imports, and imports in strings or comments, are not reported', () => {
  const fine: ReadonlyArray<[string, string]> = [
    ['src/store/a.ts', `import { Patent } from '../patent/record.js';\nimport { open } from 'lmdb';`],
    ['src/access/a.ts', `import { native } from '../index/native.js';`],
    ['src/patent/a.ts', `import { PriorartError } from '../errors.js';\nimport { x } from './kind.js';`],
    ['src/patent/a.ts', `// import x from '../store/x.js';\nconst s = "import y from '../store/y.js'";`],
    ['src/index/native.ts', `import { createRequire } from 'node:module';\nrequire('../x.node');`],
    ['src/http/adapters/uws.ts', `import type { HttpResponse } from 'uWebSockets.js';`],
    ['src/pool/pool.ts', `import { Piscina } from 'piscina';\nnew URL('./worker.js', import.meta.url);`],
    ['src/cli/serve.ts', `import { app } from '../http/app.js';\nimport { open } from '../engine.js';`],
    ['src/http/openapi.ts', `import about from '../../package.json' with { type: 'json' };`],
    ['src/page/view/a.tsx', `import { claimReferences } from '../../patent/claim-reference.js';`],
    ['src/index.cts', `export = import('./index.js');`],
  ];
  for (const [path, source] of fine) assert.deepEqual(violations(new Map([[path, source]])), [], source);
});
