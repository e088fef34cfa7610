/** The commands about accounts, keys, usage, logs and maintenance. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { makeNamesake } from '../access/namesake.js';
import { FIXTURES, priorart, temporary } from '../crash/folder.js';

it('accounts, keys, usage, logs and maintenance print their result; --json prints one line', async (t) => {
  const data = join(temporary(t), 'data');
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await priorart(...args, '--json', '--data', data);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim().split('\n').length, 1);
    return JSON.parse(stdout);
  };
  const missing = await priorart('accounts', 'list', '--data', data);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /folder .* does not exist/);
  mkdirSync(data);
  const account = await json('accounts', 'create', 'Team', '--plan', 'free');
  assert.equal(account.monthly_quota, 30);
  const key = await json('keys', 'create', '--account', 'Team', '--environment', 'staging');
  assert.equal(key.account, account.id);
  assert.equal(key.new_account, undefined);
  const mistyped = await json('keys', 'create', '--account', 'Taem');
  assert.deepEqual(mistyped.new_account, { plan: 'enterprise', monthly_quota: 1_000_000 });
  const told = await priorart('keys', 'create', '--account', 'Teem', '--plan', 'free', '--data', data);
  assert.match(
    told.stdout,
    /No account had the name "Teem", so one was created: plan free, 30 searches a month/,
  );
  for (const wrong of [
    ['--environment', 'Not a name'],
    ['--name', ' '],
  ])
    assert.equal(
      (await priorart('keys', 'create', '--account', 'Toom', ...wrong, '--data', data)).code,
      2,
      `${wrong}`,
    );
  const names = (await json('accounts', 'list')).map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['Team', 'Taem', 'Teem'], 'a refused key makes no account');
  const changed = await json('accounts', 'change', 'Team', '--plan', 'enterprise', '--monthly-quota', '77');
  assert.deepEqual(
    [changed.plan, changed.monthly_quota, changed.environments],
    ['enterprise', 77, ['staging']],
  );
  const same = await json('accounts', 'change', 'Team', '--plan', 'enterprise', '--add-environment', 'live');
  assert.deepEqual([same.monthly_quota, same.environments], [77, ['live', 'staging']]);
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
  assert.match(refused.stderr, /--monthly-quota is for the plan enterprise/);

  const quiet = (...args: string[]) => priorart('keys', 'create', '--data', data, '--account', ...args);
  for (const wish of [
    ['--plan', 'free'],
    ['--monthly-quota', '78'],
  ]) {
    const { code, stderr } = await quiet('Team', ...wish);
    assert.equal(code, 2);
    assert.match(stderr, /"Team" exists with the plan enterprise and 77 searches .* accounts change/);
  }
  assert.equal((await quiet('Team', '--plan', 'enterprise', '--monthly-quota', '77')).code, 0);
  const second = await priorart('accounts', 'create', 'Team', '--plan', 'pro', '--data', data);
  assert.deepEqual([second.code, second.stdout], [2, '']);
  assert.match(
    second.stderr,
    new RegExp(`^priorart: account ${account.id} has the name "Team"; choose another`),
  );
  const twin = makeNamesake(join(data, 'access'), 'Team');
  const doubtful = await quiet('Team');
  assert.equal(doubtful.code, 2);
  assert.ok(doubtful.stderr.includes(account.id) && doubtful.stderr.includes(twin.id), doubtful.stderr);
  assert.equal((await quiet(twin.id)).code, 0);

  const log = RequestLog.ofFolder(join(data, 'access'), { queries: true });
  const time = Date.now();
  const day = new Date(time).toISOString().slice(0, 10);
  for (const requestId of ['first', 'second'])
    log.add({ key: key.id, time, requestId, endpoint: 'semantic', status: 200, ms: 5, client: '192.0.2.1' });
  log.add({
    key: key.id,
    time,
    requestId: 'third',
    endpoint: 'semantic',
    status: 200,
    ms: 5,
    client: '192.0.2.1',
    query: 'a \x1b]0;owned\x07 \x9b31m query\nfourth line',
  });
  await log.close();
  const usage = await json('usage', '--account', account.id, '--from', day, '--to', day);
  assert.deepEqual(usage, [
    { day, key: key.id, endpoint: 'semantic', requests: 3, ok: 3, client_errors: 0, server_errors: 0 },
  ]);
  const days = ['--from', day, '--to', day];
  assert.deepEqual(await json('usage', '--account', account.id, '--key', key.id, ...days), usage);
  assert.deepEqual(await json('usage', '--account', twin.id, '--key', key.id, ...days), []);
  for (const [given, message] of [
    [
      '--from 2026-02-01 --to 2026-01-31',
      /--from: got "2026-02-01"; expected a day up to 2026-01-31, the value/,
    ],
    ['--from 2999-01-01', /--from: got "2999-01-01"; expected a day up to \d{4}-\d\d-\d\d, which is today/],
  ] as const) {
    const turned = await priorart('usage', ...given.split(' '), '--data', data);
    assert.deepEqual([turned.code, turned.stdout], [2, ''], given);
    assert.match(turned.stderr, message);
  }
  const long = await priorart('usage', '--to', '2020-01-15', '--data', data);
  assert.deepEqual([long.code, long.stdout], [0, 'No calls from 2020-01-01 to 2020-01-15.\n']);
  const page = await json('logs', key.id, '--limit', '1');
  assert.equal(page.lines[0].request_id, 'third');
  assert.equal(page.lines[0].query, 'a \x1b]0;owned\x07 \x9b31m query\nfourth line');
  const printed = (await priorart('logs', key.id, '--data', data)).stdout;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.doesNotMatch(printed, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  assert.ok(printed.includes('a \\u001b]0;owned\\u0007 \\u009b31m query\\u000afourth line'), printed);
  const wrong = await priorart('logs', key.id, '--cursor', 'nonsense', '--data', data);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  const older = await priorart('logs', key.id, '--cursor', page.next, '--data', data);
  assert.match(older.stdout, /first/);
  assert.doesNotMatch(older.stdout, /third/);

  assert.deepEqual(await json('maintenance', 'on', '--retry-after', '30'), { on: true });
  const store = AccessStore.open(join(data, 'access'));
  assert.equal(store.maintenance()?.retry_after, 30);
  await store.close();
  assert.deepEqual(await json('maintenance', 'off'), { on: false });
});

it('accounts change names the options that it needs, and shows the environments', async (t) => {
  const data = temporary(t);
  const run = (...args: string[]) => priorart('accounts', ...args, '--data', data);
  assert.equal((await run('create', 'Team', '--plan', 'free')).code, 0);
  const nothing = await run('change', 'Team');
  assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
  assert.match(
    nothing.stderr,
    /nothing to change; expected .*--name, --plan, --monthly-quota, --add-environment$/m,
  );
  const added = await run('change', 'Team', '--add-environment', 'staging');
  assert.equal(added.code, 0);
  assert.match(
    added.stdout,
    /^Account acc_\w+: "Team", plan free, 30 searches a month, environments staging\.$/m,
  );
  const one = await run('change', 'Team', '--plan', 'enterprise', '--monthly-quota', '1');
  assert.match(one.stdout, /"Team", plan enterprise, 1 search a month, /);
});

it('accounts delete refuses an account with active keys, unless the option to revoke them is there', async (t) => {
  const data = temporary(t);
  const run = (...args: string[]) => priorart(...args, '--data', data);
  for (const name of ['Team', 'Empty'])
    assert.equal((await run('accounts', 'create', name, '--plan', 'free')).code, 0);
  for (const name of ['one', 'two'])
    assert.equal((await run('keys', 'create', '--account', 'Team', '--name', name)).code, 0);
  const refused = await run('accounts', 'delete', 'Team');
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /has 2 active keys; revoke them first, or add --revoke-keys$/m);
  const empty = await run('accounts', 'delete', 'Empty');
  assert.match(empty.stdout, /^Account acc_\w+, "Empty", is deleted\.$/m);
  const { stdout } = await run('accounts', 'delete', 'Team', '--revoke-keys', '--json');
  assert.deepEqual({ ...JSON.parse(stdout), id: '' }, { id: '', name: 'Team', revoked_keys: 2 });
  assert.deepEqual(JSON.parse((await run('keys', 'list', '--json')).stdout), []);
  const gone = await run('accounts', 'delete', 'Team');
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /no account has the id or name "Team"/);
});

it('a damaged file of the access store is one line with the remedy, on the commands that need it', async (t) => {
  const data = temporary(t);
  const access = join(data, 'access');
  const run = (...args: string[]) => priorart(...args, '--data', data);
  assert.equal((await run('accounts', 'create', 'Team', '--plan', 'free')).code, 0);
  for (const [name, command, remedy] of [
    ['log.db', 'usage', /move it away/],
    ['counters.db', 'accounts list', /delete it/],
    ['keys.db', 'keys list', /put back a copy/],
  ] as const) {
    writeFileSync(join(access, name), Buffer.alloc(20_000, 0x5a));
    const { code, stdout, stderr } = await run(...command.split(' '));
    assert.deepEqual([code, stdout], [1, ''], command);
    assert.match(stderr, remedy);
    assert.ok(stderr.includes(`${name} is damaged`), stderr);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    if (name !== 'keys.db') assert.equal((await run('keys', 'list')).code, 0, 'other commands work');
  }
});

it('check finds damaged files of the access store, also with --repair, and changes none beside a server', async (t) => {
  const data = join(temporary(t), 'data');
  const access = join(data, 'access');
  const check = (...args: string[]) => priorart('check', ...args, '--data', data);
  assert.equal((await priorart('ingest', '--data', data, FIXTURES[2]!)).code, 0);
  assert.equal((await check()).code, 0, 'a folder without accounts');
  mkdirSync(access);
  assert.equal((await priorart('snapshot', join(temporary(t), 'copy'), '--data', data)).code, 0);
  assert.deepEqual(readdirSync(access), [], 'a copy makes no accounts');
  const store = AccessStore.open(access);
  await store.createAccount({ name: 'Team', plan: 'free' });
  const names = readdirSync(access);
  assert.equal((await check()).code, 0, 'beside a process that has the files open');
  assert.deepEqual(readdirSync(access), names);
  await store.createAccount({ name: 'Another', plan: 'free' });
  assert.equal(store.accounts().length, 2);
  await store.close();
  const whole = join(temporary(t), 'access');
  cpSync(access, whole, { recursive: true });

  for (const [name, content, remedy] of [
    ['log.db', Buffer.alloc(20_000, 0x5a), /move it away/],
    ['counters.db', Buffer.alloc(20_000, 0x5a), /delete it/],
    ['keys.db', Buffer.alloc(20_000, 0x5a), /put back a copy/],
    ['keys.db', Buffer.alloc(0), /it is empty.*put back a copy/],
  ] as const) {
    const file = join(access, name);
    cpSync(whole, access, { recursive: true });
    writeFileSync(file, content);
    const { code, stdout } = await check('--json');
    const { ok, problems } = JSON.parse(stdout);
    const [{ kind, where, reason }, ...others] = problems.filter(
      (found: { where: string }) => found.where === file,
    );
    assert.deepEqual([code, ok, kind, where, others], [1, false, 'access', file, []], stdout);
    assert.match(reason, remedy);
  }
  // A server that looks for its keys in an emptied file makes a database without tables of it.
  await AccessStore.open(access, { create: false }).close();
  for (const args of [[], ['--repair']]) {
    const { code, stdout } = await check(...args);
    assert.equal(code, 1);
    assert.match(stdout, /^access: .*keys\.db: it is empty/m);
    assert.match(stdout, /cannot be rebuilt, not by --repair either: restore them from a snapshot/);
    assert.doesNotMatch(stdout, /Run `priorart check --repair/);
  }
});
