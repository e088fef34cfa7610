/** The log of requests of several keys: filters and pages give the same lines as a filter over all lines. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { LogFilter, LogLine } from '../../src/access/log-records.js';
import { RequestLog } from '../../src/access/request-log.js';
import { LOG_LINES_READ } from '../../src/limits.js';
import { temporary } from '../crash/folder.js';

const DAY = 86_400_000;

it('pages of several keys, with any filter, hold every fitting line once, newest first', async (t) => {
  const log = new RequestLog(temporary(t));
  t.after(() => log.close());
  const now = Date.now();
  const added: { key: string; time: number; endpoint: string; status: number; id: string }[] = [];
  for (let n = 0; n < 600; n++) {
    // Several lines of each time, also of different keys.
    const time = now - 3 * DAY + Math.floor(n / 7) * 2_000_000;
    const endpoint = ['details', 'mcp.search_patents', 'mcp', 'mcpx', 'semantic'][n % 5]!;
    const status = n % 11 === 0 ? 429 : n % 13 === 0 ? 503 : 200;
    added.push({ key: `key_${n % 3}`, time, endpoint, status, id: `r${n}` });
  }
  for (const { id, ...line } of added) log.add({ ...line, requestId: id, ms: 1, client: '192.0.2.1' });
  await log.flush();
  const today = new Date(now - DAY).toISOString().slice(0, 10);
  const filters: LogFilter[] = [
    {},
    { status: '429' },
    { status: '5xx' },
    { endpoint: 'details' },
    { endpoint: 'details', status: '2xx', from: today, to: today },
    { to: today },
    { endpoint: 'unknown' },
    { endpoint: 'mcp' },
    { endpoint: 'mcp.search_patents' },
  ];
  for (const keys of [undefined, ['key_0'], ['key_0', 'key_2'], []] as (string[] | undefined)[]) {
    for (const filter of filters) {
      const wanted = added
        .filter(({ key }) => keys === undefined || keys.includes(key))
        .filter(({ endpoint }) =>
          filter.endpoint === 'mcp'
            ? ['mcp', 'mcp.search_patents'].includes(endpoint)
            : filter.endpoint === undefined || endpoint === filter.endpoint,
        )
        .filter(({ status }) =>
          filter.status === undefined
            ? true
            : filter.status.endsWith('xx')
              ? `${status}`[0] === filter.status[0]
              : `${status}` === filter.status,
        )
        .filter(({ time }) => {
          const day = new Date(time).toISOString().slice(0, 10);
          return (
            (filter.from === undefined || day >= filter.from) && (filter.to === undefined || day <= filter.to)
          );
        });
      const found: LogLine[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 200; pages++) {
        const page = log.pageOfKeys(keys, 37, { filter, cursor });
        found.push(...page.lines);
        cursor = page.next;
        if (cursor === undefined) break;
      }
      assert.equal(cursor, undefined, 'the last page has no next');
      const what = JSON.stringify({ keys, filter });
      assert.deepEqual(
        found.map(({ request_id }) => request_id).sort(),
        wanted.map(({ id }) => id).sort(),
        what,
      );
      const times = found.map(({ time }) => time);
      assert.deepEqual(times, times.toSorted().reverse(), what);
    }
  }
});

it('a page of many keys reads a bounded number of lines of all together, and no line is lost', async (t) => {
  const folder = temporary(t);
  const log = new RequestLog(folder);
  t.after(() => log.close());
  const keys = Array.from({ length: LOG_LINES_READ / 2 }, (_, n) => `key_${n}`);
  const now = Date.now();
  for (let n = 0; n < 40; n++) {
    const key = keys[n % 4]!;
    log.add({ key, time: now - 100 + n, requestId: `r${n}`, endpoint: 'x', status: 200, ms: 1, client: '' });
  }
  await log.flush();
  const found: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = log.pageOfKeys(keys, 1_000, { cursor });
    // Two lines of each of the four keys that have lines.
    assert.ok(page.lines.length <= 8, `${page.lines.length} lines`);
    found.push(...page.lines.map(({ request_id }) => request_id));
    cursor = page.next;
    pages++;
  } while (cursor !== undefined && pages < 100);
  assert.deepEqual(
    found,
    Array.from({ length: 40 }, (_, n) => `r${39 - n}`),
  );
});

it('usage of keys has the rows of these keys on all days of the range', async (t) => {
  const folder = temporary(t);
  const log = new RequestLog(folder);
  t.after(() => log.close());
  const start = Date.UTC(2026, 0, 1);
  for (let n = 0; n < 60; n++) {
    const line = { requestId: 'r', endpoint: n % 2 ? 'x' : 'y', status: 200, ms: 1, client: '' };
    log.add({ ...line, key: `key_${n % 3}`, time: start + Math.floor(n / 6) * 2 * DAY });
  }
  await log.flush();
  for (const [from, to] of [
    ['2026-01-03', '2026-01-10'],
    ['2026-01-04', '2026-01-04'],
    ['2020-01-01', '2030-01-01'],
    ['2026-01-05', '2026-01-01'],
  ] as const)
    for (const keys of [['key_0', 'key_2'], ['key_none'], []]) {
      const wanted = log.usage(from, to).filter(({ key }) => keys.includes(key));
      assert.deepEqual(log.usage(from, to, new Set(keys)), wanted, JSON.stringify({ from, to, keys }));
    }
  assert.equal(log.usage('2026-01-03', '2026-01-10', new Set(['key_0'])).length, 8);
});

it('a call reads a bounded number of lines, and goes on behind them', async (t) => {
  const log = new RequestLog(temporary(t));
  t.after(() => log.close());
  const now = Date.now();
  const lines = LOG_LINES_READ + 5_000;
  for (let n = 0; n < lines; n++) {
    const status = n === 10 ? 503 : 200;
    log.add({
      key: 'key_0',
      time: now - (lines - n),
      requestId: `r${n}`,
      endpoint: 'x',
      status,
      ms: 1,
      client: '',
    });
  }
  await log.flush();
  const first = log.pageOfKeys(undefined, 100, { filter: { status: '503' } });
  assert.deepEqual(first.lines, []);
  assert.ok(first.next !== undefined, 'there are lines that were not read');
  const second = log.pageOfKeys(undefined, 100, { filter: { status: '503' }, cursor: first.next });
  assert.deepEqual(
    second.lines.map(({ request_id }) => request_id),
    ['r10'],
  );
  assert.equal(second.next, undefined);
});
