import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isPriorartError } from '../../src/errors.js';
import { Queue } from '../../src/pool/queue.js';
import fc from '../property.js';

/** Work that ends on request. */
function held(): { work: () => Promise<string>; end: (text: string) => void; fail: (error: Error) => void } {
  let end!: (text: string) => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => promise, end, fail };
}

test('searches up to the limit run, the next waits, one more is refused with Retry-After', async () => {
  const queue = new Queue(2, 1);
  const [a, b, c] = [held(), held(), held()];
  const running = [queue.run(a.work, {}), queue.run(b.work, {})];
  const waiting = queue.run(c.work, {});
  assert.deepEqual([queue.running, queue.length], [2, 1]);
  await assert.rejects(
    queue.run(async () => 'd', {}),
    (error) => isPriorartError(error) && error.code === 'overloaded' && error.retryAfter === 1,
  );
  a.fail(new Error('its own'));
  await assert.rejects(running[0]!, /its own/);
  await turn();
  assert.deepEqual([queue.running, queue.length], [2, 0]);
  b.end('b');
  c.end('c');
  assert.deepEqual(await Promise.all([running[1], waiting]), ['b', 'c']);
  assert.equal(await queue.run(async () => 'e', {}), 'e');
});

test('background work starts if no search waits, and does not count as waiting', async () => {
  const queue = new Queue(1, 1);
  const order: string[] = [];
  const first = held();
  const all = [queue.run(first.work, {})];
  for (const name of ['x', 'y']) {
    all.push(queue.run(async () => `${order.push(name)}`, { background: true }));
  }
  all.push(queue.run(async () => `${order.push('search')}`, {}));
  first.end('');
  await Promise.all(all);
  assert.deepEqual(order, ['search', 'x', 'y']);
});

test('continuous searches do not starve the background', async () => {
  const queue = new Queue(1, 100);
  let searches = 0;
  let stop = false;
  const client = async () => {
    while (!stop) {
      searches += 1;
      await queue.run(turn, {});
    }
  };
  const clients = [client(), client(), client()];
  await queue.run(async () => {}, { background: true });
  stop = true;
  await Promise.all(clients);
  assert.ok(searches < 30, `${searches} searches first`);
});

test('on close, waiting searches finish, the background is dropped, and new work is refused', async () => {
  const queue = new Queue(1, 5);
  const [a, b] = [held(), held()];
  const searches = [queue.run(a.work, {}), queue.run(b.work, {})];
  const background = queue.run(async () => 'never', { background: true });
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await assert.rejects(background, { code: 'unavailable' });
  await assert.rejects(
    queue.run(async () => '', {}),
    { code: 'unavailable' },
  );
  a.end('a');
  await turn();
  assert.equal(closed, false);
  b.end('b');
  assert.deepEqual(await Promise.all(searches), ['a', 'b']);
  await closing;
  await new Queue(3, 3).close();
});

