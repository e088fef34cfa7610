/** Texts of a call that has failed are not sent to the embedding server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HttpBatches } from '../../src/embed/http/batches.js';

const LIMITS = { texts: 2, chars: 1_000, concurrency: 1 };
const PLAIN = { urgent: false, signal: undefined };

it('drops the other texts of a call when one of its batches fails, and goes on with other calls', async () => {
  const asked: string[] = [];
  const batches = new HttpBatches(async (texts) => {
    asked.push(...texts);
    if (texts.includes('a')) throw new Error('the server is gone');
    return texts.map(() => new Float32Array(1));
  }, LIMITS);
  const failing = batches.add(['a', 'b', 'c', 'd', 'e'], PLAIN);
  const other = batches.add(['x', 'y', 'z'], PLAIN);
  await assert.rejects(failing, /the server is gone/);
  assert.equal((await other).length, 3);
  assert.deepEqual(asked, ['a', 'b', 'x', 'y', 'z']);
});
