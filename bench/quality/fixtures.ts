import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseQrels, parseQuestions } from '../../src/eval/trec.js';
import { ROOT } from '../machine.js';
import type { Measure } from './measure.js';
import { measureRetrieval } from './retrieval.js';

const file = (name: string) => join(ROOT, 'fixtures', name);

export const fixtures: Measure = {
  id: 'fixtures',
  title: 'Questions on the example patents',
  about:
    '94 natural questions in six languages on the 101 publications of fixtures/, written for this project with ' +
    'their judgements. Training saw none of it. All languages in one list, then each pair of languages by itself.',
  needs: [],
  run: (context) =>
    measureRetrieval(context, ['us', 'kr', 'jsonl'].map(file), [
      {
        name: 'fixtures',
        questions: parseQuestions(readFileSync(file('queries.tsv'), 'utf8'), 'queries.tsv'),
        qrels: () => parseQrels(readFileSync(file('qrels.txt'), 'utf8'), 'qrels.txt'),
        recallAt: [10],
        pairsFrom: 7,
      },
    ]),
};
