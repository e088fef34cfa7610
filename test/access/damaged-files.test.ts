/** Damaged files of counters and log: the message gives the reason and the remedy; the rest of the server works. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CallLimits } from '../../src/access/call-limits.js';
import { Counters } from '../../src/access/counters.js';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';

const PAGE = 4096;
const folders: string[] = [];
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-damaged-'));
  folders.push(dir);
  return dir;
}
after(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

function overwritten(file: string, from: number, byte: number): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(byte, from));
}

const DAMAGES: readonly [string, (file: string) => void][] = [
  ['overwritten', (file) => overwritten(file, 0, 0x5a)],
  ['overwritten after its first pages', (file) => overwritten(file, 2 * PAGE, 0xff)],
  ['zeroed after its first pages', (file) => overwritten(file, 2 * PAGE, 0)],
  ['cut to two pages', (file) => truncateSync(file, 2 * PAGE)],
];

const clock = () => 1e6;

function countersFile(dir: string): string {
  return join(dir, 'counters.db');
}

describe('damaged counters', () => {
  for (const [name, damage] of DAMAGES) {
    it(`a file that is ${name} is an error with the remedy, and ends no process`, async () => {
      const dir = folder();
      const whole = new Counters(dir, { clock });
      for (let n = 0; n < 500; n++) whole.takeCall(`key_${n}`, 60);
      whole.close();
      const again = new Counters(dir, { clock });
      assert.equal(again.takeCall('key_7', 60).remaining, 58, 'a whole one is not');
      again.close();
      damage(countersFile(dir));
      assert.throws(() => new Counters(dir), /counters\.db is damaged: .*delete/s);
    });
  }

  it('calls of a server get 503; after the file is deleted, the counters start empty', async () => {
    const dir = folder();
    const access = AccessStore.open(dir);
    const account = await access.createAccount({ name: 'Any', plan: 'free' });
    const { id } = await access.createKey({ account: account.id, environment: 'test', name: 'test' });
    const before = new CallLimits(access);
    before.takeCall(id);
    await before.settle(await before.reserve(account), true);
    await before.close();
    overwritten(countersFile(dir), 1024, 0xff);
    const damaged = new CallLimits(access);
    assert.throws(() => damaged.takeCall(id), {
      code: 'unavailable',
      message: /calls cannot be counted: .*damaged/,
    });
    await damaged.close();
    rmSync(countersFile(dir));
    const anew = new CallLimits(access);
    assert.equal(anew.takeCall(id).admitted, true);
    assert.equal(anew.quotaState(account).remaining, 30);
    await anew.close();
    await access.close();
  });
});

describe('damaged log of requests', () => {
  const request = (n: number) => ({
    ...{ key: `key_${n % 7}`, time: Date.now() + n, requestId: `r-${n}`, endpoint: 'semantic' },
    ...{ status: 200, ms: 1, client: '192.0.2.1' },
  });

  for (const [name, damage] of DAMAGES) {
    it(`a file that is ${name} is neither read nor written, and no process ends`, async () => {
      const dir = folder();
      const whole = RequestLog.ofFolder(dir);
      for (let n = 0; n < 2_000; n++) {
        whole.add(request(n));
        if (n % 50 === 0) await whole.flush();
      }
      await whole.close();
      const file = join(dir, 'log.db');
      assert.ok(statSync(file).size > 20 * PAGE, `expected more than 20 pages in ${file}`);
      damage(file);
      const told: unknown[] = [];
      const log = RequestLog.ofFolder(dir, { onError: (error) => told.push(error) });
      await assert.rejects(log.page('key_1', 10), /log\.db is damaged: .*move it away/s);
      await assert.rejects(log.usage('2000-01-01', '2999-01-01'), /damaged/);
      log.add(request(1));
      await log.flush();
      await log.flush();
      assert.match(String(told), /log\.db is damaged: .*move it away/s);
      assert.equal(told.length, 1, 'said once');
      // Waiting lines are written after the file was moved away.
      rmSync(file);
      await log.flush();
      assert.deepEqual(
        (await log.page('key_1', 10)).lines.map(({ request_id: id }) => id),
        ['r-1'],
      );
      await log.close();
    });
  }
});
