/** Key store and counters on a full disk. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CallLimits } from '../../src/access/call-limits.js';
import { Counters } from '../../src/access/counters.js';
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';
import { filled, smallDisk } from '../small-disk.js';

test('creating a key store on a full disk is disk_full with the remedy, and succeeds after space is freed', async (t) => {
  const disk = smallDisk(t, 3);
  if (typeof disk === 'string') return t.skip(disk);
  const dir = join(disk.dir, 'access');
  for (const left of [0, 8, 40]) {
    const empty = filled(disk.dir, left);
    assert.throws(() => AccessStore.open(dir), {
      code: 'disk_full',
      message: /no room to write in .*Free some space/,
    });
    // A server runs without it.
    const server = AccessStore.open(dir, { create: false });
    assert.throws(() => server.verify('any'), { code: 'unavailable' });
    await server.close();
    empty();
  }
  const store = AccessStore.open(dir);
  const account = await store.createAccount({ name: 'Any', plan: 'free' });
  assert.deepEqual(store.accounts(), [account]);
  await store.close();
  return undefined;
});

test('a disk without room for another file is disk_full, whichever file of the key store comes first', async (t) => {
  let refused = 0;
  for (let files = 2; files < 12; files++) {
    const disk = smallDisk(t, 3, files);
    if (typeof disk === 'string') return t.skip(disk);
    const dir = join(disk.dir, 'access');
    try {
      const store = AccessStore.open(dir);
      await store.createAccount({ name: 'Any', plan: 'free' });
      await store.close();
    } catch (error) {
      assert.equal(isPriorartError(error) ? error.code : error, 'disk_full', `room for ${files} files`);
      refused++;
    }
  }
  assert.ok(refused >= 3, `expected at least 3 refusals: ${refused}`);
  return undefined;
});

test('calls that cannot be counted are refused; no counted call is lost, and no process ends', async (t) => {
  const disk = smallDisk(t, 2);
  if (typeof disk === 'string') return t.skip(disk);
  const dir = join(disk.dir, 'access');
  mkdirSync(dir);
  const counters = new Counters(dir, { clock: () => 1e6 });
  assert.equal(counters.takeCall('key_first', 60).remaining, 59);
  filled(disk.dir);
  const names = Array.from({ length: 100_000 }, (_, n) => `key_${n}`);
  let counted = 0;
  assert.throws(
    () => {
      for (const name of names) {
        counters.takeCall(name, 60);
        counted++;
      }
    },
    { code: 'disk_full' },
  );
  t.diagnostic(`${counted} keys`);
  // The callers of a server get the error, too.
  const access = AccessStore.open(dir, { create: false });
  const limits = new CallLimits(access);
  assert.throws(() => limits.takeCall('key_first'), { code: 'unavailable', message: /no room to write/ });
  await limits.close();
  await access.close();
  disk.grow(32);
  assert.equal(counters.takeCall('key_first', 60).remaining, 58);
  for (const name of names.slice(0, counted)) assert.equal(counters.takeCall(name, 60).remaining, 58, name);
  assert.equal(counters.takeCall(names[counted]!, 60).remaining, 59);
  counters.close();
  return undefined;
});
