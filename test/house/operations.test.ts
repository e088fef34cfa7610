/** The commands of docs/operations.md work, in their order, and its figures are those of the program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { HEAD_MAX_BYTES, IDLE_TIMEOUT_MS } from '../../src/http/adapters/adapter.js';
import {
  BODY_MAX_BYTES,
  BODY_TIMEOUT_MS,
  CONNECTIONS_MAX,
  FILE_DESCRIPTORS_MIN,
  PUBLIC_RATE_LIMIT_PER_MINUTE,
  QUEUE_PER_WORKER,
  QUEUE_QUICK,
  RATE_LIMIT_PER_MINUTE,
  REQUEST_DEADLINE_MS,
  URL_MAX_CHARS,
  WRITE_TIMEOUT_MS,
} from '../../src/limits.js';
import { Metrics } from '../../src/observe/metrics.js';
import { CLI } from '../crash/folder.js';
import { read } from './checkout.js';
import { codeBlocks } from './docs.js';

const PAGE = read('docs/operations.md');

test('the commands of docs/operations.md work', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-operations-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'bin'));
  writeFileSync(join(dir, 'bin/priorart'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(dir, 'bin/priorart'), 0o755);
  cpSync(resolve('fixtures/jsonl'), join(dir, 'weekly'), { recursive: true });
  const blocks = codeBlocks(PAGE).filter(({ language }) => language === 'sh');
  assert.ok(blocks.length >= 6);
  const script = blocks.map(({ text }) => text).join('');
  const env = { ...process.env, PATH: `${join(dir, 'bin')}:${process.env['PATH']}` };
  const { status, stdout, stderr } = spawnSync('sh', ['-eux', '-c', script], {
    cwd: dir,
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
});

test('the limits of docs/operations.md are those of the program', () => {
  const number = (value: number) => value.toLocaleString('en');
  for (const row of [
    `| body of a request | ${BODY_MAX_BYTES / (1 << 20)} MiB |`,
    `| head of a request | ${HEAD_MAX_BYTES / 1_024} KiB |`,
    `| path and query string | ${number(URL_MAX_CHARS)} characters |`,
    `| time to send a body | ${BODY_TIMEOUT_MS / 1_000} s |`,
    `| time to take an answer | ${WRITE_TIMEOUT_MS / 1_000} s |`,
    `| idle connection | ${IDLE_TIMEOUT_MS / 1_000} s |`,
    `| time of a search | \`--deadline-ms\`, ${REQUEST_DEADLINE_MS / 1_000} s |`,
    `| searches that wait | \`--queue-per-worker\`, ${QUEUE_PER_WORKER} per worker; more if requests take less than ${QUEUE_QUICK.ms} ms, at most ${QUEUE_QUICK.times} times as many |`,
    `| connections | \`--connections-max\`, ${number(CONNECTIONS_MAX.default)}; the server needs a file descriptor for each, and ${FILE_DESCRIPTORS_MIN} besides |`,
    `| calls per minute | \`--rate-limit\`, ${RATE_LIMIT_PER_MINUTE} per key; \`--public-rate-limit\`, ${PUBLIC_RATE_LIMIT_PER_MINUTE} per client address |`,
  ])
    assert.ok(PAGE.includes(row), row);
});

test('the metrics of docs/operations.md exist', async () => {
  const metrics = new Metrics();
  metrics.watch({
    connections: () => 0,
    activeRequests: () => 0,
    pool: () => undefined,
    index: () => undefined,
  });
  const text = await metrics.text();
  const named = [...PAGE.matchAll(/`((?:priorart|http)_[a-z_]+)`/g)].map((match) => match[1]!);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((name) => !text.includes(`# TYPE ${name} `)),
    [],
  );
});
