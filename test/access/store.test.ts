import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CallLimits } from '../../src/access/call-limits.js';
import { newSecret } from '../../src/access/key.js';
import { insertKey, openKeys } from '../../src/access/keys-file.js';
import { pageKeyOf } from '../../src/access/records.js';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';
import { DEACTIVATED_KEYS_MAX } from '../../src/limits.js';
import { until } from '../until.js';

const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-access-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

async function withKey(dir: string) {
  const store = AccessStore.open(dir);
  const account = await store.createAccount({ name: 'Example', plan: 'enterprise' });
  const key = await store.createKey({ account: account.id, environment: 'production', name: 'first' });
  return { store, account, ...key };
}

const isUnavailable = (error: unknown) =>
  isPriorartError(error) && error.code === 'unavailable' && error.status === 503;

/** Another process with the same store; answers the messages `verify`, `revoke` and `create`. */
class OtherProcess {
  readonly child: ChildProcess;
  constructor(dir: string) {
    this.child = fork(fileURLToPath(new URL('./other-process.js', import.meta.url)), [dir]);
  }
  async ask(message: object): Promise<unknown> {
    this.child.send(message);
    const [answer] = await once(this.child, 'message');
    return answer;
  }
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }
}

describe('access store', () => {
  it('creates a key whose secret verifies, and stores no secret', async () => {
    const dir = folder();
    const { store, account, id, secret } = await withKey(dir);
    const verified = store.verify(secret);
    assert.ok(verified.ok);
    assert.deepEqual(
      { ...verified.key, created_at: undefined },
      {
        id,
        account: account.id,
        environment: 'production',
        name: 'first',
        prefix: secret.slice(0, 15),
        state: 'active',
        created_at: undefined,
      },
    );
    await store.close();
    for (const name of readdirSync(dir)) {
      const bytes = readFileSync(join(dir, name));
      assert.equal(bytes.includes(secret), false, `${name} holds the secret`);
      assert.equal(bytes.includes(secret.slice(9, 41)), false, `${name} holds the secret's random part`);
    }
  });

  it('distinguishes missing, unknown and deactivated keys', async () => {
    const { store, id, secret } = await withKey(folder());
    assert.deepEqual(store.verify(undefined), { ok: false, reason: 'missing' });
    assert.deepEqual(store.verify(''), { ok: false, reason: 'missing' });
    assert.deepEqual(store.verify('psk_live_x'), { ok: false, reason: 'unknown' });
    assert.deepEqual(store.verify(newSecret()), { ok: false, reason: 'unknown' });
    assert.deepEqual(store.verify(`Bearer ${secret}`), { ok: false, reason: 'unknown' });
    const revoked = await store.revoke(id);
    assert.equal(revoked.state, 'deactivated');
    assert.deepEqual(store.verify(secret), { ok: false, reason: 'deactivated', key: revoked });
    assert.equal((await store.revoke(id)).deactivated_at, revoked.deactivated_at);
    await store.close();
  });

  it('a revoked key is refused from the next check on, before the revocation is on disk', async () => {
    const { store, id, secret } = await withKey(folder());
    assert.ok(store.verify(secret).ok);
    const flushed = store.revoke(id);
    const now = store.verify(secret);
    assert.equal(!now.ok && now.reason, 'deactivated');
    await flushed;
    await store.close();
  });

  it('revokes all keys of an account but that of the page, and no key of another account', async () => {
    const { store, account, secret } = await withKey(folder());
    const second = await store.createKey({ account: account.id, environment: 'test', name: 'second' });
    const other = await store.createAccount({ name: 'Other', plan: 'free' });
    const kept = await store.createKey({ account: other.id, environment: 'test', name: 'kept' });
    await store.makePageKey(account.id);
    assert.equal(await store.revokeAll(account.id), 2);
    for (const one of [secret, second.secret]) {
      const found = store.verify(one);
      assert.equal(!found.ok && found.reason, 'deactivated');
    }
    assert.ok(store.verifyId(pageKeyOf(account.id)).ok);
    assert.ok(store.verify(kept.secret).ok);
    assert.equal(await store.revokeAll(account.id), 0);
    await assert.rejects(
      store.revokeAll('acc_none'),
      (error) => isPriorartError(error) && error.code === 'not_found',
    );
    await store.close();
  });

  it('an account has a name of its own, and may be renamed to a free one', async () => {
    const { store, account } = await withKey(folder());
    const taken = {
      code: 'name_taken',
      message: new RegExp(`^account ${account.id} has the name "Example"; `),
    };
    await assert.rejects(store.createAccount({ name: 'Example', plan: 'free' }), taken);
    const other = await store.createAccount({ name: 'Other', plan: 'free' });
    await assert.rejects(store.changeAccount(other.id, { name: 'Example' }), taken);
    assert.equal((await store.changeAccount(account.id, { name: 'Example', plan: 'pro' })).plan, 'pro');
    await store.changeAccount(account.id, { name: 'Renamed' });
    assert.equal((await store.changeAccount(other.id, { name: 'Example' })).name, 'Example');
    assert.equal(store.accounts().length, 2, 'a refusal makes no account');
    await store.close();
  });

  it('deletes an account with its keys, password and sessions, and no account that has active keys', async () => {
    const dir = folder();
    const { store, account, id, secret } = await withKey(dir);
    const other = await store.createAccount({ name: 'Other', plan: 'free' });
    const kept = await store.createKey({ account: other.id, environment: 'production', name: 'kept' });
    await store.passwords.set(account.id, 'a long enough password');
    await store.makePageKey(account.id);
    const session = { id: 's1', account: account.id, kind: 'account', epoch: 1, expires: 9e12 } as const;
    assert.equal(store.passwords.isAccountSessionEnded(session), false);
    const beside = AccessStore.open(dir);
    assert.equal(beside.verify(secret).ok, true);
    const message = `account ${account.id} has an active key; revoke it first`;
    await assert.rejects(store.deleteAccount(account.id), { code: 'usage', message });
    assert.equal(store.verify(secret).ok, true);
    assert.equal((await store.deleteAccount(account.id, { revokes: true })).revoked, 1);
    for (const one of [store, beside]) {
      assert.deepEqual(one.verify(secret), { ok: false, reason: 'unknown' });
      assert.throws(() => one.account(account.id), { code: 'not_found' });
      assert.throws(() => one.key(id), { code: 'not_found' });
      assert.equal(one.verifyId(pageKeyOf(account.id)).ok, false);
      assert.equal(one.passwords.isAccountSessionEnded(session), true);
      assert.equal(one.passwords.hasPasswords(), false);
      assert.equal(one.verify(kept.secret).ok, true);
      assert.deepEqual(
        one.accounts().map((left) => left.id),
        [other.id],
      );
    }
    await store.revoke(kept.id);
    assert.equal((await store.deleteAccount(other.id)).revoked, 0, 'a revoked key does not keep its account');
    await assert.rejects(store.deleteAccount(other.id), { code: 'not_found' });
    assert.notEqual((await store.createAccount({ name: 'Example', plan: 'free' })).id, account.id);
    await beside.close();
    await store.close();
  });

  it('knows the first characters of a secret, and no others', async () => {
    const dir = folder();
    const { store, account, id, secret } = await withKey(dir);
    await store.makePageKey(account.id);
    assert.equal(store.key(id).prefix, secret.slice(0, 15));
    assert.equal(store.key(pageKeyOf(account.id)).prefix, undefined);
    await store.close();
    for (const name of readdirSync(dir))
      assert.equal(readFileSync(join(dir, name)).includes(secret.slice(0, 16)), false, name);
  });

  it('keeps a bounded number of deactivated keys, and removes the earliest', async () => {
    const dir = folder();
    const { store, account, id, secret } = await withKey(dir);
    await store.revoke(id);
    const other = await store.createAccount({ name: 'Other', plan: 'free' });
    const kept = await store.createKey({ account: other.id, environment: 'production', name: 'kept' });
    await store.revoke(kept.id);
    const file = openKeys(dir, { create: false, waitMs: 1_000 });
    file.write(() => {
      for (let n = 1; n < DEACTIVATED_KEYS_MAX; n++) {
        const key = { id: `key_${n}`, account: account.id, environment: 'production', name: 'old' };
        insertKey(file, randomBytes(32), key);
      }
      file.rows(
        "UPDATE keys SET state = 'deactivated', deactivated_at = '2999-01-01' WHERE account = ? AND id <> ?",
        account.id,
        id,
      );
    });
    file.close();
    const last = await store.createKey({ account: account.id, environment: 'production', name: 'last' });
    const active = await store.createKey({ account: account.id, environment: 'production', name: 'active' });
    assert.equal(store.keysOf(account.id).length, DEACTIVATED_KEYS_MAX + 2);
    assert.equal((await store.revoke(last.id)).state, 'deactivated');
    const ids = store.keysOf(account.id).map((key) => key.id);
    assert.equal(ids.length, DEACTIVATED_KEYS_MAX + 1);
    assert.ok(!ids.includes(id), 'the earliest is removed');
    assert.ok(ids.includes(last.id), 'the latest is kept');
    assert.deepEqual(store.verify(secret), { ok: false, reason: 'unknown' });
    assert.ok(store.verify(active.secret).ok);
    assert.equal(store.key(kept.id).state, 'deactivated', 'other accounts are not concerned');
    await store.close();
  });

  it('lists keys and accounts without hashes, and keeps several keys per environment apart', async () => {
    const { store, account, id } = await withKey(folder());
    const second = await store.createKey({ account: account.id, environment: 'production', name: 'second' });
    await store.revoke(id);
    assert.ok(store.verify(second.secret).ok);
    const listed = store.list();
    assert.deepEqual(
      listed.map((key) => [key.name, key.state]),
      [
        ['first', 'deactivated'],
        ['second', 'active'],
      ],
    );
    assert.equal(JSON.stringify(listed).includes('hash'), false);
    assert.deepEqual(store.accounts(), [{ ...account, environments: ['production'] }]);
    await store.close();
  });

  it('refuses an invalid account, key, plan or environment name', async () => {
    const { store, account } = await withKey(folder());
    const usage = (error: unknown) => isPriorartError(error) && error.code === 'usage';
    const unknown = (error: unknown) => isPriorartError(error) && error.code === 'not_found';
    await assert.rejects(
      store.createKey({ account: 'acc_x', environment: 'production', name: 'n' }),
      unknown,
    );
    await assert.rejects(
      store.createKey({ account: account.id, environment: 'Prod uction', name: 'n' }),
      usage,
    );
    await assert.rejects(
      store.createKey({ account: account.id, environment: 'production', name: ' ' }),
      usage,
    );
    await assert.rejects(store.createAccount({ name: 'n', plan: 'gold' as 'free' }), usage);
    await assert.rejects(store.revoke('key_x'), unknown);
    assert.equal(store.list().length, 1);
    await store.close();
  });

  it('the store keeps all data after closing and reopening', async () => {
    const dir = folder();
    const { store, secret } = await withKey(dir);
    const before = store.list();
    await store.close();
    const again = AccessStore.open(dir);
    assert.ok(again.verify(secret).ok);
    assert.deepEqual(again.list(), before);
    await again.close();
  });
});

