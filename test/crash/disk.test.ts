/**
 * The simulated disk of the power cuts: synced data is there, and unsynced data may be missing in every way that
 * POSIX allows.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { random, temporary } from './folder.js';
import { Disk, type Luck } from './harness/disk.js';
import type { Change } from './harness/log.js';

const CUTS = 200;

/** The distinct results of many cuts after these changes, as `look` describes them. */
function outcomes(t: TestContext, changes: Change[], luck: Luck, look: (dir: string) => string): string[] {
  const disk = new Disk('/r');
  for (const change of changes) disk.apply(change);
  const next = random(1);
  const into = join(temporary(t), 'cut');
  const seen = new Set<string>();
  for (let n = 0; n < CUTS; n++) {
    disk.cut(into, next, luck);
    seen.add(look(into));
    rmSync(into, { recursive: true });
  }
  return [...seen].sort();
}

const contents = (name: string) => (dir: string) =>
  existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'latin1').replaceAll('\0', '.') : 'gone';

const create: Change = { kind: 'create', path: '/r/a', inode: 1 };
const write = (text: string, offset = 0, durable = false): Change => ({
  kind: 'write',
  inode: 1,
  offset,
  bytes: Buffer.from(text),
  durable,
});
const sync: Change = { kind: 'sync', inode: 1 };
const syncRoot: Change = { kind: 'syncFolder', path: '/r' };

test('a synced file in an unsynced folder may have no name', (t) => {
  assert.deepEqual(outcomes(t, [create, write('x'), sync], 'some', contents('a')), ['gone', 'x']);
  assert.deepEqual(outcomes(t, [create, write('x'), sync, syncRoot], 'some', contents('a')), ['x']);
});

test('unsynced bytes are present, absent or zeros', (t) => {
  assert.deepEqual(outcomes(t, [create, syncRoot, write('x')], 'some', contents('a')), ['', '.', 'x']);
  assert.deepEqual(outcomes(t, [create, syncRoot, write('x')], 'none', contents('a')), ['']);
  assert.deepEqual(outcomes(t, [create, syncRoot, write('x')], 'all', contents('a')), ['x']);
});

test('any state of a sector may be the last, independently of other sectors', (t) => {
  const twice = [create, syncRoot, write('1'), sync, write('2'), write('3')];
  assert.deepEqual(outcomes(t, twice, 'some', contents('a')), ['1', '2', '3']);
  const two = [create, syncRoot, write('-'.repeat(1024)), sync, write('x', 0), write('y', 512)];
  const ends = outcomes(t, two, 'some', (dir) => {
    const text = contents('a')(dir);
    return text[0]! + text[512]!;
  });
  assert.deepEqual(ends, ['--', '-y', 'x-', 'xy']);
});

test('a write through O_DSYNC is durable on its pages only', (t) => {
  const changes = [create, syncRoot, write('-'.repeat(8193)), sync, write('x', 8192), write('y', 0, true)];
  const ends = outcomes(t, changes, 'some', (dir) => {
    const text = contents('a')(dir);
    return text[0]! + text[8192]!;
  });
  assert.deepEqual(ends, ['y-', 'yx']);
});

test('a rename takes effect in both folders or in neither', (t) => {
  const changes: Change[] = [
    { kind: 'makeFolder', path: '/r/from' },
    { kind: 'makeFolder', path: '/r/to' },
    { kind: 'create', path: '/r/from/a', inode: 1 },
    write('x'),
    sync,
    { kind: 'syncFolder', path: '/r/from' },
    syncRoot,
    { kind: 'rename', from: '/r/from/a', to: '/r/to/b' },
  ];
  const look = (dir: string) => [readdirSync(join(dir, 'from')), readdirSync(join(dir, 'to'))].join(' ');
  assert.deepEqual(outcomes(t, changes, 'some', look), [' b', 'a ', 'a b']);
  const synced: Change = { kind: 'syncFolder', path: '/r/to' };
  assert.deepEqual(outcomes(t, [...changes, synced], 'some', look), [' b', 'a b']);
});
