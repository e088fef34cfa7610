/** Commits of one process survive any action of others at that moment. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLmdb } from '../../src/store/lmdb-open.js';
import { random } from '../crash/folder.js';

const STOPS = 120;

const dir = mkdtempSync(join(tmpdir(), 'priorart-lmdb-'));
after(() => rmSync(dir, { recursive: true, force: true }));

async function started(what: 'open' | 'count'): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./lmdb-open-process.js', import.meta.url));
  const child = fork(script, [what, dir]);
  await message(child);
  return child;
}

/** The next message of a process; rejects if it ends instead. */
async function message<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`a process ended: ${code ?? signal}`);
  });
  ended.catch(() => {});
  const [sent] = (await Promise.race([once(child, 'message'), ended])) as [T];
  return sent;
}

describe('an environment that another process opens', () => {
  it('the environment keeps every commit, also if the other process is stopped or killed during the opening', async () => {
    const counting = await started('count');
    let opening = await started('open');
    const next = random(3);
    let result: { committed: number; lost: number };
    try {
      for (let stop = 1; stop <= STOPS; stop++) {
        // At a random moment: often between the read of the newest state and the write that follows from it.
        await sleep(next() * 3);
        opening.kill('SIGSTOP');
        await sleep(2);
        if (stop % 20 > 0) opening.kill('SIGCONT');
        else {
          opening.kill('SIGKILL');
          await once(opening, 'exit');
          opening = await started('open');
        }
      }
      assert.equal(counting.signalCode, null, 'the counting process found its commits');
      counting.send('end');
      result = await message(counting);
    } finally {
      for (const child of [opening, counting]) child.kill('SIGKILL');
    }
    assert.equal(result.lost, 0);
    const root = openLmdb({ path: dir, noSubdir: false, maxDbs: 4, mapSize: 1 << 24, noSync: true });
    assert.equal(root.openDB<number, string>({ name: 'counts' }).get('n'), result.committed);
    await root.close();
  });
});
