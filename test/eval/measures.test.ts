/** Measures against published examples and against trec_eval, SciPy and scikit-learn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimate, quantile, random } from '../../src/eval/bootstrap.js';
import {
  mean,
  ndcg,
  placeOf,
  recall,
  reciprocalRank,
  relevantIn,
  spearman,
} from '../../src/eval/measures.js';
import { formatRun, parseQrels, parseRun } from '../../src/eval/trec.js';
import fc from '../property.js';

const close = (actual: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual}, expected ${expected}`);
const graded = (grades: number[]) => new Map(grades.map((grade, n) => [`D${n + 1}`, grade]));

/** A collection of 12 questions with ties in the scores, as text; the Python script used the same numbers. */
function collection(): { qrels: string; run: string } {
  const draw = random(7);
  const name = (d: number) => `d${String(d).padStart(2, '0')}`;
  const [qrels, run]: [string[], string[]] = [[], []];
  for (let q = 0; q < 12; q++) {
    for (let d = 0; d < 60; d++) {
      if (draw() < 0.3) qrels.push(`q${q} 0 ${name(d)} ${Math.floor(draw() * 4)}`);
    }
    for (let d = 0; d < 60; d++) {
      if (draw() < 0.8) run.push(`q${q} Q0 ${name(d)} 0 ${Math.floor(draw() * 25)} t`);
    }
  }
  return { qrels: qrels.join('\n'), run: run.join('\n') };
}

/** trec_eval's C code, through pytrec_eval-terrier 0.5.11, on `collection()`. */
const TREC_EVAL: Record<string, number[]> = {
  recall_5: [
    0.1, 0.0, 0.083333333333, 0.0, 0.083333333333, 0.307692307692, 0.071428571429, 0.090909090909,
    0.133333333333, 0.066666666667, 0.0, 0.055555555556,
  ],
  recall_30: [
    0.7, 0.2, 0.583333333333, 0.363636363636, 0.5, 0.615384615385, 0.571428571429, 0.454545454545, 0.4,
    0.733333333333, 0.416666666667, 0.5,
  ],
  ndcg_cut_5: [
    0.144566566651, 0.0, 0.132840089379, 0.0, 0.05091627453, 0.445229952599, 0.118223928317, 0.169580102637,
    0.327039666492, 0.087470051675, 0.0, 0.056090676139,
  ],
  ndcg_cut_10: [
    0.109198672156, 0.067032130597, 0.339352969585, 0.094346531974, 0.093387384686, 0.358022900512,
    0.088030802487, 0.131056068453, 0.252745058249, 0.120382866627, 0.0, 0.141896000066,
  ],
  recip_rank: [
    0.2, 0.166666666667, 1.0, 0.142857142857, 0.25, 0.5, 1.0, 0.333333333333, 1.0, 0.2, 0.083333333333, 0.2,
  ],
};

