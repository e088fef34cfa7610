/**
 * Short and exact questions: a code, a formula, a number, a standard, a name, a rare word. The documents that hold it should be
 * the first. They are judged by reading: a document is relevant if its texts hold the question, and more so if its title does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { ROOT } from '../machine.js';
import type { Figure } from '../result.js';
import { bothVariants, type Measure } from './measure.js';
import { onRealDocuments, PATENTS } from './real-documents.js';

/** A short run reads the documents of one office. */
const SHORT = ['KR'];
const FIRST = 10;

type Half = 'fit' | 'held out';

/** A row of exact-questions.tsv: kind, question, half. */
interface Question {
  text: string;
  half: Half;
  pattern: RegExp;
  /** Grade by patent_id: 2 if the title holds the question, else 1. */
  grades: Map<string, number>;
}

export const exact: Measure = {
  id: 'exact',
  title: 'Short and exact questions',
  about:
    'Codes, formulae, numbers, standards, rare words and names of applicants in four languages, on the real documents. The ' +
    'documents whose texts hold the question are relevant, found by reading them all. Half of the questions were used to fit the ' +
    'weight of words, half are held out. "In the first 10": the share of the relevant documents, of ten at most.',
  needs: [PATENTS],
  run: (context) =>
    onRealDocuments(context, SHORT, async (engine) => {
      const questions = await judged(engine);
      return [
        ...(await figures(engine, questions, 'fit')),
        ...(await figures(engine, questions, 'held out')),
      ];
    }),
};

/** The questions that some document holds, without designs, which a search does not find. */
async function judged(engine: Engine): Promise<Question[]> {
  const rows = readFileSync(join(ROOT, 'bench/quality/exact-questions.tsv'), 'utf8').trim().split('\n');
  const questions = rows.map((row): Question => {
    const [, text = '', half] = row.split('\t');
    return { text, half: half as Half, pattern: patternOf(text), grades: new Map() };
  });
  for await (const patent of engine.patents()) {
    if (patent.kind_code.startsWith('S')) continue;
    const texts = lexicalTexts(patent).map(({ part, text }) => ({ part, text: folded(text) }));
    for (const { pattern, grades } of questions) {
      const held = texts.filter(({ text }) => pattern.test(text));
      if (held.length > 0) grades.set(patent.patent_id, held.some(({ part }) => part === 'title') ? 2 : 1);
    }
  }
  return questions.filter(({ grades }) => grades.size > 0);
}

export const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** A word of letters and digits with any joiners between its parts, in any number; other scripts as they are written. */
export function patternOf(question: string): RegExp {
  const text = folded(question);
  const escaped = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (!/^[\x20-\x7e]+$/.test(text)) return new RegExp(escaped(text), 'u');
  const parts = text.match(/[a-z]+|[0-9.]+/g) ?? [text];
  return new RegExp(`(?<![a-z0-9])${parts.map(escaped).join('[ _/+:.-]?')}(?:s|es)?(?![a-z0-9])`, 'u');
}

function figures(engine: Engine, questions: readonly Question[], half: Half): Promise<Figure[]> {
  const asked = questions.filter((question) => question.half === half);
  return bothVariants(`exact questions, ${half}`, async (rerank) => {
    const scores = { 'in the first 10': [] as number[], 'ndcg@10': [] as number[] };
    for (const { text, grades } of asked) {
      const request = { query: text, top_k: FIRST, collapse: 'none', include_utility_model: true } as const;
      const { results } = await engine.search(request, { rerank });
      const found = results.map(({ patent_id }) => grades.get(patent_id) ?? 0);
      const best = [...grades.values()].sort((a, b) => b - a).slice(0, FIRST);
      scores['in the first 10'].push(found.filter(Boolean).length / best.length);
      scores['ndcg@10'].push(gain(found) / gain(best));
    }
    return scores;
  });
}

export function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, n) => sum + (2 ** grade - 1) / Math.log2(n + 2), 0);
}
