import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AddressLimit, networkOf } from '../../src/access/address-limit.js';
import { EXACT_LIMIT, SlidingWindow, WINDOW_MS } from '../../src/access/window.js';
import fc from '../property.js';

/** Steps between the times of calls. */
const steps = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 3_000, noNaN: true }),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom(WINDOW_MS, WINDOW_MS - 1, 30_000),
  ),
  { maxLength: 400 },
);

/** The definition: a call is admitted if fewer than `limit` calls were admitted in the 60 seconds before it. */
class Model {
  readonly admitted: number[] = [];
  count(now: number): number {
    return this.admitted.filter((time) => time > now - WINDOW_MS).length;
  }
}

describe('sliding window', () => {
  it('the window is exact to the request up to its exact limit, at any times, also after storing and reading', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: EXACT_LIMIT }), fc.boolean(), (times, limit, store) => {
        let window = new SlidingWindow();
        const model = new Model();
        let now = 1e9;
        for (const step of times) {
          now += step;
          if (store) window = SlidingWindow.of(window.toBytes());
          const got = window.take(now, limit);
          const before = model.count(now);
          assert.equal(got.admitted, before < limit, `${before} before, limit ${limit}`);
          if (got.admitted) model.admitted.push(now);
          assert.equal(got.remaining, limit - model.count(now));
          assert.ok(
            got.resetMs > 0 && got.resetMs <= WINDOW_MS,
            `expected a reset within the window: ${got.resetMs} ms`,
          );
          const later = model.count(now + got.resetMs + 1e-6);
          assert.ok(later < model.count(now), 'one more is free when it says so');
          if (got.resetMs > 1e-3) {
            assert.equal(model.count(now + got.resetMs - 1e-3), model.count(now), 'and not before');
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a window above its exact limit admits no more calls than the limit, and refuses at most a second too long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { minLength: 600, maxLength: 900 }),
        fc.integer({ min: EXACT_LIMIT + 1, max: 500 }),
        (times, limit) => {
          const window = new SlidingWindow();
          const admitted: number[] = [];
          let now = 1e9;
          for (const step of times) {
            now += step;
            const within = (ms: number) => admitted.filter((time) => time > now - ms).length;
            const got = window.take(now, limit);
            if (got.admitted) {
              admitted.push(now);
              assert.ok(
                within(WINDOW_MS) <= limit,
                `expected at most ${limit} calls in a window: ${within(WINDOW_MS)}`,
              );
            } else
              assert.ok(
                within(WINDOW_MS + 1_000) >= limit,
                `expected ${limit} calls or more in a window and a second: ${within(WINDOW_MS + 1_000)}`,
              );
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('the size of the window is bounded for every limit', () => {
    const window = new SlidingWindow();
    for (let i = 0; i < 200_000; i++) assert.ok(window.take(1e9 + i, 1_000_000_000).admitted);
    assert.ok(window.toBytes().length <= 16 * 62, `${window.toBytes().length} bytes`);
  });

  it('a window with a lowered limit returns when the next call is admitted', () => {
    const window = new SlidingWindow();
    for (let i = 0; i < 10; i++) window.take(1_000 * i, 10);
    const refused = window.take(10_000, 4);
    assert.equal(refused.admitted, false);
    assert.equal(window.take(10_000 + refused.resetMs - 1, 4).admitted, false);
    assert.equal(window.take(10_000 + refused.resetMs, 4).admitted, true);
  });

  it('forgets calls of a clock that was ahead, as after a restart of the machine', () => {
    const window = new SlidingWindow();
    for (let i = 0; i < 3; i++) window.take(1e12, 3);
    assert.equal(window.take(5_000, 3).admitted, true);
  });
});

describe('limit of client addresses', () => {
  it('counts each IPv4 address and each IPv6 network separately', () => {
    const limit = new AddressLimit();
    for (let i = 0; i < 3; i++) assert.ok(limit.take('192.0.2.1', 3, 1_000).admitted);
    assert.equal(limit.take('192.0.2.1', 3, 1_000).admitted, false);
    assert.ok(limit.take('192.0.2.2', 3, 1_000).admitted);
    for (const host of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3']) limit.take(host, 3, 1_000);
    assert.equal(limit.take('2001:db8::4', 3, 1_000).admitted, false);
    assert.ok(limit.take('2001:db8:0:1::4', 3, 1_000).admitted);
    assert.ok(limit.take('192.0.2.1', 3, 61_000).admitted);
  });

  it('uses the first 64 bits of an IPv6 address in any notation', () => {
    assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::');
    assert.equal(networkOf('::1'), '0:0:0:0::');
    assert.equal(networkOf('fe80:1:2:3:4:5:6:7'), 'fe80:1:2:3::');
    assert.equal(networkOf('198.51.100.7'), '198.51.100.7');
  });

  it('stores a bounded number of addresses, and forgets the least active first', () => {
    const limit = new AddressLimit(100);
    for (let i = 0; i < 10_000; i++) {
      limit.take(`10.0.${i >> 8}.${i & 255}`, 5, 1_000);
      limit.take('192.0.2.9', 1, 1_000);
    }
    assert.equal(limit.size, 100);
    assert.equal(
      limit.take('192.0.2.9', 1, 1_000).admitted,
      false,
      'one that goes on calling is not forgotten',
    );
  });
});
