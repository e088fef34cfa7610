/** Says on standard error that a command waits for another process that writes to its data folder. */
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Command } from 'commander';
import { dataFile } from '../store/faults.js';
import { LOCK_FILE, noteWaits } from '../store/lmdb-open.js';
import { indexSettings, topName } from './options.js';
import { inOneLine } from './output.js';

/** What the thread of the notice gets. */
export interface WaitNotice {
  /** See `noteWaits`. */
  waits: Int32Array;
  /** The data folder, as the user named it, fit for a line. */
  data: string;
  /** File that every process has open that may write to the folder. */
  lock: string;
}

/** Commands that may wait for a long time for another process that writes to the data folder. A server does at its start and end. */
const WRITERS: ReadonlySet<string> = new Set([
  ...['check', 'delete', 'ingest', 'migrate', 'reembed', 'serve', 'snapshot'],
]);

/**
 * Lets a command that writes to a data folder say once, within two seconds, that it waits for another process. The wait
 * blocks the thread of the command, so another thread says it.
 */
export function tellOfWaits(command: Command): void {
  if (!WRITERS.has(topName(command))) return;
  const { data } = indexSettings(command.opts());
  const waits = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  noteWaits(waits);
  const lock = resolve(dataFile(data), '..', LOCK_FILE);
  const workerData: WaitNotice = { waits, data: inOneLine(data), lock };
  new Worker(new URL('./wait-notice-thread.js', import.meta.url), { workerData }).unref();
}