test('with aborts at any moment, every promise settles and no slot is lost', async () => {
  const plan = fc.array(
    fc.record({
      ms: fc.nat(3),
      abortAfter: fc.option(fc.nat(4)),
      background: fc.boolean(),
      fails: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(plan, fc.integer({ min: 1, max: 4 }), fc.nat(10), async (jobs, parallel, limit) => {
      const queue = new Queue(parallel, limit);
      let running = 0;
      const ends = jobs.map(async ({ ms, abortAfter, background, fails }) => {
        const controller = new AbortController();
        if (abortAfter === 0) controller.abort();
        else if (abortAfter !== null) setTimeout(() => controller.abort(), abortAfter);
        const work = async () => {
          running += 1;
          assert.ok(running <= parallel, 'the limit of concurrent searches holds');
          await new Promise((done) => setTimeout(done, ms));
          running -= 1;
          if (fails) throw new Error('its own');
          return 'done';
        };
        return queue.run(work, { signal: controller.signal, background }).catch((error) => {
          return isPriorartError(error) ? error.code : (error as Error).message;
        });
      });
      for (const end of await Promise.all(ends)) {
        assert.ok(['done', 'cancelled', 'overloaded', 'its own'].includes(end), end);
      }
      await turn();
      assert.deepEqual([running, queue.running, queue.length], [0, 0, 0]);
    }),
    { numRuns: 60 },
  );
});

/** Simulates arrivals and work with its own clock: the outcome and duration of each search. */
async function simulated(options: {
  /** Searches that arrive in a second, by the second they arrive in. */
  perSecond: (second: number) => number;
  seconds: number;
  workMs: number;
  parallel: number;
  limit: number;
  withinMs?: number;
  /** Number of searches that arrive at one moment. */
  atOnce?: number;
}): Promise<{ second: number; ms: number | undefined }[]> {
  const { perSecond, seconds, workMs, parallel, limit, withinMs, atOnce = 1 } = options;
  let now = 0;
  const queue = new Queue(parallel, limit, () => now);
  const ends: { at: number; end: () => void }[] = [];
  const outcomes: { second: number; ms: number | undefined }[] = [];
  const work = () => new Promise<void>((end) => ends.push({ at: now + workMs, end }));
  const all: Promise<void>[] = [];
  for (let next = 0; next < seconds * 1000 || ends.length > 0; ) {
    const soonest = ends.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    if (next >= seconds * 1000 || soonest <= next) {
      now = soonest;
      const at = ends.findIndex((one) => one.at === soonest);
      ends.splice(at, 1)[0]!.end();
    } else {
      now = next;
      const [arrived, second] = [next, Math.floor(next / 1000)];
      next += (1000 * atOnce) / perSecond(second);
      for (let n = 0; n < atOnce; n++) {
        all.push(
          queue.run(work, { withinMs }).then(
            () => void outcomes.push({ second, ms: now - arrived }),
            (error) => {
              assert.ok(
                isPriorartError(error) && error.code === 'overloaded' && error.retryAfter! >= 1,
                `expected overloaded with a time to retry: ${error}`,
              );
              outcomes.push({ second, ms: undefined });
            },
          ),
        );
      }
    }
    await turn();
  }
  await Promise.all(all);
  return outcomes;
}

test('at five times the capacity, answers take the time of three searches, and workers are never idle', async () => {
  const load = { seconds: 6, workMs: 10, parallel: 2, limit: 128 };
  const outcomes = await simulated({ ...load, perSecond: () => 1000 });
  const settled = outcomes.filter(({ second }) => second >= 1);
  const answered = settled.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
  assert.ok(Math.max(...answered) <= 30, `${Math.max(...answered)} ms`);
  assert.ok(answered.length >= 0.98 * 5 * 200, `${answered.length} of 1000`);
});

test('quick work is not refused after a pause, but at five times the capacity', async () => {
  const load = { seconds: 6, workMs: 1, parallel: 1, limit: 64 };
  // Half of the capacity, and a pause of 200 ms before each burst.
  const paused = await simulated({ ...load, perSecond: () => 500, atOnce: 100 });
  const refused = paused.filter(({ second, ms }) => second >= 1 && ms === undefined);
  assert.equal(refused.length, 0);
  const outcomes = await simulated({ ...load, perSecond: () => 5000 });
  const settled = outcomes.filter(({ second }) => second >= 1);
  const answered = settled.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
  assert.ok(Math.max(...answered) <= 10, `${Math.max(...answered)} ms`);
  assert.ok(answered.length >= 0.98 * 5 * 1000, `${answered.length} of 5000`);
});

test('workers stay busy if searches arrive in bursts, as at every turn of a slow event loop', async () => {
  // Bursts of 200 every tenth of a second; workers answer 20 before the next.
  const load = { seconds: 8, workMs: 10, parallel: 2, limit: 128, atOnce: 200 };
  const outcomes = await simulated({ ...load, perSecond: () => 2000 });
  const answered = outcomes.filter(({ second, ms }) => second >= 2 && ms !== undefined);
  assert.ok(answered.length >= 0.7 * 6 * 200, `${answered.length} of 1200`);
  const times = answered.map(({ ms }) => ms!).sort((a, b) => a - b);
  assert.ok(times[times.length >> 1]! <= 200, `half of them take ${times[times.length >> 1]} ms`);
});

test('after an overload, the limit returns to its earlier value as soon as workers are idle', async () => {
  let now = 0;
  const queue = new Queue(2, 64, () => now);
  const ends: (() => void)[] = [];
  const ask = () => queue.run(() => new Promise<void>((end) => ends.push(end)), {}).catch(() => {});
  const workOne = async (ms: number) => {
    now += ms;
    ends.shift()?.();
    await turn();
  };
  for (let n = 0; n < 100 && !queue.isShedding; n++) {
    for (let more = 0; more < 80; more++) void ask();
    await workOne(10);
  }
  assert.ok(queue.isShedding, 'expected that the queue sheds load');
  while (queue.running > 0) await workOne(10);
  // The clock stands still: searches arrive in sequence, each after the answer to the one before.
  let searches = 0;
  for (; queue.isShedding && searches < 10; searches++) {
    void ask();
    await workOne(0);
  }
  assert.ok(!queue.isShedding, `still shedding after ${searches} searches`);
  assert.equal(queue.limit, 64);
});

test('refusals of slow work, too, end within a second of the load', async () => {
  let now = 0;
  const queue = new Queue(1, 4, () => now);
  const ends: (() => void)[] = [];
  const ask = () => queue.run(() => new Promise<void>((end) => ends.push(end)), {}).catch(() => {});
  for (let n = 0; n < 200 && !queue.isShedding; n++) {
    for (let more = 0; more < 10; more++) void ask();
    now += 1000;
    ends.shift()?.();
    await turn();
  }
  assert.ok(queue.isShedding, 'expected that the queue sheds load');
  now += 1001;
  void ask();
  assert.ok(!queue.isShedding, 'expected that the queue sheds no load');
  ends.shift()?.();
});

test('a burst is answered completely, and so are clients that wait for their answers', async () => {
  const burst = await simulated({
    seconds: 3,
    workMs: 10,
    parallel: 2,
    limit: 128,
    perSecond: (second) => (second === 1 ? 300 : 50),
  });
  assert.equal(burst.filter(({ ms }) => ms === undefined).length, 0);
  // 100 clients without pauses: always more than run, never more than may wait.
  const queue = new Queue(2, 128);
  let refused = 0;
  const client = async () => {
    for (let n = 0; n < 20; n++) {
      await queue.run(() => new Promise((done) => setTimeout(done, 1)), {}).catch(() => refused++);
    }
  };
  await Promise.all(Array.from({ length: 100 }, client));
  assert.equal(refused, 0);
});

test('after the load, the queue accepts bursts again', async () => {
  const outcomes = await simulated({
    seconds: 7,
    workMs: 10,
    parallel: 2,
    limit: 128,
    perSecond: (second) => (second < 3 ? 1000 : second === 6 ? 280 : 50),
  });
  assert.ok(outcomes.some(({ second, ms }) => second === 2 && ms === undefined));
  assert.deepEqual(
    outcomes.filter(({ second, ms }) => second >= 4 && ms === undefined),
    [],
  );
});

test('only a search that cannot start before its deadline is refused at once', async () => {
  const load = { workMs: 1000, parallel: 2, limit: 128, withinMs: 30_000 };
  // One search a second at a capacity of two, so that the queue knows the cost. Then 100 in a second, half of them
  // too many.
  const burst = await simulated({ ...load, seconds: 22, perSecond: (second) => (second === 21 ? 100 : 1) });
  const [answered, refused] = [
    burst.filter(({ ms }) => ms !== undefined),
    burst.filter(({ ms }) => ms === undefined),
  ];
  assert.ok(refused.length > 30, `${refused.length} refused`);
  const longest = Math.max(...answered.map(({ ms }) => ms!));
  assert.ok(longest > 28_000 && longest <= 32_000, `${longest} ms`);
  // The same burst is accepted on a new queue, or on one whose first search loaded its model.
  const first = await simulated({ ...load, seconds: 1, perSecond: () => 100 });
  assert.ok(first.every(({ ms }) => ms !== undefined));
});
