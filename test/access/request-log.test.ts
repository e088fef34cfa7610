import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { LoggedRequest, LogLine } from '../../src/access/log-records.js';
import { RequestLog } from '../../src/access/request-log.js';
import { native } from '../../src/index/native.js';
import { until } from '../until.js';

const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-log-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

let n = 0;
function request(over: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    key: 'key_a',
    time: Date.now(),
    requestId: `r-${n++}`,
    endpoint: 'semantic',
    status: 200,
    ms: 1.23456,
    client: '192.0.2.1',
    ...over,
  };
}

/** All pages of a key's log. */
function all(log: RequestLog, key: string, limit: number): LogLine[] {
  const lines: LogLine[] = [];
  let cursor: string | undefined;
  do {
    const page = log.page(key, limit, cursor);
    assert.ok(page.lines.length <= limit, `expected at most ${limit} lines: ${page.lines.length}`);
    lines.push(...page.lines);
    cursor = page.next;
  } while (cursor !== undefined);
  return lines;
}

describe('log of requests', () => {
  it('says why a request was refused, also in a file of format 1, which it upgrades', async () => {
    const dir = folder();
    const first = new RequestLog(dir);
    first.add(request({ requestId: 'before' }));
    await first.close();
    // As the format was: without the column.
    const file = new native.Sqlite(join(dir, 'log.db'), false, 1_000);
    file.rows('ALTER TABLE lines DROP COLUMN code', []);
    file.rows('PRAGMA user_version = 1', []);
    file.close();
    const log = new RequestLog(dir);
    assert.deepEqual(
      all(log, 'key_a', 10).map((line) => line.request_id),
      ['before'],
      'reading needs no write before',
    );
    log.add(request({ requestId: 'minute', status: 429, code: 'rate_limited' }));
    log.add(request({ requestId: 'month', status: 429, code: 'quota_exceeded' }));
    await log.flush();
    assert.deepEqual(
      all(log, 'key_a', 10).map((line) => [line.request_id, line.error_code]),
      [
        ['month', 'quota_exceeded'],
        ['minute', 'rate_limited'],
        ['before', undefined],
      ],
    );
    const { lines } = log.pageOfKeys(undefined, 10, {});
    assert.deepEqual(
      lines.map((line) => [line.key, line.error_code]),
      [
        ['key_a', 'quota_exceeded'],
        ['key_a', 'rate_limited'],
        ['key_a', undefined],
      ],
    );
    await log.close();
  });

  it('knows when each key was used last', async () => {
    const dir = folder();
    const log = new RequestLog(dir);
    const keys = [{ id: 'key_a' }, { id: 'key_b' }];
    const keyOf = ({ id }: { id: string }) => id;
    assert.deepEqual(await log.withLastUse(keys, keyOf), keys, 'there is no log yet');
    for (const time of [2_000, 3_000, 1_000]) log.add(request({ time: Date.now() - 60_000 + time }));
    const newest = Date.now() - 10_000;
    log.add(request({ time: newest }));
    await log.flush();
    assert.deepEqual(await log.withLastUse(keys, keyOf), [
      { id: 'key_a', last_used_at: new Date(newest).toISOString() },
      { id: 'key_b' },
    ]);
    // Records of other kinds name their keys, and several may have the same one.
    const grants = [
      { id: 'grant_1', key: 'key_a' },
      { id: 'grant_2', key: 'key_a' },
      { id: 'grant_3', key: 'key_b' },
    ];
    assert.deepEqual(
      (await log.withLastUse(grants, ({ key }) => key)).map(({ id, last_used_at }) => [id, last_used_at]),
      [
        ['grant_1', new Date(newest).toISOString()],
        ['grant_2', new Date(newest).toISOString()],
        ['grant_3', undefined],
      ],
    );
    await log.close();
    writeFileSync(join(dir, 'log.db'), 'damaged'.repeat(1_000));
    const damaged = new RequestLog(dir);
    assert.throws(() => damaged.page('key_a', 10), /cannot be read/);
    assert.deepEqual(await damaged.withLastUse(keys, keyOf), keys, 'a damaged log hides no key');
    await damaged.close();
  });

  it('returns added lines by key, newest first, in pages', async () => {
    const log = new RequestLog(folder());
    const told: LoggedRequest[] = [];
    for (let i = 0; i < 100; i++) {
      const line = request({ time: 1_700_000_000_000 + i * 7, resultCount: i, status: i % 3 ? 200 : 422 });
      if (i % 10 === 9) log.add(request({ key: 'key_b', time: line.time }));
      told.push(line);
      log.add(line);
      if (i % 17 === 0) await log.flush();
    }
    await log.flush();
    // A line far older than 30 days is removed by the next write.
    assert.equal(log.page('key_a', 1_000).lines.length < 100, true);
    await log.close();

    const fresh = new RequestLog(folder(), { days: 3_650 });
    for (const [i, line] of told.entries()) {
      fresh.add(line);
      if (i % 17 === 0) await fresh.flush();
    }
    await fresh.flush();
    const wanted = told
      .map((line) => ({
        time: new Date(line.time).toISOString(),
        request_id: line.requestId,
        endpoint: 'semantic',
        status: line.status,
        ms: 1.23,
        client: '192.0.2.1',
        result_count: line.resultCount,
      }))
      .reverse();
    for (const limit of [1, 7, 100, 1_000]) assert.deepEqual(all(fresh, 'key_a', limit), wanted);
    assert.deepEqual(all(fresh, 'key_b', 10), []);
    await fresh.close();
  });

  it('orders lines of all servers by time, page by page', async () => {
    const dir = folder();
    const logs = [1, 2, 3].map(() => new RequestLog(dir, { days: 3_650 }));
    const [start, wanted] = [Date.now() - 60_000, [] as string[]];
    for (let i = 0; i < 600; i++) {
      const time = start + i * 13;
      const line = request({ time });
      wanted.unshift(new Date(time).toISOString());
      // The servers write at different times. One holds back more lines than a single write takes.
      logs[(i * 7 + (i >> 4)) % 3]!.add(line);
      if (i % 20 === 3) await logs[0]!.flush();
      if (i % 31 === 7) await logs[1]!.flush();
    }
    for (const log of logs) await log.flush();
    const reader = new RequestLog(dir, { days: 3_650 });
    for (const limit of [1, 7, 250, 1_000])
      assert.deepEqual(
        all(reader, 'key_a', limit).map(({ time }) => time),
        wanted,
        `${limit} a page`,
      );
    await Promise.all([...logs, reader].map((log) => log.close()));
  });

  it('refuses an invalid cursor', async () => {
    const log = new RequestLog(folder());
    for (const wrong of ['no cursor', '', '1', 'a-b-c-d', `1-${'w'.repeat(2_000)}`, '1-99999999999'])
      assert.throws(() => log.page('key_a', 10, wrong), { code: 'usage', message: /^cursor: got/ }, wrong);
    // A valid cursor for lines that do not exist.
    assert.deepEqual(log.page('key_a', 10, '1-zzz'), { lines: [] });
    await log.close();
  });

  it('shows no line that is older than the retention, and removes such lines without a new line', async () => {
    const dir = folder();
    const long = new RequestLog(dir, { days: 3_650 });
    long.add(request({ requestId: 'old', time: Date.now() - 2 * 86_400_000 }));
    await long.flush();
    long.add(request({ requestId: 'new' }));
    await long.flush();
    const short = new RequestLog(dir, { days: 1, pruneEveryMs: 0 });
    const ids = (log: RequestLog) => all(log, 'key_a', 1).map((line) => line.request_id);
    assert.deepEqual(ids(long), ['new', 'old']);
    assert.deepEqual(ids(short), ['new']);
    // The command line opens the log without a setting for the retention.
    const told = new RequestLog(dir);
    assert.deepEqual(ids(told), ['new', 'old']);
    await short.flush();
    assert.deepEqual(ids(long), ['new']);
    await Promise.all([long, short, told].map((log) => log.close()));
  });

  it('flush writes all lines added before it, also during another write', async () => {
    const log = new RequestLog(folder());
    for (let i = 0; i < 50; i++) {
      log.add(request({ requestId: `before-${i}` }));
      const running = log.flush();
      // Lets the running write take the waiting lines.
      await Promise.resolve();
      log.add(request({ requestId: `during-${i}` }));
      await Promise.all([log.flush(), log.flush()]);
      assert.equal(log.page('key_a', 1).lines[0]?.request_id, `during-${i}`);
      await running;
    }
    await log.close();
  });

  it('writes by itself within a second', async () => {
    const dir = folder();
    const log = new RequestLog(dir);
    log.add(request({ requestId: 'soon' }));
    const other = new RequestLog(dir);
    await until(() => other.page('key_a', 1).lines.length > 0, 'the line is written');
    assert.equal(other.page('key_a', 1).lines[0]?.request_id, 'soon');
    await log.close();
    await other.close();
  });

  it('the log keeps no query by default', async () => {
    for (const queries of [false, true]) {
      const log = new RequestLog(folder(), { queries });
      log.add(request({ query: 'secret plans' }));
      await log.flush();
      assert.equal(log.page('key_a', 1).lines[0]?.query, queries ? 'secret plans' : undefined);
      await log.close();
    }
  });

  it('counts by day, key and endpoint, including dropped lines', async () => {
    const dir = folder();
    const log = new RequestLog(dir);
    const other = new RequestLog(dir);
    const today = Date.now();
    const yesterday = today - 86_400_000;
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    for (const [i, status] of [200, 200, 302, 404, 429, 500, 503].entries())
      (i % 2 ? log : other).add(request({ status, time: today }));
    log.add(request({ endpoint: 'details', time: today }));
    log.add(request({ time: yesterday }));
    log.add(request({ key: 'key_b', time: today }));
    await Promise.all([log.flush(), other.flush()]);
    assert.deepEqual(log.usage(day(yesterday), day(today), new Set(['key_a'])), [
      {
        day: day(yesterday),
        key: 'key_a',
        endpoint: 'semantic',
        requests: 1,
        ok: 1,
        client_errors: 0,
        server_errors: 0,
      },
      {
        day: day(today),
        key: 'key_a',
        endpoint: 'details',
        requests: 1,
        ok: 1,
        client_errors: 0,
        server_errors: 0,
      },
      {
        day: day(today),
        key: 'key_a',
        endpoint: 'semantic',
        requests: 7,
        ok: 3,
        client_errors: 2,
        server_errors: 2,
      },
    ]);
    assert.equal(log.usage(day(today), day(today)).length, 3);
    await log.close();
    await other.close();
  });

  it('stays below its size: the oldest lines are dropped first', async () => {
    const dir = folder();
    const log = new RequestLog(dir, { megabytes: 1 });
    const started = Date.now();
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 1_000; i++) {
        const key = i % 2 ? 'key_a' : 'key_b';
        log.add(request({ key, requestId: `${round}-${i}`, time: started + round }));
      }
      await log.flush();
    }
    const lines = all(log, 'key_a', 1_000);
    assert.equal(lines[0]?.request_id, '59-999');
    assert.ok(lines.length < 10_000 && lines.length > 3_000, `${lines.length} lines`);
    await log.close();
    const bytes = statSync(join(dir, 'log.db')).size;
    assert.ok(bytes < 8e6, `${bytes} bytes for a log of 1 MB`);
  });

  it('a request does not fail if its line cannot be written, and the log recovers', async () => {
    const dir = folder();
    // A folder at the path of the file.
    mkdirSync(join(dir, 'log.db'));
    const errors: unknown[] = [];
    const log = new RequestLog(dir, { onError: (error) => errors.push(error) });
    log.add(request());
    await log.flush();
    assert.ok(errors.length > 0, 'expected a report of the failed write');
    rmdirSync(join(dir, 'log.db'));
    await log.flush();
    assert.equal(all(log, 'key_a', 10).length, 1);
    assert.equal(log.usage('2000-01-01', '2100-01-01')[0]?.requests, 1);
    await log.close();
    assert.deepEqual(readdirSync(dir), ['log.db']);
  });
});
