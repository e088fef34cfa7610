import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TurnPacer } from '../../src/http/turn-pacer.js';

/** A loop whose clock moves only when a call works. */
class Loop {
  now = 0;
  readonly done: number[] = [];
  #ends: (() => void)[] = [];
  readonly pacer = new TurnPacer(
    () => this.now,
    (then) => this.#ends.push(then),
  );

  call(name: number, ms = 1): number | Promise<number> {
    return this.pacer.begin(() => {
      this.now += ms;
      this.done.push(name);
      return name;
    });
  }

  /** Ends the turn. @returns the milliseconds that the next one begins calls for */
  turn(): number {
    const begun = this.now;
    for (const end of this.#ends.splice(0)) end();
    return this.now - begun;
  }
}

describe('pace of turns', () => {
  it('begins a few calls at once', () => {
    const loop = new Loop();
    assert.deepEqual([loop.call(0), loop.call(1)], [0, 1]);
  });

  it('spreads a burst over turns that are short, in order, and answers each call', async () => {
    const loop = new Loop();
    const names = Array.from({ length: 100 }, (_, n) => n);
    const answers = names.map((name) => loop.call(name));
    assert.equal(loop.done.length, 8);
    while (loop.done.length < names.length) assert.ok(loop.turn() <= 8);
    assert.deepEqual(loop.done, names);
    assert.deepEqual(await Promise.all(answers), names);
  });

  it('lets no client pass those that wait', () => {
    const loop = new Loop();
    for (let name = 0; name < 20; name++) loop.call(name);
    loop.turn();
    loop.call(20);
    while (loop.done.length < 21) loop.turn();
    assert.deepEqual(
      loop.done,
      Array.from({ length: 21 }, (_, n) => n),
    );
  });

  it('gives the fault of a call to that call alone', async () => {
    const loop = new Loop();
    loop.call(0, 10);
    const fault = loop.pacer.begin(() => {
      throw new Error('of its own');
    });
    const other = loop.call(1);
    const isFault = assert.rejects(Promise.resolve(fault), /of its own/);
    loop.turn();
    await isFault;
    assert.equal(await other, 1);
  });

  it('begins calls at once again when none waits', () => {
    const loop = new Loop();
    for (let name = 0; name < 20; name++) loop.call(name);
    while (loop.done.length < 20) loop.turn();
    loop.turn();
    assert.equal(loop.call(20), 20);
  });
});
