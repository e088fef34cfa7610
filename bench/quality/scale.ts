/** The distribution of similarities of relevant and of other documents, for each pair of languages. */
import { quantile } from '../../src/eval/bootstrap.js';
import { Judgements } from '../../src/eval/judgements.js';
import { MAX_RESULTS, MIN_SCORE } from '../../src/limits.js';
import type { Figure, Panels } from '../result.js';
import { clearlyRelevant, EXAMPLES, exampleQrels, exampleQuestions, PAIRS_FROM } from './fixtures.js';
import type { Measure } from './measure.js';
import { type Filled, onEachModel } from './retrieval.js';
import { everyResult } from './statistics.js';

const QUANTILES = [0.1, 0.25, 0.5, 0.75, 0.9];
/** Minimum of relevant documents for a pair of languages to have a panel, and a row in bench/results/quality.md. */
const LEAST = PAIRS_FROM;
/** Points of a curve, and the standard deviation of the normal kernel that smooths it. */
const POINTS = 60;
const SPREAD = 0.03;

/** Similarities of documents to questions, for one pair of languages. */
interface Similarities {
  pair: string;
  relevant: number[];
  irrelevant: number[];
}

export const scale: Measure = {
  id: 'scale',
  title: 'The scale of similarities',
  about:
    'similarity_score of every document of fixtures/ for each of the 94 questions, from language of question to ' +
    'language of document: quantiles of the clearly relevant documents (grade 2), and of those that are not ' +
    'relevant (grade 0 or not judged). An application and its grant are one document. The quantiles should be ' +
    'the same in every row.',
  needs: [],
  run: async (context) => {
    const panels: Panels[] = [];
    const figures = await onEachModel(context, EXAMPLES, async (filled) => {
      const groups = await similarities(filled);
      panels.push(panelsFor(groups, filled.label, context.underTest.length > 1));
      return groups.flatMap((group) => quantilesOf(group, filled.label));
    });
    return { figures, panels };
  },
};

/** The similarities of all pairs of languages together, then of each pair with a relevant document. */
async function similarities({ engine, store }: Filled): Promise<Similarities[]> {
  const judgements = new Judgements(store, exampleQrels());
  const clearly = new Judgements(store, clearlyRelevant(exampleQrels()));
  const all: Similarities = { pair: 'all', relevant: [], irrelevant: [] };
  const pairs = new Map<string, Similarities>();
  for (const { id, language, text } of exampleQuestions()) {
    const results = await everyResult(engine, {
      query: text,
      min_score: MIN_SCORE.min,
      max_results: MAX_RESULTS.max,
      include_utility_model: true,
    });
    for (const { patent_id, similarity_score } of results) {
      const pair = `${language} → ${judgements.language(patent_id)}`;
      const own = pairs.get(pair) ?? { pair, relevant: [], irrelevant: [] };
      pairs.set(pair, own);
      const link = judgements.link(patent_id);
      const grade = judgements.of(id).get(link) ?? 0;
      const kind = clearly.of(id).has(link) ? 'relevant' : grade > 0 ? undefined : 'irrelevant';
      if (kind) for (const group of [all, own]) group[kind].push(similarity_score);
    }
  }
  const found = [...pairs.values()].filter(({ relevant }) => relevant.length > 0);
  return [all, ...found.sort((a, b) => (a.pair < b.pair ? -1 : 1))];
}

function quantilesOf({ pair, relevant, irrelevant }: Similarities, model: string): Figure[] {
  return Object.entries({ relevant, irrelevant }).flatMap(([metric, values]) => {
    const ascending = Float64Array.from(values).sort();
    return QUANTILES.map((share) => ({
      measure: pair,
      metric,
      variant: `${share * 100} %`,
      model,
      value: quantile(ascending, share),
      n: values.length,
      detail: relevant.length < LEAST,
    }));
  });
}

function panelsFor(groups: readonly Similarities[], label: string, several: boolean): Panels {
  return {
    file: several ? `similarity-${label.replace(/[^\w.-]+/g, '-')}.svg` : 'similarity.svg',
    title: `Similarity of relevant and other documents${several ? `, ${label}` : ''}`,
    about: 'From language of question to language of document. Each curve is scaled to its own peak.',
    x: { label: 'similarity_score' },
    mark: MIN_SCORE.default,
    panels: groups
      .filter(({ relevant }) => relevant.length >= LEAST)
      .map(({ pair, ...kinds }) => ({
        title: pair,
        series: (['irrelevant', 'relevant'] as const).map((name) => ({
          name,
          n: kinds[name].length,
          heights: density(kinds[name]),
        })),
      })),
  };
}

/** A kernel density estimate from 0 to 1, scaled to a peak of 1, with reflection at both ends. */
function density(values: readonly number[]): number[] {
  const bell = (distance: number) => Math.exp(-((distance / SPREAD) ** 2) / 2);
  const heights = Array.from({ length: POINTS + 1 }, (_, n) => {
    const x = n / POINTS;
    return values.reduce((sum, value) => sum + bell(x - value) + bell(x + value) + bell(2 - x - value), 0);
  });
  const peak = Math.max(...heights);
  return heights.map((height) => Number((height / peak).toFixed(3)));
}
