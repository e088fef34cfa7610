/** `npm run bench -- latency`: latency and cost of requests by the size of the folder. */
import { availableParallelism } from 'node:os';
import { RERANK_DEPTH, RERANK_SURE } from '../../src/limits.js';
import { loadModels } from '../../src/models/load.js';
import { parseSemantic, type SemanticQuery } from '../../src/search/query.js';
import type { Question } from '../corpus/blocks.js';
import { type Corpus, cachedCorpus, questionsFor } from '../corpus/cached.js';
import { mean } from '../corpus/random.js';
import { overRuns } from '../estimate.js';
import { keyOf } from '../http/data.js';
import { figures, loaded, type Run } from '../http/runs.js';
import type { Served } from '../http/served.js';
import { serving } from '../http/serving.js';
import { canPin } from '../machine.js';
import { Target } from '../recall/target.js';
import type { Benchmark, Figure, Plot, Section } from '../result.js';
import { sectionOf, wantedOf } from '../sections.js';
import { FEW_FROM, filtersOf, KINDS, type Kind, mixOf, requestsOf } from './requests.js';

const SIZES = { short: [100_000], whole: [100_000, 1_000_000, 4_000_000] };
const QUESTIONS = 500;
/** Clients without pauses that measure saturation; enough to keep all workers busy. */
const CLIENTS = 8;
/** Load at which latency is measured, as a share of saturation. */
const LOAD = 0.5;
/** Runs at that load, each with other arrivals. Their spread is the interval. */
const RUNS = 5;
/** The last processor is the load generator's, the others are the server's. */
const PROCESSORS = Array.from({ length: availableParallelism() }, (_, n) => n);
const OF_SERVER = PROCESSORS.length > 1 ? PROCESSORS.slice(0, -1) : PROCESSORS;
const OF_GENERATOR = PROCESSORS.slice(-1);

const PARTS = [
  ...KINDS.map((kind) => ({ id: kind as string, kind: kind as Kind | 'mix' })),
  { id: 'mix', kind: 'mix' as const },
];
const TITLES: Record<Kind | 'mix', string> = {
  search: 'Searches without a filter',
  filtered: 'Searches with a filter',
  analytics: 'Statistics by four axes, defaults',
  few: `Statistics by four axes over few documents (min_score ${FEW_FROM})`,
  many: 'Statistics by four axes over 10,000 documents (min_score 0)',
  details: 'Details of one document',
  mix: 'An ordinary day: 37.5 % searches, 37.5 % with a filter, 15 % details, 10 % statistics',
};

export const latency: Benchmark = {
  name: 'latency',
  summary:
    'whole requests at 100k, 1M and 4M passages: p50 and p99 at half of the saturation rate, CPU, growth',
  sections: PARTS.map(({ id }) => id),
  run: async (setting) => {
    const wanted = wantedOf(setting, PARTS);
    const sizes = setting.passages ?? (setting.short ? SIZES.short : SIZES.whole);
    const found = new Map(
      wanted.map(({ id }) => [id, { figures: [] as Figure[], seconds: 0, cpuSeconds: 0 }]),
    );
    for (const size of sizes) {
      const corpus = await cachedCorpus(size, setting.progress);
      const key = await keyOf(corpus.dir);
      const questions = questionsFor(corpus, QUESTIONS);
      const requests = requestsOf(key, questions);
      const each = (how: string, figuresOf: FiguresOf) => async (served: Served) => {
        for (const { id, kind } of wanted) {
          setting.progress(`${corpus.name}: ${id}, ${how}`);
          const before = served.cost().cpu;
          const messages = kind === 'mix' ? mixOf(requests) : requests[kind];
          const measured = await sectionOf(id, '', () => figuresOf(served, corpus, messages, setting.short));
          const sum = found.get(id)!;
          sum.figures.push(...measured.figures);
          sum.seconds += measured.seconds;
          sum.cpuSeconds += served.cost().cpu - before;
        }
      };
      const { dir } = corpus;
      await serving(dir, 'uws', each('all processors', saturated), PROCESSORS.length);
      await serving(dir, 'uws', each('apart', atHalf), OF_SERVER.length, OF_SERVER);
      for (const { id, kind } of wanted) {
        if (kind !== 'search' && kind !== 'filtered') continue;
        setting.progress(`${corpus.name}: ${id}, kNN alone`);
        found.get(id)!.figures.push(await knnOf(corpus, kind, questions));
      }
    }
    const sections = wanted.map(({ id, kind }): Section => {
      const measured = found.get(id)!;
      measured.figures.sort((a, b) => sizeOf(a) - sizeOf(b));
      measured.figures.push(...growthOf(measured.figures));
      return { id, title: TITLES[kind], about: ABOUT, plots: plotsOf(measured.figures, sizes), ...measured };
    });
    return { models: {}, sections };
  },
};