describe('measures of rankings', () => {
  it('measures agree with the examples of the literature', () => {
    // https://en.wikipedia.org/wiki/Discounted_cumulative_gain: six found, two more (3 and 2) missed.
    const grades = graded([3, 2, 3, 0, 1, 2, 3, 2]);
    close(ndcg(['D1', 'D2', 'D3', 'D4', 'D5', 'D6'], grades, 6), 0.785, 5e-4);
    // https://en.wikipedia.org/wiki/Mean_reciprocal_rank: right answers at 3, 2 and 1.
    const at = (place: number) => reciprocalRank(['x', 'y', 'z'], new Map([['xyz'[place - 1]!, 1]]));
    close(mean([at(3), at(2), at(1)]), 11 / 18);
    // https://en.wikipedia.org/wiki/Spearman's_rank_correlation_coefficient: IQ and hours of television.
    const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
    close(spearman(iq, [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]), -29 / 165);
  });

  it('measures agree with trec_eval', () => {
    const texts = collection();
    const qrels = parseQrels(texts.qrels, 'qrels');
    const run = parseRun(texts.run, 'run');
    for (let q = 0; q < 12; q++) {
      const ranking = run.get(`q${q}`)!.map(({ document }) => document);
      const grades = qrels.get(`q${q}`)!;
      for (const [name, expected] of Object.entries(TREC_EVAL)) {
        const k = Number(/\d+$/.exec(name)?.[0]);
        if (name.startsWith('recall')) close(recall(ranking, grades, k), expected[q]!);
        else if (name.startsWith('ndcg')) close(ndcg(ranking, grades, k), expected[q]!);
        else close(reciprocalRank(ranking, grades), expected[q]!);
      }
    }
  });

  it('stay within 0 and 1, are 1 for the ideal order, and never fall when a better document moves up', () => {
    const grades = fc
      .array(fc.integer({ min: -1, max: 3 }), { minLength: 2, maxLength: 12 })
      .filter((list) => list.some((grade) => grade > 0));
    fc.assert(
      fc.property(grades, fc.integer({ min: 1, max: 12 }), fc.nat(10), (list, k, swapped) => {
        const judged = graded(list);
        const ranking = [...judged.keys()];
        const value = ndcg(ranking, judged, k);
        assert.ok(value >= 0 && value <= 1 + 1e-12, `expected nDCG from 0 to 1: ${value}`);
        const ideal = [...ranking].sort((a, b) => judged.get(b)! - judged.get(a)!);
        close(ndcg(ideal, judged, k), 1);
        assert.equal(reciprocalRank(ideal, judged), 1);
        close(recall(ideal, judged, k), Math.min(1, k / relevantIn(judged)));
        const at = swapped % (ranking.length - 1);
        if (judged.get(ranking[at + 1]!)! > judged.get(ranking[at]!)!) {
          const better = [...ranking];
          [better[at], better[at + 1]] = [ranking[at + 1]!, ranking[at]!];
          assert.ok(
            ndcg(better, judged, k) >= value - 1e-12,
            `expected nDCG of at least ${value}: ${ndcg(better, judged, k)}`,
          );
          assert.ok(
            recall(better, judged, k) >= recall(ranking, judged, k),
            `expected a recall of at least ${recall(ranking, judged, k)}: ${recall(better, judged, k)}`,
          );
          assert.ok(reciprocalRank(better, judged) >= reciprocalRank(ranking, judged));
        }
      }),
    );
  });

  it('measures are undefined without relevant documents', () => {
    const nothing = graded([0, -1]);
    for (const value of [
      recall(['D1'], nothing, 5),
      ndcg(['D1'], nothing, 5),
      reciprocalRank(['D1'], nothing),
    ]) {
      assert.ok(Number.isNaN(value));
    }
  });

  it('rank equal scores above the candidate', () => {
    assert.equal(placeOf([0.5, 0.5, 0.5], 1), 3);
    assert.equal(placeOf([0.1, 0.9, 0.5], 1), 1);
    assert.equal(placeOf([0.1, Number.NaN, 0.5], 2), 2, 'NaN ranks above the candidate, too');
  });

  it('a written run is read unchanged', () => {
    const rankings = new Map([
      ['q1', ['b', 'a', 'c']],
      ['q2', ['c', 'b']],
    ]);
    const read = parseRun(formatRun(rankings, 'tag'), 'run');
    for (const [id, ranking] of rankings) {
      assert.deepEqual(
        read.get(id)!.map(({ document }) => document),
        ranking,
      );
    }
  });
});

describe('statistics', () => {
  it("Spearman's correlation with ties agrees with SciPy", () => {
    const draw = random(3);
    const a = Array.from({ length: 80 }, () => 0);
    const b = [...a];
    for (let n = 0; n < 80; n++) a[n] = Math.floor(draw() * 12);
    for (let n = 0; n < 80; n++) b[n] = Math.floor(draw() * 7) + (a[n]! > 6 ? 3 : 0);
    close(spearman(a, b), 0.5883305831877749); // scipy.stats.spearmanr 1.17.1
  });

  it('the bootstrap interval agrees with SciPy, and is the same each time', () => {
    const draw = random(3);
    for (let n = 0; n < 160; n++) draw();
    const values = Array.from({ length: 40 }, draw);
    const found = estimate(values, 20_000);
    // scipy.stats.bootstrap 1.17.1, percentile, 200,000 resamples
    close(found.mean, 0.4982100025576074);
    close(found.low, 0.4057, 0.003);
    close(found.high, 0.5901, 0.003);
    assert.deepEqual(estimate(values), estimate(values));
    assert.ok(Number.isNaN(estimate([]).mean));
  });

  it('quantiles interpolate between neighbours', () => {
    assert.deepEqual(
      [0, 0.25, 0.5, 1].map((share) => quantile([1, 2, 3, 10], share)),
      [1, 1.75, 2.5, 10],
    );
  });
});
