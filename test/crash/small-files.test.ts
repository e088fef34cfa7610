/**
 * Small files of a data folder after power cuts at every moment of their creation: complete or absent, and present
 * after they were reported.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RequestLog } from '../../src/access/request-log.js';
import { linkSecret } from '../../src/drawings/secret.js';
import { launch, random, temporary } from './folder.js';
import { Disk, type Luck } from './harness/disk.js';
import { readLog } from './harness/log.js';
import { compileShim, shimmed } from './harness/shim.js';

const PROCESS = fileURLToPath(new URL('./small-files-process.js', import.meta.url));
const KEY = 'key_harness';
const LUCKS: Luck[] = ['none', 'some', 'some', 'all'];

test('secrets and the request log survive a power cut after they were reported', async (t) => {
  const top = temporary(t);
  const shim = compileShim(top);
  if ('missing' in shim) return t.skip(shim.missing);
  const [root, log] = [join(top, 'recorded'), join(top, 'changes')];
  mkdirSync(root);
  const said = join(root, 'said');
  const args = [join(root, 'data'), said, KEY];
  mkdirSync(args[0]!);
  const end = await launch(PROCESS, args, shimmed(shim.library, { root, log })).ended;
  assert.equal(end.code, 0, end.stderr);
  const changes = readLog(log);
  const saidInode = changes.find((change) => change.kind === 'create' && change.path === said);
  // The test created and synced this folder.
  const before = [
    { kind: 'makeFolder', path: args[0]! },
    { kind: 'syncFolder', path: root },
  ] as const;
  const disk = new Disk(root);
  for (const change of before) disk.apply(change);
  const next = random(5);
  let text = '';
  for (const [at, change] of changes.entries()) {
    disk.apply(change);
    if (change.kind === 'write' && 'inode' in saidInode! && change.inode === saidInode.inode)
      text += change.bytes;
    for (const luck of LUCKS) {
      const into = join(top, `cut-${at}-${luck}`);
      disk.cut(into, next, luck);
      await assert.doesNotReject(judge(join(into, 'data'), text), `after change ${at}, luck ${luck}`);
      rmSync(into, { recursive: true, force: true });
    }
  }
  return undefined;
});

async function judge(dir: string, said: string): Promise<void> {
  const admin = join(dir, 'access/admin-secret');
  if (existsSync(admin)) assert.match(readFileSync(admin, 'utf8'), /^[0-9A-Za-z]{40}\n$/);
  else assert.ok(!said.includes('admin'), 'the secret of the administration is lost');
  const links = /"links":"([^"]+)"/.exec(said)?.[1];
  const file = join(dir, 'drawing-links.secret');
  if (existsSync(file)) assert.equal(linkSecret(dir).length, 44);
  if (links !== undefined) assert.equal(readFileSync(file, 'utf8').trim(), links);
  if (!said.includes('logged')) return;
  rmSync(join(dir, 'access/log.db-shm'), { force: true });
  const log = RequestLog.ofFolder(join(dir, 'access'));
  try {
    assert.deepEqual(
      (await log.page(KEY, 10)).lines.map((line) => line.request_id),
      ['first'],
    );
  } finally {
    await log.close();
  }
}
