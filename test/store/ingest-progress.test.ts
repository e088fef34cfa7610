/** The progress of a running ingest, as other processes see it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from '../../src/index.js';
import { IngestProgressFile, type RunningIngest, runningIngests } from '../../src/store/ingest-progress.js';
import { Service } from '../api/service.js';
import { CLI, invented, temporary } from '../crash/folder.js';
import { until } from '../until.js';

const COUNTS = { bytes_read: 10, total_bytes: 100, documents: 3, failed: 1 };
const nameOf = (n: number) => `0000000${n}-0000-4000-8000-000000000000.json`;

test('a file appears after a second, follows the counts, and is removed at the end', async (t) => {
  const dir = temporary(t);
  const file = new IngestProgressFile(dir);
  t.after(() => file.end());
  assert.deepEqual(runningIngests(dir), [], 'a short ingest writes nothing');
  file.update(COUNTS);
  await until(() => runningIngests(dir).length === 1, 'the file appears');
  const [{ started, at, ...counts }] = runningIngests(dir) as [RunningIngest];
  assert.deepEqual(counts, COUNTS);
  assert.ok(Date.parse(started) < Date.parse(at));
  file.update({ ...COUNTS, documents: 4 });
  await until(() => runningIngests(dir)[0]?.documents === 4, 'the file follows');
  file.end();
  assert.deepEqual(readdirSync(join(dir, 'ingests')), []);
});

test('nothing is written to another folder at the path', async (t) => {
  const dir = temporary(t);
  const displaced = new IngestProgressFile(dir, () => false);
  t.after(() => displaced.end());
  displaced.update(COUNTS);
  let asked = 0;
  const inPlace = new IngestProgressFile(dir, () => ++asked > 1);
  t.after(() => inPlace.end());
  inPlace.update(COUNTS);
  await until(() => runningIngests(dir).length === 1, 'the folder is back');
  assert.equal(readdirSync(join(dir, 'ingests')).length, 1, 'only the file of the ingest that is in place');
});

test('what a killed ingest left is ignored, and removed by the next one', async (t) => {
  const dir = temporary(t);
  mkdirSync(join(dir, 'ingests'));
  const put = (n: number, text: string) => writeFileSync(join(dir, 'ingests', nameOf(n)), text);
  const running = (at: number) =>
    JSON.stringify({ started: new Date(at).toISOString(), at: new Date(at).toISOString(), ...COUNTS });
  put(1, running(Date.now() - 16_000));
  put(2, '{"started":"2026-');
  put(3, '');
  put(4, JSON.stringify({ ...JSON.parse(running(Date.now())), documents: -1 }));
  put(5, 'null');
  put(6, `${running(Date.now())}${' '.repeat(5_000)}`);
  writeFileSync(join(dir, 'ingests', 'other.json'), running(Date.now()));
  assert.deepEqual(runningIngests(dir), []);
  put(7, running(Date.now()));
  assert.equal(runningIngests(dir).length, 1);
  assert.deepEqual(runningIngests(dir, Date.now() + 60_000), [], 'it became old');

  const file = new IngestProgressFile(dir);
  await until(() => runningIngests(dir).length === 2, 'the next ingest');
  const left = readdirSync(join(dir, 'ingests'));
  for (const n of [1, 2, 3, 4, 5, 6]) assert.ok(!left.includes(nameOf(n)), nameOf(n));
  file.end();
});

test('no folder appears in the place of a data folder that was moved away, and nothing fails', async (t) => {
  const root = temporary(t);
  const dir = join(root, 'data');
  mkdirSync(dir);
  const [moved, watched] = [new IngestProgressFile(dir), new IngestProgressFile(root)];
  rmSync(dir, { recursive: true });
  // Both timers have run when the second one has written.
  await until(() => runningIngests(root).length === 1, 'the other file');
  assert.equal(existsSync(dir), false);
  moved.end();
  watched.end();
  assert.deepEqual(runningIngests(dir), []);
});

test('a server shows the progress of an ingest of another process, until it ends or is killed', async (t) => {
  const dir = join(temporary(t), 'data');
  const engine = await open(dir, { create: true, workers: 1 });
  t.after(() => engine.close());
  const service = await Service.start('node', 120_000, { engine });
  t.after(() => service.stop());
  const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
  const shown = async () => {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await service.call('/admin/api/v1/ingests', { headers });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as { running: RunningIngest[]; files: number };
  };
  const lines = invented(300).map((patent) => `${JSON.stringify(patent)}\n`);

  const ingest = spawn(process.execPath, [CLI, 'ingest', '--data', dir, '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => ingest.once('exit', resolve));
  for (const line of lines.slice(0, 200)) ingest.stdin.write(line);
  await until(async () => (await shown()).running.length === 1, 'the ingest runs');
  const [running] = (await shown()).running;
  assert.ok(Date.parse(running!.at) > Date.parse(running!.started));
  for (const line of lines.slice(200)) ingest.stdin.write(line);
  ingest.stdin.end();
  assert.equal(await ended, 0);
  assert.deepEqual((await shown()).running, []);
  assert.deepEqual(readdirSync(join(dir, 'ingests')), []);

  // A pipe that gives nothing does not keep a stopped ingest.
  const stopped = spawn(process.execPath, [CLI, 'ingest', '--data', dir, '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  stopped.stdin.write(lines[0]!);
  await until(() => runningIngests(dir).length === 1, 'the ingest of an open pipe runs');
  const end = new Promise((resolve) => stopped.once('exit', resolve));
  stopped.kill('SIGTERM');
  assert.equal(await end, 1);

  const killed = spawn(process.execPath, [CLI, 'ingest', '--data', dir, '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  killed.stdin.write(lines[0]!);
  await until(() => runningIngests(dir).length === 1, 'the second ingest runs');
  killed.kill('SIGKILL');
  await new Promise((resolve) => killed.once('exit', resolve));
  assert.deepEqual(runningIngests(dir, Date.now() + 16_000), [], 'a dead ingest is not shown for long');
});
