/** A command that waits for another process that writes to its data folder says so. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Store } from '../../src/store/store.js';
import { CLI, invented, priorart, temporary, writeLines } from '../crash/folder.js';

const NOTICE = /^priorart: another process .*writes to .*waiting for its turn to end$/gm;
/** Longest wait for a notice, ms. */
const AT_MOST_MS = 60_000;

test('a command that waits for a writer says so once on standard error', async (t) => {
  const dir = temporary(t);
  const data = join(dir, 'data');
  const [first, second] = [
    writeLines(join(dir, 'first.jsonl'), invented(2)),
    writeLines(join(dir, 'second.jsonl'), invented(3)),
  ];
  assert.equal((await priorart('ingest', '--data', data, first)).code, 0);

  const commands = [
    ['ingest', '--workers', '1', second],
    ['check', '--repair'],
    ['delete', invented(1)[0]!.patent_id],
  ];
  const running: { child: ChildProcess; args: string[]; out: string; err: string }[] = [];
  const store = Store.open(data);
  t.after(() => store.close());
  // As a process does that is stopped in a commit: it keeps its turn.
  store.root.transactionSync(() => {
    for (const [n, args] of commands.entries()) {
      const [out, err] = [join(dir, `${n}.out`), join(dir, `${n}.err`)];
      const files = [out, err].map((path) => openSync(path, 'w'));
      const stdio = ['ignore', ...files] as const;
      const child = spawn(process.execPath, [CLI, ...args, '--json', '--data', data], { stdio: [...stdio] });
      files.forEach(closeSync);
      running.push({ child, args, out, err });
      const last = performance.now() + AT_MOST_MS;
      while (!readFileSync(err, 'utf8').endsWith('end\n')) {
        assert.ok(performance.now() < last, `no notice: ${args.join(' ')}`);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
    }
  });
  for (const { child, args, out, err } of running) {
    if (child.exitCode === null) await once(child, 'exit');
    const text = readFileSync(err, 'utf8');
    assert.equal(child.exitCode, 0, `${args.join(' ')}: ${text}`);
    assert.equal(text.match(NOTICE)?.length, 1, text);
    assert.ok(text.includes(data), text);
    if (process.platform === 'linux') assert.match(text, new RegExp(`\\b${process.pid}\\b`));
    JSON.parse(readFileSync(out, 'utf8'));
  }
});

test('a command that does not wait says nothing of it', async (t) => {
  const dir = temporary(t);
  const file = writeLines(join(dir, 'all.jsonl'), invented(2));
  const { code, stderr } = await priorart('ingest', '--data', join(dir, 'data'), file);
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, NOTICE);
});
