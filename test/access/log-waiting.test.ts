/** The log of requests while its store fails: requests go on, a bounded number of lines waits, and nothing is counted twice. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { LogBatch } from '../../src/access/log-records.js';
import type { LogStore } from '../../src/access/log-store.js';
import { RequestLog } from '../../src/access/request-log.js';
import { REQUEST_LOG_BATCH, REQUEST_LOG_WAITING } from '../../src/limits.js';
import { until } from '../until.js';
import { request } from './log-suite.js';

/** A store that fails as it is told, and remembers the batches that it was given. */
class FailingStore implements LogStore {
  isDown = false;
  /** Why lines are refused. */
  refused: string | undefined;
  readonly given: LogBatch[] = [];
  readonly stored: LogBatch[] = [];
  prunes = 0;
  /** What a write waits for. */
  hanging: Promise<void> | undefined;

  async write(batch: LogBatch): Promise<string | undefined> {
    this.given.push(batch);
    await this.hanging;
    if (this.isDown) throw new Error('the store is down');
    this.stored.push(batch);
    return this.refused;
  }
  async prune(): Promise<void> {
    this.prunes++;
    if (this.isDown) throw new Error('the store is down');
  }
  isPruneDue = () => false;
  page = async () => ({ lines: [] });
  pageOfKeys = async () => ({ lines: [] });
  usage = async () => [];
  lastCalls = async () => new Map<string, number>();
  close = async () => {};

  get lines(): string[] {
    return this.stored.flatMap(({ lines }) => lines.map(({ requestId }) => requestId));
  }
  get requests(): number {
    return this.stored.flatMap(({ usage }) => usage).reduce((sum, { counts }) => sum + counts.requests, 0);
  }
}

function opened(t: TestContext, pruneEveryMs = 3_600_000) {
  const store = new FailingStore();
  const told: string[] = [];
  const onError = (error: unknown) => told.push(String(error));
  const log = new RequestLog(store, { onError, pruneEveryMs });
  t.after(() => log.close());
  return { store, told, log };
}

it('a batch that failed is given again as it was, before later lines, and is told once', async (t) => {
  const { store, told, log } = opened(t);
  store.isDown = true;
  log.add(request({ requestId: 'a' }));
  await log.flush();
  for (const requestId of ['b', 'c']) {
    log.add(request({ requestId }));
    await log.flush();
  }
  assert.equal(new Set(store.given).size, 1, 'always the same batch');
  assert.deepEqual(
    store.given[0]?.lines.map(({ requestId }) => requestId),
    ['a'],
    'a batch does not change after it was given',
  );
  assert.equal(store.given[0]?.usage[0]?.counts.requests, 1);
  assert.equal(told.length, 1);
  store.isDown = false;
  await log.flush();
  assert.deepEqual(store.lines, ['a', 'b', 'c']);
  assert.equal(store.requests, 3);
  assert.equal(told.length, 1);
});

it('a bounded number of lines waits, the others are dropped and counted', async (t) => {
  const { store, told, log } = opened(t);
  store.isDown = true;
  const [before, more] = [100, 4_567];
  for (let n = 0; n < before; n++) log.add(request());
  await log.flush();
  for (let n = before; n < REQUEST_LOG_WAITING + more; n++) log.add(request());
  await log.flush();
  store.isDown = false;
  await log.flush();
  assert.equal(store.lines.length, REQUEST_LOG_WAITING);
  assert.equal(new Set(store.lines).size, REQUEST_LOG_WAITING);
  assert.equal(store.requests, REQUEST_LOG_WAITING + more, 'dropped lines are counted as usage');
  assert.ok(store.stored.every(({ lines }) => lines.length <= REQUEST_LOG_BATCH));
  assert.deepEqual(told, [
    'Error: the store is down',
    `Error: ${more} lines of the log of requests were dropped: too many waited`,
  ]);
  log.add(request({ requestId: 'later' }));
  await log.flush();
  assert.equal(store.lines.at(-1), 'later', 'there is room again');
});

it('a write that hangs holds up no request, and lets no more lines wait', async (t) => {
  const { store, told, log } = opened(t);
  let end = () => {};
  store.hanging = new Promise((resolve) => {
    end = resolve;
  });
  log.add(request());
  const writing = log.flush();
  await until(() => store.given.length === 1, 'the write has begun');
  for (let n = 0; n < REQUEST_LOG_WAITING; n++) log.add(request());
  assert.equal(store.given.length, 1, 'no second write begins');
  store.hanging = undefined;
  end();
  await writing;
  await log.flush();
  assert.equal(store.lines.length, REQUEST_LOG_WAITING);
  assert.match(told.join(), /: 1 lines .* were dropped: too many waited/);
});

it('tells what it could not write before the end, and what the store refused', async (t) => {
  const { store, told, log } = opened(t);
  store.refused = 'no such line';
  log.add(request());
  await log.flush();
  assert.match(told.join(), /were refused: no such line/);
  store.isDown = true;
  for (let n = 0; n < 3; n++) log.add(request());
  await log.flush();
  log.add(request());
  await log.close();
  assert.match(told.at(-1)!, /: 4 lines .* were dropped: the log could not be written before the end/);
});

it('a removal that fails stops no write', async (t) => {
  const { store, told, log } = opened(t, 0);
  store.isDown = true;
  await log.flush();
  store.isDown = false;
  log.add(request({ requestId: 'a' }));
  await log.flush();
  assert.deepEqual(store.lines, ['a']);
  assert.ok(store.prunes >= 1);
  assert.ok(told.length >= 1);
});
