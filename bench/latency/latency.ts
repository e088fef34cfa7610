/** `npm run bench -- latency`: latency and cost of requests by the size of the folder. */
import { availableParallelism } from 'node:os';
import { type Corpus, cachedCorpus, questionsFor } from '../corpus/cached.js';
import { keyOf } from '../http/data.js';
import { figures, loaded } from '../http/runs.js';
import type { Served } from '../http/served.js';
import { serving } from '../http/serving.js';
import type { Benchmark, Figure, Plot, Section } from '../result.js';
import { sectionOf, wantedOf } from '../sections.js';
import { KINDS, type Kind, mixOf, requestsOf } from './requests.js';

const SIZES = { short: [100_000], whole: [100_000, 1_000_000, 4_000_000] };
const QUESTIONS = 500;
/** Clients without pauses that measure saturation; enough to keep all workers busy. */
const CLIENTS = 8;
/** Load at which latency is measured, as a share of saturation. */
const LOAD = 0.5;

const PARTS = [
  ...KINDS.map((kind) => ({ id: kind as string, kind: kind as Kind | 'mix' })),
  { id: 'mix', kind: 'mix' as const },
];
const TITLES: Record<Kind | 'mix', string> = {
  search: 'Searches without a filter',
  filtered: 'Searches with a filter',
  analytics: 'Statistics by four axes over at most 10,000 documents',
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
      const requests = requestsOf(key, questionsFor(corpus, QUESTIONS));
      const measure = async (served: Served) => {
        for (const { id, kind } of wanted) {
          setting.progress(`${corpus.name}: ${id}`);
          const before = served.cost().cpu;
          const messages = kind === 'mix' ? mixOf(requests) : requests[kind];
          const measured = await sectionOf(id, '', () => figuresOf(served, corpus, messages, setting.short));
          const sum = found.get(id)!;
          sum.figures.push(...measured.figures);
          sum.seconds += measured.seconds;
          sum.cpuSeconds += served.cost().cpu - before;
        }
      };
      await serving(corpus.dir, 'uws', measure, availableParallelism());
    }
    const sections = wanted.map(({ id, kind }): Section => {
      const measured = found.get(id)!;
      measured.figures.push(...growthOf(measured.figures));
      return { id, title: TITLES[kind], about: ABOUT, plots: plotsOf(measured.figures, sizes), ...measured };
    });
    return { models: {}, sections };
  },
};

const ABOUT = `A real \`priorart serve\` over generated documents, one segment with the index that \`auto\` chooses, as many workers as processors (the default), and the load generator beside them. Saturation is the rate of ${CLIENTS} clients without pauses. At half of it, arrivals are a Poisson process fixed in advance, and latency counts from the time that a request was due. CPU is that of the whole server process. "growth" is the exponent of the value's growth with the number of passages: 0 is constant, 1 is linear.`;

async function figuresOf(
  served: Served,
  { name }: Corpus,
  messages: Parameters<typeof loaded>[1],
  short: boolean,
): Promise<Figure[]> {
  const seconds = short ? 3 : 15;
  // Warms up the page cache and the JIT compiler.
  await loaded(served, messages, { seconds: seconds / 2, connections: CLIENTS });
  const most = await loaded(served, messages, { seconds, connections: CLIENTS });
  const rate = most.goodPerSecond * LOAD;
  const run = await loaded(served, messages, { seconds: seconds * 2, rate, connections: 1_000 });
  return figures(name, 'uws', run.answered.n, {
    'saturation, requests a second': [most.goodPerSecond, '/s'],
    'p50 at half of it': [run.answered.p50, 'ms'],
    'p99 at half of it': [run.answered.p99, 'ms'],
    'CPU a request': [run.cpuMicros / 1000, 'ms'],
    failed: [run.failedShare * 100, '%'],
    'sent late p99': [run.late.p99, 'ms'],
    'resident memory': [served.cost().memory / 2 ** 20, 'MiB'],
  });
}

/** The number of passages in a name such as `100k` or `1M`. */
function passagesOf(name: string): number {
  return Number(name.slice(0, -1)) * (name.endsWith('M') ? 1e6 : 1e3);
}

/** Growth between each size and the next. */
function growthOf(all: readonly Figure[]): Figure[] {
  const sizes = [...new Set(all.map(({ measure }) => measure))];
  return sizes.slice(1).flatMap((size, n) =>
    ['p50 at half of it', 'p99 at half of it', 'CPU a request'].map((metric): Figure => {
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
  const series = ['p50 at half of it', 'p99 at half of it', 'CPU a request'].map((metric) => ({
    name: metric,
    points: all
      .filter((one) => one.metric === metric)
      .map(({ measure, value }): [number, number] => [passagesOf(measure), value]),
  }));
  const title = 'Milliseconds by the number of passages';
  return [{ title, x: { label: 'passages', log: true }, y: { label: 'ms', log: true }, series }];
}
