/** Attacks by clients on a server's sockets, on both adapters. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isPriorartError } from '../../src/errors.js';
import {
  HEAD_MAX_BYTES,
  type HttpAdapter,
  type HttpHandler,
  IDLE_TIMEOUT_MS,
} from '../../src/http/adapters/adapter.js';
import { ADAPTERS, CREATE } from '../adapters.js';
import { until } from '../until.js';
import { get, RawClient } from './raw.js';

/** 10,000 on request: they take a while, and as many descriptors on both sides. */
const IDLE = Number(process.env['PRIORART_TEST_CONNECTIONS'] ?? 2_000);
const descriptors = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
const noDescriptors =
  descriptors >= IDLE + 500
    ? false
    : `${IDLE} connections need more than the ${descriptors} descriptors there are`;
const MEGABYTE = 1 << 20;

const handler: HttpHandler = async (request) => {
  const reply = (status: number, body: string) => ({ status, headers: {}, body });
  if (request.path === '/big') return reply(200, 'b'.repeat(Number(request.query)));
  if (request.path === '/wait') {
    await new Promise<void>((resolve) => request.onGone(resolve));
    return undefined;
  }
  try {
    return reply(200, `${(await request.body()).length}`);
  } catch (error) {
    if (!isPriorartError(error)) throw error;
    return request.isGone ? undefined : reply(error.status, error.code);
  }
};

