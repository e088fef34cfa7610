/**
 * Short questions about a subject, in four languages, over the real documents: `range hood`, 주방 후드, レンジフード, 抽油烟机. Most
 * documents on a subject are in another language than three of the four questions. Documents are judged by a pattern
 * of words in title and abstract, written for each subject by reading such texts, before any search was made. It says
 * little about a single document, but compares versions.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine.js';
import { ROOT } from '../machine.js';
import type { Figure } from '../result.js';
import { bothVariants, type Measure } from './measure.js';
import { onRealDocuments, PATENTS } from './real-documents.js';

/** A short run reads the documents of two offices. */
const SHORT = ['KR', 'US'];
const FIRST = 10;
const LANGUAGES = ['en', 'ko', 'ja', 'zh'] as const;
const HALVES = ['fit', 'held out'] as const;
/** Kinds that a search leaves out unless it is asked for them: designs and utility models. */
const LEFT_OUT = /^[SUY]/;

/** A row of subject-questions.tsv: half, a question in each language, and the pattern. */
interface Subject {
  half: string;
  questions: string[];
  pattern: RegExp;
  /** The patent_ids of the documents on it. */
  relevant: Set<string>;
}

export const subjects: Measure = {
  id: 'subjects',
  title: 'Short questions about a subject',
  about:
    'Questions of one to ten words about 160 subjects, each in English, Korean, Japanese and Chinese, on the real documents. Relevant ' +
    'are the documents whose title or abstract has words of the subject in any language. The weight of translations was fitted ' +
    'on 100 subjects; 60 are held out. "In the first 10": the share of the relevant documents, of ten at most.',
  needs: [PATENTS],
  run: (context) =>
    onRealDocuments(context, SHORT, async (engine) => {
      const all = await judged(engine);
      const found: Figure[] = [];
      for (const half of HALVES) {
        const own = all.filter((subject) => subject.half === half);
        for (const at of LANGUAGES.keys()) found.push(...(await figuresOf(engine, own, half, at)));
      }
      return found;
    }),
};

/** The subjects that some document is about. */
async function judged(engine: Engine): Promise<Subject[]> {
  const rows = readFileSync(join(ROOT, 'bench/quality/subject-questions.tsv'), 'utf8').trimEnd().split('\n');
  const all = rows.map((row): Subject => {
    const [half = '', ...rest] = row.split('\t');
    const pattern = new RegExp(rest[LANGUAGES.length] ?? '', 'i');
    return { half, questions: rest.slice(0, LANGUAGES.length), pattern, relevant: new Set() };
  });
  for await (const { patent_id, kind_code, title, abstract } of engine.patents()) {
    if (LEFT_OUT.test(kind_code)) continue;
    const text = `${title ?? ''} ${abstract ?? ''}`;
    for (const { pattern, relevant } of all) if (pattern.test(text)) relevant.add(patent_id);
  }
  return all.filter(({ relevant }) => relevant.size > 0);
}

/** @param at place of the language of the questions */
function figuresOf(engine: Engine, all: readonly Subject[], half: string, at: number): Promise<Figure[]> {
  return bothVariants(`subjects, ${half}, ${LANGUAGES[at]}`, async (rerank) => {
    const shares: number[] = [];
    for (const { questions, relevant } of all) {
      const { results } = await engine.search({ query: questions[at]!, top_k: FIRST }, { rerank });
      const found = results.filter(({ patent_id }) => relevant.has(patent_id));
      shares.push(found.length / Math.min(FIRST, relevant.size));
    }
    return { 'in the first 10': shares };
  });
}
