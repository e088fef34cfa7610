/** A data folder is accessible only to its owner, with any umask. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { open } from '../../src/engine.js';
import { CLI, FIXTURES, temporary } from '../crash/folder.js';

/** Every path at and below a folder that is accessible to others. */
function openToOthers(folder: string): string[] {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...below.map((entry) => join(entry.parentPath ?? entry.path, entry.name))];
  assert.ok(paths.length > 10);
  return paths.flatMap((path) => {
    const stat = statSync(path);
    const mode = stat.mode & 0o7777;
    const isRight = mode === (stat.isDirectory() ? 0o700 : 0o600);
    return isRight ? [] : [`${relative(folder, path)}: ${mode.toString(8)}`];
  });
}

const windows = process.platform === 'win32' ? 'Windows has no such bits' : false;

for (const umask of ['000', '022', '777']) {
  it(`files are 0600 and folders 0700 with umask ${umask}`, { skip: windows }, (t) => {
    const data = join(temporary(t), 'data');
    const run = (command: string) => {
      const line = `umask ${umask}; exec "$2" "$3" ${command}`;
      const ended = spawnSync('sh', ['-c', line, 'sh', data, process.execPath, CLI, ...FIXTURES], {
        encoding: 'utf8',
      });
      assert.equal(ended.status, 0, ended.stderr);
    };
    run('ingest --data "$1" "$4" "$5"');
    run('keys create --data "$1" --account A');
    run('search --data "$1" battery');
    assert.deepEqual(openToOthers(data), []);
  });
}

it('the library makes a folder that only its user may enter', { skip: windows }, async (t) => {
  const data = join(temporary(t), 'data');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await (await open(data, { create: true, workers: 0 })).close();
  assert.equal(statSync(data).mode & 0o777, 0o700);
});
