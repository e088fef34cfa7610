import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Cycle } from '../../src/access/billing.js';
import { CallLimits } from '../../src/access/call-limits.js';
import {
  CLEAN_MS,
  COUNTERS_FILE,
  COUNTERS_LAYOUT,
  Counters,
  CountersKeeper,
} from '../../src/access/counters.js';
import type { Reservation } from '../../src/access/quota-record.js';
import { LockHeld, Sqlite } from '../../src/access/sqlite.js';
import { AccessStore } from '../../src/access/store.js';
import { monotonicMs } from '../../src/access/window.js';
import { native } from '../../src/index/native.js';
import { QUOTA_LEASE_MS } from '../../src/limits.js';
import fc from '../property.js';
import { until } from '../until.js';

const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-counters-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

const cycleOf = (n: number): Cycle => ({ start: n * 1e9, end: (n + 1) * 1e9 });

/** Actions of a server. `who`: one of three servers; one account; times in ms. */
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('reserve' as const), who: fc.nat(2) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      who: fc.nat(2),
      which: fc.nat(20),
      ok: fc.boolean(),
    }),
  },
  // Stopped long enough that the others consider it dead; it continues afterwards.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('freeze' as const), who: fc.nat(2) }) },
  // Killed: its reservations are never settled, and another process replaces it.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), who: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('next month' as const) }) },
);

describe('sliding minutes', () => {
  it('no call is forgotten if it comes while the windows that are over are removed', () => {
    const dir = folder();
    const counters = new Counters(dir);
    let admitted = 0;
    const call = () => counters.takeCall('key', 60);
    // A call comes right after the time is read; it is refused if the removal has begun.
    const clock = () => {
      const now = monotonicMs();
      try {
        call();
        admitted += 1;
      } catch (error) {
        assert.ok(error instanceof LockHeld, String(error));
      }
      return now;
    };
    const keeper = new CountersKeeper(dir, clock);
    keeper.tend();
    assert.ok(admitted > 0);
    assert.equal(call().remaining, 60 - admitted - 1);
    keeper.close();
    counters.close();
  });
});

