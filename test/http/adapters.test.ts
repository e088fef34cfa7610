/** What every HTTP adapter must do; each test runs on each of them. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPriorartError } from '../../src/errors.js';
import type { AdapterOptions, HttpAdapter, HttpReply, HttpRequest } from '../../src/http/adapters/adapter.js';
import { createNodeAdapter } from '../../src/http/adapters/node.js';
import { createUwsAdapter } from '../../src/http/adapters/uws.js';
import { addressText } from '../../src/http/adapters/uws-request.js';
import { A, B, identityFiles } from './certificates.js';
import { get, post, RawClient, secure } from './raw.js';

const MAX = 10_000;
const DRAIN = 200_000;
const TIMEOUT = 400;
const WRITE_TIMEOUT = 20_000;

/** What the handler of these tests saw and did. */
interface Seen {
  requests: HttpRequest[];
  errors: unknown[];
  aborted: string[];
  finished: string[];
}

function text(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): HttpReply {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
}

/** Paths of the test server. */
const PATHS: Record<
  string,
  (request: HttpRequest, seen: Seen) => HttpReply | Promise<HttpReply | undefined>
> = {
  '/now': (request) => text(`now ${request.query}`),
  '/early': () => text('no', 401),
  '/throw': () => {
    throw new Error('boom');
  },
  '/reject': async () => {
    throw new Error('boom later');
  },
  '/nothing': async () => undefined,
  '/bad-header': () => text('x', 200, { 'x-split': 'a\r\nset-cookie: b' }),
  '/204': () => text('', 204),
  '/304': () => text('', 304),
  '/headers': ({ headers }) => text(JSON.stringify(headers)),
  '/address': ({ remoteAddress }) => text(remoteAddress),
  '/big': ({ query }) => text(Buffer.alloc(Number(query), 'b')),
  '/text': ({ query }) => text('한'.repeat(Number(query))),
  '/later': async ({ query }) => {
    await sleep(Number(query));
    return text(`later ${query}`);
  },
  '/wait': async (request, seen) => {
    await new Promise<void>((resolve) => {
      request.onGone(() => {
        seen.aborted.push(request.query);
        assert.ok(request.isGone);
        resolve();
      });
    });
    return undefined;
  },
};

