/** The commands about accounts, keys, usage, logs and maintenance, as a user calls them. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { priorart, temporary } from '../crash/folder.js';

it('accounts, keys, usage, logs and maintenance print what they did, and --json one line of it', async (t) => {
  const data = join(temporary(t), 'data');
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await priorart(...args, '--json', '--data', data);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim().split('\n').length, 1);
    return JSON.parse(stdout);
  };
  const missing = await priorart('accounts', 'list', '--data', data);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /there is no folder/);
  mkdirSync(data);
  const account = await json('accounts', 'create', 'Team', '--plan', 'free');
  assert.equal(account.monthly_quota, 30);
  const key = await json('keys', 'create', '--account', 'Team', '--environment', 'staging');
  assert.equal(key.account, account.id);
  const changed = await json('accounts', 'change', 'Team', '--plan', 'enterprise', '--monthly-quota', '77');
  assert.deepEqual(
    [changed.plan, changed.monthly_quota, changed.environments],
    ['enterprise', 77, ['staging']],
  );
  const refused = await priorart(
    'accounts',
    'change',
    'Team',
    '--plan',
    'free',
    '--monthly-quota',
    '5',
    '--data',
    data,
  );
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /monthly_quota is for the plan enterprise/);

  const log = new RequestLog(join(data, 'access'));
  const time = Date.now();
  const day = new Date(time).toISOString().slice(0, 10);
  for (const requestId of ['first', 'second'])
    log.add({ key: key.id, time, requestId, endpoint: 'semantic', status: 200, ms: 5, client: '192.0.2.1' });
  await log.close();
  const usage = await json('usage', '--account', 'Team', '--from', day, '--to', day);
  assert.deepEqual(usage, [
    { day, key: key.id, endpoint: 'semantic', requests: 2, ok: 2, client_errors: 0, server_errors: 0 },
  ]);
  const page = await json('logs', key.id, '--limit', '1');
  assert.equal(page.lines[0].request_id, 'second');
  const older = await priorart('logs', key.id, '--cursor', page.next, '--data', data);
  assert.match(older.stdout, /first/);
  assert.doesNotMatch(older.stdout, /second/);

  assert.deepEqual(await json('maintenance', 'on', '--retry-after', '30'), { on: true });
  const store = AccessStore.open(join(data, 'access'));
  assert.equal(store.maintenance()?.retry_after, 30);
  await store.close();
  assert.deepEqual(await json('maintenance', 'off'), { on: false });
});
