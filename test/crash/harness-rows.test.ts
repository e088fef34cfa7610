/**
 * The crash harness records every outcome: the death of any process of a trial is a row of the table, and the next
 * trial begins.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../until.js';
import { launch, temporary } from './folder.js';
import { Judge } from './harness/judge.js';
import { Finding, type Trial } from './harness/part.js';
import { report } from './harness/table.js';
import type { Question } from './harness/truth.js';

const HARNESS = fileURLToPath(new URL('./harness.js', import.meta.url));

test('a trial that throws is a row, and so is an uncaught exception', async () => {
  const rows: Trial[] = [];
  const finding = new Finding('kill', { cases: 4, seed: 1, root: '', onTrial: (row) => rows.push(row) });
  const isFaulty = [
    await finding.trial(() => 'during put'),
    await finding.trial(() => {
      throw new Error('the judge threw');
    }),
    await finding.trial(() => undefined),
    await finding.trial(async () => {
      finding.fault('a publication is lost');
      return 'during merge';
    }),
  ];
  finding.fault('noticed between trials');
  assert.deepEqual(isFaulty, [false, true, false, true]);
  assert.deepEqual(
    rows.map(({ trial, what, outcome }) => [trial, what, outcome]),
    [
      [1, 'during put', 'passed'],
      [2, 'the harness failed', 'failed'],
      [3, 'during merge', 'fault'],
      [4, 'beside the others', 'fault'],
    ],
  );
  assert.ok(finding.isOver);
  assert.match(finding.result().faults[0]!, /^kill 2, seed 1, the harness failed: Error: the judge threw/);
  const table = report([{ name: 'kills', trials: rows, seconds: 1 }]).split('\n');
  assert.match(table.at(-1)!, /^kills +4 +2 +1 +1 +broken off; 1 beside the others, 1 during merge/);
});

test('a judge that dies of a folder reports this, and the next folder is judged', async (t) => {
  const script = join(temporary(t), 'judge.mjs');
  writeFileSync(
    script,
    `process.on('message', ({ dir }) => {
      if (dir === 'last') { process.send({ fault: dir }, () => process.exit()); return; }
      if (dir === 'deadly') { process.stderr.write('a bad page'); process.abort(); }
      process.send({ fault: dir });
    });`,
  );
  const judge = new Judge(script);
  t.after(() => judge.stop());
  const asked = async (dir: string) => {
    const verdict = await judge.judge({ dir } as Question);
    return 'fault' in verdict ? verdict.fault : undefined;
  };
  assert.equal(await asked('one'), 'one');
  assert.match((await asked('deadly'))!, /^the process that judges the folder died \(SIGABRT\): /);
  assert.equal(await asked('two'), 'two');
  // A judge that ends between two folders is replaced, too.
  assert.equal(await asked('last'), 'last');
  await until(() => !judge.isRunning, 'the process has ended');
  assert.equal(await asked('three'), 'three');
});

test('the table is printed when the harness is interrupted', async (t) => {
  const rows = join(temporary(t), 'rows');
  const { child, ended } = launch(HARNESS, ['--kills', '1000', '--seed', '3', '--rows', rows]);
  await Promise.race([until(() => existsSync(rows), 'a trial ended'), once(child, 'exit')]);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 130, stderr);
  const [first] = readFileSync(rows, 'utf8').split('\n');
  assert.equal((JSON.parse(first!) as Trial).outcome, 'passed');
  assert.match(
    stdout,
    /^part +trials +faults +failed +seconds +of which\nkills +[1-9]\d* +0 +0 .* broken off; /,
  );
});
