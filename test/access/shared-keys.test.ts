/** Accounts and keys that servers share: what one of them changes, all of them know. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CallLimits } from '../../src/access/call-limits.js';
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';
import { SHARED } from '../../src/limits.js';
import { until } from '../until.js';
import { type Fault, MemoryCluster } from './memory-documents.js';

const folders: string[] = [];
const opened: AccessStore[] = [];
after(async () => {
  for (const store of opened) await store.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-shared-'));
  folders.push(dir);
  return join(dir, 'access');
}

async function serverOn(cluster: MemoryCluster, at = folder()): Promise<AccessStore> {
  const store = await AccessStore.openShared(at, cluster.store(), true);
  opened.push(store);
  return store;
}

const isUnavailable = (error: unknown) => isPriorartError(error) && error.code === 'unavailable';
const team = { name: 'Team', plan: 'free' } as const;
const live = { environment: 'live', name: 'first' };

describe('shared accounts', () => {
  it('a key that one server makes works on all, and one that it revokes is refused by all', async () => {
    const cluster = new MemoryCluster();
    const [a, b] = [await serverOn(cluster), await serverOn(cluster)];
    const account = await a.createAccount(team);
    const key = await a.createKey({ ...live, account: account.id });
    assert.equal(a.verify(key.secret).ok, true, 'at once on the server that made it');
    await until(() => b.verify(key.secret).ok, 'the other server knows it');
    assert.deepEqual(b.account(account.id), a.account(account.id));
    await b.revoke(key.id);
    assert.equal(b.verify(key.secret).ok, false);
    await until(() => !a.verify(key.secret).ok, 'the other server refuses it');
    assert.deepEqual(a.list(), b.list());
    const later = await serverOn(cluster);
    assert.deepEqual(later.list(), a.list(), 'a server that comes later knows all');
  });

  it('changes that several servers make at once are all kept, in one order', async () => {
    const cluster = new MemoryCluster();
    const servers = [await serverOn(cluster), await serverOn(cluster), await serverOn(cluster)];
    const account = await servers[0]!.createAccount(team);
    await Promise.all(servers.map((server) => server.setMaintenance(false)));
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        servers[n % 3]!.createKey({ account: account.id, environment: `e${n % 5}`, name: `key ${n}` }),
      ),
    );
    // The quota of an account is a part of it, so no change may undo another.
    await Promise.all(made.slice(0, 10).map(({ id }, n) => servers[n % 3]!.revoke(id)));
    const seen = (server: AccessStore) => JSON.stringify([server.accounts(), server.list()]);
    await until(() => servers.every((server) => seen(server) === seen(servers[0]!)), 'all are alike');
    assert.equal(servers[0]!.list().length, 30);
    assert.equal(servers[0]!.list().filter(({ state }) => state === 'active').length, 20);
    assert.deepEqual(servers[2]!.account(account.id).environments, ['e0', 'e1', 'e2', 'e3', 'e4']);
    const later = await serverOn(cluster);
    assert.equal(
      JSON.stringify(
        later
          .list()
          .map(({ id }) => id)
          .sort(),
      ),
      JSON.stringify(made.map(({ id }) => id).sort()),
    );
  });

  it('passwords, sessions and maintenance are shared, and names of accounts differ', async () => {
    const cluster = new MemoryCluster();
    const [a, b] = [await serverOn(cluster), await serverOn(cluster)];
    const one = await a.createAccount(team);
    await a.passwords.set(one.id, 'a long enough password');
    await assert.rejects(b.createAccount(team), { code: 'name_taken' });
    assert.equal((await b.passwords.signIn('Team', 'a long enough password'))?.account.id, one.id);
    const session = { id: 's1', account: one.id, kind: 'account', epoch: 1, expires: 9e12 } as const;
    assert.equal(b.passwords.isAccountSessionEnded(session), false);
    await a.passwords.endAccountSession(session);
    await until(() => b.passwords.isAccountSessionEnded(session), 'the sign-out holds on the other server');
    await b.setMaintenance(true);
    await until(() => a.maintenance() !== undefined, 'maintenance holds on the other server');
    await a.setMaintenance(false);
    await until(() => b.maintenance() === undefined, 'it ends there, too');
  });

  it('a change is made once, also if its request is sent again or its answer is lost', async () => {
    const cluster = new MemoryCluster();
    const a = await serverOn(cluster);
    const account = await a.createAccount(team);
    const planned: Fault[] = ['sent again', 'lost answer'];
    cluster.nextFault = () => planned.shift() ?? 'none';
    await a.createKey({ ...live, account: account.id });
    assert.equal(a.list().length, 1);
    await assert.rejects(a.createKey({ ...live, account: account.id, name: 'second' }), isUnavailable);
    await until(() => a.list().length === 2, 'the change was made');
    await a.createKey({ ...live, account: account.id, name: 'third' });
    assert.deepEqual(
      a.list().map(({ name }) => name),
      ['first', 'second', 'third'],
    );
  });

  it('a server that was off for many changes reads all accounts', async () => {
    const cluster = new MemoryCluster();
    const at = folder();
    const a = await serverOn(cluster);
    const account = await a.createAccount(team);
    const b = await AccessStore.openShared(at, cluster.store(), true);
    await b.close();
    for (let n = 0; n < SHARED.changesRemembered + 5; n++)
      await a.changeAccount(account.id, { name: `Team ${n}` });
    await a.createKey({ ...live, account: account.id });
    const again = await serverOn(cluster, at);
    assert.deepEqual(again.accounts(), a.accounts());
    assert.deepEqual(again.list(), a.list());
  });

  it('without the cluster, keys are refused with 503 as soon as what is known of them is old', async () => {
    const cluster = new MemoryCluster();
    const a = await serverOn(cluster);
    const account = await a.createAccount(team);
    const key = await a.createKey({ ...live, account: account.id });
    cluster.isDown = true;
    await assert.rejects(a.revoke(key.id), isUnavailable);
    assert.equal(a.verify(key.secret).ok, true, 'known for a moment');
    const begun = performance.now();
    await until(() => !a.isAvailable(), 'the server is not available');
    assert.ok(performance.now() - begun < SHARED.staleMs + 2_000);
    assert.throws(() => a.verify(key.secret), isUnavailable);
    cluster.isDown = false;
    await until(() => a.isAvailable(), 'the server is available again');
    assert.equal(a.verify(key.secret).ok, true);
  });

  it('accounts and used quotas of a folder become shared with its first start on a cluster', async () => {
    const cluster = new MemoryCluster();
    const at = folder();
    const alone = AccessStore.open(at);
    const account = await alone.createAccount(team);
    const key = await alone.createKey({ ...live, account: account.id });
    const limits = new CallLimits(alone);
    await limits.settle(await limits.reserve(account), true);
    await limits.close();
    await alone.close();
    const other = await serverOn(cluster);
    await other.createAccount({ ...team, name: 'Before' });
    const a = await serverOn(cluster, at);
    assert.deepEqual(
      a
        .accounts()
        .map(({ name }) => name)
        .sort(),
      ['Before', 'Team'],
    );
    await until(() => other.verify(key.secret).ok, 'the other server knows the key');
    assert.equal((await other.quotasUsed([account]))[0]!.used, 1);
    await a.changeAccount(account.id, { name: 'Renamed' });
    await a.close();
    opened.splice(opened.indexOf(a), 1);
    const again = await serverOn(cluster, at);
    assert.equal(again.account(account.id).name, 'Renamed', 'they are taken over once');
  });

  it('a copy of other accounts is refused, and accounts that the cluster lost are not removed', async () => {
    const at = folder();
    const cluster = new MemoryCluster();
    const a = await AccessStore.openShared(at, cluster.store(), true);
    await a.createAccount(team);
    await a.close();
    cluster.documents.clear();
    cluster.numbered.clear();
    await assert.rejects(AccessStore.openShared(at, cluster.store(), true), /has lost the accounts/);
    const other = new MemoryCluster();
    await serverOn(other);
    await assert.rejects(AccessStore.openShared(at, other.store(), true), /a copy of other accounts/);
    const alone = AccessStore.open(at);
    assert.equal(alone.accounts().length, 1);
    await alone.close();
  });

  it('an account that one server deletes is deleted on all, also on one that starts later', async () => {
    const cluster = new MemoryCluster();
    const at = folder();
    const behind = await serverOn(cluster, at);
    const account = await behind.createAccount(team);
    const key = await behind.createKey({ ...live, account: account.id });
    await behind.passwords.set(account.id, 'a long enough password');
    await behind.close();
    opened.splice(opened.indexOf(behind), 1);
    const [a, b] = [await serverOn(cluster), await serverOn(cluster)];
    assert.equal(b.verify(key.secret).ok, true);
    await assert.rejects(a.deleteAccount(account.id), { code: 'usage' });
    await a.deleteAccount(account.id, { revokes: true });
    await until(() => !b.verify(key.secret).ok, 'the other server refuses the key');
    assert.deepEqual([b.accounts(), b.list(), b.passwords.hasPasswords()], [[], [], false]);
    const again = await a.createAccount(team);
    for (const store of [await serverOn(cluster, at), await serverOn(cluster)]) {
      assert.deepEqual(
        store.accounts().map(({ id }) => id),
        [again.id],
      );
      assert.deepEqual(store.verify(key.secret), { ok: false, reason: 'unknown' });
    }
  });

  it('accounts that were restored on the cluster take the place of newer ones in the copies', async () => {
    const cluster = new MemoryCluster();
    const a = await serverOn(cluster);
    await a.createAccount(team);
    const kept = new Map(cluster.documents);
    const keptNumbered = new Map(cluster.numbered);
    const lost = await a.createAccount({ ...team, name: 'Lost' });
    cluster.documents.clear();
    cluster.numbered.clear();
    for (const [id, document] of kept) cluster.documents.set(id, document);
    for (const [id, document] of keptNumbered) cluster.numbered.set(id, document);
    await until(() => a.accounts().length === 1, 'the copy has the restored state');
    assert.throws(() => a.account(lost.id), { code: 'not_found' });
  });
});
