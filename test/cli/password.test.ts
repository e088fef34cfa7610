/** `priorart accounts password`. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { AccessStore } from '../../src/access/store.js';
import { makeNamesake } from '../access/namesake.js';
import { filesHolding } from '../access/servers.js';
import { CLI, priorart, temporary } from '../crash/folder.js';
import { until } from '../until.js';

const PASSWORD = 'correct horse battery staple';
const noScript = spawnSync('script', ['--version']).status === 0 ? false : 'there is no script of util-linux';

async function folderWithAccount(t: TestContext) {
  const data = temporary(t);
  const { code, stderr } = await priorart('accounts', 'create', 'Team', '--plan', 'free', '--data', data);
  assert.equal(code, 0, stderr);
  const accepts = async (password: string) => {
    const store = AccessStore.open(join(data, 'access'));
    try {
      return (await store.passwords.signIn('Team', password)) !== undefined;
    } finally {
      await store.close();
    }
  };
  const run = (input: string, ...args: string[]) => {
    const all = [CLI, 'accounts', 'password', 'Team', '--data', data, ...args];
    return spawnSync(process.execPath, all, { input, encoding: 'utf8' });
  };
  return { data, accepts, run };
}

it('a password is read from standard input, without the end of its line; --remove removes it', async (t) => {
  const { data, accepts, run } = await folderWithAccount(t);
  const set = run(`${PASSWORD}\n`, '--json');
  assert.equal(set.status, 0, set.stderr);
  assert.equal(JSON.parse(set.stdout).password, true);
  assert.equal(`${set.stdout}${set.stderr}`.includes(PASSWORD), false);
  assert.ok(await accepts(PASSWORD));
  assert.deepEqual(filesHolding(data, [PASSWORD]), []);
  for (const [input, message] of [
    ['short\n', /password: got 5 characters; expected 12 to 1000/],
    ['', /got 0 characters/],
    [`${PASSWORD}\n${PASSWORD}\n`, /several lines; expected the password alone/],
    ['x'.repeat(100_000), /too long/],
  ] as const) {
    const refused = run(input);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, message);
  }
  assert.ok(await accepts(PASSWORD), 'a refusal changes nothing');
  assert.equal(run('', '--remove').status, 0);
  assert.equal(await accepts(PASSWORD), false);
});

it('of two accounts with one name, one gets a password; the refusal of the other says what to do', async (t) => {
  const { data, accepts, run } = await folderWithAccount(t);
  const { id } = makeNamesake(join(data, 'access'), 'Team');
  const ambiguous = run(`${PASSWORD}\n`);
  assert.equal(ambiguous.status, 2);
  assert.match(ambiguous.stderr, new RegExp(`2 accounts have the name "Team"; use an id instead: .*${id}`));
  const set = (account: string) =>
    spawnSync(process.execPath, [CLI, 'accounts', 'password', account, '--data', data], {
      input: `${PASSWORD}\n`,
      encoding: 'utf8',
    });
  assert.equal(set(id).status, 0);
  const store = AccessStore.open(join(data, 'access'));
  const other = store.accounts().find((account) => account.id !== id)!;
  await store.close();
  const refused = set(other.id);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, new RegExp(`rename that one: .priorart accounts change ${id} --name NAME`));
  assert.ok(await accepts(PASSWORD), 'the first still signs in by its name');
  const again = await priorart('accounts', 'create', 'Team', '--plan', 'free', '--data', data);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /account acc_\w+ has the name "Team"/);
});

it('sign-out ends the sessions of an account', async (t) => {
  const { data } = await folderWithAccount(t);
  const store = AccessStore.open(join(data, 'access'));
  t.after(() => store.close());
  const { id } = store.accounts()[0]!;
  const session = { id: 'x', account: id, kind: 'account', epoch: 0, expires: Date.now() + 60_000 } as const;
  assert.equal(store.passwords.isAccountSessionEnded(session), false);
  const { code, stdout, stderr } = await priorart('accounts', 'sign-out', 'Team', '--json', '--data', data);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { id });
  assert.equal(store.passwords.isAccountSessionEnded(session), true);
});

it('a password on the command line is refused', async (t) => {
  const { accepts, run } = await folderWithAccount(t);
  const refused = run('', PASSWORD);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /too many arguments/);
  assert.equal(await accepts(PASSWORD), false);
});

it('on a terminal, a password is typed twice and not shown', { skip: noScript }, async (t) => {
  const { data, accepts } = await folderWithAccount(t);
  const typed = async (first: string, second: string) => {
    const command = `'${process.execPath}' '${CLI}' accounts password Team --data '${data}'`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    await until(() => shown.includes('Password of "Team": '), 'the question');
    child.stdin.write(`${first}\r`);
    await until(() => shown.includes('Again: '), 'the second question');
    child.stdin.write(`${second}\r`);
    const [code] = await once(child, 'close');
    return { code, shown };
  };
  const differing = await typed(PASSWORD, `${PASSWORD}.`);
  assert.equal(differing.code, 2, differing.shown);
  assert.match(differing.shown, /the two passwords differ/);
  assert.equal(await accepts(PASSWORD), false);
  const set = await typed(PASSWORD, PASSWORD);
  assert.equal(set.code, 0, set.shown);
  for (const { shown } of [differing, set]) assert.equal(shown.includes(PASSWORD), false, shown);
  assert.ok(await accepts(PASSWORD));
});
