/** Answers of uWebSockets' own parser, as docs/operations.md describes them. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createUwsAdapter } from '../../src/http/adapters/uws.js';
import { uwsIsMissing } from '../adapters.js';
import { AdapterServer } from '../http/adapter-server.js';

const CHUNKED = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';

describe("uWebSockets' parser", { skip: uwsIsMissing }, () => {
  const server = new AdapterServer(createUwsAdapter);
  afterEach(() => server.stop());

  for (const [what, sent, status, handlers] of [
    ['HTTP/1.0', 'GET /now HTTP/1.0\r\nHost: test\r\n\r\n', 505, 0],
    ['a request without Host', 'GET /now HTTP/1.1\r\nAccept: */*\r\n\r\n', 400, 0],
    ['both lengths', CHUNKED.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\n'), 400, 0],
    // The parser has read the head before the error.
    ['a chunk extension', `${CHUNKED}4;name=value\r\nbody\r\n0\r\n\r\n`, 400, 1],
  ] as const) {
    it(`answers ${what} ${status} with HTML and closes the connection`, async () => {
      await server.start();
      const client = server.client().write(sent);
      await client.whenClosed();
      assert.match(client.rest, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(client.rest, /<h1>/);
      assert.doesNotMatch(client.rest, /x-request-id/i);
      assert.deepEqual([server.seen.requests.length, server.seen.refused.length], [handlers, 0]);
      await server.assertAlive();
    });
  }

  it('accepts a chunked body without extensions', async () => {
    await server.start();
    assert.equal((await server.exchange(`${CHUNKED}4\r\nbody\r\n0\r\n\r\n`)).body, 'POST 4 body');
  });
});
