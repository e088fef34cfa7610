/** The comparison with other libraries: recall against brute force, the best peer of a row, ratios and their intervals. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Case, Exported } from '../../bench/peers/export.js';
import {
  bestPeer,
  judged,
  meanOf,
  needOf,
  type Outcome,
  ratioOf,
  reaches,
} from '../../bench/peers/outcome.js';
import { bestScores, ForbiddenRow, type Judged, recallOf } from '../../bench/peers/truth.js';
import { noPython, runPython } from '../house/python.js';
import fc from '../property.js';

/** Rows on a line: row n has the score n / rows for the question 0, and −n / rows for the question 1. */
function line(rows: number, k: number, allowed: readonly number[]): Judged & { cases: Case[] } {
  const masks = new Uint8Array(Math.ceil(rows / 8));
  for (const row of allowed) masks[row >> 3]! |= 1 << (row & 7);
  const vectors = new Float32Array(rows * 3);
  for (let row = 0; row < rows; row++) vectors[row * 3] = row / rows;
  const asked = [
    { question: 0, fields: {} },
    { question: 1, fields: {} },
  ];
  return {
    ...{ unit: 'passages', rows, dimensions: 3, k, vectors, masks },
    questions: Float32Array.of(1, 0, 0, -1, 0, 0),
    docs: Int32Array.from({ length: rows }, (_, row) => row >> 1),
    cases: [
      { name: 'no filter', share: 1, asked },
      { name: 'some', share: 0.1, asked: [{ question: 0, mask: 0, fields: {} }] },
    ],
  };
}

describe('recall of the peers', () => {
  it('brute force finds the best scores of the rows that pass, and NaN if fewer pass', () => {
    const truth = bestScores(line(100, 4, [3, 8, 64]));
    assert.deepEqual(Array.from(truth.subarray(0, 4)), Array.from(Float32Array.of(0.99, 0.98, 0.97, 0.96)));
    assert.deepEqual(
      Array.from(truth.subarray(4, 8), (score) => score + 0),
      Array.from(Float32Array.of(0, -0.01, -0.02, -0.03)),
    );
    assert.deepEqual(
      Array.from(truth.subarray(8)),
      Array.from(Float32Array.of(0.64, 0.08, 0.03, Number.NaN)),
    );
  });

  it('brute force agrees with a sort of all scores', () => {
    const small = fc.integer({ min: -8, max: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(small, small), { minLength: 1, maxLength: 40 }),
        fc.tuple(small, small),
        fc.infiniteStream(fc.boolean()),
        fc.constantFrom('passages' as const, 'documents' as const),
        (points, question, stream, unit) => {
          // A document begins at every row for which the stream says so. All rows of a document pass a filter, or none.
          let document = -1;
          const docs = Int32Array.from(points, (_, row) => {
            if (row === 0 || unit === 'passages' || stream.next().value) document++;
            return document;
          });
          const passing = docs.reduce(
            (all, one) => all.set(one, all.get(one) ?? stream.next().value),
            new Map(),
          );
          const allowed = points.flatMap((_, row) => (passing.get(docs[row]) ? [row] : []));
          const masks = new Uint8Array(Math.ceil(points.length / 8));
          for (const row of allowed) masks[row >> 3]! |= 1 << (row & 7);
          const found = bestScores({
            ...{ unit, rows: points.length, dimensions: 2, k: 5, masks, docs },
            vectors: Float32Array.from(points.flat()),
            questions: Float32Array.from(question),
            cases: [{ name: 'some', share: 1, asked: [{ question: 0, mask: 0, fields: {} }] }],
          });
          const best = new Map<number, number>();
          for (const row of allowed) {
            const score = points[row]![0] * question[0] + points[row]![1] * question[1];
            best.set(docs[row]!, Math.max(score, best.get(docs[row]!) ?? Number.NEGATIVE_INFINITY));
          }
          const expected = [...best.values()].sort((a, b) => b - a).slice(0, 5);
          assert.deepEqual(
            Array.from(found)
              .filter((score) => !Number.isNaN(score))
              .map((score) => score + 0),
            expected.map((score) => score + 0),
          );
        },
      ),
    );
  });

  it('counts the best rows among the first places only', () => {
    const data = line(100, 4, [3, 8, 64]);
    const truth = bestScores(data).subarray(0, 4);
    const of = (answer: number[], depth: number) => recallOf(answer, truth, { question: 0 }, depth, data);
    assert.equal(of([99, 98, 97, 96], 4), 1);
    assert.equal(of([96, 97, 98, 99], 4), 1, 'the order within the depth does not matter');
    assert.equal(of([99, 50, 98, 97], 2), 0.5, 'the second best is in the third place');
    assert.equal(of([99, 98], 4), 0.5, 'missing rows are misses');
    assert.equal(of([99, -1, 98, 97], 4), 0.25, 'a negative number ends the answer');
  });

  it('counts rows of equal scores alike', () => {
    const data = line(10, 2, []);
    data.vectors.fill(0);
    for (const row of [2, 5, 7]) data.vectors[row * 3] = 1;
    const truth = bestScores(data).subarray(0, 2);
    for (const answer of [
      [2, 5],
      [5, 7],
      [7, 2],
    ])
      assert.equal(recallOf(answer, truth, { question: 0 }, 2, data), 1);
    assert.equal(recallOf([2, 3], truth, { question: 0 }, 2, data), 0.5);
  });

  it('needs only the rows that pass the filter', () => {
    const data = line(100, 4, [3, 8, 64]);
    const truth = bestScores(data).subarray(8);
    assert.equal(recallOf([64, 8, 3], truth, { question: 0, mask: 0 }, 4, data), 1);
    assert.equal(recallOf([64, 8], truth, { question: 0, mask: 0 }, 4, data), 2 / 3);
  });

  it('stops at a row that the filter forbids, at a row that is none, and at a row that comes twice', () => {
    const data = line(100, 4, [3, 8, 64]);
    const truth = bestScores(data).subarray(8);
    const of =
      (...answer: number[]) =>
      () =>
        recallOf(answer, truth, { question: 0, mask: 0 }, 1, data);
    assert.throws(of(64, 8, 9), ForbiddenRow, 'behind the depth, too');
    assert.throws(of(100), ForbiddenRow);
    assert.throws(of(64, 64), ForbiddenRow);
  });

  it('of documents: each counts by the row that stands for it, and must come once', () => {
    // Rows 2 n and 2 n + 1 are a document.
    const data = { ...line(100, 4, []), unit: 'documents' as const };
    const truth = bestScores(data).subarray(0, 4);
    assert.deepEqual(Array.from(truth), Array.from(Float32Array.of(0.99, 0.97, 0.95, 0.93)));
    const of = (...answer: number[]) => recallOf(answer, truth, { question: 0 }, 4, data);
    assert.equal(of(99, 97, 95, 93), 1);
    assert.equal(of(99, 97, 95, 92), 0.75, 'the worse row of a document');
    assert.throws(() => of(99, 98), /document 49 twice/);
  });
});

