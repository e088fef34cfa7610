/** Nodes behind TLS that ask for a user: a client trusts the authority that it is given, and no other. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { ClusterClient } from '../../src/cluster/client.js';
import { settingsOf } from '../../src/cluster/settings.js';
import type { ClusterAddress } from '../../src/engine-options.js';
import { isPriorartError, type PriorartError } from '../../src/errors.js';
import { A, B } from '../http/certificates.js';

const USER = { username: 'priorart', password: 'p:ä ss' };
/** As RFC 7617 has it. */
const EXPECTED = `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString('base64')}`;

describe('a cluster with TLS and users', () => {
  let port: number;
  let answered = 0;
  const server = createServer(A, (request, response) => {
    answered += 1;
    const isKnown = request.headers.authorization === EXPECTED;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? { name: 'node' } : { error: { reason: 'Unauthorized' } }));
  });
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** The node's answer, or the error. */
  async function ask(
    settings: Partial<Omit<ClusterAddress, 'engine'>>,
    host = '127.0.0.1',
  ): Promise<{ name?: string } | PriorartError> {
    const client = await ClusterClient.open(settingsOf({ nodes: [`https://${host}:${port}`], ...settings }));
    try {
      return await client.request('GET', '/');
    } catch (error) {
      assert.ok(isPriorartError(error), String(error));
      return error;
    } finally {
      await client.close();
    }
  }

  test('a client with the authority and a user gets answers', async () => {
    assert.deepEqual(await ask({ ...USER, ca: A.cert }), { name: 'node' });
    assert.deepEqual(await ask({ ...USER, ca: A.cert }, 'localhost'), { name: 'node' });
    // An authority among others.
    assert.deepEqual(await ask({ ...USER, ca: B.cert + A.cert }), { name: 'node' });
  });

  test('a certificate of another authority, or of none that is known, ends the connection before the password is sent', async () => {
    for (const ca of [B.cert, undefined]) {
      const before = answered;
      const error = await ask({ ...USER, ...(ca === undefined ? {} : { ca }) });
      assert.ok(isPriorartError(error));
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /certificate/);
      assert.match(error.inCommand ?? '', /: --opensearch-ca, or PRIORART_OPENSEARCH_CA$/);
      assert.equal(answered, before);
    }
  });

  test('a wrong user or password is told as such, and is in no error', async () => {
    const wrong = 'hunter2-of-the-cluster';
    const users = [
      { ...USER, password: wrong },
      { ...USER, username: wrong },
    ];
    for (const user of [...users, undefined]) {
      const error = await ask({ ...user, ca: A.cert });
      assert.ok(isPriorartError(error));
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /refused the credentials \(401\): Unauthorized/);
      const shown = inspect(error, { depth: 20, showHidden: true });
      const sent = user && Buffer.from(`${user.username}:${user.password}`).toString('base64');
      assert.ok(!shown.includes(wrong) && (sent === undefined || !shown.includes(sent)), shown);
    }
  });
});
