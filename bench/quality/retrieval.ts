/**
 * Measures retrieval with the engine: ingests documents into a temporary folder and runs questions as an application
 * does, by similarity alone and reranked. The parts of a search and a lexical baseline are measured, too.
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Engine, open } from '../../src/engine.js';
import { evaluate, type Group } from '../../src/eval/evaluate.js';
import { Judgements } from '../../src/eval/judgements.js';
import { type RankedLists, rank } from '../../src/eval/rank.js';
import type { Qrels, TrecQuestion } from '../../src/eval/trec.js';
import { EVAL_DEPTH } from '../../src/limits.js';
import { titlesOf } from '../../src/patent/record.js';
import { Store } from '../../src/store/store.js';
import type { Figure } from '../result.js';
import { Bm25 } from './bm25.js';
import { type Context, figureOf } from './measure.js';
import { byWords, withoutWords } from './parts.js';

export interface QuestionSet {
  name: string;
  questions: TrecQuestion[];
  /** Judgements by patent_id. The store lists the publications of an application. */
  qrels(store: Store): Qrels;
  recallAt: readonly number[];
  /** Publications excluded from the answers to a question: the one that it was made from. */
  own?(store: Store, question: string): readonly string[];
  /** Minimum of questions for the figure of a pair of languages. Absent: no pairs are measured. */
  pairsFrom?: number;
  /** The measure of the pairs. Default: ndcg@10. */
  pairs?: 'recall@10';
  /** Further figures from a model's lists, which exclude the question's own publications. */
  also?(rankings: RankedLists, model: string): Figure[];
}

/** A folder with the documents of a set, embedded with one of the models. */
export interface Filled {
  dir: string;
  engine: Engine;
  store: Store;
  /** Label of the model. */
  label: string;
  /** Whether it is the first model. Figures that depend on no model are measured only with the first. */
  first: boolean;
}

/** Measures each set on the same documents, for every model and BM25. */
export async function measureRetrieval(
  context: Context,
  sources: readonly string[],
  sets: readonly QuestionSet[],
): Promise<Figure[]> {
  await context.instead?.(sources, sets);
  return onEachModel(context, sources, async ({ dir, engine, store, label, first }) => {
    const figures: Figure[] = [];
    for (const set of sets) {
      const rankings = without(
        store,
        set,
        await filledUp(engine, store, set, await rank(engine, set.questions)),
      );
      figures.push(...measured(store, set, rankings, label), ...(set.also?.(rankings, label) ?? []));
      if (!first) continue;
      const parts = {
        'without words': followed(await withoutWords(dir, set.questions), rankings.dense),
        words: await byWords(dir, store, set.questions),
        bm25: lexical(store, set),
      };
      for (const [variant, lists] of Object.entries(parts)) {
        figures.push(...measured(store, set, without(store, set, { dense: lists }), undefined, variant));
      }
    }
    return figures;
  });
}

/** Ingests the sources with each model in turn, and collects the results of `measure`. */
export async function onEachModel(
  context: Context,
  sources: readonly string[],
  measure: (filled: Filled) => Promise<Figure[]>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [n, { label, file }] of context.underTest.entries()) {
    const dir = join(context.temporary, `index-${n}`);
    const models = file === undefined ? {} : { models: file };
    const engine = await open(dir, { create: true, workers: availableParallelism(), ...models });
    const store = Store.open(dir);
    try {
      const { documents, failed } = await engine.ingest([...sources]);
      if (documents === 0) throw new Error(`nothing was ingested: ${failed[0]?.reason}`);
      context.progress(`  ${label}: ${documents} publications, ${failed.length} failed`);
      figures.push(...(await measure({ dir, engine, store, label, first: n === 0 })));
    } finally {
      await engine.close();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return figures;
}

function measured(
  store: Store,
  set: QuestionSet,
  rankings: RankedLists,
  label: string | undefined,
  part = '',
): Figure[] {
  const judgements = new Judgements(store, set.qrels(store));
  const { all, groups } = evaluate(rankings, set.questions, judgements, set.recallAt);
  const figures = figuresOf(all, set.name, label, part);
  for (const group of groups) {
    if (set.pairsFrom === undefined || group.questions < set.pairsFrom) continue;
    const own = figuresOf(group, `${set.name}, ${group.from} → ${group.to}`, label, part);
    const { pairs = 'ndcg@10' } = set;
    figures.push(...own.filter(({ metric }) => metric === pairs));
  }
  return figures;
}

function figuresOf(
  { dense, reranked, difference }: Group,
  measure: string,
  model: string | undefined,
  part: string,
): Figure[] {
  return Object.keys(dense).flatMap((metric) => {
    if (model === undefined) return [figureOf({ measure, metric, variant: part }, dense[metric]!)];
    const of = (variant: string, measures: Group['dense']) =>
      figureOf({ measure, metric, variant, model }, measures[metric]!);
    return [of('dense', dense), of('reranked', reranked!), of('difference', difference!)];
  });
}

/**
 * Adds the next document by similarity to lists that hold the publication that the question was made from. A search
 * returns a hundred documents, so that a hundred others remain.
 */
async function filledUp(
  engine: Engine,
  store: Store,
  { questions, own }: QuestionSet,
  rankings: RankedLists,
): Promise<RankedLists> {
  if (!own) return rankings;
  const { dense, reranked } = rankings;
  for (const { id, text } of questions) {
    const out = own(store, id);
    if (!dense.get(id)!.some((patent) => out.includes(patent))) continue;
    const { results } = await engine.analyze({
      query: text,
      min_score: 0,
      max_results: EVAL_DEPTH + 1,
      page_size: 1,
      page: EVAL_DEPTH + 1,
      include_utility_model: true,
    });
    for (const lists of reranked ? [dense, reranked] : [dense]) {
      const list = lists.get(id)!;
      list.push(...results.map(({ patent_id }) => patent_id).filter((patent) => !list.includes(patent)));
    }
  }
  return rankings;
}

/** Lists, each followed by the rest of another list. */
function followed(lists: Map<string, string[]>, others: Map<string, string[]>): Map<string, string[]> {
  return new Map([...lists].map(([id, list]) => [id, [...new Set([...list, ...(others.get(id) ?? [])])]]));
}

/** The rankings without the publications that each question was made from. */
function without(store: Store, { own }: QuestionSet, { dense, reranked }: RankedLists): RankedLists {
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

/** Ranks by BM25 over the stored titles and passages. An application and its grant are separate documents. */
function lexical(store: Store, { questions }: QuestionSet): Map<string, string[]> {
  const index = new Bm25();
  for (const { key, value: head } of store.documents.getRange()) {
    const passages = Array.from({ length: head.passages }, (_, n) => store.passage(key, n)?.text ?? '');
    index.add(head.patent_id, [titlesOf(head), ...passages].join('\n'));
  }
  return new Map(questions.map(({ id, text }) => [id, index.search(text, 2 * EVAL_DEPTH)]));
}

/** All publications of an application. */
export function publicationsOf(store: Store, country: string, application: string): string[] {
  return [...store.applications.getValues(country + application)];
}

/** Judgements with grade 1 for the relevant documents of each question. */
export function relevant(answers: ReadonlyMap<string, readonly string[]>): Qrels {
  return new Map([...answers].map(([question, ids]) => [question, new Map(ids.map((id) => [id, 1]))]));
}
