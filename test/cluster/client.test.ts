/** Requests to a cluster whose nodes fail. The nodes are HTTP servers of this process. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { bulkUntilTaken, isRefused, untilUnblocked } from '../../src/cluster/bulk.js';
import { ClusterClient } from '../../src/cluster/client.js';
import { inTime } from '../../src/cluster/in-time.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { blockWrites, moveAlias } from '../../src/cluster/take-over.js';
import { isPriorartError, type PriorartError } from '../../src/errors.js';

/** `stopped`: the answer stops half-way. `torn`: its connection breaks there. */
type Answer = { status?: number; body: unknown } | 'cut' | 'silent' | 'stopped' | 'torn' | 'page';

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
    if (answer === 'page')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello');
    if (typeof answer === 'string') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"hits":');
      if (answer === 'torn') setTimeout(() => request.socket.resetAndDestroy(), 20);
      return;
    }
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

  test('an answer that stops half-way, or whose connection breaks there, is asked of another node', async (t) => {
    const printed = t.mock.method(console, 'log', () => {});
    for (const fault of ['stopped', 'torn'] as const) {
      const [broken, whole] = [await node(fault), await node(found(0))];
      const client = await clientOf([broken, whole], 200);
      for (let n = 0; n < 2; n++) assert.equal((await client.search('/x/_search', {})).hits.hits.length, 1);
      assert.ok(broken.asked.length > 0);
      await client.close();
    }
    // Standard output holds the messages of `mcp` and the lines of `export`.
    assert.equal(printed.mock.callCount(), 0);
  });

  test('an answer of something else than a cluster is an error', async () => {
    for (const answer of ['page', { body: {} }] as const) {
      const client = await clientOf([await node(answer)]);
      assert.equal((await rejection(client.search('/x/_search', {}))).code, 'unavailable');
      assert.equal((await rejection(client.openState('x'))).code, 'unavailable');
      const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
      assert.equal((await rejection(bulkUntilTaken(client, operations))).code, 'unavailable');
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

  test('if no node listens, the message names the addresses, and that of a command the setting', async () => {
    const closed = await node('cut');
    await new Promise((resolve) => servers.at(-1)!.close(resolve));
    const other = await node('cut');
    const client = await clientOf([closed, other]);
    const beginning = `no node of the cluster can be reached at ${closed.url}, ${other.url} (`;
    const end = '; start the cluster, or correct its addresses';
    await assert.rejects(client.request('GET', '/'), ({ message, inCommand }: PriorartError) => {
      assert.ok(message.startsWith(beginning) && message.endsWith(end), message);
      assert.equal(inCommand, `${message}: --opensearch-nodes, or PRIORART_OPENSEARCH_NODES`);
      return true;
    });
    const asked = inTime('the cluster gives nothing', () => client.request('GET', '/'));
    await assert.rejects(asked, ({ inCommand }: PriorartError) => {
      assert.ok(inCommand?.startsWith(`the cluster gives nothing: ${beginning}`), inCommand);
      return true;
    });
    await client.close();
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

  test('documents without a shard that takes writes are sent again', async () => {
    const item = (status: number) => ({
      index: { status, ...(status === 503 ? { error: { type: 'unavailable', reason: 'no primary' } } : {}) },
    });
    const back = await node({ body: { items: [item(503)] } }, { body: { items: [item(201)] } });
    const client = await clientOf([back]);
    const outcomes = await bulkUntilTaken(client, [{ action: { index: { _id: 'a' } }, document: '{}' }]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [201],
    );
    await client.close();
  });

  test('documents are sent again if no node took their request, with patience', async () => {
    const done = { body: { items: [{ index: { status: 201 } }] } };
    for (const fault of ['cut', 502, 503, 504] as const) {
      const answer = fault === 'cut' ? fault : { status: fault, body: { error: 'starting' } };
      // The client itself sends a request four times.
      const late = await node(...Array<Answer>(5).fill(answer), done);
      const client = await clientOf([late]);
      const outcomes = await bulkUntilTaken(client, [{ action: { index: { _id: 'a' } }, document: '{}' }]);
      assert.deepEqual([outcomes[0]?.status, late.asked.length], [201, 6], String(fault));
      await client.close();
    }
  });

  test('a node that fails in another way is not asked again', async () => {
    const failing = await node({ status: 500, body: { error: { reason: 'broken' } } });
    const client = await clientOf([failing]);
    const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
    assert.equal((await rejection(bulkUntilTaken(client, operations))).code, 'unavailable');
    assert.equal(failing.asked.length, 1);
    await client.close();
  });

  test('an index that takes no writes is told apart from a refused document', async () => {
    const blocked = {
      index: { status: 403, error: { type: 'cluster_block_exception', reason: 'read-only' } },
    };
    const client = await clientOf([await node({ body: { items: [blocked] } })]);
    const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
    assert.match((await rejection(bulkUntilTaken(client, operations))).message, /takes no writes: read-only/);
    await client.close();
  });

  test('a permission that is missing is no index that takes no writes', async () => {
    const reason = 'no permissions for [indices:data/write/bulk[s]] and User [name=reader]';
    const denied = { index: { status: 403, error: { type: 'security_exception', reason } } };
    const refusing = await node({ body: { items: [denied] } });
    const client = await clientOf([refusing]);
    const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
    await assert.rejects(
      untilUnblocked(() => bulkUntilTaken(client, operations)),
      ({ code, message }: PriorartError) => {
        assert.equal(code, 'unavailable');
        assert.match(message, /indices:data\/write\/bulk\[s\].* for priorart and priorart-\*$/);
        return true;
      },
    );
    assert.equal(refusing.asked.length, 1);
    await client.close();
  });

  test('a document that the cluster refuses for good, and a conflict, are outcomes', async () => {
    const refused = { index: { status: 400, error: { type: 'mapper', reason: 'no field x' } } };
    const conflict = { index: { status: 409, error: { type: 'conflict', reason: 'changed' } } };
    const operations = [{ action: { index: { _id: 'a' } }, document: '{}' }];
    const strict = await clientOf([await node({ body: { items: [refused] } })]);
    assert.ok(isRefused((await bulkUntilTaken(strict, operations))[0]!));
    await strict.close();
    const raced = await clientOf([await node({ body: { items: [conflict] } })]);
    assert.equal((await bulkUntilTaken(raced, operations))[0]!.status, 409);
    await raced.close();
  });
});

describe('an index that takes the place of another', () => {
  const told = (acknowledged: boolean, shards: boolean, blocked: boolean) => ({
    body: { acknowledged, shards_acknowledged: shards, indices: [{ name: 'p-1', blocked }] },
  });
  const isDone = told(true, true, true);

  test('writes are blocked only if every shard has heard it', async () => {
    for (const part of [told(false, true, true), told(true, false, true), told(true, true, false)]) {
      const slow = await node(part, isDone);
      const client = await clientOf([slow]);
      await blockWrites(client, 'p-1');
      assert.equal(slow.asked.length, 2);
      await client.close();
    }
  });

  test('an index that an earlier call has blocked names no shard', async () => {
    const nothing = { body: { acknowledged: true, shards_acknowledged: false, indices: [] } };
    const settings = (write: string) => ({ body: { 'p-1': { settings: { 'index.blocks.write': write } } } });
    const killed = await node(nothing, settings('true'));
    const client = await clientOf([killed]);
    await blockWrites(client, 'p-1');
    assert.equal(killed.asked.length, 2);
    await client.close();
    const open = await node(nothing, settings('false'), isDone);
    const other = await clientOf([open]);
    await blockWrites(other, 'p-1');
    assert.equal(open.asked.length, 3);
    await other.close();
  });

  test('a block that stays incomplete is an error', async () => {
    const client = await clientOf([await node(told(true, false, false))]);
    const { code, message } = await rejection(blockWrites(client, 'p-1'));
    assert.equal(code, 'unavailable');
    assert.match(message, /not every shard of p-1 refuses writes/);
    await client.close();
  });

  test('an alias whose move is not acknowledged is read', async () => {
    const naming = (index: string) => ({ body: { [index]: { mappings: { _meta: { form: 4 } } } } });
    const moved = await clientOf([await node({ body: { acknowledged: false } }, naming('p-2'))]);
    await moveAlias(moved, 'p-1', 'p-2');
    await moved.close();
    const same = await clientOf([await node({ body: { acknowledged: false } }, naming('p-1'))]);
    assert.match((await rejection(moveAlias(same, 'p-1', 'p-2'))).message, /does not name p-2/);
    await same.close();
  });
});
