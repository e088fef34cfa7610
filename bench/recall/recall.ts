/** `npm run bench -- recall`: recall of the plans against an exact scan, and their cost, at every selectivity. */
import { RERANK_DEPTH, RERANK_SURE } from '../../src/limits.js';
import { loadModels } from '../../src/models/load.js';
import { parseSemantic, type SemanticQuery } from '../../src/search/query.js';
import type { Question } from '../corpus/blocks.js';
import { type Corpus, cachedCorpus, questionsFor } from '../corpus/cached.js';
import { mean, stream } from '../corpus/random.js';
import type { Benchmark, Figure, Plot } from '../result.js';
import { sectionOf, wantedOf } from '../sections.js';
import { FilterMaker, SELECTIVITIES } from './filters.js';
import { recallAt, Target, WAYS, type Way } from './target.js';

/** Documents requested, and those to be found with full recall: a search reranks more documents than it shows. */
const SERVED = { documents: RERANK_DEPTH.lateInteraction, sure: RERANK_SURE };
const DEPTHS = [
  { id: 'at10', k: 10, ...SERVED, questions: 200 },
  { id: 'at50', k: 50, ...SERVED, questions: 200 },
  { id: 'at100', k: 100, ...SERVED, questions: 200 },
  { id: 'at10000', k: 10_000, documents: 10_000, sure: undefined, questions: 40 },
] as const;
const SIZES = { short: [100_000], whole: [1_000_000] };

interface Case {
  name: string;
  /** Share of passages that pass the filter, percent, and its kind. */
  percent: number;
  by: 'nothing' | 'dates' | 'class' | 'country';
  asked: { vector: Float32Array; filters: SemanticQuery['filters'] }[];
}

export const recall: Benchmark = {
  name: 'recall',
  summary:
    'recall@10, @50, @100 and @10,000 against an exact scan, and processor time, by plan and selectivity',
  sections: DEPTHS.map(({ id }) => id),
  run: async (setting) => {
    const sizes = setting.passages ?? (setting.short ? SIZES.short : SIZES.whole);
    const wanted = wantedOf(setting, DEPTHS);
    const found = new Map<string, Figure[]>(wanted.map(({ id }) => [id, []]));
    const times = new Map<string, { seconds: number; cpuSeconds: number }>();
    for (const passages of sizes) {
      const corpus = await cachedCorpus(passages, setting.progress);
      const target = new Target(corpus.dir);
      try {
        const cases = await casesOf(corpus, target, setting.short ? 40 : 200);
        for (const depth of wanted) {
          setting.progress(`${corpus.name}: ${depth.k}`);
          const questions = setting.short ? Math.ceil(depth.questions / 5) : depth.questions;
          const measured = await sectionOf(depth.id, '', () =>
            cases.flatMap((one) => figuresOf(corpus, target, one, depth, questions)),
          );
          found.get(depth.id)!.push(...measured.figures);
          const { seconds = 0, cpuSeconds = 0 } = times.get(depth.id) ?? {};
          times.set(depth.id, {
            seconds: seconds + measured.seconds,
            cpuSeconds: cpuSeconds + measured.cpuSeconds,
          });
        }
      } finally {
        await target.close();
      }
    }
    return {
      models: {},
      sections: wanted.map(({ id, k, documents }) => ({
        id,
        title: `The best ${k.toLocaleString('en')} documents`,
        about: `Generated documents, one segment with the index that \`auto\` chooses. ${documents} documents are requested, as in a served search; a plan aims at full recall for 50 of them. Filters: a range of filing dates, which is independent of the content; a class of the question's target; a country other than the target's, whose language mostly differs from the question's. "planned" is the plan of a search, and "documents" always searches by sketches. With a FAISS index, "index" always probes it, and "codes" always estimates all allowed passages by their codes. "exact" scans all allowed passages and is the reference. Recall counts documents whose score reaches that of the last exact one. Processor time of one thread, filter included.`,
        figures: found.get(id)!,
        plots: plotsOf(found.get(id)!),
        ...times.get(id)!,
      })),
    };
  },
};

