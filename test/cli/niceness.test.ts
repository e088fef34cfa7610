import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';

/** Lowers its own priority, starts a thread, and prints the priorities of all its threads. */
const SCRIPT = `
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { beNice } from ${JSON.stringify(new URL('../../src/cli/niceness.js', import.meta.url).href)};
beNice(7);
beNice(3);
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
await new Promise((online) => worker.once('online', online));
console.log(JSON.stringify(readdirSync('/proc/self/task').map((id) => getPriority(Number(id)))));
process.exit();
`;

test('a command with lowered priority lowers all of its threads, and never raises it again', async (t) => {
  if (process.platform !== 'linux') return t.skip('on other systems, a priority belongs to the process');
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await new Promise((closed) => child.once('close', closed));
  const priorities = JSON.parse(said) as number[];
  assert.ok(priorities.length > 1);
  assert.deepEqual([...new Set(priorities)], [Math.max(7, getPriority())]);
  return undefined;
});
