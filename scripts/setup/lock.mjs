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
 * Holds a lock file while `work` runs. Parallel set-ups, such as two terminals or an editor and a terminal,
 * wait for each other instead of writing the same files. The file names its holder. It is abandoned if the
 * process no longer runs on this host, or if the file was not touched for a minute: a holder touches it every
 * five seconds, also on another host or in another container.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: string) => void} [onWait] called once with the process that holds the lock
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
 * Removes the lock if it still belongs to `holder`. The file is moved aside and checked, and put back if
 * another process has taken the lock meanwhile.
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
    // The lock was taken as abandoned, for example after the machine slept. The work is idempotent, so this
    // is harmless.
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
    return false; // Created and not yet written. If it stays empty, its age decides.
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
