/** Invalid and ambiguous requests at an adapter. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLaterParser } from '../adapters.js';
import { bytesOf, onEachHttpAdapter } from './adapter-server.js';
import { get, post } from './raw.js';

onEachHttpAdapter('invalid requests', (server, name) => {
  it('never hands over an invalid HTTP request', async () => {
    await server.start();
    const broken = [
      'garbage\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: test\r\nBad Name: x\r\n\r\n',
      'GET /\0 HTTP/1.1\r\nHost: test\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\nx',
      'POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: test\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
    ];
    for (const sent of broken) {
      const bad = server.client().write(sent);
      const reply = await bad.reply({ ms: 100 }).catch(() => undefined);
      if (reply) assert.ok(reply.status >= 400, `${JSON.stringify(sent.slice(0, 60))}: ${reply.status}`);
    }
    const handled = server.seen.requests.filter((request) => request.headers['content-length'] !== '-1');
    assert.deepEqual(
      handled.map(({ path }) => path),
      [],
    );
    await server.assertAlive();
  });

  it('answers what came before an invalid request, then refuses that', {
    skip: name === 'node' ? false : 'uWebSockets.js closes the connection',
  }, async () => {
    await server.start();
    const behind = server.client().write(`${post('/later?100', 'a')}garbage\r\n\r\n`);
    assert.equal((await behind.reply())?.body, 'later 100');
    assert.equal((await behind.reply())?.status, 400);
    await behind.whenClosed();
    const within = server.client().write(get('/source?5000000'));
    while (server.seen.sources.length < 1) await sleep(5);
    within.write('garbage\r\n\r\n');
    assert.equal((await within.reply())?.body === bytesOf(0, 5_000_000).toString('latin1'), true);
    assert.equal((await within.reply())?.status, 400);
    const body = server
      .client()
      .write('POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n');
    assert.equal((await body.reply({ ms: 5_000 }))?.status, 400);
    await server.assertAlive();
  });

  it('does not parse data after an ambiguous length as a request', async () => {
    await server.start();
    const hidden = get('/now?smuggled');
    const first = `POST /echo HTTP/1.1\r\nHost: test\r\n`;
    const messages = [
      `${first}Content-Length: ${hidden.length}\r\nContent-Length: 0\r\n\r\n${hidden}`,
      `${first}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      `${first}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
      `${first}Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n${hidden}`,
      `${first}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    ];
    for (const message of messages) {
      const attacker = server.client().write(message);
      const reply = await attacker.reply({ ms: 1_000 }).catch(() => undefined);
      if (reply) assert.ok(reply.status >= 400, `${message}\n${reply.status}`);
      await attacker.whenClosed();
      assert.equal(attacker.rest.includes('smuggled'), false, message);
    }
    await server.assertAlive();
  });

  it('accepts or refuses, but never misreads, requests that uWebSockets.js does not support', async () => {
    await server.start();
    const cut = server.client().write('GET /no');
    await sleep(20);
    const whole = await cut.write('w?cut HTTP/1.1\r\nHost: test\r\n\r\n').reply();
    // On a busy server both parts may arrive at once and are then accepted.
    const refused = name === 'uws' && whole?.status === 505;
    if (!refused) assert.deepEqual([whole?.status, whole?.body], [200, 'now cut']);
    const old = server.client().write('GET /now?old HTTP/1.0\r\nHost: test\r\n\r\n');
    assert.equal((await old.reply())?.status, name === 'uws' ? 505 : 200);
    await server.assertAlive();
  });

  it('accepts names of header fields of letters, digits and hyphens; uWebSockets.js for Node 20 accepts no others', async () => {
    await server.start();
    const get = (field: string) => `GET /now?name HTTP/1.1\r\nHost: test\r\n${field}: c\r\n\r\n`;
    for (const field of ['X-1', '1', '-', 'x-Y-9'])
      assert.equal((await server.exchange(get(field))).status, 200);
    const understood = server.seen.requests.length;
    // The other characters of a token (RFC 9110, 5.6.2). uWebSockets.js for Node 20 waits, because it considers the
    // head incomplete.
    const fields = [..."!#$%&'*+.^_`|~"].map((character) => `x${character}y`).concat('__proto__');
    const clients = fields.map((field) => server.client().write(get(field)));
    await server.assertAlive();
    if (name === 'node' || hasLaterParser) {
      for (const client of clients) assert.equal((await client.reply())?.status, 200);
      return;
    }
    // Its time-out of 10 s ends them, without an answer and without a call of a handler.
    await Promise.all(clients.map((client) => client.whenClosed()));
    assert.deepEqual([...new Set(clients.map(({ rest }) => rest))], ['']);
    assert.equal(server.seen.requests.length, understood + 1);
    await server.assertAlive();
  });

  it('asks for the answer to an invalid head', async () => {
    await server.start({ clientAddress: (peer, headers) => headers['x-forwarded-for'] ?? peer });
    const long = `GET /now HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 192.0.2.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`;
    const reply = await server.exchange(long);
    assert.equal(reply.status, 431);
    const [refusal] = server.seen.refused;
    if (name === 'node') {
      assert.deepEqual([refusal?.status, refusal?.remoteAddress], [431, '127.0.0.1']);
      const garbage = await server.exchange('garbage\r\n\r\n');
      assert.deepEqual([garbage.status, garbage.headers['x-refused']], [400, 'yes']);
      assert.equal(server.seen.refused[1]?.status, 400);
    } else if (refusal !== undefined) {
      // If the head came in several parts, the parser of uWebSockets.js has answered it.
      assert.deepEqual([refusal.method, refusal.remoteAddress], ['GET', '192.0.2.1']);
      assert.equal(reply.headers['x-refused'], 'yes');
    }
    await server.assertAlive();
  });
});