describe('access store in several processes', () => {
  it('a revocation in one process is seen by the next check in another', async () => {
    const dir = folder();
    const { store, account } = await withKey(dir);
    const other = new OtherProcess(dir);
    try {
      for (let round = 0; round < 20; round++) {
        const { id, secret } = await store.createKey({
          account: account.id,
          environment: 'production',
          name: 'k',
        });
        assert.deepEqual(await other.ask({ verify: secret }), 'ok');
        const revoked = store.revoke(id);
        assert.deepEqual(await other.ask({ verify: secret }), 'deactivated');
        await revoked;
      }
    } finally {
      await other.end();
      await store.close();
    }
  });

  it('survives kill -9 of a process during a write', async () => {
    const dir = folder();
    const { store, account, secret } = await withKey(dir);
    const made: { id: string; secret: string }[] = [];
    for (let round = 0; round < 5; round++) {
      const other = new OtherProcess(dir);
      other.child.on('message', (message: { made?: { id: string; secret: string } }) => {
        if (message.made) made.push(message.made);
      });
      other.child.send({ createForever: account.id });
      await until(() => made.length >= (round + 1) * 3, 'keys are made');
      await other.end('SIGKILL');
      assert.ok(store.verify(secret).ok);
      await store.createKey({ account: account.id, environment: 'production', name: 'after the kill' });
    }
    // Every acknowledged key exists and verifies, in this process and in a new one.
    for (const key of made) assert.ok(store.verify(key.secret).ok, key.id);
    await store.close();
    const again = AccessStore.open(dir, { create: false });
    for (const key of made) assert.ok(again.verify(key.secret).ok, key.id);
    await again.close();
  });
});

