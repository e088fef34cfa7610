/** Accounts and keys of older formats open, and are upgraded in one transaction. */
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { it, type TestContext } from 'node:test';
import { AccessStore } from '../../src/access/store.js';
import { native } from '../../src/index/native.js';
import { temporary } from '../crash/folder.js';

/** Made by the version before passwords: one account, one key. */
const FORMAT_3 = {
  file: resolve('test/compat/keys-format-3.db'),
  account: 'acc_8QJS50Y2liL8',
  secret: ['psk', 'live', 'xMBIuwCAw1PaboDoyD88y36I1FaI0stU0EzwG6'].join('_'),
};

function copied(t: TestContext): string {
  const dir = join(temporary(t), 'access');
  mkdirSync(dir, { mode: 0o700 });
  copyFileSync(FORMAT_3.file, join(dir, 'keys.db'));
  chmodSync(join(dir, 'keys.db'), 0o600);
  return dir;
}

function formatOf(dir: string): unknown {
  const file = new native.Sqlite(join(dir, 'keys.db'), false, 1_000);
  const [[format]] = file.rows('PRAGMA user_version', []) as [[number]];
  file.close();
  return format;
}

for (const create of [true, false]) {
  it(`${create ? 'the command line' : 'a server'} opens keys of format 3, and their account takes a password`, async (t) => {
    const dir = copied(t);
    assert.equal(formatOf(dir), 3);
    const store = AccessStore.open(dir, { create });
    t.after(() => store.close());
    const verified = store.verify(FORMAT_3.secret);
    assert.ok(verified.ok);
    assert.deepEqual(
      [verified.account.id, verified.account.name, verified.key.name, verified.account.environments],
      [FORMAT_3.account, 'Patent team', 'laptop', ['production']],
    );
    assert.equal(await store.passwords.signIn('Patent team', 'a password of some length'), undefined);
    await store.passwords.set(FORMAT_3.account, 'a password of some length');
    assert.ok(await store.passwords.signIn('Patent team', 'a password of some length'));
    assert.equal(formatOf(dir), 5);
    assert.equal(verified.key.prefix, undefined, 'the older version kept nothing of the secret');
  });
}

it('two processes may upgrade at the same time, and one that has the old file open goes on', async (t) => {
  const dir = copied(t);
  const old = new native.Sqlite(join(dir, 'keys.db'), false, 1_000);
  t.after(() => old.close());
  const keys = () => (old.rows('SELECT count(*) FROM keys', []) as [[number]])[0][0];
  assert.equal(keys(), 1);
  const stores = [AccessStore.open(dir), AccessStore.open(dir, { create: false })];
  for (const store of stores) {
    assert.ok(store.verify(FORMAT_3.secret).ok);
    t.after(() => store.close());
  }
  await stores[0]!.createKey({ account: FORMAT_3.account, environment: 'production', name: 'new' });
  assert.equal(keys(), 2);
});

it('keys of a newer format are refused, and not changed', (t) => {
  const dir = copied(t);
  const file = new native.Sqlite(join(dir, 'keys.db'), false, 1_000);
  file.rows('PRAGMA user_version = 99', []);
  file.close();
  const before = readFileSync(join(dir, 'keys.db'));
  assert.throws(() => AccessStore.open(dir), /has format 99; expected 5/);
  assert.deepEqual(readFileSync(join(dir, 'keys.db')), before);
});
