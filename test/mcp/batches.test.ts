/** Batches of JSON-RPC at /mcp, on both HTTP adapters. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { type Answer, onEachAdapter, Service } from '../api/service.js';

const ACCEPT = { accept: 'application/json, text/event-stream' };

const request = (id: number | string, method: string, params: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method, params },
});
const call = (id: number | string, name: string, args: object = {}) =>
  request(id, 'tools/call', { name, arguments: args });
const search = (id: number | string) => call(id, 'search_patents', { query: `fuel cell ${id}`, top_k: 1 });
const cancel = (requestId: unknown) => ({
  ...{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
});

onEachAdapter('a batch', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  /** Fails if there is no answer in time: a batch that waits for a cancelled request has none. */
  const post = (body: unknown): Promise<Answer> =>
    service.post('/mcp', body, ACCEPT, { signal: AbortSignal.timeout(5_000) });
  const ids = ({ json }: Answer) => json.map(({ id }: { id: unknown }) => id);

  it('is answered without the requests that it cancels itself, and these do not run', async () => {
    const from = service.engine.queries.length;
    const one = await post([search(1), search(2), cancel(2)]);
    assert.deepEqual([one.status, ids(one)], [200, [1]]);
    const texts = await post([cancel('a'), search('a'), search('1'), search(1), cancel(1)]);
    assert.deepEqual([texts.status, ids(texts)], [200, ['1']]);
    assert.deepEqual(
      service.engine.queries.slice(from).map(({ query }) => query),
      ['fuel cell 1', 'fuel cell 1'],
    );
    const none = await post([cancel(1), search(1)]);
    assert.deepEqual([none.status, none.text], [202, '']);
    assert.equal(service.engine.queries.length, from + 2);
    // What cancels nothing of the batch changes nothing, and a request that is no message stays refused.
    assert.deepEqual(ids(await post([search(1), cancel(9), cancel(undefined)])), [1]);
    const broken = await post([{ ...search(1), extra: 1 }, cancel(1)]);
    assert.equal(broken.status, 400);
  });

  it('may cancel a call that fails', async () => {
    const { coverage } = service.engine;
    service.engine.coverage = () => Promise.reject(new PriorartError('unavailable', 'not counted'));
    try {
      const answer = await post([cancel(1), call(1, 'get_coverage')]);
      assert.equal(answer.status, 202);
    } finally {
      service.engine.coverage = coverage;
    }
  });

  it('of one request is answered by an array of one', async () => {
    assert.deepEqual(ids(await post([request(5, 'ping')])), [5]);
    const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
    assert.deepEqual(ids(await post([notified, call(6, 'none')])), [6]);
    assert.equal((await post([notified])).status, 202);
    assert.equal((await post(request(7, 'ping'))).json.id, 7);
  });

  it('with equal ids is refused: an answer would be lost', async () => {
    const from = service.engine.queries.length;
    const answer = await post([search(1), request(2, 'ping'), search(1)]);
    assert.deepEqual([answer.status, answer.json.error.code, answer.json.id], [400, -32600, null]);
    assert.match(answer.json.error.message, /id 1\b/);
    assert.equal(service.engine.queries.length, from);
    // A text is another id than a number.
    assert.deepEqual(ids(await post([request(1, 'ping'), request('1', 'ping')])), [1, '1']);
  });
});