const APART = canPin()
  ? `The load generator is kept on a processor of its own, the server on the other${OF_SERVER.length > 1 ? 's' : ''}`
  : 'Server and load generator share the processors, because they cannot be kept apart here (`taskset` is missing, or there is only one)';
const ABOUT = `A real \`priorart serve\` over generated documents, one segment with the index that \`auto\` chooses, as many workers as the server has processors. "Saturation, all processors" is the rate of ${CLIENTS} clients without pauses, with all processors for the server and the load generator beside it. ${APART} for all other figures. At half of the saturation reached so, arrivals are a Poisson process fixed in advance, and latency counts from the time that a request was due. p50, p99 and CPU are means of ${RUNS} runs with other arrivals; the interval is that of Student's t, 95 %. CPU is that of the whole server process. "CPU of kNN alone" is that of the nearest ${RERANK_DEPTH.lateInteraction} documents of the same questions and filters in a process that does nothing else. "growth" is the exponent of the value's growth with the number of passages: 0 is constant, 1 is linear. A request has parts that do not grow, which hide the growth of kNN: so both are given.`;

type FiguresOf = (
  served: Served,
  corpus: Corpus,
  messages: Parameters<typeof loaded>[1],
  short: boolean,
) => Promise<Figure[]>;

/** Saturation of the server with all processors. */
const saturated: FiguresOf = async (served, { name }, messages, short) => {
  const seconds = short ? 3 : 15;
  // Warms up the page cache and the JIT compiler.
  await loaded(served, messages, { seconds: seconds / 2, connections: CLIENTS });
  const most = await loaded(served, messages, { seconds, connections: CLIENTS });
  return figures(name, 'uws', most.answered.n, {
    'saturation, all processors': [most.goodPerSecond, '/s'],
  });
};

/** Latency at half of the saturation, with server and load generator apart. */
const atHalf: FiguresOf = async (served, { name }, messages, short) => {
  const seconds = short ? 3 : 15;
  const processors = OF_GENERATOR;
  await loaded(served, messages, { seconds: seconds / 2, connections: CLIENTS, processors });
  const most = await loaded(served, messages, { seconds, connections: CLIENTS, processors });
  const rate = most.goodPerSecond * LOAD;
  const runs: Run[] = [];
  for (let seed = 1; seed <= RUNS; seed++) {
    runs.push(await loaded(served, messages, { seconds, rate, connections: 1_000, seed, processors }));
  }
  const n = runs.reduce((sum, { answered }) => sum + answered.n, 0);
  const over = (metric: string, read: (run: Run) => number): Figure => {
    const { mean, low, high } = overRuns(runs.map(read));
    return { measure: name, metric, variant: 'uws', value: mean, low, high, interval: true, unit: 'ms', n };
  };
  const most99 = Math.max(...runs.map(({ late }) => late.p99));
  return [
    ...figures(name, 'uws', most.answered.n, { 'saturation, apart': [most.goodPerSecond, '/s'] }),
    over('p50 at half of it', ({ answered }) => answered.p50),
    over('p99 at half of it', ({ answered }) => answered.p99),
    over('CPU a request', ({ cpuMicros }) => cpuMicros / 1000),
    ...figures(name, 'uws', n, {
      failed: [Math.max(...runs.map(({ failedShare }) => failedShare)) * 100, '%'],
      'sent late p99, worst run': [most99, 'ms'],
      'taken by others, worst run': [Math.max(...runs.map(({ othersShare }) => othersShare)) * 100, '%'],
      'resident memory': [served.cost().memory / 2 ** 20, 'MiB'],
    }),
  ];
};

