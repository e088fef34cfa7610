/** Answers of an adapter. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, onEachHttpAdapter } from './adapter-server.js';
import { get, post } from './raw.js';

onEachHttpAdapter('answers', (server, name) => {
  it('answers with status, headers, Content-Length and Date', async () => {
    await server.start();
    const reply = await server.exchange(get('/text?5'));
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'text/plain');
    assert.equal(reply.headers['content-length'], '15');
    assert.ok(
      Math.abs(Date.parse(reply.headers['date']!) - Date.now()) < 5_000,
      `expected the time of now: ${reply.headers['date']}`,
    );
    assert.equal(reply.body, '한한한한한');
  });

  it('keeps the connection for many sequential requests', async () => {
    await server.start();
    const kept = server.client();
    for (let i = 0; i < 200; i++) {
      const sent = i % 2 ? post('/echo', `n${i}`) : get(`/later?${i % 3}`);
      const reply = await kept.write(sent).reply();
      assert.equal(reply?.body, i % 2 ? `POST ${1 + String(i).length} n${i}` : `later ${i % 3}`);
    }
  });

  it('answers pipelined requests in order if the answers are immediate', async () => {
    await server.start();
    const pipelining = server.client().write(Array.from({ length: 20 }, (_, i) => get(`/now?${i}`)).join(''));
    for (let i = 0; i < 20; i++) assert.equal((await pipelining.reply())?.body, `now ${i}`);
  });

  it('answers a request that arrives during another one, in order', async () => {
    await server.start();
    const pipelining = server.client().write(post('/later?200', 'a'));
    while (server.seen.requests.length < 1) await sleep(5);
    pipelining.write(post('/echo', 'b') + get('/now?c'));
    assert.equal((await pipelining.reply())?.body, 'later 200');
    assert.equal((await pipelining.reply())?.body, 'POST 1 b');
    if (name === 'node') assert.equal((await pipelining.reply())?.body, 'now c');
  });

  it('never mixes up pipelined requests with delayed answers', async () => {
    await server.start();
    const pipelining = server.client().write(get('/later?30') + get('/later?1'));
    const first = await pipelining.reply();
    // uWebSockets.js closes the connection; the second answer must never come first.
    if (name === 'uws') assert.equal(first, undefined);
    else {
      assert.equal(first?.body, 'later 30');
      assert.equal((await pipelining.reply())?.body, 'later 1');
    }
    await server.assertAlive();
  });

  it('answers HEAD as GET without a body', async () => {
    await server.start();
    const head = server.client().write(get('/text?2', 'HEAD'));
    const reply = await head.reply({ head: true });
    assert.deepEqual([reply?.status, reply?.headers['content-length']], [200, '6']);
    assert.equal((await head.write(get('/now?after')).reply())?.body, 'now after');
    assert.equal(server.seen.requests[0]?.method, 'HEAD');
  });

  it('answers 204 and 304 without a body', async () => {
    await server.start();
    for (const status of [204, 304]) {
      const bodiless = server.client().write(get(`/${status}`));
      const reply = await bodiless.reply();
      assert.equal(reply?.status, status);
      assert.equal((await bodiless.write(get('/now?after')).reply())?.body, 'now after');
    }
  });

  it('turns every error of a handler into a bare 500 and reports it', async () => {
    await server.start();
    for (const path of ['/throw', '/reject', '/nothing', '/bad-header']) {
      const reply = await server.exchange(get(path));
      assert.deepEqual([reply.status, reply.body], [500, '{"detail":"internal error"}'], path);
      assert.equal(reply.headers['set-cookie'], undefined);
    }
    assert.equal(server.seen.errors.length, 4);
  });

  it('writes large answers completely, to fast and to slow readers', async () => {
    await server.start();
    for (const size of [0, 1, 65_536, 65_537, 1_000_000, 20_000_000]) {
      const reply = await server.exchange(get(`/big?${size}`));
      assert.equal(reply.body.length, size);
      assert.equal(
        Buffer.from(reply.body).every((byte) => byte === 0x62),
        true,
      );
    }
    assert.equal((await server.exchange(get('/text?100000'))).body, '한'.repeat(100_000));
    for (const size of [1, 30_000, 100_000])
      assert.equal((await server.exchange(get(`/latin?${size}`))).body, 'é'.repeat(size));
    const slow = server.client();
    slow.socket.pause();
    slow.write(get('/big?20000000'));
    await sleep(300);
    slow.socket.resume();
    assert.equal((await slow.reply())?.body.length, 20_000_000);
    assert.equal((await slow.write(get('/now?after')).reply())?.body, 'now after');
  });

  it('streams a source completely, to fast and to slow readers, with little of it in memory', async () => {
    await server.start();
    const expected = (length: number) => bytesOf(0, length).toString('latin1');
    const large = expected(20_000_000);
    for (const size of [0, 1, 65_536, 65_537, 3_000_000]) {
      const reply = await server.exchange(get(`/source?${size}`));
      assert.deepEqual([reply.status, reply.headers['content-length']], [200, String(size)]);
      assert.equal(reply.body === expected(size), true, `${size} bytes`);
    }
    const slow = server.client();
    slow.socket.pause();
    slow.write(get('/source?20000000'));
    while (server.seen.sources.length < 6) await sleep(5);
    const source = server.seen.sources.at(-1)!;
    // The source is read only as far as the sockets on both sides accept data.
    let before = -1;
    while (source.at !== before) {
      before = source.at;
      await sleep(200);
    }
    assert.ok(source.at < 15_000_000, `${source.at} bytes were read for a client that takes none`);
    slow.socket.resume();
    const whole = await slow.reply({ ms: 60_000 });
    assert.equal(whole?.body === large, true);
    assert.equal((await slow.write(get('/now?after')).reply())?.body, 'now after');
    for (const one of server.seen.sources) {
      assert.ok(one.largest <= 65_536, `expected reads of at most 65,536 bytes: ${one.largest}`);
      assert.equal(one.closed, 1);
    }
  });

  it('reads nothing from a source for a HEAD', async () => {
    await server.start();
    const head = server.client().write(get('/source?1000000', 'HEAD'));
    const reply = await head.reply({ head: true });
    assert.deepEqual([reply?.status, reply?.headers['content-length']], [200, '1000000']);
    assert.equal((await head.write(get('/now?after')).reply())?.body, 'now after');
    assert.deepEqual([server.seen.sources[0]?.at, server.seen.sources[0]?.closed], [0, 1]);
  });

  it('answers 500 for a source without data, closes the connection if it fails later, and closes it when its client disconnects', async () => {
    await server.start();
    const nothing = await server.exchange(get('/source?1000,0'));
    assert.deepEqual([nothing.status, nothing.body], [500, '{"detail":"internal error"}']);
    const half = server.client().write(get('/source?1000000,500000'));
    assert.equal(await half.reply(), undefined, 'half of it is not an answer');
    await half.whenClosed();
    assert.equal(server.seen.errors.length, 2);
    const leaving = server.client();
    leaving.socket.pause();
    leaving.write(get('/source?20000000'));
    while (server.seen.sources.length < 3 || server.seen.sources[2]!.at === 0) await sleep(5);
    leaving.destroy();
    while (server.seen.sources[2]!.closed === 0) await sleep(5);
    await server.assertAlive();
    assert.deepEqual(
      server.seen.sources.map(({ closed }) => closed),
      [1, 1, 1],
    );
  });
});
