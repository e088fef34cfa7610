/** Quotas that servers share, with faults of the network and of servers, against a count of what was answered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cycleAt } from '../../src/access/billing.js';
import { DOUBTS_MAX } from '../../src/access/quota-line.js';
import type { Reservation } from '../../src/access/quota-record.js';
import type { Account } from '../../src/access/records.js';
import { SharedQuotas } from '../../src/access/shared-quotas.js';
import { isPriorartError } from '../../src/errors.js';
import { QUOTA_LEASE_MS } from '../../src/limits.js';
import fc from '../property.js';
import { type Fault, MemoryCluster } from './memory-documents.js';

const ACCOUNT = 'acc_a';
const account: Account = {
  id: ACCOUNT,
  name: 'Any',
  plan: 'free',
  monthly_quota: 30,
  environments: [],
  created_at: '2026-01-05T12:00:00.000Z',
};
const NOW = Date.parse('2026-02-01');
const CYCLE = cycleAt(account.created_at, NOW);

const FAULTS: Fault[] = ['none', 'lost answer', 'sent again', 'lost write', 'late write'];
const who = fc.nat(2);
/** What happens at once: several searches begin and end on several servers. */
const step = fc.record({
  begin: fc.array(who, { maxLength: 4 }),
  /** Places of searches that end, and whether they are answered 200. */
  end: fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 4 }),
  faults: fc.array(fc.constantFrom(...FAULTS, 'none', 'none'), { maxLength: 4 }),
  /** A server that is killed after it, a server that sleeps longer than its lease, and whether late writes arrive. */
  killed: fc.option(who, { freq: 8 }),
  sleeps: fc.boolean(),
  lands: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Server {
  quotas: SharedQuotas;
  link: { isUp: boolean };
  /** Answers that were not sent because the server did not know whether they were counted. */
  doubts: number;
}

interface Running {
  server: Server;
  reservation: Reservation;
}

const isUnavailable = (error: unknown) => isPriorartError(error) && error.code === 'unavailable';

