/** Clients that connect, disconnect and stay, many at once; shutdown of an adapter. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPriorartError } from '../../src/errors.js';
import { until } from '../until.js';
import { bytesOf, onEachHttpAdapter } from './adapter-server.js';
import { get, post } from './raw.js';

onEachHttpAdapter('connections', (server) => {
  it('answers a client that closes its sending side after its request', async () => {
    await server.start();
    // uWebSockets.js closes the connection while data waits for space in the socket.
    const bytes = server.adapter!.name === 'node' ? 20_000_000 : 50_000;
    const large = get(`/later-big?${bytes}`);
    for (const sent of [get('/later?100'), post('/later?100', 'body'), post('/echo', 'body'), large]) {
      const half = server.client();
      half.socket.end(sent);
      const reply = await half.reply();
      assert.equal(reply?.status, 200, sent.slice(0, 40));
      while (!half.closed) await sleep(5);
    }
    assert.deepEqual(server.seen.aborted, []);
    await server.assertAlive();
  });

  it('closes the connection of a client that closed its sending side, after a maximum wait', async () => {
    await server.start({ halfClosedMs: 200 });
    const half = server.client();
    half.socket.end(get('/wait?half'));
    while (!half.closed) await sleep(5);
    assert.deepEqual(server.seen.aborted, ['half']);
    await server.assertAlive();
  });

  it('works longer than that if the client stays', async () => {
    await server.start({ halfClosedMs: 50 });
    const [later, posted] = await Promise.all([
      server.exchange(get('/later?500')),
      server.exchange(post('/later?500', 'body')),
    ]);
    assert.deepEqual([later.body, posted.body], ['later 500', 'later 500']);
  });

  it('reports when the client disconnects', async () => {
    await server.start({ halfClosedMs: 200 });
    const leaving = [
      server.client().write(get('/wait?get')),
      server.client().write(post('/wait?post', 'body')),
    ];
    while (server.seen.requests.length < 2) await sleep(5);
    assert.ok(server.seen.requests.every((request) => !request.isGone));
    for (const left of leaving) left.destroy();
    while (server.seen.aborted.length < 2) await sleep(5);
    assert.deepEqual(server.seen.aborted.sort(), ['get', 'post']);
    await server.assertAlive();
  });

  it('forgets the pipelined requests of a connection that closes before their answers are sent', async () => {
    await server.start();
    const adapter = server.adapter!;
    const client = server.client();
    client.socket.pause();
    client.write(get('/later-big?20000000').repeat(20));
    // uWebSockets.js closes a connection with pipelined requests that are answered later.
    if (adapter.name === 'node') await until(() => adapter.activeRequests === 20, 'the requests are running');
    await sleep(50);
    client.destroy();
    await until(() => adapter.activeRequests === 0, 'no request is left');
    await server.assertAlive();
  });

  it('does not report a disconnect after an answer', async () => {
    await server.start();
    const done = server.client().write(get('/later?1'));
    await done.reply();
    const request = server.seen.requests[0]!;
    request.onGone(() => server.seen.aborted.push('late'));
    done.destroy();
    await sleep(50);
    assert.equal(request.isGone, false);
    assert.deepEqual(server.seen.aborted, []);
  });

  it('frees the bytes of an answer when they are sent, and not before', async () => {
    await server.start();
    for (const bytes of [100, 5_000, 300_000, 8_000_000]) {
      const slow = server.client().write(get(`/own?${bytes}`));
      slow.socket.pause();
      await until(() => server.seen.owned.length > 0, 'the answer is being sent');
      setTimeout(() => slow.socket.resume(), 20);
      const reply = await slow.reply();
      assert.ok(reply?.body === bytesOf(0, bytes).toString(), `${bytes} bytes as they were`);
      const [body] = server.seen.owned.splice(0);
      // A few bytes are not worth it.
      if (bytes > 4096) await until(() => body!.length === 0, `${bytes} bytes are free`);
      else assert.equal(body!.length, bytes);
    }
  });

  it('clients that leave while such an answer is sent disturb no other client', async () => {
    await server.start();
    for (let n = 0; n < 100; n++) {
      const leaving = server.client().write(get(`/own?${(n * 77_777) % 3_000_000}`));
      setTimeout(() => leaving.socket.resetAndDestroy(), n % 10);
      if (n % 10 === 0) {
        const reply = await server.client().write(get('/own?200000')).reply();
        assert.ok(reply?.body === bytesOf(0, 200_000).toString());
      }
    }
    await server.assertAlive();
  });

  it('survives a thousand clients that disconnect at any moment', async () => {
    await server.start();
    const large = post('/echo', 'x'.repeat(5_000));
    for (let i = 0; i < 1_000; i++) {
      const leaving = server.client();
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
    await server.assertAlive();
  });

  it('serves many clients at once', async () => {
    await server.start();
    const replies = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const one = server.client();
        const first = await one.write(get(`/later?${i % 50}`)).reply();
        const second = await one.write(post('/echo', `c${i}`)).reply();
        return [first?.body, second?.body];
      }),
    );
    for (const [i, [first, second]] of replies.entries()) {
      assert.equal(first, `later ${i % 50}`);
      assert.ok(second?.endsWith(` c${i}`), `expected the second answer of client ${i}: ${second}`);
    }
  });

  it('on close, finishes running requests, accepts no connection, and closes idle ones', async () => {
    await server.start();
    const idle = server.client();
    await idle.write(get('/now?x')).reply();
    const running = server.client().write(get('/later?200'));
    const large = server.client().write(get('/big?20000000'));
    large.socket.pause();
    while (server.seen.requests.length < 3) await sleep(5);
    const closing = server.adapter!.close(5_000);
    server.adapter = undefined;
    const refused = server.client();
    setTimeout(() => large.socket.resume(), 100);
    const [reply, whole] = await Promise.all([running.reply(), large.reply()]);
    assert.equal(reply?.body, 'later 200');
    assert.equal(reply?.headers['connection']?.toLowerCase(), 'close');
    assert.equal(whole?.body.length, 20_000_000);
    await closing;
    await Promise.all([idle.whenClosed(), running.whenClosed(), refused.whenClosed()]);
  });

  it('closes connections with running requests after the grace time', async () => {
    await server.start();
    const stuck = server.client().write(get('/wait?stuck'));
    while (server.seen.requests.length < 1) await sleep(5);
    const before = Date.now();
    await server.adapter!.close(100);
    server.adapter = undefined;
    await stuck.whenClosed();
    assert.ok(
      Date.now() - before >= 90,
      `expected a wait of 100 ms for the running request: ${Date.now() - before} ms`,
    );
    while (server.seen.aborted.length === 0) await sleep(5);
    assert.deepEqual(server.seen.aborted, ['stuck']);
  });

  it('closes only the connection of a client that does not read its answer in time', async () => {
    await server.start({ writeTimeoutMs: 600 });
    const stuck = server.client();
    stuck.socket.pause();
    stuck.write(get('/big?20000000'));
    const dripping = server.client();
    dripping.socket.pause();
    dripping.write(get('/big?20000000'));
    const drip = setInterval(() => dripping.socket.read(1), 50);
    assert.equal((await server.exchange(get('/big?1000'))).body.length, 1000);
    while (server.seen.requests.length < 3) await sleep(5);
    while (server.adapter!.activeRequests > 0) await sleep(20);
    clearInterval(drip);
    stuck.socket.resume();
    await stuck.whenClosed();
    await server.assertAlive();
  });

  it('counts connections and closes new ones above the limit', async () => {
    await server.start({ connectionsMax: 5 });
    const kept = Array.from({ length: 5 }, () => server.client());
    for (const one of kept) assert.equal((await one.write(get('/now?kept')).reply())?.body, 'now kept');
    assert.equal(server.adapter!.connections, 5);
    const above = server.client();
    await above.whenClosed();
    assert.equal((await kept[0]!.write(get('/now?still')).reply())?.body, 'now still');
    kept[1]!.destroy();
    while (server.adapter!.connections > 4) await sleep(5);
    assert.equal((await server.client().write(get('/now?next')).reply())?.body, 'now next');
  });

  it('reports a port that is in use', async () => {
    await server.start();
    const { port } = server;
    await assert.rejects(
      server.make().listen('127.0.0.1', port),
      (error: unknown) =>
        isPriorartError(error) && error.code === 'cannot_listen' && error.message.includes(String(port)),
    );
    await server.assertAlive();
  });
});
