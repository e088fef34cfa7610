import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopGuard } from '../../src/http/admission/loop-guard.js';

/** A simulated loop. The accepted and refused searches of a turn determine its duration. */
class Loop {
  now = 0;
  #ends: (() => void)[] = [];
  readonly guard = new LoopGuard(
    () => this.now,
    (then) => this.#ends.push(then),
  );

  /** @returns the number of refused searches of a turn */
  turn(searches: number, ms = 0.2, refusalMs = 0.02): number {
    let refused = 0;
    for (let n = 0; n < searches; n++) {
      const isRefused = this.guard.refuses();
      refused += Number(isRefused);
      this.now += isRefused ? refusalMs : ms;
    }
    for (const end of this.#ends.splice(0)) end();
    this.now += 0.1;
    return refused;
  }
}

describe('guard of the event loop', () => {
  it('refuses nothing of large bursts with short turns in between', () => {
    const loop = new Loop();
    for (let round = 0; round < 200; round++) {
      assert.equal(loop.turn(500), 0);
      for (let quiet = 0; quiet < 5; quiet++) assert.equal(loop.turn(3), 0);
    }
  });

  it('refuses nothing of a few clients on a machine without processor time for them', () => {
    const loop = new Loop();
    for (let round = 0; round < 500; round++) assert.equal(loop.turn(50, 20), 0);
  });

  it('refuses searches beyond a short turn if every turn is long, and keeps turns short', () => {
    const loop = new Loop();
    while (loop.now < 2_000) loop.turn(200);
    const begun = loop.now;
    const refused = loop.turn(200);
    assert.equal(refused, 200 - 40, '8 ms of searches of 0.2 ms each are let in');
    assert.ok(loop.now - begun < 12, `${loop.now - begun} ms`);
  });

  it('ends after a while without refusals', () => {
    const loop = new Loop();
    while (loop.turn(200) === 0);
    const until = loop.now + 600;
    while (loop.now < until) loop.turn(10);
    assert.equal(loop.turn(200), 0);
    assert.equal(loop.turn(200), 0, 'and begins only with turns that stay long');
  });
});