/** A message cut into pieces of some bytes; the request line stays whole, see the test of its own. */
function inPieces(message: string, size: number): Buffer[] {
  const bytes = Buffer.from(message);
  const lineEnd = bytes.indexOf('\r\n') + 2;
  const pieces = [bytes.subarray(0, lineEnd)];
  for (let i = lineEnd; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return pieces;
}

async function echo(request: HttpRequest): Promise<HttpReply | undefined> {
  try {
    const bytes = await request.body();
    return text(`${request.method} ${bytes.length} ${Buffer.from(bytes).toString().slice(0, 100)}`);
  } catch (error) {
    if (!isPriorartError(error)) throw error;
    if (error.code === 'cancelled' && request.isGone) return undefined;
    return text(error.code, error.status);
  }
}

const factories: [string, (options: AdapterOptions) => HttpAdapter][] = [
  ['node', createNodeAdapter],
  ['uws', createUwsAdapter],
];

for (const [name, create] of factories) {
  describe(`HTTP adapter ${name}`, () => {
    let adapter: HttpAdapter | undefined;
    let clients: RawClient[] = [];
    let port = 0;
    let seen: Seen;

    async function start(changed: Partial<AdapterOptions> = {}): Promise<void> {
      seen = { requests: [], errors: [], aborted: [], finished: [] };
      adapter = create({
        handler: (request) => {
          seen.requests.push(request);
          return (PATHS[request.path] ?? echo)(request, seen);
        },
        bodyMaxBytes: MAX,
        bodyDrainMaxBytes: DRAIN,
        bodyTimeoutMs: TIMEOUT,
        writeTimeoutMs: WRITE_TIMEOUT,
        connectionsMax: 1_000,
        onError: (error) => seen.errors.push(error),
        ...changed,
      });
      port = await adapter.listen('127.0.0.1', 0);
    }

    function client(): RawClient {
      const made = new RawClient(port);
      clients.push(made);
      return made;
    }

    async function exchange(sent: string | Buffer) {
      const reply = await client().write(sent).reply();
      assert.ok(reply, 'the connection was closed without an answer');
      return reply;
    }

    /** The server still answers: the last line of every test that could have killed it. */
    async function assertAlive(): Promise<void> {
      assert.equal((await exchange(get('/now?alive'))).body, 'now alive');
    }

    afterEach(async () => {
      for (const made of clients) made.destroy();
      clients = [];
      await adapter?.close(1_000);
      adapter = undefined;
    });

    it('hands over method, path, query, headers and address', async () => {
      await start();
      const reply = await exchange(
        'GET /a/%ED%95%9C?x=1&y=%20 HTTP/1.1\r\nHost: test\r\nX-Mixed-CASE:  v \r\n\r\n',
      );
      assert.equal(reply.body, 'GET 0 ');
      const [request] = seen.requests;
      assert.deepEqual(
        [request?.method, request?.path, request?.query, request?.remoteAddress],
        ['GET', '/a/%ED%95%9C', 'x=1&y=%20', '127.0.0.1'],
      );
      assert.equal(request?.headers['x-mixed-case'], 'v');
      assert.equal(request?.headers['host'], 'test');
      assert.equal(Object.getPrototypeOf(request?.headers), null);
    });

    it('joins fields of one name and keeps odd names from doing harm', async () => {
      await start();
      const head = 'GET /headers HTTP/1.1\r\nHost: test\r\n';
      const reply = await exchange(
        `${head}X-A: 1\r\nx-a: 2\r\nX-API-Key: a\r\nX-API-Key: b\r\nconstructor: c\r\nX-Empty:\r\n\r\n`,
      );
      const headers = new Map(Object.entries(JSON.parse(reply.body)));
      assert.equal(headers.get('x-a'), '1, 2');
      assert.equal(headers.get('x-api-key'), 'a, b');
      assert.equal(headers.get('x-empty'), '');
      assert.equal(headers.get('constructor'), 'c');
      assert.equal(headers.size, 5);
    });

    it('answers with status, headers, Content-Length and Date', async () => {
      await start();
      const reply = await exchange(get('/text?5'));
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['content-length'], '15');
      assert.ok(Math.abs(Date.parse(reply.headers['date']!) - Date.now()) < 5_000);
      assert.equal(reply.body, '한한한한한');
    });

    it('reads a body with a Content-Length, in one piece and byte by byte', async () => {
      await start();
      assert.equal((await exchange(post('/echo', 'hello'))).body, 'POST 5 hello');
      assert.equal((await exchange(post('/echo', ''))).body, 'POST 0 ');
      const slow = client();
      for (const piece of inPieces(post('/echo', 'hé'), 1)) {
        slow.write(piece);
        await sleep(1);
      }
      assert.equal((await slow.reply())?.body, 'POST 3 hé');
    });

    it('reads a chunked body, however it is cut', async () => {
      await start();
      const head = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
      const message = `${head}5\r\nhello\r\nA\r\n, world...\r\n0\r\n\r\n`;
      assert.equal((await exchange(message)).body, 'POST 15 hello, world...');
      for (const size of [1, 3, 7]) {
        const cut = client();
        for (const piece of inPieces(message, size)) {
          cut.write(piece);
          await sleep(1);
        }
        assert.equal((await cut.reply())?.body, 'POST 15 hello, world...', `in pieces of ${size}`);
      }
    });

    it('asks for the body when the client expects to be asked', async () => {
      await start();
      const polite = client().write(post('/echo', '', { Expect: '100-continue', 'Content-Length': '5' }));
      await sleep(50);
      assert.match(polite.rest, /^HTTP\/1\.1 100 Continue/);
      polite.write('hello');
      assert.equal((await polite.reply())?.body, 'POST 5 hello');
    });

    it('takes a body of exactly the limit and refuses one byte more with 413', async () => {
      await start();
      assert.equal((await exchange(post('/echo', 'x'.repeat(MAX)))).status, 200);
      const same = client().write(post('/echo', 'x'.repeat(MAX + 1)));
      assert.deepEqual((await same.reply())?.body, 'body_too_large');
      // It was read to its end, so the connection goes on.
      assert.equal((await same.write(get('/now?next')).reply())?.body, 'now next');
      const size = (MAX + 1).toString(16);
      const chunked = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
      const reply = await exchange(`${chunked}${size}\r\n${'x'.repeat(MAX + 1)}\r\n0\r\n\r\n`);
      assert.equal(reply.status, 413);
    });

    it('refuses a body that is far too large without reading it, and hangs up', async () => {
      await start();
      const declared = client().write(post('/echo', '', { 'Content-Length': '1000000000' }));
      assert.equal((await declared.reply())?.status, 413);
      await declared.whenClosed();
      const endless = client().write(
        'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      for (let sent = 0; sent < 4 * DRAIN && !endless.closed; sent += 20_000) {
        endless.write(`4e20\r\n${'x'.repeat(20_000)}\r\n`);
        await sleep(1);
      }
      await endless.whenClosed();
      await assertAlive();
    });

    it('answers before the body has come, and reads on after it', async () => {
      await start();
      const early = client().write(post('/early', 'ab', { 'Content-Length': '4' }));
      assert.equal((await early.reply())?.status, 401);
      early.write('cd').write(get('/now?after'));
      assert.equal((await early.reply())?.body, 'now after');
    });

    it('ends a body that does not arrive in time with 408, and hangs up', async () => {
      await start();
      const stalled = client().write(post('/echo', 'abc', { 'Content-Length': '5' }));
      const dripping = client().write(post('/echo', '', { 'Content-Length': '500' }));
      const drip = setInterval(() => dripping.write('x'), 50);
      const replies = await Promise.all([stalled.reply(), dripping.reply()]);
      clearInterval(drip);
      for (const reply of replies) {
        assert.equal(reply?.status, 408);
        assert.equal(reply?.body, 'request_timeout');
      }
      await stalled.whenClosed();
      await assertAlive();
    });

    it('keeps the connection for many requests in turn', async () => {
      await start();
      const kept = client();
      for (let i = 0; i < 200; i++) {
        const sent = i % 2 ? post('/echo', `n${i}`) : get(`/later?${i % 3}`);
        const reply = await kept.write(sent).reply();
        assert.equal(reply?.body, i % 2 ? `POST ${1 + String(i).length} n${i}` : `later ${i % 3}`);
      }
    });

    it('answers pipelined requests in order where the answers are there at once', async () => {
      await start();
      const pipelining = client().write(Array.from({ length: 20 }, (_, i) => get(`/now?${i}`)).join(''));
      for (let i = 0; i < 20; i++) assert.equal((await pipelining.reply())?.body, `now ${i}`);
    });

    it('never mixes up pipelined requests whose answers take time', async () => {
      await start();
      const pipelining = client().write(get('/later?30') + get('/later?1'));
      const first = await pipelining.reply();
      // uWebSockets.js hangs up on such a client; what must not happen is the second answer as the first.
      if (name === 'uws') assert.equal(first, undefined);
      else {
        assert.equal(first?.body, 'later 30');
        assert.equal((await pipelining.reply())?.body, 'later 1');
      }
      await assertAlive();
    });

    it('answers HEAD as GET without a body', async () => {
      await start();
      const head = client().write(get('/text?2', 'HEAD'));
      const reply = await head.reply({ head: true });
      assert.deepEqual([reply?.status, reply?.headers['content-length']], [200, '6']);
      assert.equal((await head.write(get('/now?after')).reply())?.body, 'now after');
      assert.equal(seen.requests[0]?.method, 'HEAD');
    });

    it('answers 204 and 304 without a body', async () => {
      await start();
      for (const status of [204, 304]) {
        const bodiless = client().write(get(`/${status}`));
        const reply = await bodiless.reply();
        assert.equal(reply?.status, status);
        assert.equal((await bodiless.write(get('/now?after')).reply())?.body, 'now after');
      }
    });

    it('hands over any method', async () => {
      await start();
      for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        const body = await exchange(post('/echo', 'x').replace('POST', method));
        assert.equal(body.body, `${method} 1 x`);
      }
    });

    it('never hands over a request that is not valid HTTP', async () => {
      await start();
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
        const bad = client().write(sent);
        const reply = await bad.reply({ ms: 100 }).catch(() => undefined);
        if (reply) assert.ok(reply.status >= 400, `${JSON.stringify(sent.slice(0, 60))}: ${reply.status}`);
      }
      const handled = seen.requests.filter((request) => request.headers['content-length'] !== '-1');
      assert.deepEqual(
        handled.map(({ path }) => path),
        [],
      );
      await assertAlive();
    });

    it('does not take what follows an ambiguous length for a request', async () => {
      await start();
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
        const attacker = client().write(message);
        const reply = await attacker.reply({ ms: 1_000 }).catch(() => undefined);
        if (reply) assert.ok(reply.status >= 400, `${message}\n${reply.status}`);
        await attacker.whenClosed();
        assert.equal(attacker.rest.includes('smuggled'), false, message);
      }
      await assertAlive();
    });

    it('takes or refuses, but never misreads, what uWebSockets.js is known not to understand', async () => {
      await start();
      const cut = client().write('GET /no');
      await sleep(20);
      assert.equal(
        (await cut.write('w?cut HTTP/1.1\r\nHost: test\r\n\r\n').reply())?.status,
        name === 'uws' ? 505 : 200,
      );
      const old = client().write('GET /now?old HTTP/1.0\r\nHost: test\r\n\r\n');
      assert.equal((await old.reply())?.status, name === 'uws' ? 505 : 200);
      const underscore = client().write('GET /now?x HTTP/1.1\r\nHost: test\r\n__proto__: c\r\n\r\n');
      const reply = await underscore.reply({ ms: 200 }).catch(() => undefined);
      assert.equal(reply?.status, name === 'uws' ? undefined : 200);
      await assertAlive();
    });

    it('lets a request head of 8 KiB with 50 fields pass', async () => {
      await start();
      const fields = Array.from({ length: 50 }, (_, i) => `X-Field-${i}: ${'v'.repeat(140)}\r\n`).join('');
      assert.equal((await exchange(`GET /now?ok HTTP/1.1\r\nHost: test\r\n${fields}\r\n`)).body, 'now ok');
    });

    it('turns whatever a handler does wrong into a bare 500 and tells of it', async () => {
      await start();
      for (const path of ['/throw', '/reject', '/nothing', '/bad-header']) {
        const reply = await exchange(get(path));
        assert.deepEqual([reply.status, reply.body], [500, '{"detail":"internal error"}'], path);
        assert.equal(reply.headers['set-cookie'], undefined);
      }
      assert.equal(seen.errors.length, 4);
    });

    it('writes large answers whole, to fast and to slow readers', async () => {
      await start();
      for (const size of [0, 1, 65_536, 65_537, 1_000_000, 20_000_000]) {
        const reply = await exchange(get(`/big?${size}`));
        assert.equal(reply.body.length, size);
        assert.equal(
          Buffer.from(reply.body).every((byte) => byte === 0x62),
          true,
        );
      }
      assert.equal((await exchange(get('/text?100000'))).body, '한'.repeat(100_000));
      const slow = client();
      slow.socket.pause();
      slow.write(get('/big?20000000'));
      await sleep(300);
      slow.socket.resume();
      assert.equal((await slow.reply())?.body.length, 20_000_000);
      assert.equal((await slow.write(get('/now?after')).reply())?.body, 'now after');
    });

    it('tells when the client goes away', async () => {
      await start();
      const leaving = [client().write(get('/wait?get')), client().write(post('/wait?post', 'body'))];
      while (seen.requests.length < 2) await sleep(5);
      assert.ok(seen.requests.every((request) => !request.isGone));
      for (const left of leaving) left.destroy();
      while (seen.aborted.length < 2) await sleep(5);
      assert.deepEqual(seen.aborted.sort(), ['get', 'post']);
      await assertAlive();
    });

    it('does not say so after an answer', async () => {
      await start();
      const done = client().write(get('/later?1'));
      await done.reply();
      const request = seen.requests[0]!;
      request.onGone(() => seen.aborted.push('late'));
      done.destroy();
      await sleep(50);
      assert.equal(request.isGone, false);
      assert.deepEqual(seen.aborted, []);
    });

    it('survives a thousand clients that go away at every moment', async () => {
      await start();
      const large = post('/echo', 'x'.repeat(5_000));
      for (let i = 0; i < 1_000; i++) {
        const leaving = client();
        const kind = i % 5;
        if (kind === 0) leaving.write(get('/wait?x'));
        else if (kind === 1) leaving.write(large.slice(0, (i * 37) % large.length));
        else if (kind === 2) leaving.write(get(`/later?${i % 20}`));
        else if (kind === 3) leaving.write(get('/big?5000000'));
        else leaving.write(get('/reject'));
        if (i % 7 === 0) leaving.socket.resetAndDestroy();
        else setTimeout(() => leaving.destroy(), i % 15);
        if (i % 20 === 0) await sleep(5);
      }
      await sleep(100);
      await assertAlive();
    });

    it('serves many clients at once', async () => {
      await start();
      const replies = await Promise.all(
        Array.from({ length: 300 }, async (_, i) => {
          const one = client();
          const first = await one.write(get(`/later?${i % 50}`)).reply();
          const second = await one.write(post('/echo', `c${i}`)).reply();
          return [first?.body, second?.body];
        }),
      );
      for (const [i, [first, second]] of replies.entries()) {
        assert.equal(first, `later ${i % 50}`);
        assert.ok(second?.endsWith(` c${i}`));
      }
    });

    it('finishes running requests on close, takes no new connection, and closes idle ones', async () => {
      await start();
      const idle = client();
      await idle.write(get('/now?x')).reply();
      const running = client().write(get('/later?200'));
      const large = client().write(get('/big?20000000'));
      large.socket.pause();
      while (seen.requests.length < 3) await sleep(5);
      const closing = adapter!.close(5_000);
      adapter = undefined;
      const refused = client();
      setTimeout(() => large.socket.resume(), 100);
      const [reply, whole] = await Promise.all([running.reply(), large.reply()]);
      assert.equal(reply?.body, 'later 200');
      assert.equal(reply?.headers['connection']?.toLowerCase(), 'close');
      assert.equal(whole?.body.length, 20_000_000);
      await closing;
      await Promise.all([idle.whenClosed(), running.whenClosed(), refused.whenClosed()]);
    });

    it('hangs up on what still runs when the grace time is over', async () => {
      await start();
      const stuck = client().write(get('/wait?stuck'));
      while (seen.requests.length < 1) await sleep(5);
      const before = Date.now();
      await adapter!.close(100);
      adapter = undefined;
      await stuck.whenClosed();
      const took = Date.now() - before;
      assert.ok(took >= 90 && took < 2_000, `${took} ms`);
      await sleep(20);
      assert.deepEqual(seen.aborted, ['stuck']);
    });

    it('hangs up on a client that does not take its answer in time, and on no other', async () => {
      await start({ writeTimeoutMs: 600 });
      const stuck = client();
      stuck.socket.pause();
      stuck.write(get('/big?20000000'));
      const dripping = client();
      dripping.socket.pause();
      dripping.write(get('/big?20000000'));
      const drip = setInterval(() => dripping.socket.read(1), 50);
      assert.equal((await exchange(get('/big?1000'))).body.length, 1000);
      while (adapter!.activeRequests < 2) await sleep(5);
      while (adapter!.activeRequests > 0) await sleep(20);
      clearInterval(drip);
      stuck.socket.resume();
      await stuck.whenClosed();
      await assertAlive();
    });

    it('counts connections and closes those above the cap as they come', async () => {
      await start({ connectionsMax: 5 });
      const kept = Array.from({ length: 5 }, () => client());
      for (const one of kept) assert.equal((await one.write(get('/now?kept')).reply())?.body, 'now kept');
      assert.equal(adapter!.connections, 5);
      const above = client();
      await above.whenClosed();
      assert.equal((await kept[0]!.write(get('/now?still')).reply())?.body, 'now still');
      kept[1]!.destroy();
      while (adapter!.connections > 4) await sleep(5);
      assert.equal((await client().write(get('/now?next')).reply())?.body, 'now next');
    });

    it('asks for the address of a client, with what the headers say', async () => {
      await start({ clientAddress: (peer, headers) => `${peer} ${headers['x-forwarded-for']}` });
      const reply = await exchange('GET /address HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n');
      assert.equal(reply.body, '127.0.0.1 1.2.3.4');
    });

    it('serves HTTPS, takes another certificate for new connections, and keeps those that are open', async (t) => {
      const files = identityFiles(A);
      t.after(() => files.remove());
      await start({ tls: files });
      const before = await secure(port, A.cert);
      assert.equal(await before.ask('/now?first'), 'now first');
      assert.equal(await before.ask('/big?200000'), 'b'.repeat(200_000));
      files.write(B);
      adapter!.replaceTls(files);
      const after = await secure(port, B.cert);
      assert.equal(await after.ask('/now?new'), 'now new');
      assert.equal(await before.ask('/now?old'), 'now old');
      await assert.rejects(secure(port, A.cert), 'the old certificate is gone');
      // Plain HTTP on a TLS port, and half a handshake.
      const plain = client().write(get('/now?plain'));
      client().write('\x16\x03\x01\x00\xa5\x01');
      assert.notEqual((await plain.reply({ ms: 1_000 }).catch(() => undefined))?.status, 200);
      assert.equal(await after.ask('/now?alive'), 'now alive');
      const running = after.ask('/later?150');
      while (adapter!.activeRequests < 1) await sleep(5);
      const closing = adapter!.close(5_000);
      adapter = undefined;
      assert.equal(await running, 'later 150');
      await closing;
      for (const one of [before, after]) one.end();
    });

    it('refuses a certificate that is none, and goes on with the one it has', async (t) => {
      const files = identityFiles(A);
      t.after(() => files.remove());
      await start({ tls: files });
      files.write({ cert: 'nothing', key: 'nothing' });
      assert.throws(() => adapter!.replaceTls(files));
      const one = await secure(port, A.cert);
      assert.equal(await one.ask('/now?still'), 'now still');
      one.end();
    });

    it('says so when the port is taken', async () => {
      await start();
      const second = create({
        handler: () => text(''),
        bodyMaxBytes: MAX,
        bodyDrainMaxBytes: DRAIN,
        bodyTimeoutMs: TIMEOUT,
        writeTimeoutMs: WRITE_TIMEOUT,
        connectionsMax: 1_000,
        onError: () => {},
      });
      await assert.rejects(
        second.listen('127.0.0.1', port),
        (error: unknown) =>
          isPriorartError(error) && error.code === 'cannot_listen' && error.message.includes(String(port)),
      );
      await assertAlive();
    });

    it('works with an ordinary HTTP client', async () => {
      await start();
      const body = await new Promise<string>((resolve, reject) => {
        const sent = httpRequest({ port, method: 'POST', path: '/echo' }, (answer) => {
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
      const fetched = await fetch(`http://127.0.0.1:${port}/echo`, {
        method: 'PUT',
        body: 'x'.repeat(DRAIN / 2),
      });
      assert.equal(fetched.status, 413);
      await fetched.text();
    });
  });
}

describe('addresses of uWebSockets.js', () => {
  it('are written as people write them', () => {
    assert.equal(addressText(Uint8Array.of(10, 0, 0, 1)), '10.0.0.1');
    assert.equal(addressText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1)), '10.0.0.1');
    assert.equal(addressText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), '::1');
    const documentation = Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaf);
    assert.equal(addressText(documentation), '2001:db8::af');
    assert.equal(addressText(new Uint8Array(0)), '');
  });
});
