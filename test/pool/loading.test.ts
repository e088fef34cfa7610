import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
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

test('a pool whose threads cannot load refuses every question, and does not end the process', async (t) => {
  const dir = temporary(t);
  const worker = join(dir, 'worker.mjs');
  writeFileSync(worker, "throw new Error('the module is broken');");
  const script = `
    const { Pool } = await import(${JSON.stringify(POOL)});
    const pool = new Pool({ worker: ${JSON.stringify(pathToFileURL(worker).href)}, setting: {} }, 2, 4);
    for (let n = 0; n < 3; n++) {
      const asked = [0, 1, 2].map(() => pool.ask({ kind: 'details', query: undefined }));
      for (const { reason } of await Promise.allSettled(asked)) console.log(reason.code, reason.message);
    }
    process.exit(0);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const refused = 'internal a worker thread ended unexpectedly: the module is broken\n';
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: refused.repeat(9), stderr: '' });
});
