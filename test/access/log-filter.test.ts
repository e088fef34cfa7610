/** Pages of the log of requests in a file read a bounded number of lines. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { LOG_LINES_READ } from '../../src/limits.js';
import { temporary } from '../crash/folder.js';

it('a page of many keys reads a bounded number of lines of all together, and no line is lost', async (t) => {
  const folder = temporary(t);
  const log = RequestLog.ofFolder(folder);
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
    const page = await log.pageOfKeys(keys, 1_000, { cursor });
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

it('a call reads a bounded number of lines, and goes on behind them', async (t) => {
  const log = RequestLog.ofFolder(temporary(t));
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
  const first = await log.pageOfKeys(undefined, 100, { filter: { status: '503' } });
  assert.deepEqual(first.lines, []);
  assert.ok(first.next !== undefined, 'there are lines that were not read');
  const second = await log.pageOfKeys(undefined, 100, { filter: { status: '503' }, cursor: first.next });
  assert.deepEqual(
    second.lines.map(({ request_id }) => request_id),
    ['r10'],
  );
  assert.equal(second.next, undefined);
});
