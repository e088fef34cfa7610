import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { cycleAt } from '../../src/access/billing.js';
import { quotaExceeded } from '../../src/access/call-limits.js';
import fc from '../property.js';

const DAY_MS = 86_400_000;
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
function cycle(createdAt: string, now: string): [string, string] {
  const { start, end } = cycleAt(createdAt, Date.parse(now));
  assert.equal(start % DAY_MS, 0, 'begins at midnight UTC');
  return [day(start), day(end)];
}

describe('billing cycle', () => {
  it('a cycle lasts a month from the start day, UTC', () => {
    const made = '2024-03-15T18:30:00.000Z';
    assert.deepEqual(cycle(made, '2024-03-15T18:30:00.000Z'), ['2024-03-15', '2024-04-15']);
    assert.deepEqual(cycle(made, '2024-04-14T23:59:59.999Z'), ['2024-03-15', '2024-04-15']);
    assert.deepEqual(cycle(made, '2024-04-15T00:00:00.000Z'), ['2024-04-15', '2024-05-15']);
    assert.deepEqual(cycle(made, '2025-01-01T00:00:00.000Z'), ['2024-12-15', '2025-01-15']);
  });

  it('a cycle of an account made on a 31st begins on the last day of shorter months, leap years included', () => {
    const made = '2023-12-31T12:00:00.000Z';
    assert.deepEqual(cycle(made, '2024-01-31T00:00:00Z'), ['2024-01-31', '2024-02-29']);
    assert.deepEqual(cycle(made, '2024-02-28T23:59:59Z'), ['2024-01-31', '2024-02-29']);
    assert.deepEqual(cycle(made, '2024-02-29T00:00:00Z'), ['2024-02-29', '2024-03-31']);
    assert.deepEqual(cycle(made, '2024-04-30T00:00:00Z'), ['2024-04-30', '2024-05-31']);
    assert.deepEqual(cycle(made, '2025-03-01T00:00:00Z'), ['2025-02-28', '2025-03-31']);
    assert.deepEqual(cycle('2024-02-29T08:00:00Z', '2025-02-28T00:00:00Z'), ['2025-02-28', '2025-03-29']);
    assert.deepEqual(cycle('2024-01-30T08:00:00Z', '2100-03-01T00:00:00Z'), ['2100-02-28', '2100-03-30']);
  });

  it('cycles have no gaps and no overlaps, contain the given instant, and begin once a month', () => {
    const instants = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(instants, instants, (made, now) => {
        const createdAt = new Date(made).toISOString();
        const { start, end } = cycleAt(createdAt, now);
        assert.ok(start <= now && now < end, `expected ${now} within the cycle from ${start} to ${end}`);
        assert.ok(
          end - start >= 28 * DAY_MS && end - start <= 31 * DAY_MS,
          `expected a cycle of 28 to 31 days: ${(end - start) / DAY_MS} days`,
        );
        assert.equal(cycleAt(createdAt, end).start, end);
        assert.equal(cycleAt(createdAt, start - 1).end, start);
        const wanted = new Date(made).getUTCDate();
        const got = new Date(start).getUTCDate();
        // The day differs from the account's only in a month without that day.
        if (got !== wanted)
          assert.ok(
            got < wanted && new Date(start + DAY_MS).getUTCDate() === 1,
            `expected the last day of a month before day ${wanted}: day ${got}`,
          );
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the message of a used quota names one search as such', () => {
  const march = { start: 0, end: Date.UTC(2026, 2, 1) };
  for (const running of [false, true]) {
    assert.match(quotaExceeded(1, march, 0, running).message, / quota of 1 search is /);
    assert.match(quotaExceeded(30, march, 0, running).message, / quota of 30 searches is /);
  }
});
