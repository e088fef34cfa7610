/** `npm run bench -- micro`: the cost of each stage of a search. */
import { join } from 'node:path';
import { Bench } from 'tinybench';
import { leastCosine } from '../../src/embed/calibration.js';
import { open } from '../../src/engine.js';
import { FaissIndex } from '../../src/index/faiss.js';
import type { CountOptions, SegmentScan } from '../../src/index/native.js';
import { RERANK_DEPTH, RERANK_SURE } from '../../src/limits.js';
import { loadModels, type Models } from '../../src/models/load.js';
import { companyKey } from '../../src/patent/name.js';
import { clausesOf, dateColumn } from '../../src/search/filter.js';
import { Found } from '../../src/search/found.js';
import { planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { shareAbove } from '../../src/search/threshold.js';
import type { Question } from '../corpus/blocks.js';
import { type Corpus, cachedCorpus, questionsFor } from '../corpus/cached.js';
import { stream } from '../corpus/random.js';
import { FilterMaker } from '../recall/filters.js';
import { Target, type Way } from '../recall/target.js';
import type { Benchmark, Figure, Section } from '../result.js';
import { sectionOf, wantedOf } from '../sections.js';

const SIZES = { short: [100_000], whole: [100_000, 1_000_000] };
const QUESTIONS = 256;
/** Documents that a search requests, and that it shows. */
const DOCUMENTS = RERANK_DEPTH.lateInteraction;
const SHOWN = 10;

/** The context of the stages. */
interface Stage {
  corpus: Corpus;
  target: Target;
  models: Models;
  questions: Question[];
  vectors: Float32Array[];
}

/** Rows requested of FAISS alone. More than the documents, because a document has several rows near the query. */
const FAISS_ROWS = RERANK_SURE * 4;

/** Functions of a counter, which selects the question of a call. */
type Tasks = Record<string, (n: number) => unknown>;

const PARTS: readonly {
  id: string;
  title: string;
  of(stage: Stage): Tasks | Promise<Tasks>;
  close?(): Promise<void>;
}[] = [
  { id: 'embed', title: 'Text into a vector', of: embedding },
  { id: 'filter', title: 'A filter over the columns', of: filtering },
  { id: 'knn', title: `The best ${DOCUMENTS} documents, by each plan`, of: neighbours },
  { id: 'group', title: 'Statistics over at most 10,000 documents', of: grouping },
  { id: 'rerank', title: `The order of ${DOCUMENTS} documents, and the texts of ${SHOWN}`, of: reranking },
  { id: 'json', title: `An answer of ${SHOWN} results as JSON`, of: writing },
];

export const micro: Benchmark = {
  name: 'micro',
  summary:
    'each stage by itself: embed, filter, kNN by each plan, group, rerank, fetch, JSON, the hop to the pool',
  sections: [...PARTS.map(({ id }) => id), 'pool'],
  run: async (setting) => {
    const wanted = wantedOf(setting, [...PARTS, { id: 'pool', title: 'The hop to a worker and back' }]);
    const sections = new Map<string, Section>();
    const time = setting.short ? 150 : 1_000;
    for (const size of setting.passages ?? (setting.short ? SIZES.short : SIZES.whole)) {
      const stage = await staged(await cachedCorpus(size, setting.progress));
      try {
        for (const { id, title } of wanted) {
          setting.progress(`${stage.corpus.name}: ${id}`);
          const part = PARTS.find((one) => one.id === id);
          const measured = await sectionOf(id, title, async () =>
            part ? timed(stage.corpus.name, await part.of(stage), time) : hop(stage, time),
          );
          const known = sections.get(id);
          if (known) known.figures.push(...measured.figures);
          else sections.set(id, { ...measured, about: ABOUT });
        }
      } finally {
        await stage.target.close();
        await Promise.all([stage.models.embedder.close(), stage.models.reranker.close()]);
      }
    }
    return { models: {}, sections: [...sections.values()] };
  },
};

const ABOUT =
  'Generated documents, a stream of different questions, one thread. p50 is the time of a call. CPU is the processor time of all threads of the process for a call; other work on the machine affects it less.';

async function staged(corpus: Corpus): Promise<Stage> {
  const models = await loadModels();
  const questions = questionsFor(corpus, QUESTIONS);
  const vectors: Float32Array[] = [];
  for (const { text } of questions) vectors.push(await models.embedder.embed([text], 'query'));
  return { corpus, target: new Target(corpus.dir), models, questions, vectors };
}

/** Runs each task for `time` ms. */
async function timed(measure: string, tasks: Tasks, time: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, task] of Object.entries(tasks)) {
    let calls = 0;
    let before = process.cpuUsage();
    let cpu = 0;
    const bench = new Bench({ time, warmupTime: time / 4, iterations: 16, throws: true });
    bench.add(name, () => task(calls++), {
      beforeAll: () => {
        calls = 0;
        before = process.cpuUsage();
      },
      afterAll: () => {
        const { user, system } = process.cpuUsage(before);
        cpu = (user + system) / Math.max(1, calls);
      },
    });
    const [done] = await bench.run();
    const result = done?.result;
    if (!result || !('latency' in result)) throw new Error(`${name} was not measured`);
    const n = result.latency.samplesCount;
    const at = { measure: `${measure}, ${name}`, variant: 'a call', unit: 'µs', n };
    figures.push(
      { ...at, metric: 'p50', value: result.latency.p50 * 1000, detail: true },
      { ...at, metric: 'CPU', value: cpu },
    );
  }
  return figures;
}

