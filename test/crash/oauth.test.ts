/**
 * The state of the authorization server after kill -9 and power cuts: the folder opens, an ended grant stays ended, a
 * refresh token that was used stays used, and what was reported as kept is there.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cookieKeyFile, cookieKeys } from '../../src/http/oauth/cookie-keys.js';
import { OAuthTables } from '../../src/http/oauth/tables.js';
import { launch, random, temporary } from './folder.js';
import { Disk, type Luck } from './harness/disk.js';
import { readLog } from './harness/log.js';
import { compileShim, shimmed } from './harness/shim.js';

const PROCESS = fileURLToPath(new URL('./oauth-process.js', import.meta.url));
const KILLS = 6;
const CUTS = 80;
const LUCKS: Luck[] = ['none', 'some', 'some', 'some', 'all'];

interface Line {
  grant: string;
  /** A token that is used. */
  token?: string;
  /** A token that is given; without it, the grant ends. */
  next?: string;
  begins?: true;
}

/** Checks a folder by what was reported. The last change may have begun only. */
async function judge(access: string, said: string): Promise<void> {
  const lines = said
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  const begun = new Set<string>();
  const ended = new Set<string>();
  const used = new Set<string>();
  const given = new Map<string, string>();
  for (const { grant, token, next, begins } of lines) {
    if (begins) begun.add(grant);
    else {
      begun.delete(grant);
      if (token !== undefined) used.add(token);
      if (next === undefined) ended.add(grant);
      else given.set(grant, next);
    }
  }
  const tables = new OAuthTables(access);
  try {
    for (const grant of ended) {
      assert.equal(tables.connection(grant), undefined, `${grant} is there again`);
      assert.equal(tables.record('Grant', grant), undefined, `the record of ${grant} is there again`);
    }
    for (const token of used)
      assert.equal(tables.consume('RefreshToken', token), false, `${token} can be used again`);
    for (const [grant, token] of given) {
      if (ended.has(grant)) assert.equal(tables.record('RefreshToken', token), undefined, `${token} works`);
      else if (!begun.has(grant)) {
        assert.equal(tables.connection(grant)?.id, grant, `${grant} is lost`);
        assert.equal(tables.record('RefreshToken', token)?.payload['grantId'], grant, `${token} is lost`);
      }
    }
    if (existsSync(cookieKeyFile(tables.folder))) assert.ok(cookieKeys(tables.folder).length > 0);
    // It goes on.
    const record = { payload: { grantId: 'after' }, expires: Date.now() + 60_000 };
    tables.put('RefreshToken', 'after', record);
    assert.equal(tables.consume('RefreshToken', 'after'), true);
    tables.endGrant('after');
    tables.sweep();
  } finally {
    await tables.close();
  }
}

test('kill -9 at any moment: ended grants stay ended, used tokens stay used', async (t) => {
  const top = temporary(t);
  const [access, said] = [join(top, 'access'), join(top, 'said')];
  mkdirSync(access);
  const next = random(Number(process.env['PRIORART_TEST_SEED'] ?? 11));
  for (let kill = 0; kill < KILLS; kill++) {
    const lines = 1 + Math.floor(next() * 120);
    const { child, ended } = launch(PROCESS, [access, said, String(kill), '1000000']);
    let seen = 0;
    child.stdout!.on('data', (text: string) => {
      seen += text.split('\n').length - 1;
      if (seen >= lines) child.kill('SIGKILL');
    });
    const { signal, stderr } = await ended;
    assert.equal(signal, 'SIGKILL', stderr);
    await judge(access, readFileSync(said, 'utf8'));
  }
});

test('a power cut at any moment: ended grants stay ended, used tokens stay used', async (t) => {
  const top = temporary(t);
  const shim = compileShim(top);
  if ('missing' in shim) return t.skip(shim.missing);
  const [root, log] = [join(top, 'recorded'), join(top, 'changes')];
  const [access, said] = [join(root, 'access'), join(root, 'said')];
  mkdirSync(access, { recursive: true });
  const end = await launch(PROCESS, [access, said, '0', '12'], shimmed(shim.library, { root, log })).ended;
  assert.equal(end.code, 0, end.stderr);
  const changes = readLog(log);
  const saidInode = changes.find((change) => change.kind === 'create' && change.path === said);
  assert.ok(saidInode && 'inode' in saidInode);
  const disk = new Disk(root);
  // The test made and synced this folder.
  disk.apply({ kind: 'makeFolder', path: access });
  disk.apply({ kind: 'syncFolder', path: root });
  const seed = random(Number(process.env['PRIORART_TEST_SEED'] ?? 12));
  const moments = Array.from({ length: CUTS }, () => Math.floor(seed() * changes.length)).sort(
    (a, b) => a - b,
  );
  let text = '';
  let at = 0;
  for (const [n, moment] of moments.entries()) {
    for (; at <= moment; at++) {
      const change = changes[at]!;
      disk.apply(change);
      if (change.kind === 'write' && change.inode === saidInode.inode) text += change.bytes;
    }
    const luck = LUCKS[n % LUCKS.length]!;
    const into = join(top, `cut-${n}`);
    disk.cut(into, seed, luck);
    // Shared memory, which no process has after a power cut.
    for (const name of ['data.mdb-lock', 'writers.mdb-lock'])
      rmSync(join(into, 'access/oauth', name), { force: true });
    await assert.doesNotReject(judge(join(into, 'access'), text), `after change ${moment}, luck ${luck}`);
    rmSync(into, { recursive: true, force: true });
  }
  return undefined;
});
