/** The transport of 2024: streams and the messages to them. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { McpEndpoint } from '../../src/http/mcp-endpoint.js';
import { openStream } from '../../src/http/routes/mcp/stream.js';
import { MCP_STREAMS } from '../../src/limits.js';
import { onEachAdapter, Service } from '../api/service.js';
import { RawClient } from '../http/raw.js';
import { until } from '../until.js';

/** An open stream, and what it has received. */
class Stream {
  readonly #stop = new AbortController();
  text = '';
  isEnded = false;
  status = 0;
  headers = new Headers();

  static async open(service: Service, key = service.key): Promise<Stream> {
    const stream = new Stream();
    const response = await fetch(`${service.server.url}/mcp/sse`, {
      headers: { 'x-api-key': key },
      signal: stream.#stop.signal,
    });
    stream.status = response.status;
    stream.headers = response.headers;
    void stream.#read(response);
    return stream;
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const part of body ?? []) this.text += decoder.decode(part as Uint8Array, { stream: true });
    } catch {
      // The test ended it.
    }
    this.isEnded = true;
  }

  /** Where messages are posted. */
  async address(): Promise<string> {
    await until(() => this.text.includes('\n\n'), 'the first event');
    return /event: endpoint\ndata: (.*)\n/.exec(this.text)?.[1] ?? '';
  }

  get messages(): { id?: unknown; result?: { isError?: boolean } }[] {
    return [...this.text.matchAll(/event: message\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data!));
  }

  close(): void {
    this.#stop.abort();
  }
}

const call = (id: number, name = 'get_coverage', args: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});

