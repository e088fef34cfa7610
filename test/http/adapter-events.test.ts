/** Bodies that are written as their events happen. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EventBody, EventSink, HttpReply } from '../../src/http/adapters/adapter.js';
import { STREAM_WAITING_MAX_BYTES } from '../../src/limits.js';
import { until } from '../until.js';
import { onEachHttpAdapter } from './adapter-server.js';
import { get } from './raw.js';

/** A body whose events a test writes. */
class Events implements EventBody {
  sink: EventSink | undefined;
  endings = 0;
  begin(sink: EventSink): void {
    this.sink = sink;
    sink.write('first\n');
  }
  ended(): void {
    this.endings++;
  }
}

onEachHttpAdapter('events', (server) => {
  /** Starts a server whose answers are events. */
  async function start(): Promise<Events[]> {
    const bodies: Events[] = [];
    const handler = (): HttpReply => {
      const body = new Events();
      bodies.push(body);
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
    };
    await server.start({ handler });
    return bodies;
  }

  it('each event arrives when it is written, and the connection can be used again after the end', async () => {
    const bodies = await start();
    const client = server.client().write(get('/'));
    await until(() => client.rest.includes('first'), 'the first event');
    assert.match(client.rest, /^HTTP\/1.1 200 OK\r\n/);
    assert.doesNotMatch(client.rest, /content-length/i);
    bodies[0]!.sink!.write('ünd 두번째\n');
    await until(() => client.rest.includes('ünd 두번째'), 'the second event');
    // Some versions of uWebSockets.js write a string in Latin-1 if they can.
    bodies[0]!.sink!.write('nur in Latin-1: é\n');
    await until(() => client.rest.includes('nur in Latin-1: é'), 'the third event');
    assert.equal(server.adapter!.activeRequests, 1);
    bodies[0]!.sink!.end();
    await until(() => client.rest.endsWith('0\r\n\r\n'), 'the last chunk');
    assert.equal(bodies[0]!.endings, 1);
    assert.equal(server.adapter!.activeRequests, 0);
    bodies[0]!.sink!.write('too late');
    bodies[0]!.sink!.end();
    client.write(get('/'));
    await until(() => bodies.length === 2, 'the second request');
    assert.equal(bodies[0]!.endings, 1);
  });

  it('the body is told when its client disconnects', async () => {
    const bodies = await start();
    const client = server.client().write(get('/'));
    await until(() => client.rest.includes('first'), 'the first event');
    client.destroy();
    await until(() => bodies[0]!.endings === 1, 'the end');
    bodies[0]!.sink!.write('too late');
    assert.equal(server.adapter!.activeRequests, 0);
  });

  it('a client that does not read loses its connection', async () => {
    const bodies = await start();
    const client = server.client().write(get('/'));
    await until(() => client.rest.includes('first'), 'the first event');
    client.socket.pause();
    const event = 'x'.repeat(1 << 20);
    let written = 0;
    await until(() => {
      bodies[0]!.sink!.write(event);
      written += event.length;
      return bodies[0]!.endings === 1;
    }, 'the end');
    // The buffers of both sockets come on top of the limit.
    assert.ok(written >= STREAM_WAITING_MAX_BYTES && written < 8 * STREAM_WAITING_MAX_BYTES, String(written));
  });

  it('HEAD begins no events', async () => {
    const bodies = await start();
    const reply = await server.client().write(get('/', 'HEAD')).reply({ head: true });
    assert.equal(reply?.status, 200);
    assert.equal(bodies[0]!.sink, undefined);
    assert.equal(bodies[0]!.endings, 1);
  });
});
