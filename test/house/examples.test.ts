/** The apps in examples/ compile under strict rules, run, and print the expected output. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './checkout.js';

const EXPECTED = [
  'added 2',
  'updated 1',
  'found US11777158B2',
  'holds EP03539467A1 Surgical stapler with an anvil',
  'holds US11777158B2 Immersion-cooled battery module',
  'deleted EP03539467A1, left 1',
  '',
].join('\n');

test('the examples run, in TypeScript and in CommonJS', (t) => {
  const app = mkdtempSync(join(tmpdir(), 'priorart-examples-'));
  t.after(() => rmSync(app, { recursive: true }));
  cpSync(join(ROOT, 'examples'), app, { recursive: true });
  mkdirSync(join(app, 'node_modules'));
  symlinkSync(ROOT, join(app, 'node_modules', 'priorart'));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, types: ['node'] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['app.ts'] }));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8', timeout: 600_000 });
  const tsc = run(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', app);
  assert.equal(tsc.status, 0, tsc.stdout);
  for (const [file, data] of [
    ['app.js', 'of-typescript'],
    ['app.cjs', 'of-commonjs'],
  ] as const) {
    const { status, stdout, stderr } = run(file, data);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, EXPECTED);
  }
});
