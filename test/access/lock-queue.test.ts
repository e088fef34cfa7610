import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CallLimits } from '../../src/access/call-limits.js';
import { LockQueue } from '../../src/access/lock-queue.js';
import { LockHeld } from '../../src/access/sqlite.js';
import { AccessStore } from '../../src/access/store.js';
import { native } from '../../src/index/native.js';
import { LOCK_WAIT_MS } from '../../src/limits.js';
import { until } from '../until.js';

const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-lock-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

/** A lock that is held until it is released. */
class Lock {
  isHeld = true;
  tries = 0;
  take<T>(value: T): T {
    this.tries++;
    if (this.isHeld) throw new LockHeld('a.db');
    return value;
  }
}

describe('work that needs a lock', () => {
  it('work runs at once if the lock is free, and its error is thrown', () => {
    const queue = new LockQueue();
    assert.equal(
      queue.run(() => 7),
      7,
    );
    assert.throws(() => queue.run(() => assert.fail('its own fault')), /its own fault/);
  });

  it('waits without blocking; waiting work runs in the order of arrival', async () => {
    const [queue, lock, done] = [new LockQueue(), new Lock(), [] as number[]];
    const all = [0, 1, 2, 3].map((n) => queue.run(() => done.push(lock.take(n))));
    for (const each of all) assert.ok(each instanceof Promise, 'expected that the work waits for the lock');
    await until(() => lock.tries > 8, 'it is tried again');
    lock.isHeld = false;
    // The lock is free, but later work does not overtake waiting work.
    const late = queue.run(() => done.push(lock.take(4)));
    await Promise.all([...all, late]);
    assert.deepEqual(done, [0, 1, 2, 3, 4]);
    assert.equal(
      queue.run(() => 5),
      5,
    );
  });

  it('work is rejected after a maximum wait; its own error reaches only its caller', async () => {
    const [queue, lock] = [new LockQueue(), new Lock()];
    const begun = performance.now();
    const lost = queue.run(() => lock.take(1));
    const faulty = queue.run(() => {
      throw new Error(`tried after ${lock.take('')}`);
    });
    await assert.rejects(async () => lost, { code: 'unavailable', status: 503, retryAfter: 1 });
    const waited = performance.now() - begun;
    assert.ok(waited >= LOCK_WAIT_MS && waited < 20 * LOCK_WAIT_MS, `${waited} ms`);
    assert.ok(lock.tries < 3 * LOCK_WAIT_MS, 'those who wait are not all tried each time');
    lock.isHeld = false;
    await assert.rejects(async () => faulty);
    assert.equal(await queue.run(() => lock.take(2)), 2);
  });
});

describe('limits of calls while another connection has the lock', () => {
  it('calls are refused and not counted; a reservation that could not be settled is returned', async () => {
    const dir = folder();
    const store = AccessStore.open(dir);
    const account = await store.createAccount({ name: 'Any', plan: 'free' });
    const limits = new CallLimits(store);
    const [kept, lost] = [await limits.reserve(account), await limits.reserve(account)];
    assert.ok((await limits.settle(kept, true)).answerable);
    const other = new native.Sqlite(join(dir, 'counters.db'), false, 0);
    other.rows('BEGIN IMMEDIATE', []);
    const unavailable = { code: 'unavailable', message: /another process holds the lock of .*counters\.db/ };
    assert.throws(() => limits.takeCall('key_a'), unavailable);
    await Promise.all([
      assert.rejects(async () => limits.whenUnlocked(() => limits.takeCall('key_a')), unavailable),
      assert.rejects(async () => limits.reserve(account), unavailable),
      assert.rejects(async () => limits.settle(lost, true), unavailable),
    ]);
    assert.equal(await limits.canCount(), false);
    assert.equal(limits.quotaState(account).remaining, 28, 'reading needs no lock');
    other.rows('COMMIT', []);
    other.close();
    await until(() => limits.quotaState(account).remaining === 29, 'the place is given back');
    assert.equal(await limits.canCount(), true);
    assert.equal((await limits.quotasUsed([account]))[0]!.used, 1);
    await limits.close();
    await store.close();
  });
});
