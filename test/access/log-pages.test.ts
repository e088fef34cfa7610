/** Pages of the log of several keys: one statement gives the pages of one statement for each key. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { filteredPageOf, openLog } from '../../src/access/log-file.js';
import type { LogFilter } from '../../src/access/log-records.js';
import { RequestLog } from '../../src/access/request-log.js';
import type { Sqlite } from '../../src/access/sqlite.js';
import { LOG_LINES_READ } from '../../src/limits.js';
import { temporary } from '../crash/folder.js';
import fc from '../property.js';

const KEYS = ['key_0', 'key_1', 'key_2', 'key_3', 'key_none'];
const START = Date.UTC(2026, 0, 1);
const LINES = 400;

type Row = [id: number, time: number, requestId: string, endpoint: string, status: number];

/** The page, from a statement for each key. */
function pageByKey(
  log: Sqlite,
  keys: readonly string[],
  limit: number,
  { status }: LogFilter,
  start: [time: number, id: number],
): { lines: string[]; next?: string } {
  const read = Math.max(1, Math.floor(LOG_LINES_READ / Math.max(1, keys.length)));
  const most = status === undefined ? Math.min(limit + 1, read) : read;
  const found = keys.map((key) =>
    log.rows<Row>(
      `SELECT id, time, request_id, endpoint, status FROM lines WHERE key = ? AND (time, id) < (?, ?)
       ORDER BY time DESC, id DESC LIMIT ?`,
      ...[key, ...start, most],
    ),
  );
  const newestFirst = (one: Row, two: Row) => two[1] - one[1] || two[0] - one[0];
  const [end] = found.flatMap((rows) => (rows.length === most ? [rows.at(-1)!] : [])).sort(newestFirst);
  const matching = found
    .flat()
    .filter((row) => status === undefined || `${row[4]}` === status)
    .filter((row) => end === undefined || newestFirst(row, end) <= 0)
    .sort(newestFirst);
  const last = matching.length > limit ? matching[limit - 1]! : end;
  return {
    lines: matching.slice(0, limit).map(([, , requestId]) => requestId),
    ...(last === undefined ? {} : { next: `${last[1].toString(36)}-${last[0].toString(36)}` }),
  };
}

it('pages of several keys are those of a statement for each key', async (t) => {
  const folder = temporary(t);
  const requests = RequestLog.ofFolder(folder, { days: 3650 });
  t.after(() => requests.close());
  for (let n = 0; n < LINES; n++) {
    const [key, status] = [KEYS[(n * n) % 4]!, n % 5 === 0 ? 429 : 200];
    // Several lines of each time, of the same key and of different ones; some are written late.
    const time = START + Math.floor(n / 6) - (n % 17 === 0 ? 20 : 0);
    requests.add({ key, time, requestId: `r${n}`, endpoint: 'x', status, ms: 1, client: '' });
  }
  await requests.flush();
  const log = openLog(folder, { create: false, waitMs: 1_000 });
  t.after(() => log.close());

  const keys = fc.subarray(KEYS);
  // Unknown keys leave few lines for each key.
  const others = fc.constantFrom(0, 3, LOG_LINES_READ / 40, LOG_LINES_READ / 8);
  const limit = fc.integer({ min: 1, max: LINES + 1 });
  const status = fc.constantFrom(undefined, '429', '503');
  const property = fc.property(keys, others, limit, status, (known, unknown, most, wanted) => {
    const all = [...known, ...Array.from({ length: unknown }, (_, n) => `other_${n}`)];
    const filter: LogFilter = wanted === undefined ? {} : { status: wanted };
    let start: [number, number] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    let cursor: string | undefined;
    for (let pages = 0; pages < 4; pages++) {
      const page = filteredPageOf(log, all, most, 0, { filter, cursor });
      const { lines, ...next } = page;
      const expected = pageByKey(log, all, most, filter, start);
      assert.deepEqual({ lines: lines.map(({ request_id }) => request_id), ...next }, expected);
      cursor = page.next;
      if (cursor === undefined) break;
      const [time, id] = cursor.split('-').map((part) => Number.parseInt(part, 36));
      start = [time!, id!];
    }
  });
  fc.assert(property, { seed: 15, numRuns: 40 });
});
