/** The secret of sessions that servers share: a session of one is valid on all of them, whichever was first. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { SessionSigner } from '../../src/access/account-session.js';
import { shareSessionSecret } from '../../src/access/shared-secret.js';
import { temporary } from '../crash/folder.js';
import { type Fault, MemoryCluster } from './memory-documents.js';

const SESSION = { account: 'acc_0123456789ab', kind: 'account', epoch: 3 } as const;

function folders(t: TestContext, count: number): string[] {
  const root = temporary(t);
  return Array.from({ length: count }, (_, n) => {
    const folder = join(root, `${n}`);
    mkdirSync(folder);
    return folder;
  });
}

function assertShared(all: readonly string[]): void {
  const signers = all.map((folder) => new SessionSigner(folder));
  for (const one of signers) {
    const { session, token } = one.begin(SESSION);
    for (const other of signers) assert.deepEqual(other.read(token), session);
  }
  for (const folder of all) assert.equal(statSync(join(folder, 'session-secret')).mode & 0o777, 0o600);
}

it('servers that start at once share one secret, also if answers and writes are lost', async (t) => {
  const faults: Fault[] = ['none', 'lost answer', 'sent again', 'lost write'];
  for (const first of faults) {
    const cluster = new MemoryCluster();
    let writes = 0;
    cluster.nextFault = () => (writes++ === 0 ? first : 'none');
    const all = folders(t, 3);
    // A server whose request failed is started again.
    const starting = all.map(async (folder) => {
      const share = () => shareSessionSecret(folder, cluster.connect());
      await share().catch(share);
    });
    await Promise.all(starting);
    assertShared(all);
  }
});

it('the secret of the first folder stays, and a folder with a different secret takes it over', async (t) => {
  const cluster = new MemoryCluster();
  const [one, two] = folders(t, 2) as [string, string];
  const [first, second] = [new SessionSigner(one), new SessionSigner(two)];
  const early = first.begin(SESSION);
  const other = second.begin(SESSION);
  for (const folder of [one, two, one]) await shareSessionSecret(folder, cluster.connect());
  assert.deepEqual(second.read(early.token), early.session);
  assert.equal(second.read(other.token), undefined, 'a session of the other secret has ended');
  assertShared([one, two]);
  const secret = readFileSync(join(one, 'session-secret'), 'utf8');
  await shareSessionSecret(one, cluster.connect());
  assert.equal(readFileSync(join(one, 'session-secret'), 'utf8'), secret);
});

it('nothing is made while the cluster does not answer', async (t) => {
  const cluster = new MemoryCluster();
  cluster.isDown = true;
  const [folder] = folders(t, 1) as [string];
  await assert.rejects(shareSessionSecret(folder, cluster.connect()), { code: 'unavailable' });
  assert.throws(() => statSync(join(folder, 'session-secret')), { code: 'ENOENT' });
});
