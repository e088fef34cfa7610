import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseQrels, parseQuestions, type Qrels, type TrecQuestion } from '../../src/eval/trec.js';
import { ROOT } from '../machine.js';
import type { Measure } from './measure.js';
import { measureRetrieval } from './retrieval.js';

const file = (name: string) => join(ROOT, 'fixtures', name);

/** Minimum of questions or documents for a separate figure of a pair of languages. */
export const PAIRS_FROM = 7;

/** The example patents. */
export const EXAMPLES: readonly string[] = ['us', 'kr', 'jsonl'].map(file);

/** The questions on the example patents. */
export function exampleQuestions(): TrecQuestion[] {
  return parseQuestions(readFileSync(file('queries.tsv'), 'utf8'), 'queries.tsv');
}

/** Judgements of the questions. The highest grade: answers the question. Lower grades above 0: related to it. */
export function exampleQrels(): Qrels {
  return parseQrels(readFileSync(file('qrels.txt'), 'utf8'), 'qrels.txt');
}

/** The judgements with the highest grade. */
export function clearlyRelevant(qrels: Qrels): Qrels {
  const highest = Math.max(...[...qrels.values()].flatMap((grades) => [...grades.values()]));
  return new Map(
    [...qrels].map(([question, grades]) => [
      question,
      new Map([...grades].filter(([, grade]) => grade === highest)),
    ]),
  );
}

export const fixtures: Measure = {
  id: 'fixtures',
  title: 'Questions on the example patents',
  about:
    '94 natural questions in six languages on the 101 publications of fixtures/, written for this project with ' +
    'their judgements. Training saw none of it. All languages in one list, then each pair of languages separately.',
  needs: [],
  run: (context) =>
    measureRetrieval(context, EXAMPLES, [
      {
        name: 'fixtures',
        questions: exampleQuestions(),
        qrels: exampleQrels,
        recallAt: [10],
        pairsFrom: PAIRS_FROM,
      },
    ]),
};
