/** What the log of requests does, wherever it is kept: in a file of a folder, or on a cluster. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import type { LogFilter, LoggedRequest, LogLimits, LogLine, UsageRow } from '../../src/access/log-records.js';
import type { LogStore } from '../../src/access/log-store.js';
import { RequestLog, type RequestLogOptions } from '../../src/access/request-log.js';
import { until } from '../until.js';

const DAY = 86_400_000;

/** A new, empty place for a log. */
export interface LogPlace {
  /** What another server, or a command, has of it. */
  open(limits: Partial<LogLimits>): LogStore;
}

let made = 0;
export function request(over: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    key: 'key_a',
    time: Date.now(),
    requestId: `r-${made++}`,
    endpoint: 'semantic',
    status: 200,
    ms: 1.23456,
    client: '192.0.2.1',
    ...over,
  };
}

/** All pages of a key's log. */
export async function allLines(log: RequestLog, key: string, limit: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await log.page(key, limit, cursor);
    assert.ok(page.lines.length <= limit, `expected at most ${limit} lines: ${page.lines.length}`);
    lines.push(...page.lines);
    cursor = page.next;
  } while (cursor !== undefined);
  return lines;
}

/** All pages of the log of several keys. */
async function allOf(log: RequestLog, keys: string[] | undefined, limit: number, filter: LogFilter) {
  const lines: LogLine[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 300; pages++) {
    const page = await log.pageOfKeys(keys, limit, { filter, cursor });
    lines.push(...page.lines);
    cursor = page.next;
    if (cursor === undefined) return lines;
  }
  throw new Error('the last page has no next');
}

