import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Piscina } from 'piscina';
import { Loading } from '../../src/pool/loading.js';
import { temporary } from '../crash/folder.js';

const POOL = new URL('../../src/pool/pool.js', import.meta.url).href;
const FOLDER_THREAD = new URL('../../src/pool/folder-thread.js', import.meta.url).href;

/** A pool of threads that load on request. */
class FakePool extends EventEmitter {
  threads = [new EventEmitter(), new EventEmitter()];
}

function settling(pool: FakePool) {
  const loading = new Loading(pool as unknown as Piscina);
  const state = { settled: false };
  return {
    state,
    wait: () => loading.settled().then(() => (state.settled = true)),
  };
}

test('threads are awaited until each has posted its first message or ended', async () => {
  const pool = new FakePool();
  const { state, wait } = settling(pool);
  const waiting = wait();
  pool.threads[0]!.emit('message', {});
  await turn();
  assert.equal(state.settled, false);
  pool.threads[1]!.emit('exit', 1);
  await waiting;
});

test('the replacement of a lost thread is awaited, the lost one is not', async () => {
  const pool = new FakePool();
  const { state, wait } = settling(pool);
  pool.threads[0]!.emit('message', {});
  // In Piscina's order: the event, then the new thread, both in one turn.
  pool.emit('workerDestroy', {});
  pool.threads[1] = new EventEmitter();
  await turn();
  const waiting = wait();
  await turn();
  assert.equal(state.settled, false);
  pool.threads[1].emit('message', {});
  await waiting;
});

test('pools closed while their threads load do not end the process', async (t) => {
  // In a separate process, because an error aborts it. The closings are spread over the measured loading time.
  const script = `
    const { Pool } = await import(${JSON.stringify(POOL)});
    const { folderThreads } = await import(${JSON.stringify(FOLDER_THREAD)});
    const make = () => new Pool(folderThreads({ dir: ${JSON.stringify(temporary(t))}, choice: {} }), 2, 4);
    const first = make();
    const started = performance.now();
    await first.ask({ kind: 'details', query: undefined }).catch(() => {});
    const loadingMs = performance.now() - started;
    await first.close();
    for (let n = 0; n < 12; n++) {
      const pool = make();
      await new Promise((resolve) => setTimeout(resolve, (loadingMs * n) / 12));
      await pool.close();
    }`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' });
});
