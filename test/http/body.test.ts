import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestBody } from '../../src/http/adapters/body.js';
import { openMetricsPort } from '../../src/http/metrics-port.js';
import { Metrics } from '../../src/observe/metrics.js';
import fc from '../property.js';

const LIMITS = { bodyMaxBytes: 1 << 20, bodyDrainMaxBytes: 4 << 20, bodyTimeoutMs: 1_000 };

test('a body is the same with any chunk boundaries, and chunks may be changed afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 }), async (chunks) => {
      const body = new RequestBody(LIMITS);
      const sent = Buffer.concat(chunks);
      for (const chunk of chunks) {
        body.push(chunk);
        chunk.fill(0);
      }
      body.end();
      assert.deepEqual(Buffer.from(await body.read()), sent);
    }),
  );
});

test('a body in chunks of one byte needs no more memory than its bytes', () => {
  const body = new RequestBody(LIMITS);
  const before = process.memoryUsage();
  for (let sent = 0; sent < LIMITS.bodyMaxBytes / 4; sent++) body.push(new Uint8Array([sent]));
  // A list of the chunks needed about 110 MB, on and off the heap.
  const grown = process.memoryUsage().rss - before.rss;
  assert.ok(grown < 64e6, `${grown} bytes`);
});

test('a gauge that fails is a 500 of the metrics port and does not end the process', async () => {
  const metrics = new Metrics();
  const failing = () => {
    throw new Error('the store is gone');
  };
  metrics.watch({ connections: () => 0, activeRequests: () => 0, pool: () => undefined, index: failing });
  const opened = await openMetricsPort({ host: '127.0.0.1', port: 0 }, metrics, { '/livez': failing });
  try {
    for (const path of ['metrics', 'livez']) {
      const { status } = await fetch(`http://127.0.0.1:${opened.port}/${path}`);
      assert.equal(status, 500);
    }
  } finally {
    opened.close();
  }
});
