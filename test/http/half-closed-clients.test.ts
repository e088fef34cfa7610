/**
 * Many clients that close their sending side after a request, beside slow readers and clients that reset their
 * connections.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.js';
import { onEachHttpAdapter } from './adapter-server.js';
import { post } from './raw.js';

const HALF_CLOSED = 1_000;
const OTHERS = 200;
const LARGE = 300_000;
/** Maximum number of concurrent clients; others would only wait in the accept queue. */
const AT_ONCE = 100;

interface Ended {
  bytes: number;
  isOk: boolean;
}

/** Sends a request; resolves with the received data when the connection ends. */
function ended(port: number, sent: string, how: 'half-closed' | 'slow' | 'reset'): Promise<Ended> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: how === 'half-closed' });
    let bytes = 0;
    let isOk = false;
    socket.on('data', (chunk) => {
      if (bytes === 0) isOk = chunk.toString('latin1').startsWith('HTTP/1.1 200');
      bytes += chunk.length;
      if (how !== 'slow') return;
      if (bytes >= LARGE) socket.destroy();
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve({ bytes, isOk }));
    if (how === 'half-closed') socket.end(sent);
    else socket.write(sent, () => how === 'reset' && socket.resetAndDestroy());
  });
}

onEachHttpAdapter('many half-closed clients', (server) => {
  it('each client is answered, beside slow readers and resets, and all of its data is freed', async () => {
    // Longer than the test. Another test covers this time-out.
    await server.start({ connectionsMax: 10_000, halfClosedMs: 60_000 });
    const halfClosed: Promise<Ended>[] = [];
    const slow: Promise<Ended>[] = [];
    const reset: Promise<Ended>[] = [];
    for (let n = 0; n < HALF_CLOSED; n++) {
      halfClosed.push(ended(server.port, post(`/later?${n % 300}`, 'body'), 'half-closed'));
      if (n % (HALF_CLOSED / OTHERS) === 0) {
        slow.push(ended(server.port, post(`/later-big?${LARGE}`, 'body'), 'slow'));
        reset.push(ended(server.port, post('/later?100', 'body'), 'reset'));
      }
      if (n % AT_ONCE === 0) await sleep(1);
    }
    assert.equal((await Promise.all(halfClosed)).filter(({ isOk }) => isOk).length, HALF_CLOSED);
    assert.equal((await Promise.all(slow)).filter(({ bytes }) => bytes >= LARGE).length, OTHERS);
    await Promise.all(reset);
    await until(() => server.adapter!.activeRequests === 0, 'no request is left');
    await until(() => server.adapter!.connections === 0, 'no connection is left');
    assert.deepEqual(server.seen.errors, []);
    await server.assertAlive();
  });

  it('clients that stay are never disconnected, for any number of checks', async () => {
    await server.start({ connectionsMax: 10_000, halfClosedMs: 20 });
    const asked = Array.from({ length: AT_ONCE }, () => server.exchange(post('/later?500', 'body')));
    assert.deepEqual([...new Set((await Promise.all(asked)).map(({ body }) => body))], ['later 500']);
  });
});
