/** Calls of a server over HTTP whose connection breaks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CallOptions, RestApi, type RestReply } from '../../src/mcp/api.js';
import { restClient } from '../../src/mcp/rest-client.js';

describe('an answer over HTTP that breaks off', () => {
  let answer = (_response: ServerResponse) => {};
  const server = createServer((_, response) => answer(response));
  let base = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => void server.close().closeAllConnections());

  let stop = new AbortController();
  beforeEach(() => {
    stop = new AbortController();
  });
  const options = (): CallOptions => ({ signal: stop.signal, label: 'test' });
  /** Reads an image behind a redirect to the server, as from a bucket. */
  async function image(): Promise<Uint8Array> {
    const redirect: RestReply = { status: 302, header: () => `${base}/a.webp`, body: new Uint8Array() };
    const api = new RestApi(async () => redirect, 'https://example.com');
    return (await api.drawing('A', 'a.webp', options())).image();
  }
  const calls: readonly [name: string, call: () => Promise<unknown>, message: RegExp][] = [
    ['server', () => restClient(base, 'key').coverage(options()), /^the server at http:\S+ ended its answer/],
    ['storage', image, /^the storage of drawings ended its answer/],
  ];

  for (const [name, call, message] of calls) {
    it(`is unavailable (${name})`, async () => {
      answer = (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"total":', () => response.destroy());
      };
      await assert.rejects(call, { code: 'unavailable', message });
    });

    it(`is cancelled if its caller is (${name})`, async () => {
      answer = (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"total":');
        // By then the caller has the head, and waits for the body.
        setTimeout(() => stop.abort(), 200);
      };
      await assert.rejects(call, { code: 'cancelled' });
      await assert.rejects(call, { code: 'cancelled' });
    });
  }
});
