/**
 * Terms across languages: a term as the question, in one language. Documents that hold it in other languages should be found.
 * They are judged by reading: a document is relevant if its texts hold the term in another language, and more so if its title
 * does. Documents that hold the question itself are left out of the answers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { ROOT } from '../machine.js';
import type { Figure } from '../result.js';
import { folded, gain, patternOf } from './exact.js';
import { bothVariants, type Measure } from './measure.js';
import { onRealDocuments, PATENTS } from './real-documents.js';

/** A short run reads the documents of two offices. */
const SHORT = ['KR', 'US'];
const FIRST = 10;
/** Results asked for, of which those without the question itself count. */
const DEPTH = 100;

const HALVES = ['fit', 'held out'] as const;

/** A row of term-questions.tsv: language, question, half, then its forms in English, Korean, Japanese and Chinese. */
interface Question {
  text: string;
  half: string;
  own: RegExp;
  others: RegExp[];
  /** Grade by patent_id: 2 if the title holds the term in another language, else 1. */
  grades: Map<string, number>;
  /** Documents that hold the question itself. */
  same: Set<string>;
}

export const terms: Measure = {
  id: 'terms',
  title: 'Terms across languages',
  about:
    'Technical terms in Korean, English, Chinese and Japanese, on the real documents. Relevant are the documents that hold the ' +
    'term in another language, found by reading them all; those that hold the question itself are left out of the answers. Half ' +
    'of the terms were known when the table of translations was made, half are held out. "In the first 10": the share of ' +
    'the relevant documents, of ten at most.',
  needs: [PATENTS],
  run: (context) =>
    onRealDocuments(context, SHORT, async (engine) => {
      const questions = await judged(engine);
      const figures: Figure[] = [];
      for (const half of HALVES) figures.push(...(await figuresOf(engine, questions, half)));
      return figures;
    }),
};

/** The questions whose term some document holds in another language, without designs, which a search does not find. */
async function judged(engine: Engine): Promise<Question[]> {
  const rows = readFileSync(join(ROOT, 'bench/quality/term-questions.tsv'), 'utf8').trimEnd().split('\n');
  const questions = rows.map((row): Question => {
    const [, text = '', half = '', ...forms] = row.split('\t');
    const others = forms.flatMap((form) => form.split('|')).filter(Boolean);
    return {
      text,
      half,
      own: patternOf(text),
      others: others.map(patternOf),
      grades: new Map(),
      same: new Set(),
    };
  });
  for await (const patent of engine.patents()) {
    if (patent.kind_code.startsWith('S')) continue;
    const texts = lexicalTexts(patent).map(({ part, text }) => ({ part, text: folded(text) }));
    for (const { own, others, grades, same } of questions) {
      if (texts.some(({ text }) => own.test(text))) same.add(patent.patent_id);
      const held = texts.filter(({ text }) => others.some((pattern) => pattern.test(text)));
      if (held.length > 0) grades.set(patent.patent_id, held.some(({ part }) => part === 'title') ? 2 : 1);
    }
  }
  for (const { grades, same } of questions) for (const id of same) grades.delete(id);
  return questions.filter(({ grades }) => grades.size > 0);
}

function figuresOf(engine: Engine, questions: readonly Question[], half: string): Promise<Figure[]> {
  return bothVariants(`terms across languages, ${half}`, async (rerank) => {
    const scores = {
      'in the first 10': [] as number[],
      'ndcg@10': [] as number[],
      'recall@100': [] as number[],
    };
    for (const { text, grades, same } of questions.filter((question) => question.half === half)) {
      const request = {
        query: text,
        top_k: DEPTH,
        collapse: 'none',
        include_utility_model: true,
      } as const;
      const { results } = await engine.search(request, { rerank });
      const others = results.filter(({ patent_id }) => !same.has(patent_id));
      const found = others.map(({ patent_id }) => grades.get(patent_id) ?? 0);
      const best = [...grades.values()].sort((a, b) => b - a);
      const first = best.slice(0, FIRST);
      scores['in the first 10'].push(found.slice(0, FIRST).filter(Boolean).length / first.length);
      scores['ndcg@10'].push(gain(found.slice(0, FIRST)) / gain(first));
      scores['recall@100'].push(found.filter(Boolean).length / Math.min(best.length, DEPTH));
    }
    return scores;
  });
}