function embedding({ models: { embedder }, questions, target }: Stage): Tasks {
  const document = [...target.store.documents.getRange({ limit: 1 })][0]!;
  const passage = target.store.passage(document.key, 0)!.text;
  return {
    'a question': (n) => embedder.embed([questions[n % QUESTIONS]!.text], 'query'),
    [`a passage of ${passage.length} characters`]: () => embedder.embed([passage], 'passage'),
  };
}

function filtering({ target, questions }: Stage): Tasks {
  const select = (fields: (question: Question) => object) => {
    const filters = questions.map((question) => {
      const request = { query: 'any', ...fields(question) } as SemanticRequest;
      return parseSemantic(request).filters;
    });
    return (n: number) => target.native.select(clausesOf(filters[n % QUESTIONS]!, target.store));
  };
  return {
    'document type alone': select(() => ({})),
    countries: select(({ target: about }) => ({ countries: [about.country, 'US'] })),
    'filing dates': select(() => ({ filing_date_from: '2010-01-01', filing_date_to: '2014-12-31' })),
    'IPC prefix': select(({ target: about }) => ({ ipc_codes: [about.ipc_codes![0]!.slice(0, 4)] })),
    'applicant contains': select(({ target: about }) => ({
      applicant: companyKey(about.applicants![0]!.name),
    })),
    'all of them': select(({ target: about }) => ({
      countries: [about.country],
      filing_date_from: '2000-01-01',
      ipc_codes: [about.ipc_codes![0]!.slice(0, 3)],
      applicant: companyKey(about.applicants![0]!.name),
    })),
  };
}

function neighbours({ target, vectors }: Stage): Tasks {
  const maker = new FilterMaker(target.store);
  const next = stream(31);
  const plans = Object.fromEntries(
    [100, 10, 1, 0.1].flatMap((percent) => {
      const filters = vectors.map(
        () => parseSemantic({ query: 'any', ...maker.dates(next, percent) } as SemanticRequest).filters,
      );
      return target.ways.map((way: Way) => [
        `${percent} % allowed, ${way}`,
        (n: number) =>
          target.search(vectors[n % QUESTIONS]!, filters[n % QUESTIONS]!, DOCUMENTS, way, RERANK_SURE),
      ]);
    }),
  );
  return { ...plans, ...faissAlone({ target, vectors }) };
}

/** FAISS alone on the index file, with the lists of a plan without a filter. It returns estimates of rows only. */
function faissAlone({ target, vectors }: Pick<Stage, 'target' | 'vectors'>): Tasks {
  const [entry] = target.manifest.segments;
  const { filters } = parseSemantic({ query: 'any' });
  const { plan } = target.search(vectors[0]!, filters, DOCUMENTS, 'index', RERANK_SURE);
  const nprobe = plan.segments[0]?.nprobe;
  if (!entry?.index || nprobe === undefined) return {};
  const index = FaissIndex.read(join(target.store.segmentDir(entry.id), entry.index.file));
  return {
    [`FAISS alone, the best ${FAISS_ROWS} estimates of the same ${nprobe} lists`]: (n) =>
      index.search(vectors[n % QUESTIONS]!, FAISS_ROWS, { nprobe }),
  };
}

