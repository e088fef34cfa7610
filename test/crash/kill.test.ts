/**
 * Processes that are killed at random moments. SIGKILL prevents any cleanup. The page cache survives, so this is the
 * death of a process, not a power cut.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  CLI,
  checked,
  documentsOf,
  exactAnswers,
  FIXTURES,
  invented,
  killedAfter,
  launch,
  noReal,
  priorart,
  questions,
  REAL_SOURCES,
  random,
  temporary,
  writeLines,
} from './folder.js';

const INGEST = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const MERGE = fileURLToPath(new URL('./merge-process.js', import.meta.url));
const KILLS = 10;

interface Trial {
  script: string;
  args(data: string): string[];
  queries: string[];
  seed: number;
  /** Whether the final run follows in every folder, not only in the last. */
  finishAll: boolean;
}

/**
 * Kills a run ten times, twice in each of five folders, and checks the folder after each kill. Then completes a run,
 * in the last folder or in all. The result must equal that of an undisturbed run.
 */
async function killAndResume(t: TestContext, trial: Trial): Promise<void> {
  const root = temporary(t);
  const whole = join(root, 'whole');
  const calm = await launch(trial.script, trial.args(whole)).ended;
  assert.equal(calm.code, 0, calm.stderr);
  const documents = await documentsOf(whole);
  const answers = await exactAnswers(whole, trial.queries);
  const next = random(trial.seed);
  t.diagnostic(`seed ${trial.seed}; ${documents.size} publications in ${Math.round(calm.ms)} ms undisturbed`);

  /** A completed run makes the folder equal to that of an undisturbed run. */
  const finish = async (data: string) => {
    const rerun = await launch(trial.script, trial.args(data)).ended;
    assert.equal(rerun.code, 0, rerun.stderr);
    const report = await priorart('check', '--data', data, '--json');
    assert.equal(report.code, 0, report.stdout + report.stderr);
    assert.deepEqual(JSON.parse(report.stdout).problems, [], 'the run removes files of killed ones');
    assert.deepEqual(await documentsOf(data), documents);
    assert.deepEqual(await exactAnswers(data, trial.queries), answers);
  };
  let partial = 0;
  let folder = 0;
  let killsHere = 0;
  let span = calm.ms;
  for (let kills = 0; kills < KILLS; ) {
    // The first run of a folder is killed late, the second at any moment: together they seldom complete.
    const share = killsHere === 0 ? 0.35 + 0.6 * next() : 0.65 * next();
    const data = join(root, `killed-${folder}`);
    const end = await killedAfter(share * span, trial.script, trial.args(data));
    if (end.signal !== 'SIGKILL') {
      // The run was faster than the undisturbed one, because the machine is less busy.
      assert.equal(end.code, 0, end.stderr);
      span = Math.min(span, end.ms);
      [folder, killsHere] = [folder + 1, 0];
      continue;
    }
    kills += 1;
    const report = await checked(data);
    assert.deepEqual(report?.problems.filter(({ kind }) => kind !== 'leftover') ?? [], []);
    if (report && report.documents > 0 && report.documents < documents.size) partial += 1;
    killsHere += 1;
    if (killsHere < 2 && kills < KILLS) continue;
    if (trial.finishAll || kills === KILLS) await finish(data);
    [folder, killsHere] = [folder + 1, 0];
  }
  t.diagnostic(`${KILLS} kills, ${partial} of them between two commits of documents`);
}

test('priorart ingest of the fixtures survives ten kills', async (t) => {
  const queries = questions(30);
  const args = (data: string) => ['ingest', '--data', data, '--workers', '2', ...FIXTURES];
  await killAndResume(t, { script: CLI, args, queries, seed: 20_240_501, finishAll: true });
});

test('an ingest with many small segments, merges and index builds survives ten kills', async (t) => {
  const files = [1, 2, 3].map((seed) => writeLines(join(temporary(t), `${seed}.jsonl`), invented(500, seed)));
  const options = JSON.stringify({ segmentPassages: 60, indexFrom: 400 });
  const queries = invented(30, 9).map((patent) => patent.abstract!);
  const args = (data: string) => [data, options, ...files];
  await killAndResume(t, { script: INGEST, args, queries, seed: 20_240_502, finishAll: true });
});

test('priorart ingest of the offices’ documents survives ten kills', { skip: noReal }, async (t) => {
  const args = (data: string) => ['ingest', '--data', data, '--workers', '2', ...REAL_SOURCES];
  await killAndResume(t, { script: CLI, args, queries: questions(30), seed: 20_240_503, finishAll: false });
});

test('a merge with an index build survives ten kills', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const file = writeLines(join(root, 'a.jsonl'), invented(1500));
  // The ingest merges none of them: 7 segments of equal size are not due.
  const many = JSON.stringify({ segmentPassages: 600, indexFrom: 1e9 });
  assert.equal((await launch(INGEST, [data, many, file]).ended).code, 0);
  const queries = invented(30, 9).map((patent) => patent.abstract!);
  const documents = await documentsOf(data);
  const answers = await exactAnswers(data, queries);
  assert.ok((await checked(data))!.segments > 3);

  const seed = 20_240_504;
  const next = random(seed);
  const calm = join(root, 'calm');
  cpSync(data, calm, { recursive: true });
  const undisturbed = await launch(MERGE, [calm, '500']).ended;
  assert.equal(undisturbed.code, 0, undisturbed.stderr);
  assert.equal((await checked(calm))!.segments, 1);
  t.diagnostic(`seed ${seed}; a merge takes ${Math.round(undisturbed.ms)} ms`);
  let kills = 0;
  for (let attempt = 0; kills < KILLS && attempt < 3 * KILLS; attempt++) {
    const copy = join(root, `merge-${attempt}`);
    cpSync(data, copy, { recursive: true });
    // The first third is the start of the process.
    const end = await killedAfter((0.3 + 0.7 * next()) * undisturbed.ms, MERGE, [copy, '500']);
    if (end.signal === 'SIGKILL') kills += 1;
    const report = await checked(copy);
    assert.deepEqual(
      report!.problems.filter(({ kind }) => kind !== 'leftover'),
      [],
    );
    assert.deepEqual(await exactAnswers(copy, queries), answers);
    const again = await launch(MERGE, [copy, '500']).ended;
    assert.equal(again.code, 0, again.stderr);
    const healed = await checked(copy);
    assert.deepEqual([healed!.problems, healed!.segments], [[], 1]);
    assert.deepEqual(await documentsOf(copy), documents);
    assert.deepEqual(await exactAnswers(copy, queries), answers);
  }
  assert.ok(kills > KILLS / 2, `only ${kills} were killed in time`);
});
