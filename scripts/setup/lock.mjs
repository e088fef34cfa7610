import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 5_000;
const ABANDONED_MS = 60_000;
const RETRY_MS = 200;

/**
 * Holds a lock file while `work` runs, so that two set-ups at once (two terminals, an editor and a terminal) wait
 * for each other rather than write the same files. The file names its holder; it counts as abandoned when that
 * process is gone from this host, or when nobody has touched it for a minute (a holder on another host or in
 * another container touches it every five seconds).
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: string) => void} [onWait] told once who is being waited for
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  let told = false;
  while (!take(file, mine)) {
    const holder = read(file);
    if (holder !== undefined && abandoned(file, holder)) {
      remove(file, holder);
      continue;
    }
    if (!told) onWait?.(describe(holder));
    told = true;
    await sleep(RETRY_MS);
  }
  const beat = setInterval(() => touch(file), HEARTBEAT_MS);
  beat.unref();
  const release = () => remove(file, mine);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off('exit', release);
    release();
  }
}

function take(file, mine) {
  try {
    writeFileSync(file, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock only while it still is that holder's: it is moved aside first, and put back if in the meantime
 * somebody else had already removed the old one and taken his own.
 */
function remove(file, holder) {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== holder) copyFileSync(aside, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(aside, { force: true });
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function touch(file) {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Gone: somebody took it for abandoned (a machine that slept). The work is idempotent, there is nothing to mend.
  }
}

function abandoned(file, holder) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (Date.now() - stat.mtimeMs > ABANDONED_MS) return true;
  try {
    const { pid, host } = JSON.parse(holder);
    return host === hostname() && !isRunning(pid);
  } catch {
    return false; // Created and not yet written; were it to stay so, its age decides.
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function describe(holder) {
  try {
    return `process ${JSON.parse(holder).pid}`;
  } catch {
    return 'another process';
  }
}
