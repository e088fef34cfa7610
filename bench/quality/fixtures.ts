import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseQrels, parseQuestions, type Qrels, type Question } from '../../src/eval/trec.js';
import { ROOT } from '../machine.js';
import type { Measure } from './measure.js';
import { measureRetrieval } from './retrieval.js';

const file = (name: string) => join(ROOT, 'fixtures', name);

/** Questions or documents that a pair of languages needs to have a figure of its own. */
export const PAIRS_FROM = 7;

/** The example patents. */
export const EXAMPLES: readonly string[] = ['us', 'kr', 'jsonl'].map(file);

/** The questions on them. */
export function exampleQuestions(): Question[] {
  return parseQuestions(readFileSync(file('queries.tsv'), 'utf8'), 'queries.tsv');
}

/** Their judgements: the highest grade answers the question, a lower one above 0 touches it. */
export function exampleQrels(): Qrels {
  return parseQrels(readFileSync(file('qrels.txt'), 'utf8'), 'qrels.txt');
}

/** The judgements that are of the highest grade. */
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
    'their judgements. Training saw none of it. All languages in one list, then each pair of languages by itself.',
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
