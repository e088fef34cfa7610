/** Precision and recall of the documents that statistics count by default. */
import { estimate, quantile } from '../../src/eval/bootstrap.js';
import { Judgements } from '../../src/eval/judgements.js';
import type { Qrels, TrecQuestion } from '../../src/eval/trec.js';
import { MIN_SCORE } from '../../src/limits.js';
import type { Figure } from '../result.js';
import { clearlyRelevant, EXAMPLES, exampleQrels, exampleQuestions } from './fixtures.js';
import { titles } from './kipris.js';
import { MIXED, mixedRecords } from './kipris-mixed.js';
import { figureOf, type Measure } from './measure.js';
import { type Filled, onEachModel } from './retrieval.js';
import { everyResult } from './statistics.js';

/** Minimum of clearly relevant documents; pairs of languages with fewer are left out. */
const LEAST = 10;
const AT_DEFAULT = `at ${MIN_SCORE.default}`;
const AT_LEAST = `at ${MIN_SCORE.min}`;

export const counts: Measure = {
  id: 'counts',
  title: 'Statistics of the example patents',
  about:
    'semantic-analytics with a query and default parameters, for the 94 questions on fixtures/. Precision: the share of ' +
    'all counted documents that are relevant (grade 1 or 2), or clearly relevant (grade 2). Recall: the share of the ' +
    'clearly relevant publications that are counted, in all, and for each pair of languages; an application is ' +
    'counted with its grant. The recall at 0 is the share that passes the default filters, which exclude utility models.',
  needs: [],
  run: (context) => onEachModel(context, EXAMPLES, exampleCounts),
};

export const countsMixed: Measure = {
  id: 'counts-mixed',
  title: 'Statistics of Korean records among publications of other languages',
  about:
    'semantic-analytics with a query and default parameters, for the English titles and the folder of "Korean records ' +
    'among publications of other languages". Only the record itself is known to be relevant; other counted documents ' +
    'may be relevant or not.',
  needs: MIXED,
  run: async (context) => {
    const { sources, applications } = await mixedRecords(context);
    const { name, questions, qrels } = titles(applications, context);
    return onEachModel(context, sources, async (filled) => {
      const judgements = new Judgements(filled.store, qrels(filled.store));
      const counted = await countedOf(filled, judgements, questions);
      const own = questions.map(({ id }) => {
        const links = [...judgements.of(id).keys()];
        return links.some((link) => counted.get(id)!.has(link)) ? 1 : 0;
      });
      const place = { measure: name, variant: AT_DEFAULT, model: filled.label };
      return [
        ...amounts(place, counted),
        figureOf({ ...place, metric: 'recall of the own record' }, estimate(own)),
      ];
    });
  },
};

async function exampleCounts(filled: Filled): Promise<Figure[]> {
  const { store, label } = filled;
  const questions = exampleQuestions();
  const judgements = new Judgements(store, exampleQrels());
  const judged = clearlyRelevant(exampleQrels());
  const clearly = new Judgements(store, judged);
  const counted = await countedOf(filled, judgements, questions);
  const reachable = await countedOf(filled, judgements, questions, MIN_SCORE.min);
  const place = { measure: 'fixtures', variant: AT_DEFAULT, model: label };
  return [
    ...amounts(place, counted),
    { ...place, metric: 'precision, relevant', ...precision(counted, judgements) },
    { ...place, metric: 'precision, clearly relevant', ...precision(counted, clearly) },
    ...recalls(questions, judged, clearly, place, counted),
    ...recalls(questions, judged, clearly, { ...place, variant: AT_LEAST }, reachable),
  ];
}

/** Links of the counted documents, by question. */
type Counted = ReadonlyMap<string, ReadonlySet<string>>;

async function countedOf(
  { engine }: Filled,
  judgements: Judgements,
  questions: readonly TrecQuestion[],
  minScore?: number,
): Promise<Counted> {
  const counted = new Map<string, Set<string>>();
  for (const { id, text } of questions) {
    const request = { query: text, ...(minScore !== undefined && { min_score: minScore }) };
    const results = await everyResult(engine, request);
    counted.set(id, new Set(results.map(({ patent_id }) => judgements.link(patent_id))));
  }
  return counted;
}

type Place = Omit<Figure, 'metric' | 'value' | 'n'>;

/** Share of questions that count a document, and the number of counted documents. */
function amounts(place: Place, counted: Counted): Figure[] {
  const sizes = [...counted.values()].map(({ size }) => size).sort((a, b) => a - b);
  const some = estimate(sizes.map((size) => Math.min(1, size)));
  const documents = { ...place, unit: 'documents', n: sizes.length };
  return [
    figureOf({ ...place, metric: 'questions that count a document' }, some),
    { ...documents, metric: 'counted a question, mean', value: estimate(sizes).mean },
    { ...documents, metric: 'counted a question, median', value: quantile(sizes, 0.5) },
    { ...documents, metric: 'counted a question, most', value: sizes.at(-1) ?? Number.NaN },
  ];
}

function precision(counted: Counted, judgements: Judgements): { value: number; n: number } {
  const grades = [...counted].flatMap(([question, links]) =>
    [...links].map((link) => judgements.of(question).get(link) ?? 0),
  );
  return { value: grades.filter((grade) => grade > 0).length / grades.length, n: grades.length };
}

/** Share of the relevant publications that are counted, in total and for each pair of languages. */
function recalls(
  questions: readonly TrecQuestion[],
  judged: Qrels,
  clearly: Judgements,
  place: Place,
  counted: Counted,
): Figure[] {
  const pairs = questions.flatMap(({ id, language }) =>
    [...(judged.get(id)?.keys() ?? [])]
      .filter((patent) => clearly.documents.has(patent))
      .map((patent) => ({
        pair: `${language} → ${clearly.language(patent)}`,
        hit: counted.get(id)!.has(clearly.link(patent)),
      })),
  );
  const groups = [...new Set(pairs.map(({ pair }) => pair))].sort();
  const figure = (metric: string, list: typeof pairs) => ({
    ...place,
    metric,
    value: list.filter(({ hit }) => hit).length / list.length,
    n: list.length,
  });
  return [
    figure('recall, clearly relevant', pairs),
    ...groups.flatMap((pair) => {
      const own = pairs.filter((one) => one.pair === pair);
      return own.length < LEAST ? [] : [figure(`recall, ${pair}`, own)];
    }),
  ];
}
