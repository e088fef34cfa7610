/** Work that fails stops what it has begun. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OpenWork } from '../../src/pool/open-work.js';

it('the signal of failed work fires; that of work that succeeded does not', async () => {
  const open = new OpenWork();
  const signals: AbortSignal[] = [];
  const failing = open.run(undefined, async (signal) => {
    signals.push(signal);
    throw new Error('no room');
  });
  await assert.rejects(failing, /no room/);
  const done = await open.run(undefined, async (signal) => {
    signals.push(signal);
    return 7;
  });
  assert.equal(done, 7);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  assert.match(String(signals[0]!.reason), /no room/);
});

it('the signal fires when the caller cancels and when the engine closes', async () => {
  const open = new OpenWork();
  const until = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const given = new AbortController();
  const cancelled = open.run(given.signal, until);
  given.abort(new Error('enough'));
  await assert.rejects(cancelled, { code: 'cancelled' });
  const closed = open.run(undefined, until);
  open.stop();
  await assert.rejects(closed, { code: 'unavailable' });
  await open.ended();
});
