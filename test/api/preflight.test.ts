/** Answers that precede the endpoint have a request id, and are logged and counted like others. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { LOG_FIELD_MAX_CHARS, URL_MAX_CHARS } from '../../src/limits.js';
import { Metrics } from '../../src/observe/metrics.js';
import { hasLaterParser } from '../adapters.js';
import { RawClient, type RawReply } from '../http/raw.js';
import { onEachAdapter, Service } from './service.js';

onEachAdapter('answers without an endpoint', (adapter) => {
  const metrics = new Metrics();
  let service: Service;
  before(async () => {
    const config = { corsOrigins: 'https://page.example' };
    service = await Service.start(adapter, 10_000, { metrics }, config);
  });
  after(() => service.stop());

  async function raw(message: string): Promise<RawReply> {
    const client = new RawClient(service.server.port);
    const reply = await client.write(message).reply();
    client.destroy();
    assert.ok(reply, 'connection closed without an answer');
    return reply;
  }

  async function assertKnown(reply: RawReply, line: Record<string, unknown>): Promise<void> {
    const id = reply.headers['x-request-id'];
    assert.ok(id, 'the answer has a request id');
    const found = service.logLines.map((text) => JSON.parse(text)).find((one) => one.request_id === id);
    assert.ok(found, 'a line in the log has it, too');
    const expected = { ...line, status: reply.status, client: '127.0.0.1', msg: 'request' };
    for (const [name, value] of Object.entries(expected)) assert.equal(found[name], value, name);
    const counted = `http_route="${line['endpoint']}",http_response_status_code="${reply.status}"`;
    assert.ok((await metrics.text()).includes(counted), counted);
  }

  it('DECISIONS error body: a preflight', async () => {
    const reply = await raw(
      'OPTIONS /api/v1/search/semantic HTTP/1.1\r\nHost: x\r\nOrigin: https://page.example\r\n' +
        'Access-Control-Request-Method: POST\r\nX-Request-Id: mine\r\n\r\n',
    );
    assert.deepEqual([reply.status, reply.headers['x-request-id']], [204, 'mine']);
    await assertKnown(reply, { endpoint: 'preflight', method: 'OPTIONS', request_id: 'mine' });
  });

  it('a URL that is too long is refused', async () => {
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const path = `/${'x'.repeat(URL_MAX_CHARS)}`;
    const reply = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\ntraceparent: ${trace}\r\n\r\n`);
    assert.equal(reply.status, 414);
    assert.match(reply.headers['traceparent'] ?? '', /^00-4bf92f3577b34da6a3ce929d0e0e4736-/);
    await assertKnown(reply, { endpoint: 'none', method: 'GET' });
  });

  it('an unknown method is 400; a known method that the path does not allow is 405 with Allow', async () => {
    for (const [method, status, code] of [
      ['FOO', 400, 'bad_request'],
      ['get', 400, 'bad_request'],
      ['CONNECT', 400, 'bad_request'],
      ['PROPFIND', 405, 'method_not_allowed'],
      ['TRACE', 405, 'method_not_allowed'],
    ] as const) {
      const reply = await raw(`${method} /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.deepEqual([reply.status, reply.headers['x-error-code']], [status, code], method);
      const detail =
        status === 405 ? 'method not allowed; expected GET, HEAD' : 'the request method is unknown';
      assert.deepEqual(JSON.parse(reply.body), { detail });
      await assertKnown(reply, { endpoint: 'none' });
    }
  });

  it('the log shows the beginning of a long method', async () => {
    const method = 'M'.repeat(12_000);
    const reply = await raw(`${method} /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.equal(reply.status, 400);
    // node:http does not say what the method was.
    const logged = adapter === 'uws' ? `${method.slice(0, LOG_FIELD_MAX_CHARS)}…` : '';
    await assertKnown(reply, { endpoint: 'none', method: logged });
  });

  it('a head that is too large, or a request that is not HTTP, is refused', async () => {
    const head = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`;
    const garbage = 'garbage\r\n\r\n';
    for (const [message, status] of [
      [head, 431],
      [garbage, 400],
    ] as const) {
      // The later parser of uWebSockets.js waits for the rest of a request line.
      if (adapter === 'uws' && hasLaterParser && message === garbage) continue;
      const reply = await raw(message);
      // uWebSockets.js does not report requests that its parser refuses.
      if (adapter === 'uws' && reply.headers['x-request-id'] === undefined) {
        assert.ok(reply.status >= 400, `expected a refusal: ${reply.status}`);
        continue;
      }
      assert.equal(reply.status, status);
      assert.deepEqual(Object.keys(JSON.parse(reply.body)), ['detail']);
      await assertKnown(reply, { endpoint: 'none' });
    }
  });
});
