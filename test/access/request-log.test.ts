/** The log of requests in a file. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FileLog } from '../../src/access/file-log.js';
import { LogWriter } from '../../src/access/log-writer.js';
import { RequestLog } from '../../src/access/request-log.js';
import { native } from '../../src/index/native.js';
import { temporary } from '../crash/folder.js';
import { allLines as all, logConformance, request } from './log-suite.js';

const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-log-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

describe('log of requests in a file', () => {
  logConformance((t) => {
    const dir = temporary(t);
    return { open: (limits) => new FileLog(dir, limits) };
  });

  it('upgrades a file of format 1', async () => {
    const dir = folder();
    const first = RequestLog.ofFolder(dir);
    first.add(request({ requestId: 'before' }));
    await first.close();
    // As the format was: without the column.
    const file = new native.Sqlite(join(dir, 'log.db'), false, 1_000);
    file.rows('ALTER TABLE lines DROP COLUMN code', []);
    file.rows('PRAGMA user_version = 1', []);
    file.close();
    const log = RequestLog.ofFolder(dir);
    assert.deepEqual(
      (await all(log, 'key_a', 10)).map((line) => line.request_id),
      ['before'],
      'reading needs no write before',
    );
    log.add(request({ requestId: 'minute', status: 429, code: 'rate_limited' }));
    log.add(request({ requestId: 'month', status: 429, code: 'quota_exceeded' }));
    await log.flush();
    assert.deepEqual(
      (await all(log, 'key_a', 10)).map((line) => [line.request_id, line.error_code]),
      [
        ['month', 'quota_exceeded'],
        ['minute', 'rate_limited'],
        ['before', undefined],
      ],
    );
    const { lines } = await log.pageOfKeys(undefined, 10, {});
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

  it('a log that cannot be read hides no key', async () => {
    const dir = folder();
    const log = RequestLog.ofFolder(dir);
    log.add(request());
    await log.close();
    writeFileSync(join(dir, 'log.db'), 'damaged'.repeat(1_000));
    const damaged = RequestLog.ofFolder(dir);
    await assert.rejects(damaged.page('key_a', 10), /cannot be read/);
    const keys = [{ id: 'key_a' }];
    assert.deepEqual(await damaged.withLastUse(keys, ({ id }) => id), keys);
    await damaged.close();
  });

  it('refuses a cursor of another form', async () => {
    const log = RequestLog.ofFolder(folder());
    const refused = { code: 'usage', message: /^cursor: got/ };
    await assert.rejects(log.page('key_a', 10, '1-99999999999'), refused);
    await log.close();
  });

  it('its file stays small', async () => {
    const dir = folder();
    const log = RequestLog.ofFolder(dir, { megabytes: 1 });
    const started = Date.now();
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 1_000; i++) {
        const key = i % 2 ? 'key_a' : 'key_b';
        log.add(request({ key, requestId: `${round}-${i}`, time: started + round }));
      }
      await log.flush();
    }
    const lines = await all(log, 'key_a', 1_000);
    assert.equal(lines[0]?.request_id, '59-999');
    assert.ok(lines.length < 10_000 && lines.length > 3_000, `${lines.length} lines`);
    await log.close();
    const bytes = statSync(join(dir, 'log.db')).size;
    assert.ok(bytes < 8e6, `${bytes} bytes for a log of 1 MB`);
  });

  it('usage takes nothing of the room for lines', async () => {
    const dir = folder();
    const usage = Array.from({ length: 20_000 }, (_, n) => ({
      at: [new Date().toISOString().slice(0, 10), `key_${String(n).padStart(12, '0')}`, 'semantic'] as [
        string,
        string,
        string,
      ],
      counts: { requests: 1, ok: 1, client_errors: 0, server_errors: 0 },
    }));
    const writer = new LogWriter(dir, { days: 30, megabytes: 1 });
    writer.write({ lines: [], usage });
    const lines = Array.from({ length: 1_000 }, (_, n) => request({ key: 'key_a', requestId: `${n}` }));
    for (let turn = 0; turn < 3; turn++) writer.write({ lines, usage: [] });
    writer.close();
    const log = RequestLog.ofFolder(dir);
    assert.equal((await all(log, 'key_a', 1_000)).length, 3_000);
    await log.close();
  });

  it('a request does not fail if its line cannot be written, and the log recovers', async () => {
    const dir = folder();
    // A folder at the path of the file.
    mkdirSync(join(dir, 'log.db'));
    const errors: unknown[] = [];
    const log = RequestLog.ofFolder(dir, { onError: (error) => errors.push(error) });
    log.add(request());
    await log.flush();
    assert.ok(errors.length > 0, 'expected a report of the failed write');
    rmdirSync(join(dir, 'log.db'));
    await log.flush();
    assert.equal((await all(log, 'key_a', 10)).length, 1);
    assert.equal((await log.usage('2000-01-01', '2100-01-01'))[0]?.requests, 1);
    await log.close();
    assert.deepEqual(readdirSync(dir), ['log.db']);
  });
});
