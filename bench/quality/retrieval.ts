/**
 * Searches through the real engine: documents are ingested into a folder of their own, questions are asked as an
 * application asks them, by similarity alone and as served; a lexical baseline stands beside.
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/engine.js';
import { evaluate, type Group } from '../../src/eval/evaluate.js';
import { Judgements } from '../../src/eval/judgements.js';
import { type Rankings, rank } from '../../src/eval/rank.js';
import type { Qrels, Question } from '../../src/eval/trec.js';
import { EVAL_DEPTH } from '../../src/limits.js';
import { titlesOf } from '../../src/patent/record.js';
import { Store } from '../../src/store/store.js';
import type { Figure } from '../result.js';
import { Bm25 } from './bm25.js';
import { type Context, figureOf } from './measure.js';

export interface QuestionSet {
  name: string;
  questions: Question[];
  /** Judgements by patent_id; the store tells which publications an application has. */
  qrels(store: Store): Qrels;
  recallAt: readonly number[];
  /** Publications that are no answer to a question: the one that it was made from. */
  own?(store: Store, question: string): readonly string[];
  /** Also nDCG@10 for each pair of languages that has so many questions. */
  pairsFrom?: number;
}

/** Figures of each set on the same documents, for every model, and of BM25. */
export async function measureRetrieval(
  context: Context,
  sources: readonly string[],
  sets: readonly QuestionSet[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  await context.instead?.(sources, sets);
  for (const [n, { label, file }] of context.underTest.entries()) {
    const dir = join(context.temporary, `index-${n}`);
    const models = file === undefined ? {} : { models: file };
    const engine = await open(dir, { create: true, workers: availableParallelism(), ...models });
    const store = Store.open(dir);
    try {
      const { documents, failed } = await engine.ingest([...sources]);
      if (documents === 0) throw new Error(`nothing was ingested: ${failed[0]?.reason}`);
      context.progress(`  ${label}: ${documents} publications, ${failed.length} failed`);
      for (const set of sets) {
        const rankings = await rank(engine, set.questions);
        figures.push(...measured(store, set, rankings, label));
        if (n === 0) figures.push(...measured(store, set, { dense: lexical(store, set) }, undefined));
      }
    } finally {
      await engine.close();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return figures;
}

function measured(store: Store, set: QuestionSet, rankings: Rankings, label: string | undefined): Figure[] {
  const judgements = new Judgements(store, set.qrels(store));
  const { all, groups } = evaluate(without(store, set, rankings), set.questions, judgements, set.recallAt);
  const figures = figuresOf(all, set.name, label);
  for (const group of groups) {
    if (set.pairsFrom === undefined || group.questions < set.pairsFrom) continue;
    const own = figuresOf(group, `${set.name}, ${group.from} → ${group.to}`, label);
    figures.push(...own.filter(({ metric }) => metric === 'ndcg@10'));
  }
  return figures;
}

function figuresOf(
  { dense, reranked, difference }: Group,
  measure: string,
  model: string | undefined,
): Figure[] {
  return Object.keys(dense).flatMap((metric) => {
    if (model === undefined) return [figureOf({ measure, metric, variant: 'bm25' }, dense[metric]!)];
    const of = (variant: string, measures: Group['dense']) =>
      figureOf({ measure, metric, variant, model }, measures[metric]!);
    return [of('dense', dense), of('reranked', reranked!), of('difference', difference!)];
  });
}

/** The rankings without what each question was made from. */
function without(store: Store, { own }: QuestionSet, { dense, reranked }: Rankings): Rankings {
  if (!own) return { dense, ...(reranked && { reranked }) };
  const cleaned = (lists: Map<string, string[]>) =>
    new Map(
      [...lists].map(([question, list]) => {
        const out = new Set(own(store, question));
        return [question, list.filter((id) => !out.has(id))];
      }),
    );
  return { dense: cleaned(dense), ...(reranked && { reranked: cleaned(reranked) }) };
}

/** BM25 over the titles and passages that the store holds, an application and its grant each by itself. */
function lexical(store: Store, { questions }: QuestionSet): Map<string, string[]> {
  const index = new Bm25();
  for (const { key, value: head } of store.documents.getRange()) {
    const passages = Array.from({ length: head.passages }, (_, n) => store.passage(key, n)?.text ?? '');
    index.add(head.patent_id, [titlesOf(head), ...passages].join('\n'));
  }
  return new Map(questions.map(({ id, text }) => [id, index.search(text, 2 * EVAL_DEPTH)]));
}

/** Every publication of an application. */
export function publicationsOf(store: Store, country: string, application: string): string[] {
  return [...store.applications.getValues(country + application)];
}

/** Judgements in which each question has its relevant documents, all of one grade. */
export function relevant(answers: ReadonlyMap<string, readonly string[]>): Qrels {
  return new Map([...answers].map(([question, ids]) => [question, new Map(ids.map((id) => [id, 1]))]));
}