describe('damaged access store', () => {
  const damages: [string, (file: string) => void][] = [
    ['overwritten', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a))],
    ['zeroed', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
    ['emptied', (file) => truncateSync(file, 0)],
    ['cut to a few bytes', (file) => truncateSync(file, 100)],
    ['cut to two pages', (file) => truncateSync(file, 2 * 4096)],
    ['cut in half', (file) => truncateSync(file, statSync(file).size >> 1)],
    [
      'overwritten after its first pages',
      (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0xff, 2 * 4096));
      },
    ],
    ['gone', (file) => rmSync(file)],
  ];
  for (const [name, damage] of damages) {
    it(`a file that is ${name} makes it unavailable and ends no process`, async () => {
      const dir = folder();
      const { store, account, secret } = await withKey(dir);
      for (let i = 0; i < 200; i++) {
        await store.createKey({ account: account.id, environment: 'production', name: 'k'.repeat(50) });
      }
      await store.close();
      damage(join(dir, 'keys.db'));
      const other = new OtherProcess(dir);
      try {
        assert.equal(await other.ask({ verify: secret }), 'unavailable');
        assert.equal(await other.ask({ verify: newSecret() }), 'unavailable');
        assert.equal(other.child.exitCode, null);
      } finally {
        await other.end();
      }
    });
  }

  it('opening it for creation throws at once if it is damaged', async () => {
    const dir = folder();
    const { store } = await withKey(dir);
    await store.close();
    writeFileSync(join(dir, 'keys.db'), Buffer.alloc(20_000, 1));
    assert.throws(() => AccessStore.open(dir), isUnavailable);
  });

  it('recovers when the store appears', async () => {
    const dir = folder();
    const server = AccessStore.open(dir, { create: false });
    assert.throws(() => server.verify('anything'), isUnavailable);
    assert.equal(server.isAvailable(), false);
    assert.equal(server.isMissing(), true);
    const { store, secret } = await withKey(dir);
    assert.ok(server.verify(secret).ok, 'at the next call');
    assert.equal(server.isAvailable(), true);
    await server.close();
    await store.close();
  });

  it('maintenance stays on while the store cannot be read', async () => {
    const dir = folder();
    const { store } = await withKey(dir);
    await store.setMaintenance(true);
    assert.ok(store.maintenance());
    const file = join(dir, 'keys.db');
    renameSync(file, `${file}.away`);
    await until(() => !store.isAvailable(), 'it is noticed');
    assert.ok(store.maintenance());
    renameSync(`${file}.away`, file);
    await until(() => store.isAvailable(), 'it is back');
    await store.setMaintenance(false);
    assert.equal(store.maintenance(), undefined);
    await store.close();
  });

  it('detects within about a second that its file was replaced', async () => {
    const dir = folder();
    const backup = folder();
    const first = await withKey(dir);
    const second = await withKey(backup);
    await second.store.close();
    const other = new OtherProcess(dir);
    try {
      assert.equal(await other.ask({ verify: first.secret }), 'ok');
      await first.store.close();
      // The write-ahead log belongs to the file.
      for (const name of ['keys.db-wal', 'keys.db-shm']) rmSync(join(dir, name), { force: true });
      renameSync(join(backup, 'keys.db'), join(dir, 'keys.db'));
      await until(async () => (await other.ask({ verify: first.secret })) === 'unknown', 'it is noticed');
      assert.equal(await other.ask({ verify: second.secret }), 'ok');
      rmSync(join(dir, 'keys.db'));
      await until(
        async () => (await other.ask({ verify: second.secret })) === 'unavailable',
        'it is noticed',
      );
    } finally {
      await other.end();
    }
  });
});

