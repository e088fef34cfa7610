/** `npm run bench -- capacity`: measures this machine, fits the model and checks it on a size held out. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataFile } from '../../src/store/faults.js';
import { type Corpus, cachedCorpus, questionsFor, sizeName } from '../corpus/cached.js';
import { keyOf } from '../http/data.js';
import type { Message } from '../http/generator.js';
import { loaded } from '../http/runs.js';
import { serving, WORKERS } from '../http/serving.js';
import { mixOf, requestsOf } from '../latency/requests.js';
import { machine, ROOT } from '../machine.js';
import { Target } from '../recall/target.js';
import type { Benchmark, Figure, Machine, Section } from '../result.js';
import { wantedOf } from '../sections.js';
import { answer, cpuMsOf, fitCost, fitTail, type Model, p99MsOf, type TailSample } from './model.js';

/** Sizes in passages. The model is fitted on all but the last, which is for the check. */
const SIZES = { short: [25_000, 50_000, 100_000, 75_000], whole: [100_000, 300_000, 1_000_000, 2_000_000] };
const QUESTIONS = 500;
const CLIENTS = 8;
/** Shares of the saturation rate at which latency is measured. */
const LOADS = { short: [0.3, 0.7], whole: [0.2, 0.4, 0.6, 0.8] };
const CHECKED_LOAD = 0.5;
const STATE = join(ROOT, '.bench/capacity-model.json');

/** The requirements that the report answers. */
const WISHES = [1e5, 1e6, 5e6].flatMap((patents) => [10, 100].map((rate) => ({ patents, rate, p99Ms: 500 })));

interface Measured {
  size: number;
  documents: number;
  passages: number;
  cpuMs: number;
  tails: TailSample[];
  /** Resident memory after the load. */
  residentBytes: number;
  /** Bytes of vectors, columns and index; bytes of texts. */
  segmentBytes: number;
  textBytes: number;
}

export const capacity: Benchmark = {
  name: 'capacity',
  summary:
    'processors and memory needed for a number of patents, a rate of requests and a p99, by a fitted and checked model',
  sections: ['model', 'answers'],
  run: async (setting) => {
    wantedOf(setting, [{ id: 'model' }, { id: 'answers' }]);
    const started = performance.now();
    const sizes = setting.passages ?? (setting.short ? SIZES.short : SIZES.whole);
    if (sizes.length < 3)
      throw new Error('capacity needs three sizes or more; the last one is for the check');
    const measured: Measured[] = [];
    for (const size of sizes) {
      setting.progress(`capacity: ${sizeName(size)}`);
      measured.push(await measure(await cachedCorpus(size, setting.progress), setting.short));
    }
    const [fitted, held] = [measured.slice(0, -1), measured.at(-1)!];
    const model = modelOf(fitted);
    mkdirSync(dirname(STATE), { recursive: true });
    writeFileSync(STATE, `${JSON.stringify({ machine: machine(), measured, model }, null, 1)}\n`);
    const seconds = Math.round(performance.now() - started) / 1000;
    return { models: {}, sections: [checkOf(model, fitted, held, seconds), answersOf(model)] };
  },
};

async function measure(corpus: Corpus, short: boolean): Promise<Measured> {
  const key = await keyOf(corpus.dir);
  const messages: Message[] = mixOf(requestsOf(key, questionsFor(corpus, QUESTIONS)));
  const seconds = short ? 2 : 12;
  const target = new Target(corpus.dir);
  const segmentBytes = target.manifest.segments.reduce(
    (sum, { bytes, index }) => sum + bytes + (index ? statSync(indexFile(target, index.file)).size : 0),
    0,
  );
  const { documents, passages } = target.manifest;
  const textBytes = statSync(dataFile(corpus.dir)).size;
  await target.close();
  return serving(corpus.dir, 'uws', async (served) => {
    await loaded(served, messages, { seconds: seconds * 2, connections: CLIENTS });
    const most = await loaded(served, messages, { seconds, connections: CLIENTS });
    const tails: TailSample[] = [];
    for (const load of [...(short ? LOADS.short : LOADS.whole), CHECKED_LOAD]) {
      const rate = most.goodPerSecond * load;
      const run = await loaded(served, messages, { seconds: seconds * 2, rate, connections: 1_000 });
      // The load is a share of the saturation rate, because other work on the machine lowers both.
      tails.push({ busy: load, p99Ms: run.answered.p99, cpuMs: run.cpuMicros / 1000 });
    }
    const residentBytes = served.cost().memory;
    const cpuMs = most.cpuMicros / 1000;
    return { size: passages, documents, passages, cpuMs, tails, residentBytes, segmentBytes, textBytes };
  });

  function indexFile({ store, manifest }: Target, file: string): string {
    return join(store.segmentDir(manifest.segments.find(({ index }) => index?.file === file)!.id), file);
  }
}

