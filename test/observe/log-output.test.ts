/** Log lines of a server: complete and in order if they can be written, otherwise dropped and counted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { LOG_BUFFER } from '../../src/limits.js';
import { bufferedOutput } from '../../src/observe/log-output.js';
import { until } from '../until.js';

const MODULE = new URL('../../src/observe/log-output.js', import.meta.url).href;

function temporaryFile(t: { after(work: () => void): void }): { path: string; fd: number } {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-log-'));
  const path = join(dir, 'log');
  const fd = openSync(path, 'w');
  t.after(() => {
    closeSync(fd);
    rmSync(dir, { recursive: true });
  });
  return { path, fd };
}

test('lines are written complete and in order, shortly after or at the end', async (t) => {
  const { path, fd } = temporaryFile(t);
  const output = bufferedOutput(fd);
  const lines = Array.from({ length: 5_000 }, (_, n) => `{"n":${n},"text":"${'ä'.repeat(n % 50)}"}\n`);
  for (const [n, line] of lines.entries()) {
    output.write(line);
    if (n % 500 === 0) await new Promise((done) => setImmediate(done));
  }
  await until(() => statSync(path).size >= Buffer.byteLength(lines.join('')), 'the lines are written');
  assert.equal(readFileSync(path, 'utf8'), lines.join(''));
  output.write('last\n');
  output.flushSync();
  assert.ok(readFileSync(path, 'utf8').endsWith('}\nlast\n'));
  assert.equal(output.lost, 0);
});

test('unread output does not fill the memory, and dropped lines are reported', (t) => {
  const { path, fd } = temporaryFile(t);
  const output = bufferedOutput(fd);
  const line = `${'x'.repeat(1 << 20)}\n`;
  const count = Math.floor(LOG_BUFFER.maxBytes / line.length);
  // Without a turn of the event loop only the first line is written.
  for (let n = 0; n < count + 4; n++) output.write(line);
  output.flushSync();
  assert.ok(output.lost > 0 && output.lost <= 4, `expected 1 to 4 lost lines: ${output.lost}`);
  assert.match(readFileSync(path, 'utf8'), new RegExp(`"lost":${output.lost},"msg":"log lines could not be`));
});

const noFullDevice = existsSync('/dev/full') ? false : 'this system has no /dev/full';

test('a full disk stops neither the process nor its exit', { skip: noFullDevice }, async () => {
  const script = `
    import { openSync } from 'node:fs';
    const { bufferedOutput } = await import(${JSON.stringify(MODULE)});
    const output = bufferedOutput(openSync('/dev/full', 'w'));
    for (let n = 0; n < 1000; n++) output.write('x'.repeat(100) + '\\n');
    setTimeout(() => {
      output.write('at the end\\n');
      process.on('exit', () => process.stdout.write(String(output.lost)));
    }, ${LOG_BUFFER.flushMs * 3});`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  // The report of dropped lines is dropped, too.
  assert.ok(Number(stdout) >= 1_001, stdout);
});