describe('a shared quota', () => {
  it('is never overrun, and no place is lost, whatever fails', async () => {
    const tried = { refusals: 0, failures: 0, kills: 0, exact: 0 };
    const property = async (steps: Step[], quota: number) => {
      let now = 0;
      const cluster = new MemoryCluster();
      const open = (): Server => {
        const link = { isUp: true };
        return { quotas: new SharedQuotas(cluster.connect(link), () => now), link, doubts: 0 };
      };
      const servers = [open(), open(), open()];
      const opened = [...servers];
      let running: Running[] = [];
      let answered = 0;
      /** Answers that servers did not send and may have counted before they were killed. */
      let uncertain = 0;
      const begin = async (server: Server) => {
        try {
          const { reserved } = await server.quotas.reserve(ACCOUNT, CYCLE, quota);
          if (reserved) running.push({ server, reservation: { account: ACCOUNT, cycle: CYCLE, quota } });
          else tried.refusals++;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          tried.failures++;
        }
      };
      const end = async ({ server, reservation }: Running, is200: boolean) => {
        try {
          const { answerable } = await server.quotas.settle(reservation, is200);
          if (is200 && answerable) answered++;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          tried.failures++;
          if (is200) server.doubts++;
        }
      };
      for (const { begin: begins, end: ends, faults, killed, sleeps, lands } of steps) {
        const planned = [...faults];
        cluster.nextFault = () => planned.shift() ?? 'none';
        const ending = new Map<Running, boolean>();
        for (const [place, is200] of ends)
          if (running.length > 0) ending.set(running[place % running.length]!, is200);
        running = running.filter((search) => !ending.has(search));
        await Promise.all([
          ...begins.map((n) => begin(servers[n]!)),
          ...[...ending].map(([search, is200]) => end(search, is200)),
        ]);
        assert.ok(answered <= quota, `${answered} answered of ${quota}`);
        if (killed !== null) {
          const dead = servers[killed]!;
          dead.link.isUp = false;
          uncertain += dead.doubts;
          running = running.filter(({ server }) => server !== dead);
          servers[killed] = open();
          opened.push(servers[killed]!);
          tried.kills++;
        }
        if (sleeps) now += QUOTA_LEASE_MS / 2;
        if (lands) cluster.land();
        for (const { quotas } of servers) await quotas.tend().catch(() => {});
      }
      cluster.nextFault = () => 'none';
      cluster.land();
      for (const search of running) await end(search, true);
      running = [];
      for (const { quotas } of servers) await quotas.tend();
      const [first] = servers as [Server];
      const [count] = await first.quotas.usedBy([account], NOW);
      const { used } = count!;
      assert.ok(used >= answered && used <= answered + uncertain, `${used} counted, ${answered} answered`);
      if (uncertain === 0) tried.exact++;
      // What killed servers hold is free when their lease has passed. The first search begins to wait for it.
      await begin(first);
      for (const search of running.splice(0)) await end(search, false);
      now += QUOTA_LEASE_MS + 1;
      for (let n = used; n < quota; n++) await begin(first);
      assert.equal(running.length, quota - used, 'all that is left can be used');
      const refused = await first.quotas.reserve(ACCOUNT, CYCLE, quota);
      assert.deepEqual(refused, { reserved: false, running: used < quota });
      for (const { quotas } of opened) await quotas.close();
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 6 }), property),
      {
        numRuns: 300,
        seed: 17,
      },
    );
    for (const [what, times] of Object.entries(tried)) assert.ok(times > 50, `${what}: ${times} times`);
  });

  it('searches that come at once share their writes', async () => {
    const cluster = new MemoryCluster();
    const quotas = new SharedQuotas(cluster.connect());
    const reserved = await Promise.all(Array.from({ length: 50 }, () => quotas.reserve(ACCOUNT, CYCLE, 30)));
    assert.equal(reserved.filter((one) => one.reserved).length, 30);
    assert.ok(cluster.writes <= 3, `${cluster.writes} writes`);
    await quotas.close();
  });

  it('what a killed server held is in the rest again after a while', async () => {
    let now = 0;
    const cluster = new MemoryCluster();
    const [killed, other] = [0, 1].map(() => new SharedQuotas(cluster.connect(), () => now)) as [
      SharedQuotas,
      SharedQuotas,
    ];
    const search = async () => {
      assert.deepEqual(await other.reserve(ACCOUNT, CYCLE, 30), { reserved: true });
      const settled = await other.settle({ account: ACCOUNT, cycle: CYCLE, quota: 30 }, true);
      return settled.state.remaining;
    };
    for (let n = 0; n < 5; n++) await killed.reserve(ACCOUNT, CYCLE, 30);
    assert.equal(await search(), 24);
    now += QUOTA_LEASE_MS + 1;
    assert.equal(await search(), 28);
    await other.close();
  });

  it('a search is refused or answered while the cluster answers, and unavailable while it does not', async () => {
    const cluster = new MemoryCluster();
    const quotas = new SharedQuotas(cluster.connect());
    const reservation = { account: ACCOUNT, cycle: CYCLE, quota: 1 };
    assert.deepEqual(await quotas.reserve(ACCOUNT, CYCLE, 1), { reserved: true });
    cluster.isDown = true;
    await assert.rejects(quotas.settle(reservation, true), isUnavailable);
    await assert.rejects(quotas.reserve(ACCOUNT, CYCLE, 1), isUnavailable);
    cluster.isDown = false;
    assert.deepEqual(await quotas.reserve(ACCOUNT, CYCLE, 1), { reserved: true }, 'the place was given back');
    assert.equal((await quotas.settle(reservation, true)).answerable, true);
    assert.equal(quotas.seen(ACCOUNT, CYCLE, 1).remaining, 0);
    await quotas.close();
  });

  it('while no write succeeds, what a server remembers is bounded, and nothing is lost', async () => {
    const cluster = new MemoryCluster();
    const quotas = new SharedQuotas(cluster.connect());
    cluster.nextFault = () => 'lost answer';
    const search = () => quotas.reserve(ACCOUNT, CYCLE, 1);
    for (let n = 0; n < DOUBTS_MAX; n++) await assert.rejects(search(), isUnavailable);
    const { writes, reads } = cluster;
    assert.ok(writes >= DOUBTS_MAX, `${writes} writes`);
    await assert.rejects(search(), isUnavailable);
    assert.deepEqual([cluster.writes, cluster.reads], [writes, reads], 'the cluster is not asked');
    cluster.nextFault = () => 'none';
    await quotas.tend();
    assert.deepEqual(await search(), { reserved: true });
    assert.deepEqual(await search(), { reserved: false, running: true });
    await quotas.close();
  });
});