function grouping({ target, vectors, models: { embedder } }: Stage): Tasks {
  const { filters } = parseSemantic({ query: 'any' });
  const selection = target.native.select(clausesOf(filters, target.store));
  const scans: SegmentScan[] = target.manifest.segments.map(() => ({}));
  const count =
    (axes: CountOptions['axes'], by: SegmentScan[] = scans, minScore = -2) =>
    (n: number) =>
      target.native.count(vectors[n % QUESTIONS]!, selection, by, {
        ...{ maxResults: 10_000, dedupe: true, minScore, offset: 0, limit: 20, axes, top: 20 },
        ...{ dateColumn: dateColumn('filing'), shown: { ...embedder.calibration, decimals: 6 } },
      });
  const axes: CountOptions['axes'] = ['year', 'country', 'applicant', 'ipc'];
  const minScore = leastCosine(0.5, embedder.calibration);
  return {
    'exact scan alone': count([]),
    'exact scan, four axes': count(axes),
    'as planned, four axes, scores from .5': (n) => {
      const share = shareAbove(target.native, vectors[n % QUESTIONS]!, selection, minScore);
      const { segments } = target.manifest;
      const plan = planOf(segments, target.native.segments, selection, 10_000, { share, counts: true });
      return count(axes, scansOf(plan), minScore)(n);
    },
  };
}

function reranking(stage: Stage): Tasks {
  const { target, questions, vectors, models } = stage;
  const hits = foundOf(stage);
  const score = models.reranker.scoreFound?.bind(models.reranker);
  return {
    'late interaction': (n) => {
      const found = new Found(target.store, target.native, hits[n % QUESTIONS]!);
      return score?.(questions[n % QUESTIONS]!.text, found);
    },
    'heads and passages of what is shown': (n) => {
      const found = new Found(target.store, target.native, hits[n % QUESTIONS]!);
      for (let at = 0; at < Math.min(SHOWN, found.hits.docs.length); at++) {
        found.head(at);
        found.passages(at);
        found.figure(at);
      }
      return vectors;
    },
  };
}

function foundOf({ target, vectors }: Stage) {
  const { filters } = parseSemantic({ query: 'any' });
  const selection = target.native.select(clausesOf(filters, target.store));
  const scans = target.manifest.segments.map(() => ({}));
  const options = { documents: DOCUMENTS, chunks: 5, dedupe: true, minScore: -2 };
  return vectors.map((vector) => target.native.search(vector, selection, scans, options));
}

async function writing({ corpus, questions }: Stage): Promise<Tasks> {
  const engine = await open(corpus.dir, { workers: 0 });
  const answers = await Promise.all(questions.slice(0, 16).map(({ text }) => engine.search({ query: text })));
  await engine.close();
  const encoder = new TextEncoder();
  return { 'object to bytes': (n) => encoder.encode(JSON.stringify(answers[n % answers.length])) };
}

/** Measures a question on the calling thread and in a worker. The difference is the cost of the hop. */
async function hop({ corpus, questions }: Stage, time: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, workers] of [
    ['details on the calling thread', 0],
    ['details in a worker', 1],
  ] as const) {
    const engine = await open(corpus.dir, { workers });
    try {
      const ask = (n: number) =>
        engine.details({ patent_ids: [questions[n % QUESTIONS]!.target.patent_id], sections: 'title' });
      figures.push(...(await timed(corpus.name, { [name]: ask }, time)));
    } finally {
      await engine.close();
    }
  }
  const [there, , away] = figures.map(({ value }) => value);
  const at = { measure: `${corpus.name}, the difference`, variant: 'a call', unit: 'µs', n: figures[0]!.n };
  return [...figures, { ...at, metric: 'p50', value: away! - there! }];
}