onEachAdapter('GET /mcp/sse', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  it('answers travel on the stream; the message is accepted when its answer is written', async () => {
    const stream = await Stream.open(service);
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    const address = await stream.address();
    assert.match(address, /^messages\?session=[\w-]{36}$/);
    const posted = await service.post(`/mcp/${address}`, call(7));
    assert.equal(posted.status, 202);
    await until(() => stream.messages.length === 1, 'the answer');
    assert.equal(stream.messages[0]!.id, 7);
    const invalid = await service.post(`/mcp/${address}`, { hello: 1 });
    assert.equal(invalid.status, 400);
    assert.equal((await service.post(`/mcp/${address}`, [call(1)])).status, 400);
    stream.close();
    await until(
      async () => (await service.post(`/mcp/${address}`, call(8))).status === 404,
      'the stream is gone',
    );
  });

  it('almost a message is refused: it would get no answer, and its id would stay in use', async () => {
    const stream = await Stream.open(service);
    const address = await stream.address();
    const ping = { jsonrpc: '2.0', id: 3, method: 'ping' };
    for (const message of [
      { ...ping, id: 1.5 },
      { ...ping, id: null },
      { ...ping, extra: 1 },
      { ...ping, params: [] },
      { ...ping, params: { _meta: 5 } },
      { ...ping, params: { _meta: { progressToken: {} } } },
      { ...ping, result: {} },
      { jsonrpc: '2.0', id: 3, result: 5 },
    ]) {
      const refused = await service.post(`/mcp/${address}`, message);
      assert.equal(refused.status, 400, JSON.stringify(message));
      assert.match(refused.json.detail, /not a message of JSON-RPC 2\.0/);
    }
    assert.equal((await service.post(`/mcp/${address}`, ping)).status, 202);
    await until(() => stream.messages.length === 1, 'the answer');
    assert.equal(stream.messages[0]!.id, 3);
    stream.close();
  });

  it('a message whose body arrives after the end of its stream is refused like one for no stream', async () => {
    const stream = await Stream.open(service);
    const address = await stream.address();
    const from = service.engine.queries.length;
    const body = JSON.stringify(call(1, 'search_patents', { query: 'late' }));
    const client = new RawClient(service.server.port);
    const lines = [
      `POST /mcp/${address} HTTP/1.1`,
      'Host: localhost',
      `X-API-Key: ${service.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    client.write(`${lines.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    // The server has read the head when it answers a later request.
    await service.post(`/mcp/${address}`, call(2));
    stream.close();
    await until(
      async () => (await service.post(`/mcp/${address}`, call(3))).status === 404,
      'the stream is gone',
    );
    const reply = await client.write(body.slice(10)).reply({ ms: 5_000 });
    client.destroy();
    assert.deepEqual([reply?.status, reply?.headers['x-error-code']], [404, 'not_found']);
    assert.equal(service.engine.queries.length, from, 'the search did not run');
  });

  it('only the key of a stream may post to it', async () => {
    const stream = await Stream.open(service);
    const address = await stream.address();
    const account = await service.access.createAccount({ name: 'other', plan: 'free' });
    const other = await service.access.createKey({ account: account.id, environment: 'test', name: 'other' });
    const refused = await service.post(`/mcp/${address}`, call(1), { 'x-api-key': other.secret });
    assert.equal(refused.status, 404);
    assert.equal((await service.post(`/mcp/${address}`, call(1), { 'x-api-key': undefined })).status, 401);
    assert.equal((await service.post('/mcp/messages', call(1))).status, 404);
    assert.equal((await service.post(`/mcp/messages?session=${'0'.repeat(36)}`, call(1))).status, 404);
    assert.deepEqual(stream.messages, []);
    stream.close();
  });

  it('a key has a limited number of streams, and gets room when one ends', async () => {
    const account = await service.access.createAccount({ name: 'streams', plan: 'free' });
    const { secret } = await service.access.createKey({
      account: account.id,
      environment: 'test',
      name: 'a',
    });
    const streams: Stream[] = [];
    const asked = Array.from({ length: 3 * MCP_STREAMS.perKey }, () => Stream.open(service, secret));
    for (const stream of await Promise.all(asked)) {
      if (stream.status === 200) streams.push(stream);
      else assert.equal(stream.status, 429);
    }
    assert.equal(streams.length, MCP_STREAMS.perKey);
    assert.equal((await Stream.open(service, secret)).status, 429);
    streams.pop()!.close();
    await until(async () => {
      const again = await Stream.open(service, secret);
      streams.push(again);
      return again.status === 200;
    }, 'there is room again');
    for (const stream of streams) stream.close();
  });

  it('the keys of an account share a limit; revoking one ends its streams and makes room at once', async () => {
    const account = await service.access.createAccount({ name: 'many keys', plan: 'enterprise' });
    const make = () => service.access.createKey({ account: account.id, environment: 'test', name: 'a' });
    const streams: Stream[] = [];
    const [first, ...others] = await Promise.all(
      Array.from({ length: MCP_STREAMS.perAccount / MCP_STREAMS.perKey }, make),
    );
    for (const { secret } of [first!, ...others])
      for (let n = 0; n < MCP_STREAMS.perKey; n++) streams.push(await Stream.open(service, secret));
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    const { secret } = await make();
    const refused = await service.call('/mcp/sse', { headers: { 'x-api-key': secret } });
    assert.equal(refused.status, 429);
    assert.match(refused.json.detail, /too many open streams with this account/);
    const own = await Stream.open(service);
    assert.equal(own.status, 200, 'another account has room');
    await service.access.revoke(first!.id);
    streams.push(await Stream.open(service, secret));
    assert.equal(streams.at(-1)!.status, 200);
    await until(
      () => streams.slice(0, MCP_STREAMS.perKey).every(({ isEnded }) => isEnded),
      'its streams ended',
    );
    assert.ok(streams.slice(MCP_STREAMS.perKey).every(({ isEnded }) => !isEnded));
    for (const stream of [own, ...streams]) stream.close();
  });

  it('a stream ends soon after its key is revoked or deleted; those of other keys go on', async () => {
    const account = await service.access.createAccount({ name: 'revoked', plan: 'free' });
    const make = () => service.access.createKey({ account: account.id, environment: 'test', name: 'a' });
    const keys = [await make(), await make()];
    const [revoked, kept] = [await Stream.open(service, keys[0]!.secret), await Stream.open(service)];
    const deleted = await Stream.open(service, keys[1]!.secret);
    const address = await revoked.address();
    await service.access.revoke(keys[0]!.id);
    await until(() => revoked.isEnded, 'the stream of the revoked key has ended');
    const late = await service.post(`/mcp/${address}`, call(1), { 'x-api-key': keys[0]!.secret });
    assert.equal(late.status, 403);
    assert.equal(deleted.isEnded, false);
    await service.access.revoke(keys[1]!.id);
    await service.access.deleteAccount(account.id);
    await until(() => deleted.isEnded, 'the stream of the deleted account has ended');
    assert.equal(kept.isEnded, false);
    kept.close();
  });

  it('HEAD opens no stream', async () => {
    const head = await service.call('/mcp/sse', { method: 'HEAD', headers: { 'x-api-key': service.key } });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  it('a cancelled request gets no answer, and its search ends', async () => {
    const { search: working, signals } = service.engine;
    const from = signals.length;
    service.engine.search = () => new Promise(() => {});
    try {
      const stream = await Stream.open(service);
      const address = await stream.address();
      const posted = service.post(`/mcp/${address}`, call(3, 'search_patents', { query: 'x' }));
      await until(() => signals.length > from, 'the search has begun');
      const duplicate = await service.post(`/mcp/${address}`, call(3));
      assert.equal(duplicate.status, 400);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
      assert.equal((await service.post(`/mcp/${address}`, cancel)).status, 202);
      assert.equal((await posted).status, 202);
      assert.ok(signals.at(-1)!.aborted);
      assert.deepEqual(stream.messages, []);
      stream.close();
    } finally {
      service.engine.search = working;
    }
  });

  it('a stream stays open while nothing happens, and ends when the server stops', async () => {
    const own = await Service.start(adapter, 10_000, {}, { shutdownGraceMs: 60_000 });
    const stream = await Stream.open(own);
    // The third comment comes after more time than either adapter leaves a silent connection open.
    await until(() => stream.text.split(': \n\n').length > 3, 'three comments');
    const before = performance.now();
    await own.stop();
    assert.ok(performance.now() - before < 30_000, 'the server does not wait for streams');
    await until(() => stream.isEnded, 'the stream has ended');
  });

  it('no stream begins while the server stops: it would hold the stop', async () => {
    const own = await Service.start(adapter, 10_000, {}, { shutdownGraceMs: 60_000 });
    let answer = () => {};
    own.engine.search = () =>
      new Promise((resolve) => {
        answer = () => resolve(Buffer.from('{"total":0,"results":[]}'));
      });
    const searched = own.search({ query: 'holds the connections open' });
    await until(() => own.engine.queries.length === 1, 'the search has begun');
    const client = new RawClient(own.server.port);
    const open = `GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${own.key}\r\n\r\n`;
    client.write(open);
    await until(() => client.rest.includes('event: endpoint'), 'the stream is open');
    const stopped = own.stop();
    await until(() => client.rest.endsWith('0\r\n\r\n'), 'the stream has ended');
    const before = client.rest.length;
    client.write(open);
    await until(() => client.rest.length > before, 'the second answer');
    const second = client.rest.slice(before);
    client.destroy();
    assert.match(second, /^HTTP\/1\.1 503 /);
    assert.match(second, /x-error-code: unavailable/i);
    answer();
    assert.equal((await searched).status, 200);
    await stopped;
  });
});

it('a stream whose answer begins after the server closed its streams ends at once', async () => {
  const endpoint = new McpEndpoint(
    { version: '0', onFault: () => {} },
    { host: '127.0.0.1' },
    { verifyId: () => assert.fail('no key is checked') },
  );
  const body = openStream(endpoint, { id: 'key', account: 'account' });
  await endpoint.close();
  let [text, endings] = ['', 0];
  body.begin({
    write: (part) => {
      text += part;
    },
    end: () => {
      endings++;
    },
  });
  assert.deepEqual([text, endings], [': the server stops\n\n', 1]);
  body.ended();
  assert.equal(endpoint.streams.size, 0);
});