describe('a folder of the access store that is replaced', () => {
  it('is not touched by who had the other open, and keys are checked again when that is back', async () => {
    const above = folder();
    const [dir, aside] = [join(above, 'access'), join(above, 'aside')];
    const { store, secret } = await withKey(dir);
    await store.close();
    const server = AccessStore.open(dir, { create: false });
    assert.ok(server.verify(secret).ok);
    renameSync(dir, aside);
    const copy = await withKey(dir);
    await copy.store.close();
    const before = readdirSync(dir);
    await until(() => !server.isAvailable(), 'it is noticed');
    const started = performance.now();
    // It looks again after a second.
    await until(() => {
      assert.throws(
        () => server.verify(copy.secret),
        (error) => isUnavailable(error) && /folder was replaced/.test(String(error)),
      );
      return performance.now() > started + 1_500;
    }, 'it looked again');
    assert.deepEqual(readdirSync(dir), before);
    rmSync(dir, { recursive: true });
    renameSync(aside, dir);
    await until(() => server.isAvailable(), 'it is back');
    assert.ok(server.verify(secret).ok);
    await server.close();
  });
});

describe('files of the access store', () => {
  it('files and their copies are accessible only to their owner, with any umask', async () => {
    const before = process.umask(0);
    try {
      const dir = join(folder(), 'access');
      const { store, account, id, secret } = await withKey(dir);
      const limits = new CallLimits(store);
      await limits.settle(await limits.reserve(account), true);
      const log = RequestLog.ofFolder(dir);
      log.add({ key: id, time: 1, requestId: 'r', endpoint: 'e', status: 200, ms: 1, client: 'c' });
      await log.flush();
      const copy = join(folder(), 'access');
      await store.copyTo(copy);
      const names = ['counters.db', 'keys.db', 'log.db'];
      const all = names.flatMap((name) => [name, `${name}-shm`, `${name}-wal`]);
      assert.deepEqual(readdirSync(dir).sort(), all);
      assert.deepEqual(readdirSync(copy).sort(), ['counters.db', 'keys.db']);
      for (const each of [dir, copy]) {
        assert.equal(statSync(each).mode & 0o777, 0o700);
        for (const name of readdirSync(each))
          assert.equal(statSync(join(each, name)).mode & 0o777, 0o600, name);
      }
      await limits.close();
      await log.close();
      await store.close();
      assert.deepEqual(
        readdirSync(dir).sort(),
        names,
        'closed by the last one, nothing is left beside a file',
      );
      const copied = AccessStore.open(copy, { create: false });
      assert.ok(copied.verify(secret).ok);
      assert.equal(copied.quotaUsed(account).used, 1);
      await copied.close();
    } finally {
      process.umask(before);
    }
  });

  it('a store of the earlier LMDB format is refused with the remedy, not ignored', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'data.mdb'), 'keys');
    const message = /data\.mdb is of a version before 0\.1.*move .* away, and make accounts and keys again/;
    assert.throws(() => AccessStore.open(dir), { code: 'unavailable', message });
    const server = AccessStore.open(dir, { create: false });
    assert.throws(() => server.verify('any'), { code: 'unavailable', message });
    await server.close();
    assert.deepEqual(readdirSync(dir), ['data.mdb']);
  });
});