const KNN = 'CPU of kNN alone';

/** Processor time of the nearest documents alone, as a search plans them. */
async function knnOf(
  corpus: Corpus,
  kind: 'search' | 'filtered',
  questions: readonly Question[],
): Promise<Figure> {
  const { embedder, reranker } = await loadModels();
  const fields = kind === 'filtered' ? filtersOf(questions) : questions.map(() => ({}));
  const asked: { vector: Float32Array; filters: SemanticQuery['filters'] }[] = [];
  for (const [n, { text }] of questions.entries()) {
    const { filters } = parseSemantic({ query: text, ...fields[n] } as Parameters<typeof parseSemantic>[0]);
    asked.push({ vector: await embedder.embed([text], 'query'), filters });
  }
  await Promise.all([embedder.close(), reranker.close()]);
  const target = new Target(corpus.dir);
  try {
    const pass = () =>
      mean(
        asked.map(
          ({ vector, filters }) =>
            target.search(vector, filters, RERANK_DEPTH.lateInteraction, 'planned', RERANK_SURE).cpuMs,
        ),
      );
    // The first pass warms up. The middle one of the others counts.
    const passes = Array.from({ length: 4 }, pass).slice(1);
    const value = passes.sort((a, b) => a - b)[1]!;
    return { measure: corpus.name, metric: KNN, variant: 'uws', value, unit: 'ms', n: questions.length };
  } finally {
    await target.close();
  }
}

function sizeOf({ measure }: Figure): number {
  return passagesOf(measure);
}

/** Values whose growth is given. */
const GROWING = ['p50 at half of it', 'p99 at half of it', 'CPU a request', KNN];

/** The number of passages in a name such as `100k` or `1M`. */
function passagesOf(name: string): number {
  return Number(name.slice(0, -1)) * (name.endsWith('M') ? 1e6 : 1e3);
}

/** Growth between each size and the next. */
export function growthOf(all: readonly Figure[]): Figure[] {
  const sizes = [...new Set(all.map(({ measure }) => measure))];
  return sizes.slice(1).flatMap((size, n) =>
    GROWING.filter((metric) => all.some((one) => one.metric === metric)).map((metric): Figure => {
      const value = (of: string) => all.find((one) => one.measure === of && one.metric === metric)!.value;
      const before = sizes[n]!;
      const ratio = passagesOf(size) / passagesOf(before);
      return {
        measure: `${before} to ${size}`,
        metric: `growth of ${metric}`,
        variant: 'uws',
        value: Math.log(value(size) / value(before)) / Math.log(ratio),
        unit: 'power',
        n: 2,
      };
    }),
  );
}

function plotsOf(all: readonly Figure[], sizes: readonly number[]): Plot[] {
  if (sizes.length < 2) return [];
  const series = GROWING.filter((metric) => all.some((one) => one.metric === metric)).map((metric) => ({
    name: metric,
    points: all
      .filter((one) => one.metric === metric)
      .map(({ measure, value }): [number, number] => [passagesOf(measure), value]),
  }));
  const title = 'Milliseconds by the number of passages';
  return [{ title, x: { label: 'passages', log: true }, y: { label: 'ms', log: true }, series }];
}