function outcome(library: string, cpu: number[], recall: number, rest: Partial<Outcome> = {}): Outcome {
  const values = cpu.map(() => recall);
  const times = { cpu, wall: cpu, ready: cpu };
  return { library, case: 'a', setting: '', every: 1, at10: values, at50: values, ...times, ...rest };
}

describe('the best peer of a row', () => {
  it('is the cheapest of those that reach the recall over all questions', () => {
    const own = outcome('priorart', [1, 1], 1);
    const all = [
      own,
      outcome('cheap but poor at 10', [0.1, 0.1], 1, { at10: [0.98, 0.98] }),
      outcome('cheap but poor at 50', [0.1, 0.1], 1, { at50: [0.96, 0.96] }),
      outcome('cheap with few questions', [0.2], 1, { every: 2 }),
      outcome('of another row', [0.2, 0.2], 1, { case: 'b' }),
      outcome('dear', [3, 3], 1),
      outcome('best', [1, 3], 1),
    ];
    assert.equal(bestPeer(all, 'a', own)?.library, 'best');
    assert.equal(bestPeer(all.slice(0, 2), 'a', own), undefined);
  });

  it('has to reach the recall of this project if that is below the goal, at each depth', () => {
    const own = outcome('priorart', [1, 1], 1, { at10: [0.9, 1], at50: [0.99, 0.99] });
    assert.deepEqual(needOf(own), { at10: 0.95, at50: 0.97 });
    const peer = outcome('peer', [1, 1], 0.97, { at10: [0.95, 0.95] });
    assert.equal(bestPeer([own, peer], 'a', own)?.library, 'peer');
    assert.ok(!reaches({ ...peer, at10: [0.95, 0.9499] }, needOf(own)));
    assert.ok(!reaches({ ...peer, at50: [0.97, 0.9699] }, needOf(own)));
  });

  it('reads answers and times, and judges the questions that were measured', () => {
    const data = line(100, 4, [3, 8, 64]);
    const dir = mkdtempSync(join(tmpdir(), 'priorart-peers-'));
    const file = join(dir, 'x');
    try {
      const read = (every: number, answers: number[], times: number[]) => {
        writeFileSync(`${file}.i32`, new Uint8Array(Int32Array.from(answers).buffer));
        writeFileSync(`${file}.f64`, new Uint8Array(Float64Array.from(times).buffer));
        const whole = { ...data, truth: bestScores(data), dir, questionsDir: dir } satisfies Exported;
        return (name: string) => judged({ library: 'x', case: name, file, every }, whole);
      };
      const both = read(1, [99, 98, 97, 1, 0, 1, 2, 3], [1, 2, 3, 4, 5, 6])('no filter');
      assert.deepEqual(
        [both.at10, both.at50],
        [
          [0.75, 1],
          [0.75, 1],
        ],
      );
      assert.deepEqual(
        [both.cpu, both.wall, both.ready],
        [
          [1, 4],
          [2, 5],
          [3, 6],
        ],
      );
      const one = read(1, [64, 3, -1, -1], [1, 2])('some');
      assert.deepEqual([one.at10, one.cpu, one.ready], [[2 / 3], [1], [1]]);
      assert.deepEqual(read(2, [99, 98, 97, 96], [1, 2])('no filter').at10, [1], 'every second question');
      assert.throws(
        () => read(1, [64, 4, -1, -1], [1, 2])('some'),
        /x, some, question 0: row 4, which the filter/,
      );
      assert.throws(() => read(1, [64, 3], [1, 2])('some'), /2 rows/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('the ratio of times', () => {
  it('is the geometric mean over the rows of the ratios of the means', () => {
    const found = ratioOf([
      { ours: [1, 3], theirs: [8, 8] },
      { ours: [2, 2], theirs: [1, 1] },
    ]);
    assert.ok(Math.abs(found.mean - Math.sqrt(4 * 0.5)) < 1e-12);
    assert.equal(found.n, 2);
    assert.throws(() => ratioOf([{ ours: [1], theirs: [1, 2] }]), /1 and 2 questions/);
  });

  it('draws both times of a question together, and every row by itself', () => {
    const times = Array.from({ length: 50 }, (_, n) => 1 + (n % 7));
    const exact = ratioOf([{ ours: times, theirs: times.map((time) => time * 2) }]);
    assert.ok(exact.high - exact.low < 1e-9, 'a constant ratio has no spread, although the times have');
    const turned = ratioOf([{ ours: times, theirs: [...times].reverse() }]);
    assert.ok(turned.low < 0.95 && turned.high > 1.05);
  });

  it('has an interval that holds the true ratio in about 95 of 100 samples', () => {
    let [state, held] = [1, 0];
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    };
    const samples = 200;
    for (let sample = 0; sample < samples; sample++) {
      const draw = () => Array.from({ length: 60 }, () => -Math.log(next()));
      const { low, high } = ratioOf([{ ours: draw(), theirs: draw().map((time) => time * 2) }], 300);
      if (low <= 2 && 2 <= high) held++;
    }
    assert.ok(held >= 0.88 * samples && held <= 0.995 * samples, `${held} of ${samples}`);
  });

  it('the mean of the outcomes is that of their questions', () => {
    assert.equal(meanOf([1, 2, 6]), 3);
  });
});

describe('the choice of a setting', { skip: noPython }, () => {
  const ladder = (high: number) => {
    const values = [1];
    while (values.at(-1)! < high)
      values.push(Math.min(high, Math.max(values.at(-1)! + 1, Math.floor(values.at(-1)! * 1.3))));
    return values;
  };
  const base = { efforts: ladder(2_000), depths: ladder(100), perEffort: 1, patience: 1e9, leastDepth: 1 };
  const cases = [
    { ...base, perDepth: 1, product: 400 },
    { ...base, perDepth: 100, product: 2_000 },
    { ...base, perDepth: 0.01, product: 300 },
    { ...base, perDepth: 1, product: 400, leastDepth: 60 },
    { ...base, perDepth: 20, product: 400, patience: 250 },
    { ...base, perDepth: 1, product: 1e9 },
    { ...base, depths: [1], perDepth: 0, product: 300 },
  ];

  it('finds the cheapest setting that reaches the recall', () => {
    const { found, least, tooLong, down, up, never } = JSON.parse(
      runPython('test/bench/tuning.py', [], JSON.stringify(cases)).toString(),
    ) as {
      found: { found: number[] | null; best: number[] | null; reached: boolean }[];
      least: (number | null)[];
      tooLong: null;
      down: number;
      up: number;
      never: null;
    };
    for (const [n, one] of found.entries()) {
      assert.equal(one.found?.[0], one.best?.[0], `case ${n}: ${one.found} instead of ${one.best}`);
      assert.ok(one.reached, `case ${n}`);
    }
    assert.equal(found[5]!.best, null, 'the case without a solution');
    assert.deepEqual(least, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, null]);
    assert.deepEqual([tooLong, down, up, never], [null, 7, 7, null]);
  });
});