const idsOf = (lines: readonly LogLine[]) => lines.map(({ request_id: id }) => id);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** @param newPlace makes an empty place, which is removed after the test */
export function logConformance(newPlace: (t: TestContext) => LogPlace | Promise<LogPlace>): void {
  /** Opens logs on one new place. They are closed after the test. */
  const placeOf = async (t: TestContext) => {
    const place = await newPlace(t);
    return ({ days, megabytes, ...options }: Partial<LogLimits> & RequestLogOptions = {}) => {
      const limits = {
        ...(days === undefined ? {} : { days }),
        ...(megabytes === undefined ? {} : { megabytes }),
      };
      const log = new RequestLog(place.open(limits), options);
      t.after(() => log.close());
      return log;
    };
  };

  it('says why a request was refused', async (t) => {
    const log = (await placeOf(t))();
    const time = Date.now() - 1_000;
    log.add(request({ requestId: 'fine', time }));
    log.add(request({ requestId: 'minute', time: time + 1, status: 429, code: 'rate_limited' }));
    log.add(request({ requestId: 'month', time: time + 2, status: 429, code: 'quota_exceeded' }));
    await log.flush();
    const { lines } = await log.page('key_a', 10);
    const expected = [
      ['month', 'quota_exceeded'],
      ['minute', 'rate_limited'],
      ['fine', undefined],
    ];
    assert.deepEqual(
      lines.map((line) => [line.request_id, line.error_code]),
      expected,
    );
    const page = await log.pageOfKeys(undefined, 10, {});
    assert.deepEqual(
      page.lines,
      lines.map((line) => ({ key: 'key_a', ...line })),
    );
  });

  it('knows when each key was used last', async (t) => {
    const log = (await placeOf(t))();
    const keys = [{ id: 'key_a' }, { id: 'key_b' }];
    const keyOf = ({ id }: { id: string }) => id;
    assert.deepEqual(await log.withLastUse(keys, keyOf), keys, 'there is no log yet');
    for (const time of [2_000, 3_000, 1_000]) log.add(request({ time: Date.now() - 60_000 + time }));
    const newest = Date.now() - 10_000;
    log.add(request({ time: newest }));
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
  });

  it('returns added lines by key, newest first, in pages', async (t) => {
    const open = await placeOf(t);
    const [log, short] = [open({ days: 3_650 }), open({ days: 30 })];
    const told: LoggedRequest[] = [];
    for (let i = 0; i < 100; i++) {
      const line = request({ time: 1_700_000_000_000 + i * 7, resultCount: i, status: i % 3 ? 200 : 422 });
      if (i % 10 === 9) log.add(request({ key: 'key_b', time: line.time }));
      told.push(line);
      log.add(line);
      if (i % 17 === 0) await log.flush();
    }
    await log.flush();
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
    for (const limit of [1, 7, 100, 1_000]) assert.deepEqual(await allLines(log, 'key_a', limit), wanted);
    assert.equal((await allLines(log, 'key_b', 3)).length, 10);
    assert.deepEqual(await allLines(log, 'key_c', 10), []);
    assert.deepEqual(await allLines(short, 'key_a', 10), [], 'too old for a server that shows 30 days');
  });

  it('lines of the same time are in the order of their writing, page by page', async (t) => {
    const log = (await placeOf(t))();
    const time = Date.now();
    const ids = Array.from({ length: 50 }, (_, n) => `same-${n}`);
    for (const [n, requestId] of ids.entries()) {
      log.add(request({ requestId, time }));
      if (n % 13 === 0) await log.flush();
    }
    await log.flush();
    assert.deepEqual(idsOf(await allLines(log, 'key_a', 7)), ids.toReversed());
    assert.deepEqual(idsOf(await allOf(log, ['key_a'], 7, {})), ids.toReversed());
  });

  it('orders lines of all servers by time, page by page', async (t) => {
    const open = await placeOf(t);
    const logs = [1, 2, 3].map(() => open());
    const [start, wanted] = [Date.now() - 60_000, [] as string[]];
    for (let i = 0; i < 600; i++) {
      const time = start + i * 13;
      wanted.unshift(new Date(time).toISOString());
      // The servers write at different times. One holds back more lines than a single write takes.
      logs[(i * 7 + (i >> 4)) % 3]!.add(request({ time }));
      if (i % 60 === 3) await logs[0]!.flush();
      if (i % 91 === 7) await logs[1]!.flush();
    }
    for (const log of logs) await log.flush();
    const reader = open();
    for (const limit of [7, 250, 1_000])
      assert.deepEqual(
        (await allLines(reader, 'key_a', limit)).map(({ time }) => time),
        wanted,
        `${limit} a page`,
      );
  });

  it('lines that come while pages are read neither repeat nor hide others', async (t) => {
    const open = await placeOf(t);
    const [log, other] = [open(), open()];
    const start = Date.now() - 60_000;
    for (let n = 0; n < 20; n++) log.add(request({ requestId: `before-${n}`, time: start + n }));
    await log.flush();
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await other.page('key_a', 3, cursor);
      found.push(...idsOf(page.lines));
      cursor = page.next;
      other.add(request({ requestId: 'newer' }));
      await other.flush();
    } while (cursor !== undefined);
    assert.deepEqual(
      found,
      Array.from({ length: 20 }, (_, n) => `before-${19 - n}`),
    );
  });

  it('refuses an invalid cursor', async (t) => {
    const log = (await placeOf(t))();
    const refused = { code: 'usage', message: /^cursor: got/ };
    for (const wrong of ['no cursor', '', '1', 'a-b-c-d', `1-${'w'.repeat(2_000)}`]) {
      await assert.rejects(log.page('key_a', 10, wrong), refused, wrong);
      await assert.rejects(log.pageOfKeys(undefined, 10, { cursor: wrong }), refused, wrong);
    }
    // A valid cursor for lines that do not exist.
    assert.deepEqual(await log.page('key_a', 10, '1-zzz'), { lines: [] });
  });

  it('shows no line that is older than the retention, and removes such lines without a new line', async (t) => {
    const open = await placeOf(t);
    const long = open({ days: 3_650 });
    long.add(request({ requestId: 'old', time: Date.now() - 2 * DAY }));
    await long.flush();
    long.add(request({ requestId: 'new' }));
    await long.flush();
    const ids = async (log: RequestLog) => idsOf(await allLines(log, 'key_a', 1));
    const reader = open({ days: 1 });
    assert.deepEqual(await ids(long), ['new', 'old']);
    assert.deepEqual(await ids(reader), ['new']);
    // The command line opens the log without a setting for the retention.
    assert.deepEqual(await ids(open()), ['new', 'old']);
    open({ days: 1, pruneEveryMs: 0 });
    await until(async () => (await ids(long)).length === 1, 'the old line is removed');
    assert.deepEqual(await ids(long), ['new']);
  });

  it('commands show the days that the servers keep', async (t) => {
    const open = await placeOf(t);
    const [server, command] = [open({ days: 2 }), open()];
    server.add(request({ requestId: 'old', time: Date.now() - 3 * DAY }));
    server.add(request({ requestId: 'new' }));
    await server.flush();
    assert.deepEqual(idsOf((await command.page('key_a', 10)).lines), ['new']);
  });

  it('flush writes all lines added before it, also during another write', async (t) => {
    const log = (await placeOf(t))();
    for (let i = 0; i < 30; i++) {
      log.add(request({ requestId: `before-${i}`, time: Date.now() - 1 }));
      const running = log.flush();
      // Lets the running write take the waiting lines.
      await Promise.resolve();
      log.add(request({ requestId: `during-${i}` }));
      await Promise.all([log.flush(), log.flush()]);
      assert.equal((await log.page('key_a', 1)).lines[0]?.request_id, `during-${i}`);
      await running;
    }
  });

  it('writes by itself', async (t) => {
    const open = await placeOf(t);
    const [log, other] = [open(), open()];
    log.add(request({ requestId: 'soon' }));
    await until(async () => (await other.page('key_a', 1)).lines.length > 0, 'the line is written');
    assert.equal((await other.page('key_a', 1)).lines[0]?.request_id, 'soon');
  });

  it('the log keeps no query by default', async (t) => {
    const open = await placeOf(t);
    for (const queries of [false, true]) {
      const [log, key] = [open({ queries }), `key_${queries}`];
      log.add(request({ key, query: 'secret plans' }));
      await log.flush();
      assert.equal((await log.page(key, 1)).lines[0]?.query, queries ? 'secret plans' : undefined);
      // A character of two units is cut in half.
      log.add(request({ key, time: Date.now() + 1, query: `${'x'.repeat(999)}😀` }));
      await log.flush();
      const kept = (await log.page(key, 1)).lines[0]?.query;
      assert.equal(kept?.slice(0, 999), queries ? 'x'.repeat(999) : undefined);
    }
  });

  it('counts by day, key and endpoint, of all servers together', async (t) => {
    const open = await placeOf(t);
    const [log, other] = [open(), open()];
    const today = Date.now();
    const yesterday = today - DAY;
    for (const [i, status] of [200, 200, 302, 404, 429, 500, 503].entries()) {
      const one = i % 2 ? log : other;
      one.add(request({ status, time: today }));
      await one.flush();
    }
    log.add(request({ endpoint: 'details', time: today }));
    log.add(request({ time: yesterday }));
    log.add(request({ key: 'key_b', time: today }));
    await Promise.all([log.flush(), other.flush()]);
    const one = { requests: 1, ok: 1, client_errors: 0, server_errors: 0 };
    assert.deepEqual(await log.usage(dayOf(yesterday), dayOf(today), new Set(['key_a'])), [
      { day: dayOf(yesterday), key: 'key_a', endpoint: 'semantic', ...one },
      { day: dayOf(today), key: 'key_a', endpoint: 'details', ...one },
      {
        ...{ day: dayOf(today), key: 'key_a', endpoint: 'semantic' },
        ...{ requests: 7, ok: 3, client_errors: 2, server_errors: 2 },
      },
    ]);
    assert.equal((await log.usage(dayOf(today), dayOf(today))).length, 3);
  });

  it('usage of keys has the rows of these keys on all days of the range', async (t) => {
    const log = (await placeOf(t))({ days: 3_650 });
    const start = Date.now() - 60 * DAY;
    for (let n = 0; n < 60; n++)
      log.add(
        request({
          key: `key_${n % 3}`,
          endpoint: n % 2 ? 'x' : 'y',
          time: start + Math.floor(n / 6) * 2 * DAY,
        }),
      );
    await log.flush();
    const day = (n: number) => dayOf(start + n * DAY);
    for (const [from, to] of [
      [day(2), day(9)],
      [day(3), day(3)],
      ['2020-01-01', '2100-01-01'],
      [day(4), day(0)],
    ] as const)
      for (const keys of [['key_0', 'key_2'], ['key_none'], []]) {
        const wanted: UsageRow[] = (await log.usage(from, to)).filter(({ key }) => keys.includes(key));
        const found = await log.usage(from, to, new Set(keys));
        assert.deepEqual(found, wanted, JSON.stringify({ from, to, keys }));
      }
    assert.equal((await log.usage(day(2), day(9), new Set(['key_0']))).length, 8);
  });

  it('stays below its size: the oldest lines are dropped first', async (t) => {
    const log = (await placeOf(t))({ megabytes: 1 });
    const [started, rounds] = [Date.now(), 30];
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 1_000; i++) {
        const key = i % 2 ? 'key_a' : 'key_b';
        const requestId = `${round}-${i}`;
        // A text that cannot be compressed.
        const client = createHash('sha256').update(requestId).digest('hex');
        log.add(request({ key, requestId, client, time: started + round }));
      }
      await log.flush();
    }
    /** The newest lines of the key. */
    const newest = (count: number) =>
      Array.from({ length: count }, (_, n) => `${rounds - 1 - Math.floor(n / 500)}-${999 - 2 * (n % 500)}`);
    let left: string[] = [];
    await until(async () => {
      left = idsOf(await allLines(log, 'key_a', 1_000));
      return left.length < 10_000 && left.join() === newest(left.length).join();
    }, 'the oldest lines are removed, and no others');
    assert.ok(left.length > 500, `${left.length} lines`);
    const [row] = await log.usage('2000-01-01', '2100-01-01', new Set(['key_a']));
    assert.equal(row?.requests, rounds * 500, 'removed lines stay counted');
  });

  it('pages of several keys, with any filter, hold every fitting line once, newest first', async (t) => {
    const log = (await placeOf(t))();
    const now = Date.now();
    const added: { key: string; time: number; endpoint: string; status: number; id: string }[] = [];
    for (let n = 0; n < 600; n++) {
      // Several lines of each time, also of different keys.
      const time = now - 3 * DAY + Math.floor(n / 7) * 2_000_000;
      const endpoint = ['details', 'mcp.search_patents', 'mcp', 'mcpx', 'semantic'][n % 5]!;
      const status = n % 11 === 0 ? 429 : n % 13 === 0 ? 503 : 200;
      added.push({ key: `key_${n % 3}`, time, endpoint, status, id: `r${n}` });
    }
    for (const { id, ...line } of added) log.add(request({ ...line, requestId: id }));
    await log.flush();
    const today = dayOf(now - DAY);
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
            const day = dayOf(time);
            return (
              (filter.from === undefined || day >= filter.from) &&
              (filter.to === undefined || day <= filter.to)
            );
          });
        const found = await allOf(log, keys, 67, filter);
        const what = JSON.stringify({ keys, filter });
        assert.deepEqual(idsOf(found), wanted.map(({ id }) => id).reverse(), what);
      }
    }
  });

  it('pages of very many keys lose no line', async (t) => {
    const log = (await placeOf(t))();
    const keys = Array.from({ length: 10_000 }, (_, n) => `key_${n}`);
    const start = Date.now() - 100;
    for (let n = 0; n < 40; n++) log.add(request({ key: keys[n % 4]!, time: start + n, requestId: `r${n}` }));
    await log.flush();
    assert.deepEqual(
      idsOf(await allOf(log, keys, 1_000, {})),
      Array.from({ length: 40 }, (_, n) => `r${39 - n}`),
    );
  });
}
