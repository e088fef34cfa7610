/** Requests and bodies that an adapter hands over. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.js';
import { DRAIN, inPieces, MAX, onEachHttpAdapter } from './adapter-server.js';
import { get, post } from './raw.js';

onEachHttpAdapter('requests and their bodies', (server, name) => {
  it('hands over method, path, query, headers and address', async () => {
    await server.start();
    const reply = await server.exchange(
      'GET /a/%ED%95%9C?x=1&y=%20 HTTP/1.1\r\nHost: test\r\nX-Mixed-CASE:  v \r\n\r\n',
    );
    assert.equal(reply.body, 'GET 0 ');
    const [request] = server.seen.requests;
    assert.deepEqual(
      [request?.method, request?.path, request?.query, request?.remoteAddress],
      ['GET', '/a/%ED%95%9C', 'x=1&y=%20', '127.0.0.1'],
    );
    assert.equal(request?.headers['x-mixed-case'], 'v');
    assert.equal(request?.headers['host'], 'test');
    assert.equal(Object.getPrototypeOf(request?.headers), null);
  });

  it('knows the address of a client that has left', async () => {
    await server.start();
    const left = server.client().write('POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe');
    await until(() => server.seen.requests.length === 1, 'the request has begun');
    const [request] = server.seen.requests;
    left.socket.destroy();
    await until(() => request!.isGone, 'the client has left');
    assert.equal(request!.remoteAddress, '127.0.0.1');
  });

  it('joins fields of one name; unusual names are harmless', async () => {
    await server.start();
    const head = 'GET /headers HTTP/1.1\r\nHost: test\r\n';
    const reply = await server.exchange(
      `${head}X-A: 1\r\nx-a: 2\r\nX-API-Key: a\r\nX-API-Key: b\r\nconstructor: c\r\nX-Empty:\r\n\r\n`,
    );
    const headers = new Map(Object.entries(JSON.parse(reply.body)));
    assert.equal(headers.get('x-a'), '1, 2');
    assert.equal(headers.get('x-api-key'), 'a, b');
    assert.equal(headers.get('x-empty'), '');
    assert.equal(headers.get('constructor'), 'c');
    assert.equal(headers.size, 5);
  });

  it('reads a body with a Content-Length, in one piece and byte by byte', async () => {
    await server.start();
    assert.equal((await server.exchange(post('/echo', 'hello'))).body, 'POST 5 hello');
    assert.equal((await server.exchange(post('/echo', ''))).body, 'POST 0 ');
    const slow = server.client();
    for (const piece of inPieces(post('/echo', 'hé'), 1)) {
      slow.write(piece);
      await sleep(1);
    }
    assert.equal((await slow.reply())?.body, 'POST 3 hé');
  });

  it('reads a chunked body with any chunk boundaries', async () => {
    await server.start();
    const head = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
    const message = `${head}5\r\nhello\r\nA\r\n, world...\r\n0\r\n\r\n`;
    assert.equal((await server.exchange(message)).body, 'POST 15 hello, world...');
    for (const size of [1, 3, 7]) {
      const cut = server.client();
      for (const piece of inPieces(message, size)) {
        cut.write(piece);
        await sleep(1);
      }
      assert.equal((await cut.reply())?.body, 'POST 15 hello, world...', `in pieces of ${size}`);
    }
  });

  it('sends 100 Continue to a client that expects it', async () => {
    await server.start();
    const polite = server
      .client()
      .write(post('/echo', '', { Expect: '100-continue', 'Content-Length': '5' }));
    while (!polite.rest.startsWith('HTTP/1.1 100 Continue')) await sleep(5);
    polite.write('hello');
    assert.equal((await polite.reply())?.body, 'POST 5 hello');
  });

  it('accepts a body of exactly the limit and refuses one byte more with 413', async () => {
    await server.start();
    assert.equal((await server.exchange(post('/echo', 'x'.repeat(MAX)))).status, 200);
    const same = server.client().write(post('/echo', 'x'.repeat(MAX + 1)));
    assert.deepEqual((await same.reply())?.body, 'body_too_large');
    // The body was read completely, so the connection stays open.
    assert.equal((await same.write(get('/now?next')).reply())?.body, 'now next');
    const size = (MAX + 1).toString(16);
    const chunked = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
    const reply = await server.exchange(`${chunked}${size}\r\n${'x'.repeat(MAX + 1)}\r\n0\r\n\r\n`);
    assert.equal(reply.status, 413);
  });

  it('refuses a body far above the limit without reading it, and closes the connection', async () => {
    await server.start();
    const declared = server.client().write(post('/echo', '', { 'Content-Length': '1000000000' }));
    assert.equal((await declared.reply())?.status, 413);
    await declared.whenClosed();
    const endless = server
      .client()
      .write('POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let sent = 0; sent < 4 * DRAIN && !endless.closed; sent += 20_000) {
      endless.write(`4e20\r\n${'x'.repeat(20_000)}\r\n`);
      await sleep(1);
    }
    await endless.whenClosed();
    await server.assertAlive();
  });

  it('answers before the body arrives, and then reads it', async () => {
    await server.start();
    const early = server.client().write(post('/early', 'ab', { 'Content-Length': '4' }));
    assert.equal((await early.reply())?.status, 401);
    early.write('cd').write(get('/now?after'));
    assert.equal((await early.reply())?.body, 'now after');
  });

  it('answers before a chunked body is complete, and keeps the connection', async () => {
    await server.start();
    const chunked = 'POST /early HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
    const early = server.client().write(`${chunked}3\r\nabc\r\n`);
    await sleep(20);
    early.write('3\r\ndef\r\n0\r\n\r\n').write(get('/now?after'));
    assert.equal((await early.reply())?.status, 401);
    assert.equal((await early.reply())?.body, 'now after');
  });

  // node:http ends it after 60 s.
  if (name === 'uws') {
    it('does not read an unwanted chunked body forever', async () => {
      await server.start({ bodyTimeoutMs: 400 });
      const endless = server
        .client()
        .write('POST /early HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n');
      // Shorter than the time-out of uWebSockets.js, and less than the data that is read after an answer.
      const flow = setInterval(() => endless.write(`3e8\r\n${'x'.repeat(1_000)}\r\n`), 20);
      assert.equal((await endless.reply({ ms: 30_000 }))?.status, 401);
      await endless.whenClosed(30_000);
      clearInterval(flow);
      assert.equal(server.adapter!.activeRequests, 0);
      await server.assertAlive();
    });
  }

  it('ends a body that does not arrive in time with 408, and closes the connection', async () => {
    await server.start({ bodyTimeoutMs: 400 });
    const stalled = server.client().write(post('/echo', 'abc', { 'Content-Length': '5' }));
    const dripping = server.client().write(post('/echo', '', { 'Content-Length': '500' }));
    const drip = setInterval(() => dripping.write('x'), 50);
    const replies = await Promise.all([stalled.reply(), dripping.reply()]);
    clearInterval(drip);
    for (const reply of replies) {
      assert.equal(reply?.status, 408);
      assert.equal(reply?.body, 'request_timeout');
    }
    await stalled.whenClosed();
    await server.assertAlive();
  });

  it('hands over any method', async () => {
    await server.start();
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      const body = await server.exchange(post('/echo', 'x').replace('POST', method));
      assert.equal(body.body, `${method} 1 x`);
    }
  });

  it('accepts a request head of 8 KiB with 98 fields', async () => {
    await server.start();
    // uWebSockets.js does not answer a head with one field more than Host and these.
    const fields = Array.from({ length: 97 }, (_, i) => `X-Field-${i}: ${'v'.repeat(70)}\r\n`).join('');
    assert.equal(
      (await server.exchange(`GET /now?ok HTTP/1.1\r\nHost: test\r\n${fields}\r\n`)).body,
      'now ok',
    );
  });

  it('determines the address of a client with the headers', async () => {
    await server.start({ clientAddress: (peer, headers) => `${peer} ${headers['x-forwarded-for']}` });
    const reply = await server.exchange(
      'GET /address HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n',
    );
    assert.equal(reply.body, '127.0.0.1 1.2.3.4');
  });

  it('works with an ordinary HTTP client', async () => {
    await server.start();
    const body = await new Promise<string>((resolve, reject) => {
      const sent = httpRequest({ port: server.port, method: 'POST', path: '/echo' }, (answer) => {
        let all = '';
        answer.on('data', (chunk) => {
          all += chunk;
        });
        answer.on('end', () => resolve(all));
      });
      sent.on('error', reject);
      sent.end('from node');
    });
    assert.equal(body, 'POST 9 from node');
    const fetched = await fetch(`http://127.0.0.1:${server.port}/echo`, {
      method: 'PUT',
      body: 'x'.repeat(DRAIN / 2),
    });
    assert.equal(fetched.status, 413);
    await fetched.text();
  });
});