for (const name of ADAPTERS) {
  describe(`floods (${name})`, () => {
    let adapter: HttpAdapter;
    let port: number;
    let clients: RawClient[] = [];

    async function start(): Promise<void> {
      adapter = CREATE[name]({
        handler,
        bodyMaxBytes: 10_000,
        bodyDrainMaxBytes: 20_000,
        bodyTimeoutMs: 8_000,
        writeTimeoutMs: 5_000,
        connectionsMax: 50_000,
        refuse: ({ status, detail }) => ({ status, headers: {}, body: detail }),
        onError: (error) => assert.fail(String(error)),
      });
      port = await adapter.listen('127.0.0.1', 0);
    }

    const client = () => {
      const made = new RawClient(port);
      clients.push(made);
      return made;
    };

    afterEach(async () => {
      for (const one of clients) one.destroy();
      clients = [];
      await adapter.close(100);
    });

    async function assertAlive(): Promise<void> {
      const one = client();
      assert.equal((await one.write(get('/alive')).reply({ ms: 30_000 }))?.body, '0');
      one.destroy();
    }

    it(`serves requests beside ${IDLE} idle or incomplete connections`, {
      skip: noDescriptors,
    }, async (t) => {
      await start();
      const before = process.memoryUsage.rss();
      const script = fileURLToPath(new URL('./idle-clients.js', import.meta.url));
      const crowd = spawn(process.execPath, [script, String(port), String(IDLE)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => crowd.kill('SIGKILL'));
      const said = await new Promise<string>((resolve) =>
        crowd.stdout.once('data', (text) => resolve(String(text))),
      );
      assert.equal(said, `open ${IDLE}\n`);
      await until(() => adapter.connections >= IDLE, 'all are connected');
      assert.equal(adapter.connections, IDLE);
      const kilobytes = (process.memoryUsage.rss() - before) / 1024 / IDLE;
      t.diagnostic(`${kilobytes.toFixed(1)} KB a connection, ${adapter.connections} open`);
      assert.ok(kilobytes < 40, `${kilobytes} KB a connection`);
      await assertAlive();
      crowd.kill('SIGKILL');
      await until(() => adapter.connections === 0, 'all are gone');
      assert.deepEqual([adapter.connections, adapter.activeRequests], [0, 0], 'nothing is left of them');
      await assertAlive();
    });

    it('stays alive if clients reset connections, also within what is not answered', async () => {
      await start();
      const connect = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';
      for (const sent of [connect, get('/wait') + connect, get('/wait'), 'garbage\r\n\r\n', 'GET /no']) {
        for (const pause of [0, 5, 20]) {
          const one = client().write(sent);
          await sleep(pause);
          one.socket.resetAndDestroy();
        }
      }
      await until(() => adapter.activeRequests === 0, 'all requests have ended');
      await assertAlive();
    });

    it('closes a connection that sends many requests and waits for no answer', {
      skip: name === 'node' ? false : 'uWebSockets.js reads one request of a connection at a time',
    }, async () => {
      await start();
      const flood = client().write(get('/wait').repeat(5_000));
      await flood.whenClosed();
      await until(() => adapter.activeRequests === 0, 'all requests have ended');
      await assertAlive();
    });

    it('closes connections that never finish their head or their body', async () => {
      await start();
      const silent = client();
      const half = client().write('GET /now HTTP/1.1\r\nHost: test\r\n');
      const dripping = client().write('GET /now HTTP/1.1\r\nHost: test\r\n');
      const drip = setInterval(() => dripping.write('x-a: b\r\n'), 500);
      const body = client().write('POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nab');
      const longest = 2 * IDLE_TIMEOUT_MS;
      await Promise.all([silent, half, dripping, body].map((one) => one.whenClosed(longest)));
      clearInterval(drip);
      assert.match(body.rest, /^HTTP\/1\.1 408 /);
      await assertAlive();
    });

    it('ends an endless head, of long fields or of many, and keeps no part of it', async () => {
      await start();
      const before = process.memoryUsage.rss();
      const fields = [
        (_: number) => `x-long: ${'v'.repeat(2_000)}\r\n`,
        (n: number) => `x-${n}: v\r\n`,
        (_: number) => 'y'.repeat(1_000),
      ];
      for (const field of fields) {
        const flood = client().write('GET /now HTTP/1.1\r\nHost: test\r\n');
        let sent = 0;
        for (let n = 0; !flood.closed && sent < 50 * HEAD_MAX_BYTES; n++) {
          const text = field(n);
          sent += text.length;
          flood.write(text);
          if (n % 50 === 0) await sleep(1);
        }
        await flood.whenClosed();
        if (flood.rest !== '') assert.match(flood.rest, /^HTTP\/1\.1 4(?:00|31) /);
      }
      assert.ok(
        process.memoryUsage.rss() - before < 50 * MEGABYTE,
        `expected less than 50 MB: ${(process.memoryUsage.rss() - before) / MEGABYTE} MB`,
      );
      await assertAlive();
    });

    it('answers 431 for a complete head with too many bytes', async () => {
      await start();
      const fields = Array.from({ length: 60 }, (_, n) => `x-${n}: ${'v'.repeat(HEAD_MAX_BYTES / 50)}\r\n`);
      const flood = client().write(`GET /now HTTP/1.1\r\nHost: test\r\n${fields.join('')}\r\n`);
      const reply = await flood.reply().catch(() => undefined);
      if (reply) assert.equal(reply.status, 431);
      await flood.whenClosed();
      await assertAlive();
    });

    it('bounds the cost of a client that sends requests and never reads answers', async (t) => {
      await start();
      const before = process.memoryUsage.rss();
      const greedy = client();
      greedy.socket.pause();
      const burst = get('/big?2000').repeat(100);
      let most = 0;
      for (let n = 0; n < 400 && !greedy.closed; n++) {
        if (greedy.socket.writableLength < MEGABYTE) greedy.write(burst);
        await sleep(1);
        most = Math.max(most, process.memoryUsage.rss() - before);
      }
      t.diagnostic(`${(most / MEGABYTE).toFixed(0)} MB at most`);
      assert.ok(most < 50 * MEGABYTE, `${most} bytes`);
      await assertAlive();
    });

    it('survives chunked bodies with wrong lengths', async () => {
      await start();
      const head = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
      const bodies = [
        'ffffffffffffffff\r\nx',
        '-1\r\nx\r\n0\r\n\r\n',
        'zz\r\nx\r\n',
        '5\r\nhello0\r\n\r\n',
        `1;${'e'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`,
        '0\r\nTrailer: x\r\n\r\n',
        `${'0'.repeat(10_000)}1\r\nx\r\n0\r\n\r\n`,
      ];
      for (const body of bodies) {
        const liar = client().write(head + body);
        const reply = await liar.reply({ ms: 300 }).catch(() => undefined);
        if (reply?.status === 200) assert.ok(Number(reply.body) <= 5, body.slice(0, 40));
        liar.destroy();
      }
      await assertAlive();
    });
  });
}
