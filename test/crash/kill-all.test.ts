/**
 * An ingest of all available documents, killed at ten random moments in one folder and resumed each time: no document
 * is lost or doubled. Takes minutes, so it runs only with `PRIORART_TEST_KILL_ALL=1`, with a seed if one is given.
 * `kill.test.ts` does the same to fewer documents in each test run.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  CLI,
  checked,
  documentsOf,
  type Ended,
  exactAnswers,
  launch,
  priorart,
  questions,
  random,
  temporary,
} from './folder.js';

const ALL = resolve('../shared/data/patents');
const asked = process.env['PRIORART_TEST_KILL_ALL'];
const missing = existsSync(ALL) ? false : `no documents at ${ALL}`;
const skip = asked ? missing : 'takes minutes; PRIORART_TEST_KILL_ALL=1 runs it';
const KILLS = 10;
/** Maximum delay of a kill after its share of the bytes, ms: a commit or a merge may have begun. */
const LATER_MS = 1_500;

/** Runs an ingest and kills it some ms after it has read a share of its bytes. */
async function killedAt(share: number, laterMs: number, args: string[]): Promise<Ended> {
  const { child, ended } = launch(CLI, args);
  let isDue = false;
  child.stderr!.on('data', (text: string) => {
    const shares = [...text.matchAll(/(\d+) %, /g)].map((match) => Number(match[1]) / 100);
    if (isDue || !shares.some((read) => read >= share)) return;
    isDue = true;
    void sleep(laterMs).then(() => child.kill('SIGKILL'));
  });
  return ended;
}

test('priorart ingest of all documents, killed ten times, loses and doubles nothing', { skip }, async (t) => {
  const root = temporary(t);
  const args = (data: string) => ['ingest', '--data', data, '--workers', '2', '--json', ALL];
  const whole = join(root, 'whole');
  const calm = await priorart(...args(whole));
  assert.equal(calm.code, 0, calm.stderr.slice(-2000));
  const { documents: read, ingested, seconds } = JSON.parse(calm.stdout.trim().split('\n').at(-1)!);
  const documents = await documentsOf(whole);
  assert.equal(documents.size, ingested);
  t.diagnostic(`undisturbed: ${read} publications read, ${documents.size} stored, ${seconds} s`);

  const seed = Number(asked) || 1;
  const next = random(seed);
  const shares = Array.from({ length: KILLS }, next).sort();
  const data = join(root, 'killed');
  let stored = 0;
  let kills = 0;
  for (const share of shares) {
    const end = await killedAt(share * 0.98, next() * LATER_MS, args(data));
    if (end.signal !== 'SIGKILL') assert.equal(end.code, 0, end.stderr.slice(-2000));
    else kills += 1;
    const report = await checked(data);
    assert.deepEqual(report?.problems.filter(({ kind }) => kind !== 'leftover') ?? [], []);
    const found = report?.documents ?? 0;
    assert.ok(found >= stored, `${found} publications after ${stored}`);
    stored = found;
    t.diagnostic(
      `killed at ${Math.round(share * 100)} %: ${stored} stored, ${report?.segments ?? 0} segments, undamaged`,
    );
  }
  assert.ok(kills > KILLS / 2, `only ${kills} were killed in time`);
  const last = await priorart(...args(data));
  assert.equal(last.code, 0, last.stderr.slice(-2000));
  const report = await priorart('check', '--data', data, '--json');
  assert.equal(report.code, 0, report.stdout + report.stderr);
  assert.deepEqual(JSON.parse(report.stdout).problems, []);
  const resumed = await documentsOf(data);
  t.diagnostic(
    `seed ${seed}: ${kills} kills; ${resumed.size} stored at the end, ${documents.size} undisturbed`,
  );
  assert.deepEqual([...resumed.keys()], [...documents.keys()]);
  // Compared as values, because the order of fields depends on whether parts met in one commit or in two.
  const other = [...documents].filter(
    ([id, text]) => !isDeepStrictEqual(JSON.parse(resumed.get(id)!), JSON.parse(text)),
  );
  assert.deepEqual(
    other.slice(0, 3).map(([id, text]) => [resumed.get(id), text]),
    [],
    `${other.length} differ`,
  );
  const queries = questions(30);
  assert.deepEqual(await exactAnswers(data, queries), await exactAnswers(whole, queries));
});