/** Combines each question with each filter. */
async function casesOf(corpus: Corpus, { store }: Target, count: number): Promise<Case[]> {
  const questions = questionsFor(corpus, count);
  const { embedder, reranker } = await loadModels();
  const vectors: Float32Array[] = [];
  for (const { text } of questions) vectors.push(await embedder.embed([text], 'query'));
  await Promise.all([embedder.close(), reranker.close()]);
  const filters = new FilterMaker(store);
  const next = stream(17);
  type Fields = Parameters<typeof parseSemantic>[0];
  const made = (
    name: string,
    by: Case['by'],
    percent: number,
    of: (question: Question) => object | undefined,
  ) => {
    const asked = questions.flatMap((question, n) => {
      const fields = of(question);
      if (fields === undefined) return [];
      const { filters: parsed } = parseSemantic({ query: question.text, ...fields } as Fields);
      return [{ vector: vectors[n]!, filters: parsed }];
    });
    return { name, by, percent, asked };
  };
  return [
    ...SELECTIVITIES.map((percent) =>
      made(
        percent === 100 ? 'no filter' : `dates, ${percent} %`,
        percent === 100 ? 'nothing' : 'dates',
        percent,
        () => filters.dates(next, percent),
      ),
    ),
    ...SELECTIVITIES.filter((percent) => percent <= 10).map((percent) =>
      made(`class, ${percent} %`, 'class', percent, (question) => filters.class(question, percent)),
    ),
    made('another country, about 20 %', 'country', 20, ({ target }) => ({
      countries: [target.country === 'KR' ? 'JP' : 'KR'],
    })),
  ];
}

function figuresOf(
  corpus: Corpus,
  target: Target,
  { name, asked }: Case,
  { k, documents, sure }: (typeof DEPTHS)[number],
  questions: number,
): Figure[] {
  const { ways } = target;
  const cells = new Map<Way, { recalls: number[]; cpu: number[]; exact: number }>(
    ways.map((way) => [way, { recalls: [], cpu: [], exact: 0 }]),
  );
  for (const [nth, { vector, filters }] of asked.slice(0, questions).entries()) {
    // Rotates the order, because the first scan meets cold caches.
    const turn = ways.map((_, n) => ways[(n + nth) % ways.length]!);
    const answers = new Map(turn.map((way) => [way, target.search(vector, filters, documents, way, sure)]));
    for (const [way, { hits, plan, cpuMs }] of answers) {
      const value = recallAt(k, hits.scores, answers.get('exact')!.hits.scores);
      if (value === undefined) continue;
      const cell = cells.get(way)!;
      cell.recalls.push(value);
      cell.cpu.push(cpuMs);
      if (plan.exact || hits.rescanned > 0) cell.exact += 1;
    }
  }
  const measure = `${corpus.name}, ${name}`;
  return ways.flatMap((way): Figure[] => {
    const { recalls, cpu, exact } = cells.get(way)!;
    const n = recalls.length;
    if (n === 0) return [];
    return [
      { measure, metric: `recall@${k}`, variant: way, value: mean(recalls), n },
      { measure, metric: 'worst question', variant: way, value: Math.min(...recalls), n, detail: true },
      { measure, metric: 'scanned exactly', variant: way, value: exact / n, n, detail: true },
      { measure, metric: 'CPU', variant: way, value: mean(cpu), unit: 'ms', n },
    ];
  });
}

/** Recall and processor time by the share that passes a range of dates. */
function plotsOf(figures: readonly Figure[]): Plot[] {
  const sizes = [...new Set(figures.map(({ measure }) => measure.split(', ')[0]!))];
  const shareOf = (measure: string): number | undefined => {
    if (measure.endsWith('no filter')) return 100;
    const found = /dates, ([\d.]+) %$/.exec(measure)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  return sizes.flatMap((size) =>
    (
      [
        ['recall', 'recall', false],
        ['CPU', 'processor time, ms', true],
      ] as const
    ).map(([metric, label, log]) => ({
      title: `${size}: ${label} by the share of passages that pass a range of dates`,
      x: { label: 'passages that pass the filter, %', log: true },
      y: { label, log },
      series: WAYS.filter((way) => figures.some(({ variant }) => variant === way)).map((way) => ({
        name: way,
        points: figures.flatMap((figure): [number, number][] => {
          const share = figure.measure.startsWith(`${size}, `) ? shareOf(figure.measure) : undefined;
          const fits = figure.variant === way && figure.metric.startsWith(metric) && share !== undefined;
          return fits ? [[share, figure.value]] : [];
        }),
      })),
    })),
  );
}
