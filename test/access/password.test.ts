/** Passwords of accounts: their hashes, their check, and how guesses are slowed. */
import assert from 'node:assert/strict';
import crypto, { randomBytes, scryptSync } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openKeys, putPassword } from '../../src/access/keys-file.js';
import { checkedPassword, matchesPassword } from '../../src/access/password.js';
import { SignIns } from '../../src/access/sign-in.js';
import { AccessStore } from '../../src/access/store.js';
import { Turns } from '../../src/access/turns.js';
import { isPriorartError } from '../../src/errors.js';
import { ADMIN_PAUSE, PASSWORD_CHARS, PASSWORD_HASHES, SIGN_IN_TURNS } from '../../src/limits.js';
import { temporary } from '../crash/folder.js';
import { until } from '../until.js';
import { makeNamesake } from './namesake.js';
import { filesHolding } from './servers.js';

const RIGHT = 'correct horse battery staple';

async function accountIn(t: TestContext) {
  const dir = join(temporary(t), 'access');
  const store = AccessStore.open(dir);
  t.after(() => store.close());
  const account = await store.createAccount({ name: 'Patent team', plan: 'free' });
  return { dir, store, account };
}

/** A hash with small parameters, made without the module under test. */
function smallHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$scrypt$ln=10,r=8,p=1$${saltText}$${hashText}`;
}

/** Watches the calls of scrypt. `hold` keeps results back until `release`. */
function watched(t: TestContext, { hold = false } = {}) {
  const real = crypto.scrypt;
  const state = { calls: [] as unknown[][], running: 0, most: 0, held: [] as (() => void)[], hold };
  const replaced = (...args: unknown[]) => {
    const done = args.pop() as (error: Error | null, key: Buffer) => void;
    state.calls.push(args);
    state.running++;
    state.most = Math.max(state.most, state.running);
    const end = () =>
      (real as (...all: unknown[]) => void)(...args, (error: Error | null, key: Buffer) => {
        state.running--;
        done(error, key);
      });
    if (state.hold) state.held.push(end);
    else end();
  };
  (crypto as { scrypt: unknown }).scrypt = replaced;
  syncBuiltinESMExports();
  t.after(() => {
    (crypto as { scrypt: unknown }).scrypt = real;
    syncBuiltinESMExports();
  });
  return {
    ...{ calls: state.calls, most: () => state.most, held: () => state.held.length },
    holdNoMore: () => {
      state.hold = false;
    },
    release: () => {
      state.hold = false;
      for (const end of state.held.splice(0)) end();
    },
  };
}

describe('the password of an account', () => {
  it('is checked by id or name; no other password is accepted, nor one of a different account', async (t) => {
    const { store, account } = await accountIn(t);
    const other = await store.createAccount({ name: 'Other', plan: 'free' });
    assert.equal(await store.passwords.signIn('Patent team', RIGHT), undefined, 'it has none yet');
    await store.passwords.set(account.id, RIGHT);
    assert.deepEqual((await store.passwords.signIn(account.id, RIGHT))?.account, account);
    assert.deepEqual((await store.passwords.signIn('Patent team', RIGHT))?.account, account);
    for (const [asked, password] of [
      [account.id, `${RIGHT}.`],
      [account.id, RIGHT.toUpperCase()],
      [account.id, ''],
      [account.id, 'x'.repeat(1_000_000)],
      [other.id, RIGHT],
      ['patent team', RIGHT],
      ['', RIGHT],
    ] as const) {
      assert.equal(
        await store.passwords.signIn(asked, password),
        undefined,
        `${asked}, ${password.slice(0, 40)}`,
      );
    }
    await store.passwords.set(account.id, 'another long password');
    assert.equal(await store.passwords.signIn(account.id, RIGHT), undefined);
    assert.ok(await store.passwords.signIn(account.id, 'another long password'));
    const epoch = store.passwords.sessionEpoch(account.id);
    await assert.rejects(store.passwords.set(account.id, RIGHT, epoch - 1), /the session has ended/);
    assert.equal(await store.passwords.signIn(account.id, RIGHT), undefined, 'nothing is changed');
    assert.equal(await store.passwords.set(account.id, 'another long password', epoch), epoch + 1);
    await store.passwords.set(account.id, undefined);
    assert.equal(await store.passwords.signIn(account.id, 'another long password'), undefined);
    await assert.rejects(store.passwords.set('acc_none', RIGHT), /there is no account/);
  });

  it('a name that several accounts with passwords have is not accepted; their ids are', async (t) => {
    const { dir, store, account } = await accountIn(t);
    const twin = makeNamesake(dir, 'Patent team');
    await store.passwords.set(account.id, RIGHT);
    assert.equal(
      (await store.passwords.signIn('Patent team', RIGHT))?.account.id,
      account.id,
      'only one has a password',
    );
    // As a version that did not refuse it left it.
    const file = openKeys(dir, { create: false, waitMs: 1_000 });
    putPassword(file, twin.id, smallHash(RIGHT));
    file.close();
    assert.equal(await store.passwords.signIn('Patent team', RIGHT), undefined);
    await store.passwords.set(twin.id, 'a changed long password');
    await store.passwords.set(twin.id, RIGHT);
    assert.equal((await store.passwords.signIn(twin.id, RIGHT))?.account.id, twin.id);
    const named = await store.createAccount({ name: twin.id, plan: 'free' });
    await store.passwords.set(named.id, 'the password of the third');
    assert.equal(
      (await store.passwords.signIn(twin.id, RIGHT))?.account.id,
      twin.id,
      'an id goes before a name',
    );
  });

  it('of the accounts with a password, no two get the same name', async (t) => {
    const { dir, store, account } = await accountIn(t);
    const twin = makeNamesake(dir, 'Patent team');
    await store.passwords.set(account.id, RIGHT);
    const refused = new RegExp(
      `account ${account.id} has the name "Patent team" and signs in with it; choose another name`,
    );
    await assert.rejects(store.passwords.set(twin.id, RIGHT), refused);
    assert.equal(store.passwords.isSet(twin.id), false);
    // What keeps the name goes on: the plan of the twin, the password of the first, and its name.
    await store.changeAccount(twin.id, { plan: 'basic' });
    await store.changeAccount(account.id, { name: 'Patent team' });
    await store.passwords.set(account.id, RIGHT);
    assert.equal((await store.passwords.signIn('Patent team', RIGHT))?.account.id, account.id);
    await store.changeAccount(twin.id, { name: 'Twin' });
    await store.passwords.set(twin.id, RIGHT);
    assert.equal((await store.passwords.signIn('Twin', RIGHT))?.account.id, twin.id);
  });

  it('has 12 to 1,000 characters, which are compared in their normal form', async (t) => {
    const { store, account } = await accountIn(t);
    for (const wrong of ['x'.repeat(PASSWORD_CHARS.min - 1), 'x'.repeat(PASSWORD_CHARS.max + 1)])
      await assert.rejects(store.passwords.set(account.id, wrong), /expected 12 to 1000/);
    assert.equal(checkedPassword('😀'.repeat(PASSWORD_CHARS.max)).length, 2 * PASSWORD_CHARS.max);
    await store.passwords.set(account.id, '비밀번호를 잊지 마세요'.normalize('NFD'));
    assert.ok(await store.passwords.signIn(account.id, '비밀번호를 잊지 마세요'.normalize('NFC')));
  });

  it('is in no file; the same password has another hash at every account, with its parameters', async (t) => {
    const { dir, store, account } = await accountIn(t);
    const twin = await store.createAccount({ name: 'Twin', plan: 'free' });
    await store.passwords.set(account.id, RIGHT);
    await store.passwords.set(twin.id, RIGHT);
    await store.passwords.signIn(account.id, RIGHT);
    assert.deepEqual(filesHolding(dir, [RIGHT, Buffer.from(RIGHT).toString('base64')]), []);
    const file = openKeys(dir, { create: false, waitMs: 0 });
    const hashes = file.rows<[string]>('SELECT hash FROM passwords').map(([hash]) => hash);
    file.close();
    assert.equal(new Set(hashes).size, 2);
    for (const hash of hashes)
      assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(JSON.stringify([store.accounts(), store.list()]).includes('scrypt'), false);
  });

  it('a hash with smaller parameters is checked, and replaced at the next right password', async (t) => {
    const { dir, store, account } = await accountIn(t);
    const old = smallHash(RIGHT);
    const file = openKeys(dir, { create: false, waitMs: 1_000 });
    t.after(() => file.close());
    const hash = () => file.row<[string]>('SELECT hash FROM passwords')![0];
    putPassword(file, account.id, old);
    assert.equal(await store.passwords.signIn(account.id, 'a wrong password'), undefined);
    assert.equal(hash(), old);
    assert.ok(await store.passwords.signIn(account.id, RIGHT));
    assert.match(hash(), /ln=15,r=8,p=3/);
    assert.ok(await store.passwords.signIn(account.id, RIGHT));
  });

  it('an unknown account, and one without a password, cost what a known one costs', async (t) => {
    const { store, account } = await accountIn(t);
    await store.createAccount({ name: 'Without', plan: 'free' });
    await store.passwords.set(account.id, RIGHT);
    const { calls } = watched(t);
    for (const asked of ['Patent team', 'Unknown', 'Without'])
      assert.equal(await store.passwords.signIn(asked, 'some wrong password'), undefined);
    const costs = calls.map(([, salt, length, options]) => [(salt as Buffer).length, length, options]);
    assert.equal(costs.length, 3);
    assert.deepEqual(costs[1], costs[0]);
    assert.deepEqual(costs[2], costs[0]);
  });

  it('a password that changes during its check is not accepted', async (t) => {
    const { store, account } = await accountIn(t);
    await store.passwords.set(account.id, RIGHT);
    const scrypt = watched(t, { hold: true });
    const checked = store.passwords.signIn(account.id, RIGHT);
    await until(() => scrypt.held() === 1, 'the check began');
    scrypt.holdNoMore();
    await store.passwords.set(account.id, 'another long password');
    await store.passwords.set(account.id, RIGHT);
    scrypt.release();
    assert.equal(await checked, undefined);
    assert.ok(await store.passwords.signIn(account.id, RIGHT));
  });

  it('hashes are computed a few at a time; too many that wait are refused', async (t) => {
    const hash = smallHash(RIGHT);
    const scrypt = watched(t, { hold: true });
    const { atOnce, waiting } = PASSWORD_HASHES;
    const checks = Array.from({ length: atOnce + waiting }, () => matchesPassword('a wrong password', hash));
    await until(() => scrypt.held() === atOnce, 'the first checks began');
    await assert.rejects(
      matchesPassword(RIGHT, hash),
      (error) => isPriorartError(error) && error.code === 'overloaded' && error.retryAfter !== undefined,
    );
    assert.equal(scrypt.held(), atOnce, 'the others wait');
    scrypt.release();
    assert.ok((await Promise.all(checks)).every((matches) => !matches));
    assert.equal(scrypt.most(), atOnce);
    assert.ok(await matchesPassword(RIGHT, hash), 'afterwards there is room');
  });
});

describe('guesses of passwords', () => {
  /** A check whose only account is `known` with the password RIGHT; `pauses` are the waits before each check. */
  function guessing(limits = { free: 2, firstMs: 100, longestMs: 1_000 }) {
    const pauses: number[] = [];
    const held: (() => void)[] = [];
    const access = {
      accountWithPassword: (asked: string) => (asked === 'known' ? 'acc_known' : undefined),
      async check(asked: string, password: string) {
        if (password === 'held') await new Promise<void>((resolve) => held.push(resolve));
        return asked === 'known' && password === RIGHT ? asked : undefined;
      },
    };
    const pause = async (ms: number) => void pauses.push(ms);
    const signIns = new SignIns(access, { limits, now: () => 0, pause });
    const release = () => {
      for (const end of held.splice(0)) end();
    };
    return { signIns, pauses, held, release };
  }

  it('at one account from many networks wait longer each time; the right password is accepted', async () => {
    const { signIns, pauses } = guessing();
    for (let i = 0; i < 9; i++)
      assert.equal(await signIns.check('known', 'wrong', `192.0.2.${i}`), undefined);
    assert.deepEqual(pauses, [100, 200, 400, 800, 1_000, 1_000]);
    assert.equal(await signIns.check('known', RIGHT, '198.51.100.1'), 'known');
    assert.equal(pauses.at(-1), 1_000, 'it waits, too, and is not refused');
  });

  it('at many accounts from one network wait longer each time; other networks do not wait', async () => {
    const { signIns, pauses } = guessing();
    for (let i = 0; i < 5; i++) await signIns.check(`name ${i}`, 'wrong', '2001:db8::1');
    assert.deepEqual(pauses, [100, 200]);
    assert.equal(await signIns.check('known', RIGHT, '2001:db8:0:1::1'), 'known');
    assert.equal(pauses.length, 2);
    assert.equal(await signIns.check('known', RIGHT, '2001:db8::2'), 'known', 'the same /64');
    assert.equal(pauses.at(-1), 400);
  });

  it('at the same time wait for each other, so that each has its pause', async () => {
    const { signIns, pauses } = guessing();
    await Promise.all(Array.from({ length: 7 }, () => signIns.check('known', 'wrong', '192.0.2.1')));
    assert.deepEqual(pauses, [100, 200, 400, 800]);
  });

  const refused = (error: unknown) => isPriorartError(error) && error.code === 'rate_limited';
  const unlimited = { ...ADMIN_PAUSE, free: 1_000 };
  const { atOnce, waitingInLane, waiting } = SIGN_IN_TURNS;

  it('too many at an account refuse the one that has waited longest, and never the newest', async () => {
    const { signIns, held, release } = guessing(unlimited);
    const guess = (password: string) => signIns.check('known', password, '192.0.2.1');
    const first = guess('held');
    await until(() => held.length === 1, 'the first is being checked');
    const wrong = Array.from({ length: waitingInLane }, () => guess('wrong'));
    const right = guess(RIGHT);
    await assert.rejects(wrong.shift()!, refused);
    assert.equal(await signIns.check('known', RIGHT, '192.0.2.2'), 'known', 'another network does not wait');
    release();
    assert.equal(await right, 'known');
    assert.deepEqual(await Promise.all([first, ...wrong]), wrong.map(() => undefined).concat(undefined));
  });

  it('a flood at one account pushes out no sign-in of its network at another', async () => {
    const { signIns, held, release } = guessing(unlimited);
    const guess = (asked: string, password: string) => signIns.check(asked, password, '192.0.2.1');
    const open = Array.from({ length: atOnce }, (_, i) => guess(`name ${i}`, 'held'));
    await until(() => held.length === atOnce, 'no turn is free');
    const right = guess('known', RIGHT);
    const flood = Array.from({ length: 5 * waiting }, (_, i) => guess(`name ${i % 3}`, 'wrong'));
    const outcomes = Promise.allSettled(flood);
    await assert.rejects(flood[0]!, refused);
    release();
    assert.equal(await right, 'known');
    const checked = (await outcomes).filter(({ status }) => status === 'fulfilled');
    assert.equal(checked.length, waiting - 1);
    assert.deepEqual([...new Set(await Promise.all(open))], [undefined]);
  });

  it('a flood at many accounts keeps a bounded number, the newest', async () => {
    const { signIns, held, release } = guessing(unlimited);
    const guess = (asked: string, password: string) => signIns.check(asked, password, '192.0.2.1');
    const open = Array.from({ length: atOnce }, (_, i) => guess(`name ${i}`, 'held'));
    await until(() => held.length === atOnce, 'no turn is free');
    const early = guess('known', RIGHT);
    const flood = Promise.allSettled(Array.from({ length: waiting }, (_, i) => guess(`other ${i}`, 'wrong')));
    await assert.rejects(early, refused);
    const late = guess('known', RIGHT);
    release();
    assert.equal(await late, 'known');
    assert.equal((await flood).filter(({ status }) => status === 'rejected').length, 1);
    await Promise.all(open);
    assert.equal(await guess('known', RIGHT), 'known', 'afterwards there is room');
  });
});

it('turns keep nothing of a network whose attempts are over', async () => {
  const turns = new Turns('attempts', { ...SIGN_IN_TURNS, waiting: 1 });
  const failing = () => Promise.reject(new Error('of the work'));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3 }, () => turns.take('192.0.2.1', 'account', failing)),
  );
  assert.deepEqual(
    outcomes.map((each) => each.status === 'rejected' && each.reason.message),
    ['of the work', 'too many attempts at the same time; try again in 2 s', 'of the work'],
  );
  assert.equal(turns.size, 0);
});