describe('quota', () => {
  it('a quota is never overrun, and none of its searches is lost, if processes die or stop in any order', async () => {
    const dir = folder();
    let account = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 120 }),
        fc.integer({ min: 1, max: 6 }),
        async (actions, quota) => {
          const id = `acc_${account++}`;
          let now = 1e6;
          let month = 1;
          const open = () => ({
            counters: new Counters(dir, { clock: () => now }),
            running: [] as { reservation: Reservation; month: number }[],
          });
          const servers = [open(), open(), open()];
          const abandoned: Counters[] = [];
          /** Model: number of 200 answers by the month in which the search was admitted. */
          const answered = new Map<number, number>();
          for (const act of actions) {
            if (act.do === 'next month') {
              month++;
              continue;
            }
            const server = servers[act.who]!;
            if (act.do === 'reserve') {
              const result = server.counters.reserve(id, cycleOf(month), quota);
              if (result.reserved) server.running.push({ reservation: result.reservation, month });
              else {
                const used = answered.get(month) ?? 0;
                const inFlight = servers.reduce(
                  (sum, other) => sum + other.running.filter((search) => search.month === month).length,
                  0,
                );
                assert.ok(used + inFlight >= quota, 'refused only where all is used or running');
              }
            } else if (act.do === 'settle') {
              const [search] = server.running.splice(act.which % Math.max(1, server.running.length), 1);
              if (!search) continue;
              const { answerable: may, state } = server.counters.settle(search.reservation, act.ok);
              assert.deepEqual(state, server.counters.quotaState(id, search.reservation.cycle, quota));
              if (may && act.ok) answered.set(search.month, (answered.get(search.month) ?? 0) + 1);
            } else if (act.do === 'freeze') {
              now += QUOTA_LEASE_MS + 1;
              for (const other of servers) if (other !== server) other.counters.tend();
            } else {
              abandoned.push(server.counters);
              servers[act.who] = open();
              now += QUOTA_LEASE_MS + 1;
              for (const other of servers) other.counters.tend();
            }
            assert.ok((answered.get(month) ?? 0) <= quota, 'overrun');
          }
          // Without running searches, the remaining quota is the quota minus the answered searches.
          for (const server of servers) {
            for (const search of server.running) server.counters.settle(search.reservation, false);
          }
          const left = quota - (answered.get(month) ?? 0);
          for (let i = 0; i < left; i++)
            assert.ok(servers[0]!.counters.reserve(id, cycleOf(month), quota).reserved, 'a place is lost');
          assert.deepEqual(servers[0]!.counters.reserve(id, cycleOf(month), quota), {
            reserved: false,
            running: left > 0,
          });
          for (const counters of [...servers.map((server) => server.counters), ...abandoned])
            counters.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('the lease of a server is renewed while its disk is slow', async () => {
    const dir = folder();
    const store = AccessStore.open(dir);
    const account = await store.createAccount({ name: 'Any', plan: 'free' });
    let isWritten = () => {};
    const limits = new CallLimits(store, {
      keepCounters: () =>
        new Promise((resolve) => {
          isWritten = resolve;
        }),
    });
    await limits.reserve(account);
    const file = new Sqlite(join(dir, COUNTERS_FILE), COUNTERS_LAYOUT, { create: false, waitMs: 0 });
    const renewed = () => file.row<[number]>('SELECT renewed FROM leases')![0];
    for (let n = 0; n < 3; n++) {
      const before = renewed();
      await until(() => renewed() > before, 'it is renewed');
    }
    file.close();
    const closed = limits.close();
    await until(async () => {
      isWritten();
      return Promise.race([closed.then(() => true), new Promise<boolean>((r) => setTimeout(r, 20, false))]);
    }, 'it is closed');
    await store.close();
  });

  it('usage belongs to its billing cycle, also after the clock jumps to another cycle and back', async () => {
    const store = AccessStore.open(folder());
    const account = await store.createAccount({ name: 'Any', plan: 'free' });
    const limits = new CallLimits(store);
    const now = Date.now();
    const use = async (at: number) => limits.settle(await limits.reserve(account, at), true);
    for (let i = 0; i < 7; i++) await use(now);
    const later = now + 40 * 86_400_000;
    await use(later);
    const used = async (at: number) => [
      (await limits.quotasUsed([account], at))[0]!.used,
      limits.quotaState(account, at).remaining,
    ];
    assert.deepEqual(await used(later), [1, 29]);
    assert.deepEqual(await used(now), [7, 23]);
    // Two months back, then forward again.
    const earlier = now - 62 * 86_400_000;
    await use(earlier);
    assert.deepEqual(await used(earlier), [1, 29]);
    await use(now);
    assert.deepEqual(
      [await used(now), await used(later)],
      [
        [8, 22],
        [1, 29],
      ],
    );
    await limits.close();
    assert.equal(store.quotaUsed(account, now).used, 8);
    await store.close();
  });

  it('quotas of a deleted account go, after its running searches; those of others stay', async () => {
    const dir = folder();
    const store = AccessStore.open(dir);
    const [gone, kept] = [
      await store.createAccount({ name: 'Gone', plan: 'free' }),
      await store.createAccount({ name: 'Kept', plan: 'free' }),
    ];
    const counters = new Counters(dir);
    let ahead = 0;
    const keeper = new CountersKeeper(dir, () => monotonicMs() + ahead);
    const reserved = (account: string, month: number) => {
      const made = counters.reserve(account, cycleOf(month), 30);
      assert.ok(made.reserved, 'expected a reservation');
      return made.reservation;
    };
    for (const { id } of [gone, kept]) for (const month of [1, 2]) counters.settle(reserved(id, month), true);
    const running = reserved(gone.id, 2);
    const tend = () => {
      ahead += CLEAN_MS + 1;
      keeper.tend();
      return [gone, kept].map(({ id }) => [1, 2].map((month) => counters.used(id, cycleOf(month))));
    };
    assert.deepEqual(tend(), [
      [1, 1],
      [1, 1],
    ]);
    await store.deleteAccount(gone.id);
    assert.deepEqual(tend(), [
      [0, 1],
      [1, 1],
    ]);
    assert.ok(counters.settle(running, true).answerable, 'its last search is answered');
    assert.deepEqual(tend(), [
      [0, 0],
      [1, 1],
    ]);
    // A search that was settled after the clean-up has made a row again.
    counters.settle(running, false);
    tend();
    const layout = { create: false, waitMs: 0, isOnlyRead: true };
    const file = new Sqlite(join(dir, COUNTERS_FILE), COUNTERS_LAYOUT, layout);
    assert.deepEqual(file.rows('SELECT DISTINCT account FROM quotas'), [[kept.id]]);
    file.close();
    keeper.close();
    counters.close();
    await store.close();
  });

  it('without the file of the accounts, no quota is removed', async () => {
    const dir = folder();
    const counters = new Counters(dir);
    const made = counters.reserve('acc_a', cycleOf(4), 30);
    assert.ok(made.reserved, 'expected a reservation');
    counters.settle(made.reservation, true);
    const keeper = new CountersKeeper(dir);
    keeper.tend();
    assert.equal(counters.used('acc_a', cycleOf(4)), 1);
    keeper.close();
    counters.close();
  });

  it('a search that ends in the next cycle counts in the cycle that admitted it', () => {
    const counters = new Counters(folder());
    const made = counters.reserve('acc_a', cycleOf(4), 1);
    assert.ok(made.reserved, 'expected a reservation');
    assert.equal(counters.reserve('acc_a', cycleOf(5), 1).reserved, true);
    assert.ok(
      counters.settle(made.reservation, true).answerable,
      'expected that a reserved search may be answered',
    );
    assert.deepEqual([counters.used('acc_a', cycleOf(4)), counters.used('acc_a', cycleOf(5))], [1, 0]);
    counters.close();
  });

  it('what a killed process held is in the rest again, also if its lease was removed before', () => {
    const dir = folder();
    let now = 1e6;
    const open = () => new Counters(dir, { clock: () => now });
    const [killed, other] = [open(), open()];
    const rest = () => other.quotaState('acc_a', cycleOf(4), 30).remaining;
    for (let n = 0; n < 5; n++) killed.reserve('acc_a', cycleOf(4), 30);
    other.tend();
    assert.equal(rest(), 25);
    now += QUOTA_LEASE_MS + 1;
    other.tend();
    assert.equal(rest(), 30);
    // Earlier versions removed the lease only.
    killed.reserve('acc_a', cycleOf(4), 30);
    const file = new native.Sqlite(join(dir, COUNTERS_FILE), false, 1000);
    file.rows('DELETE FROM leases', []);
    file.close();
    other.tend();
    assert.equal(rest(), 29, 'searched for at every tick');
    const later = open();
    later.tend();
    assert.equal(rest(), 30);
    for (const counters of [killed, other, later]) counters.close();
  });
});

describe('rate limit of keys', () => {
  it('all processes share one window', async () => {
    const dir = folder();
    let now = 1e6;
    const [a, b] = [new Counters(dir, { clock: () => now }), new Counters(dir, { clock: () => now })];
    for (let i = 0; i < 60; i++) assert.equal((i % 2 ? a : b).takeCall('key_1', 60).remaining, 59 - i);
    assert.equal(a.takeCall('key_1', 60).admitted, false);
    assert.equal(b.takeCall('key_1', 60).admitted, false);
    assert.ok(b.takeCall('key_2', 60).admitted, 'expected that another key is admitted');
    now += 60_000;
    assert.equal(b.takeCall('key_1', 60).remaining, 59);
    a.close();
    b.close();
  });
});
