/** Measures result lists against judged questions: overall, and by languages of question and document. */
import { type Estimate, estimate } from './bootstrap.js';
import type { Judgements } from './judgements.js';
import { type Grades, ndcg, recall, reciprocalRank, relevantIn } from './measures.js';
import type { RankedLists } from './rank.js';
import type { TrecQuestion } from './trec.js';

/** Default ranks at which recall is measured. */
export const RECALL_AT = [10, 100] as const;
export const NDCG_AT = 10;

/** An estimate by the name of its measure: `recall@10`, `ndcg@10`, `mrr`. */
export type Measures = Record<string, Estimate>;

/** Questions of one language against documents of one language. Without languages: all against all. */
export interface Group {
  from?: string;
  to?: string;
  questions: number;
  dense: Measures;
  reranked?: Measures;
  /** Reranked minus dense, question by question. */
  difference?: Measures;
}

export interface Evaluation {
  questions: number;
  /** Counts of judged publications: in the folder; missing from it; designs, which a search finds only by kind code. */
  judged: { documents: number; missing: number; designs: number };
  /** Questions without a relevant document in the folder. They are not measured. */
  unanswerable: string[];
  all: Group;
  /** One group for each pair of languages, if the questions state their languages. */
  groups: Group[];
}

/** Measures all questions together, then each pair of question language and document language separately. */
export function evaluate(
  rankings: RankedLists,
  questions: readonly TrecQuestion[],
  judgements: Judgements,
  recallAt: readonly number[] = RECALL_AT,
): Evaluation {
  const known = [...new Set(questions.map(({ language }) => language))].filter((code) => code !== undefined);
  const groups = known.sort().flatMap((from) => {
    const asked = questions.filter(({ language }) => language === from);
    return judgements.languages().map((to) => ({
      from,
      to,
      ...measured(rankings, restricted(asked, judgements, to), recallAt),
    }));
  });
  const { documents, missing, designs } = judgements;
  return {
    questions: questions.length,
    judged: { documents: documents.size, missing: missing.size, designs: designs.size },
    unanswerable: questions.filter(({ id }) => relevantIn(judgements.of(id)) === 0).map(({ id }) => id),
    all: measured(rankings, restricted(questions, judgements), recallAt),
    groups: groups.filter((group) => group.questions > 0),
  };
}

/** A question that can be measured. Its lists are read as links, in one language or in all. */
interface Judged {
  id: string;
  grades: Grades;
  links(documents: readonly string[]): string[];
}

function restricted(questions: readonly TrecQuestion[], judgements: Judgements, to?: string): Judged[] {
  return questions.flatMap(({ id }) => {
    const grades = new Map(
      [...judgements.of(id)].filter(([link]) => to === undefined || judgements.speaks(link, to)),
    );
    if (relevantIn(grades) === 0) return [];
    const links = (documents: readonly string[]) => {
      const own = documents.filter((doc) => to === undefined || judgements.language(doc) === to);
      return [...new Set(own.map((doc) => judgements.link(doc)))];
    };
    return [{ id, grades, links }];
  });
}

function measured(
  rankings: RankedLists,
  judged: readonly Judged[],
  recallAt: readonly number[],
): Omit<Group, 'from' | 'to'> {
  const of = (lists: ReadonlyMap<string, readonly string[]>) =>
    judged.map(({ id, grades, links }) => values(links(lists.get(id) ?? []), grades, recallAt));
  const dense = of(rankings.dense);
  const reranked = rankings.reranked && of(rankings.reranked);
  return {
    questions: judged.length,
    dense: estimates(dense),
    ...(reranked && { reranked: estimates(reranked), difference: estimates(minus(reranked, dense)) }),
  };
}

type Values = Record<string, number>;

function values(ranking: readonly string[], grades: Grades, recallAt: readonly number[]): Values {
  return {
    ...Object.fromEntries(recallAt.map((k) => [`recall@${k}`, recall(ranking, grades, k)])),
    [`ndcg@${NDCG_AT}`]: ndcg(ranking, grades, NDCG_AT),
    mrr: reciprocalRank(ranking, grades),
  };
}

function minus(a: readonly Values[], b: readonly Values[]): Values[] {
  return a.map((one, n) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, value - b[n]![name]!])),
  );
}

function estimates(rows: readonly Values[]): Measures {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, estimate(rows.map((row) => row[name]!))]));
}
