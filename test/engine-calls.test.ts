/** Calls of the library beside the event loop, signals and observers of an application. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open } from '../src/index.js';
import { FIXTURES } from './crash/folder.js';
import { type Collection, collect } from './search/collection.js';

describe('calls of the library', () => {
  let collection: Collection;
  before(async () => {
    collection = await collect(FIXTURES);
  });
  after(() => collection.remove());

  it('answers on the calling thread let timers and signals fire', async () => {
    const engine = await open(collection.dir, { workers: 0 });
    const requests = Array.from({ length: 5_000 }, (_, n) => ({ query: `battery ${n}` }));
    const signal = AbortSignal.timeout(50);
    await assert.rejects(engine.searchMany(requests, { signal }), { code: 'cancelled' });
    let ticks = 0;
    const timer = setInterval(() => {
      ticks++;
    }, 1);
    for (const request of requests) {
      await engine.search(request);
      if (ticks > 3) break;
    }
    clearInterval(timer);
    assert.ok(ticks > 3);
    await engine.close();
  });

  for (const workers of [0, 1])
    it(`an observer that throws fails no answer and is told of questions only, with ${workers} workers`, async () => {
      const warnings: Error[] = [];
      const listen = (warning: Error) => {
        if ('code' in warning && warning.code === 'PRIORART_OBSERVE') warnings.push(warning);
      };
      process.on('warning', listen);
      const told: string[] = [];
      const engine = await open(collection.dir, {
        workers,
        observe({ kind }) {
          told.push(kind);
          throw new Error('no room for metrics');
        },
      });
      assert.equal((await engine.search({ query: 'x' })).total, 10);
      await engine.analyze({ query: 'x' });
      await engine.close();
      await new Promise(setImmediate);
      process.off('warning', listen);
      assert.deepEqual(told, ['semantic', 'analytics']);
      assert.deepEqual(
        warnings.map(({ message }) => message.includes('no room for metrics')),
        [true],
      );
    });

  it('the reason of a signal is the cause of the error', async () => {
    const engine = await open(collection.dir, { workers: 0 });
    const signal = AbortSignal.abort(new Error('the page was left'));
    const calls = [
      engine.search({ query: 'x' }, { signal }),
      engine.coverage({ signal }),
      engine.get('x', { signal }),
    ];
    for (const call of calls) {
      await assert.rejects(call, {
        code: 'cancelled',
        message: 'the request was cancelled',
        cause: signal.reason,
      });
    }
    await engine.close();
  });
});
