/** Counts of a server as totals: with any of them repeated, late or lost until a later one, the sum is right. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addStatus, type LogBatch, NO_COUNTS } from '../../src/access/log-records.js';
import { type UsageTotal, UsageTotals } from '../../src/cluster/usage-totals.js';
import fc from '../property.js';

const DAY = 86_400_000;

function counted(key: string, statuses: readonly number[]): LogBatch['usage'][0] {
  const counts = { ...NO_COUNTS };
  for (const status of statuses) addStatus(counts, status);
  return { at: ['2026-01-01', key, 'semantic'], counts };
}

it('the sum over all names is what was counted, also on another day and with many keys', () => {
  const batch = fc.array(
    fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.array(fc.constantFrom(200, 404, 503), { minLength: 1 })),
    { maxLength: 3 },
  );
  const property = fc.property(fc.array(fc.tuple(batch, fc.boolean())), fc.nat(), (batches, seed) => {
    let [names, now, requests] = [0, 0, 0];
    const totals = new UsageTotals(
      () => `name-${names++}`,
      2,
      () => now,
    );
    const written: UsageTotal[] = [];
    for (const [entries, isNextDay] of batches) {
      if (isNextDay) now += DAY;
      for (const [, statuses] of entries) requests += statuses.length;
      written.push(...totals.add(entries.map(([key, statuses]) => counted(key, statuses))));
    }
    // Writes arrive in any order, and twice; the store keeps the one with the highest version.
    const stored = new Map<string, UsageTotal>();
    const order = [...written, ...written].map((total, n) => ({ total, at: (n * 7_919 + seed) % 1_009 }));
    for (const { total } of order.sort((one, two) => one.at - two.at)) {
      if ((stored.get(total.id)?.row.requests ?? 0) < total.row.requests) stored.set(total.id, total);
    }
    const rows = [...stored.values()].map(({ row }) => row);
    assert.equal(
      rows.reduce((sum, row) => sum + row.requests, 0),
      requests,
    );
    for (const { ok, client_errors, server_errors, requests: all } of rows)
      assert.equal(ok + client_errors + server_errors, all);
  });
  fc.assert(property, { seed: 21, numRuns: 200 });
});

it('goes on under another name on another day, or with many totals', () => {
  let [names, now] = [0, 0];
  const totals = new UsageTotals(
    () => `name-${names++}`,
    2,
    () => now,
  );
  const nameOf = (keys: string[]) =>
    totals.add(keys.map((key) => counted(key, [200]))).map(({ id }) => id.split('/')[0]);
  assert.deepEqual(nameOf(['a']), ['name-0']);
  assert.deepEqual(nameOf(['b']), ['name-0']);
  assert.deepEqual(nameOf(['a']), ['name-1'], 'two totals are remembered at most');
  now += DAY;
  assert.deepEqual(nameOf(['a', 'b', 'c']), ['name-2', 'name-2', 'name-2']);
});
