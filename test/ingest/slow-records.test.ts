/** Records of a slow feed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openRecords } from '../../src/ingest/records.js';
import { until } from '../until.js';

it('records are committed while the next one is awaited, and in a slow stream between two', async () => {
  let give = (_: object | undefined) => {};
  async function* feed() {
    for (let next: object | undefined = {}; next; ) {
      yield next;
      next = await new Promise<object | undefined>((resolve) => {
        give = resolve;
      });
    }
  }
  let commits = 0;
  let taken = 0;
  const commit = async () => {
    commits += 1;
  };
  const units = openRecords(feed(), 'records', { commit, commitMs: 20 });
  const all = (async () => {
    for await (const _ of units) taken += 1;
  })();
  await until(() => commits === 1, 'the first record is committed');
  assert.equal(taken, 1);
  for (let n = 2; n < 6; n++) {
    give({ n });
    await until(() => commits === n, 'each further one');
    assert.equal(taken, n);
  }
  give(undefined);
  await all;
  assert.equal(commits, 5, 'nothing is committed twice');
});

it('a failed commit ends the iteration', async () => {
  async function* feed() {
    yield {};
    await new Promise(() => {});
  }
  const stop = new AbortController();
  const commit = async () => {
    stop.abort(new Error('stopped'));
    throw new Error('no room');
  };
  const units = openRecords(feed(), 'records', { commit, commitMs: 1, signal: stop.signal });
  await units.next();
  await assert.rejects(async () => units.next(), /no room|stopped/);
});

it('an abort waits for the commit that runs', async () => {
  async function* feed() {
    yield {};
    await new Promise(() => {});
  }
  const stop = new AbortController();
  let end = () => {};
  let isCommitted = false;
  const commit = async () => {
    stop.abort(new Error('stopped'));
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    isCommitted = true;
  };
  const units = openRecords(feed(), 'records', { commit, commitMs: 1, signal: stop.signal });
  await units.next();
  const ended = assert.rejects(async () => units.next(), /stopped/).then(() => isCommitted);
  await until(() => stop.signal.aborted, 'the commit runs');
  end();
  assert.equal(await ended, true);
});
