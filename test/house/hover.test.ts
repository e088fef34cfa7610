import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './checkout.js';
import { undocumented } from './hover.js';

for (const entry of ['index.d.ts', 'index.d.cts', 'index/faiss.d.ts'])
  test(`every export of ${entry} has a doc comment, field by field`, () => {
    assert.deepEqual(undocumented(join(ROOT, 'dist/src', entry)), []);
  });

test('the types of requests and answers are those of the schemas', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/types.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('the types of the addon are those that its Rust declares', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/addon-types.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
