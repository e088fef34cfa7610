import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIT_MS, GIVE_WAY_MS, LATE_MS, MANY, TURN_MS, TurnPacer } from '../../src/http/turn-pacer.js';

/** An event loop whose clock moves only while a call works. */
class Loop {
  now = 0;
  /** Names of the begun calls, in order, and of the late ones among them. */
  readonly begun: number[] = [];
  readonly late: number[] = [];
  #ends: (() => void)[] = [];
  readonly #microtasks: (() => void)[] = [];
  readonly #afterMicrotasks: (() => void)[] = [];
  readonly pacer = new TurnPacer(
    () => this.now,
    (then) => this.#ends.push(then),
    (then) => this.#afterMicrotasks.push(then),
  );

  /** A call that takes `ms` at once and `laterMs` in its microtasks. */
  call(name: number, ms = 1, laterMs = 0): number | Promise<number> {
    return this.pacer.begin((isLate) => {
      this.now += ms;
      if (laterMs > 0) this.#microtasks.push(() => (this.now += laterMs));
      this.begun.push(name);
      if (isLate) this.late.push(name);
      return name;
    });
  }

  /** Ends the turn and runs what it scheduled. @returns the calls that begin */
  turn(): number {
    const before = this.begun.length;
    for (const end of this.#ends.splice(0)) end();
    while (this.#microtasks.length + this.#afterMicrotasks.length > 0) {
      for (const task of this.#microtasks.splice(0)) task();
      this.#afterMicrotasks.shift()?.();
    }
    return this.begun.length - before;
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('pace of turns', () => {
  it('begins a few calls at once', () => {
    const loop = new Loop();
    assert.deepEqual([loop.call(0), loop.call(1)], [0, 1]);
  });

  it('spreads a burst over turns that are short, in order, and answers each call', async () => {
    const loop = new Loop();
    const names = numbers(100);
    const answers = names.map((name) => loop.call(name));
    assert.equal(loop.begun.length, TURN_MS);
    while (loop.begun.length < names.length) {
      const begun = loop.turn();
      assert.ok(begun >= 1 && begun <= TURN_MS, `a turn begins ${begun} calls of 1 ms`);
    }
    assert.deepEqual(loop.begun, names);
    assert.deepEqual(await Promise.all(answers), names);
  });

  it('counts the work in the microtasks of a call', () => {
    const loop = new Loop();
    for (const name of numbers(TURN_MS)) loop.call(name);
    for (const name of numbers(20)) loop.call(name, 1, 3);
    assert.equal(loop.turn(), TURN_MS / 4, 'calls of 4 ms in a turn');
    assert.equal(loop.turn(), TURN_MS / 4, 'and in the next turn');
  });

  it('lets no client pass those that wait', () => {
    const loop = new Loop();
    for (const name of numbers(20)) loop.call(name);
    loop.turn();
    loop.call(20);
    while (loop.begun.length < 21) loop.turn();
    assert.deepEqual(loop.begun, numbers(21));
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
    for (const name of numbers(20)) loop.call(name);
    while (loop.begun.length < 20) loop.turn();
    loop.turn();
    assert.equal(loop.call(20), 20);
  });

  it('begins no call in a turn that accepts a connection', async () => {
    const loop = new Loop();
    for (const _ of numbers(1_000)) {
      loop.pacer.connectionAccepted();
      loop.call(0);
      assert.equal(loop.turn(), 0, 'calls that begin while connections come');
    }
    const last = loop.call(0);
    assert.equal(loop.turn(), TURN_MS, 'calls that begin after the last connection');
    while (loop.turn() > 0);
    assert.equal(await last, 0);
    assert.equal(loop.begun.length, 1_001);
  });

  it('gives calls half of the time although connections never end', () => {
    const loop = new Loop();
    for (const name of numbers(100)) {
      loop.pacer.connectionAccepted();
      loop.call(name);
    }
    const rounds = Math.ceil(100 / TURN_MS);
    let turns = 0;
    for (; loop.begun.length < 100 && turns < 10_000; turns++) {
      loop.pacer.connectionAccepted();
      // The time that a turn needs to accept a connection.
      loop.now += 1;
      loop.turn();
    }
    const most = GIVE_WAY_MS + rounds * (TURN_MS + 3);
    assert.ok(turns <= most, `${turns} turns for ${rounds} turns of calls; expected at most ${most}`);
  });

  it('gives way again when no connection came for a time', () => {
    const loop = new Loop();
    const begins = () => {
      loop.pacer.connectionAccepted();
      loop.call(0);
      loop.now += GIVE_WAY_MS;
      return loop.turn();
    };
    assert.equal(begins(), 0, 'calls give way');
    assert.equal(begins(), 2, 'calls have waited long enough');
    loop.now += GIVE_WAY_MS;
    loop.call(0);
    loop.turn();
    assert.equal(begins(), 0, 'calls give way again');
  });

  it('refuses calls that are late, in a part of each turn', () => {
    const loop = new Loop();
    const names = numbers(LATE_MS + 1_000);
    for (const name of names) loop.call(name);
    while (loop.late.length === 0 && loop.turn() > 0);
    assert.ok(loop.late.length > 0, 'some calls are refused');
    assert.ok(loop.late[0]! >= LATE_MS, `call ${loop.late[0]} began after ${loop.late[0]} ms`);
    const before = loop.late.length;
    assert.equal(loop.turn(), TURN_MS);
    assert.equal(loop.late.length - before, TURN_MS - ADMIT_MS);
    while (loop.turn() > 0);
    assert.deepEqual(loop.begun, names);
    assert.ok(loop.late.at(-1)! < names.length - MANY, 'the last calls are not late, because few wait');
  });

  it('refuses nothing of a few clients on a machine without processor time for them', () => {
    const loop = new Loop();
    for (const name of numbers(MANY)) loop.call(name, 50);
    while (loop.turn() > 0);
    assert.equal(loop.begun.length, MANY);
    assert.deepEqual(loop.late, []);
  });
});
