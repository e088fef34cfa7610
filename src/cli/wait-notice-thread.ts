/** The thread of wait-notice.ts: watches whether the thread of the command waits for its turn to write. */
import { readdirSync, readlinkSync, realpathSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { workerData } from 'node:worker_threads';
import type { WaitNotice } from './wait-notice.js';

const STANDARD_ERROR = 2;
/** Interval between two looks, ms. */
const EVERY_MS = 500;
/** Looks that must find the same wait. A turn of a commit is shorter, as a rule. */
const LOOKS = 2;

const { waits, data, lock } = workerData as WaitNotice;
waitIsLong();
const before = isatty(STANDARD_ERROR) ? '\r\x1b[K' : ''; // A line of progress may stand there.
writeSync(
  STANDARD_ERROR,
  `${before}priorart: another process${named(holders())} writes to ${data}; waiting for its turn to end\n`,
);

/** Returns when the command has waited for one turn over several looks. */
function waitIsLong(): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let seen = 0;
  for (let looks = 0; looks < LOOKS; ) {
    Atomics.wait(never, 0, 0, EVERY_MS);
    const now = Atomics.load(waits, 0);
    looks = now % 2 !== 0 && now === seen ? looks + 1 : 0;
    seen = now;
  }
}

/** The lock does not say who holds it. Linux says who has its file open: a server may be among them. */
function holders(): string[] {
  try {
    const file = realpathSync(lock);
    return readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && name !== String(process.pid) && hasOpen(name, file),
    );
  } catch {
    return [];
  }
}

/** Whether a process has a file open; false for processes of other users. */
function hasOpen(pid: string, file: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => readlinkSync(`${folder}/${name}`) === file);
  } catch {
    return false;
  }
}

function named(pids: readonly string[]): string {
  if (pids.length === 0) return '';
  return pids.length === 1 ? ` (pid ${pids[0]})` : ` (one of the pids ${pids.join(', ')})`;
}