function modelOf(measured: readonly Measured[]): Model {
  const passageBytes =
    measured.reduce((sum, one) => sum + one.segmentBytes / one.passages, 0) / measured.length;
  const textBytes = measured.reduce((sum, one) => sum + one.textBytes / one.passages, 0) / measured.length;
  const own = measured.map((one) => Math.max(0, one.residentBytes - one.segmentBytes - one.textBytes));
  // The smallest folder is entirely in memory. The rest of the memory is the process's own, half of it its workers'.
  const process = Math.max(own[0]!, 100 * 2 ** 20);
  const share = 0.5;
  return {
    ...fitCost(measured.map(({ passages, cpuMs }) => ({ passages, cpuMs }))),
    tail: fitTail(measured.flatMap(({ tails }) => tails.filter(({ busy }) => busy !== CHECKED_LOAD))),
    memory: {
      processBytes: process * (1 - share),
      workerBytes: (process * share) / WORKERS,
      passageBytes,
      textBytes,
    },
    passagesPerPatent: measured.reduce((sum, one) => sum + one.passages / one.documents, 0) / measured.length,
  };
}

function checkOf(model: Model, fitted: readonly Measured[], held: Measured, seconds: number): Section {
  const figures = [...fitted, held].flatMap((one): Figure[] => {
    const name =
      one === held
        ? `${sizeName(roundSize(one.passages))} (not fitted on)`
        : sizeName(roundSize(one.passages));
    const tail = one.tails.find(({ busy }) => busy === CHECKED_LOAD)!;
    const rows = [
      ['CPU a request', 'ms', one.cpuMs, cpuMsOf(model, one.passages)],
      ['p99 at half of the load', 'ms', tail.p99Ms, p99MsOf(model, one.passages, CHECKED_LOAD)],
      [
        'vectors, columns and index',
        'MiB',
        one.segmentBytes / 2 ** 20,
        (model.memory.passageBytes * one.passages) / 2 ** 20,
      ],
    ] as const;
    return rows.flatMap(([metric, unit, value, predicted]) => [
      { measure: name, metric, variant: 'measured', value, unit, n: 1 },
      { measure: name, metric, variant: 'model', value: predicted, unit, n: 1 },
      { measure: name, metric, variant: 'off by', value: (predicted / value - 1) * 100, unit: '%', n: 1 },
    ]);
  });
  const { fixedMs, perPassageMs, power, tail, memory, passagesPerPatent } = model;
  return {
    id: 'model',
    title: 'The model and its error',
    about: `An ordinary day's mix on a real server. Processor time of a request: ${fixedMs.toPrecision(3)} ms + ${perPassageMs.toPrecision(3)} ms × passages ^ ${power.toFixed(2)}. p99: processor time × (${tail.base.toFixed(2)} + ${tail.slope.toFixed(2)} × u / (1 − u)), u the load as a share of saturation. Memory: ${(memory.processBytes / 2 ** 20).toFixed(0)} MiB + ${(memory.workerBytes / 2 ** 20).toFixed(0)} MiB a worker + ${memory.passageBytes.toFixed(0)} bytes a passage, and ${memory.textBytes.toFixed(0)} bytes more a passage with all texts. ${passagesPerPatent.toFixed(1)} passages a patent. The model was not fitted on the last size.`,
    figures,
    plots: [
      {
        title: 'Processor time of a request',
        x: { label: 'passages', log: true },
        y: { label: 'ms', log: true },
        series: [
          { name: 'measured', points: [...fitted, held].map(({ passages, cpuMs }) => [passages, cpuMs]) },
          {
            name: 'model',
            points: [...fitted, held].map(({ passages }) => [passages, cpuMsOf(model, passages)]),
          },
        ],
      },
    ],
    seconds,
    cpuSeconds: 0,
  };
}

function roundSize(passages: number): number {
  const unit = passages >= 1e6 ? 1e5 : 1e3;
  return Math.round(passages / unit) * unit;
}

function answersOf(model: Model): Section {
  const figures = WISHES.flatMap((wish): Figure[] => {
    const needed = answer(model, wish);
    const measure = `${wish.patents.toLocaleString('en')} patents, ${wish.rate} requests a second, p99 below ${wish.p99Ms} ms`;
    const at = { measure, variant: 'one server', n: 1 };
    return [
      { ...at, metric: 'processors', value: needed.cores ?? Number.NaN, unit: 'cores' },
      { ...at, metric: 'memory', value: needed.memoryBytes / 2 ** 30, unit: 'GiB' },
      { ...at, metric: 'memory with all texts', value: needed.memoryWithTextsBytes / 2 ** 30, unit: 'GiB' },
      { ...at, metric: 'p99 expected', value: needed.p99Ms ?? Number.NaN, unit: 'ms' },
    ];
  });
  return {
    id: 'answers',
    title: 'Processors and memory needed',
    about:
      'Processors like those of this machine, used up to 70 %. "–": no number of processors is fast enough, because one search runs on one processor; the patents have to be spread over several servers. Beyond the measured sizes this is an extrapolation. For other numbers: `node dist/bench/capacity/ask.js PATENTS RATE P99-MS`.',
    figures,
    seconds: 0,
    cpuSeconds: 0,
  };
}

/** The model of the last run on this machine. */
export function readModel(): { machine: Machine; model: Model } | undefined {
  if (!existsSync(STATE)) return undefined;
  return JSON.parse(readFileSync(STATE, 'utf8')) as { machine: Machine; model: Model };
}
