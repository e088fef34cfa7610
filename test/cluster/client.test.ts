/** Requests to a cluster whose nodes fail. The nodes are HTTP servers of this process. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { ClusterClient } from '../../src/cluster/client.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { bulkUntilTaken } from '../../src/cluster/target.js';
import { isPriorartError } from '../../src/errors.js';

type Answer = { status?: number; body: unknown } | 'cut' | 'silent';

/** A node that gives the same answer to every request, or the answers of a list. */
interface FakeNode {
  url: string;
  asked: { path: string; body: string }[];
}

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function node(...answers: Answer[]): Promise<FakeNode> {
  const asked: FakeNode['asked'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const answer = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push({ path: request.url ?? '', body });
    if (answer === 'silent') return;
    if (answer === 'cut') return void request.socket.destroy();
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function clientOf(nodes: readonly FakeNode[], timeoutMs = 10_000): Promise<ClusterClient> {
  return ClusterClient.open(settingsOf({ nodes: nodes.map(({ url }) => url), timeoutMs }));
}

const found = (failed: number, timedOut = false) => ({
  body: {
    timed_out: timedOut,
    _shards: { total: 3, failed, failures: [{ reason: { reason: 'the node left' } }] },
    hits: { hits: [{ _id: 'a', _score: 1 }] },
  },
});

async function rejection(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await call.then(
    () => assert.fail('the call resolved'),
    (reason: unknown) => reason,
  );
  assert.ok(isPriorartError(error), String(error));
  return { code: error.code, message: error.message };
}

describe('a cluster whose nodes fail', () => {
  test('an answer without all shards is an error, though its status is 200', async () => {
    const client = await clientOf([await node(found(2))]);
    assert.deepEqual(await rejection(client.search('/x/_search', {})), {
      code: 'unavailable',
      message: '2 shards of the cluster did not answer: the node left',
    });
    await client.close();
  });

  test('so is one that ended by its time limit', async () => {
    const client = await clientOf([await node(found(0, true))]);
    assert.equal((await rejection(client.search('/x/_search', {}))).code, 'unavailable');
    await client.close();
  });

  test('the cluster is told to refuse partial answers', async () => {
    const whole = await node(found(0));
    const client = await clientOf([whole]);
    assert.equal((await client.search('/x/_search', {})).hits.hits.length, 1);
    assert.match(whole.asked[0]!.path, /allow_partial_search_results=false/);
    await client.close();
  });

  test('a request that fails for its node is sent to another', async () => {
    for (const fault of ['cut', { status: 503, body: { error: 'busy' } }] as const) {
      const [broken, whole] = [await node(fault), await node(found(0))];
      const client = await clientOf([broken, whole]);
      for (let n = 0; n < 4; n++) assert.equal((await client.search('/x/_search', {})).hits.hits.length, 1);
      assert.ok(broken.asked.length > 0 && whole.asked.length >= 4);
      await client.close();
    }
  });

  test('if no node answers, the call ends as unavailable', async () => {
    const cut = await clientOf([await node('cut')]);
    assert.equal((await rejection(cut.request('GET', '/'))).code, 'unavailable');
    await cut.close();
    const silent = await clientOf([await node('silent')], 50);
    assert.match((await rejection(silent.request('GET', '/'))).message, /did not answer in time/);
    await silent.close();
  });

  test('refused credentials and overload are told apart', async () => {
    const refused = await clientOf([await node({ status: 401, body: { error: { reason: 'who?' } } })]);
    assert.match((await rejection(refused.request('GET', '/'))).message, /refused the credentials/);
    await refused.close();
    const busy = await clientOf([await node({ status: 429, body: { error: { reason: 'queue' } } })]);
    assert.equal((await rejection(busy.request('GET', '/'))).code, 'overloaded');
    await busy.close();
  });

  test('a cancelled request ends at once', async () => {
    const client = await clientOf([await node('silent')]);
    const stop = new AbortController();
    const call = rejection(client.request('GET', '/', undefined, { signal: stop.signal }));
    stop.abort();
    assert.equal((await call).code, 'cancelled');
    await client.close();
  });

  test('documents that a busy cluster refuses are sent again, and only these', async () => {
    const item = (status: number) => ({
      index: { status, ...(status === 429 ? { error: { type: 'rejected', reason: 'queue' } } : {}) },
    });
    const busy = await node({ body: { items: [item(201), item(429)] } }, { body: { items: [item(201)] } });
    const client = await clientOf([busy]);
    const operations = ['a', 'b'].map((id) => ({ action: { index: { _id: id } }, document: '{}' }));
    const outcomes = await bulkUntilTaken(client, operations);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [201, 201],
    );
    assert.deepEqual(
      busy.asked.map(({ body }) => body),
      ['{"index":{"_id":"a"}}\n{}\n{"index":{"_id":"b"}}\n{}\n', '{"index":{"_id":"b"}}\n{}\n'],
    );
    await client.close();
  });

  test('a document that the cluster refuses for good is an error, and a conflict is an outcome', async () => {
    const refused = { index: { status: 400, error: { type: 'mapper', reason: 'no field x' } } };
    const conflict = { index: { status: 409, error: { type: 'conflict', reason: 'changed' } } };
    const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
    const strict = await clientOf([await node({ body: { items: [refused] } })]);
    assert.match((await rejection(bulkUntilTaken(strict, operations))).message, /no field x/);
    await strict.close();
    const raced = await clientOf([await node({ body: { items: [conflict] } })]);
    assert.equal((await bulkUntilTaken(raced, operations))[0]!.status, 409);
    await raced.close();
  });
});
