/** Freeing the memory of bytes that no code reads any more. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack } from '../src/give-back.js';

it('bytes that are given back take no memory, without a collection', async () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let n = 0; n < 200; n++) {
    const bytes = new Uint8Array(10_000_000).fill(n);
    giveBack(bytes);
    assert.equal(bytes.length, 0);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    if (n % 50 === 0) await sleep(1);
  }
  assert.ok(most < 100_000_000, `${most} bytes of 2,000,000,000 at once`);
});

it('bytes that share their buffer with others stay', () => {
  const whole = new Uint8Array(100_000).fill(7);
  const shared = new Uint8Array(new SharedArrayBuffer(100_000)).fill(7);
  const pooled = Buffer.from('x'.repeat(3_000));
  for (const bytes of [whole.subarray(1), whole.subarray(0, 50_000), shared, pooled]) {
    const copy = Buffer.from(bytes).toString('hex');
    giveBack(bytes);
    assert.equal(Buffer.from(bytes).toString('hex'), copy);
  }
});
