/** `npm run bench -- cluster`: an index on a cluster of OpenSearch beside a data folder, with the same documents. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, open } from '../../src/engine.js';
import type { ClusterAddress } from '../../src/engine-options.js';
import type { AnalyticsRequest, SemanticRequest } from '../../src/search/schema.js';
import type { Question } from '../corpus/blocks.js';
import { type Corpus, cachedCorpus, questionsFor } from '../corpus/cached.js';
import { mean, stream } from '../corpus/random.js';
import { FILTERS } from '../latency/requests.js';
import { load, ROOT } from '../machine.js';
import type { Benchmark, Figure, Section, Setting } from '../result.js';
import { wantedOf } from '../sections.js';
import { type Copied, copiedToCluster, copiedToFolder } from './copy.js';
import { type NodeCosts, startedNodes } from './nodes.js';
import { type Measured, sizingFigures } from './sizing.js';

const SIZES = { short: [20_000], whole: [50_000, 100_000] };
const QUESTIONS = { short: 20, whole: 100 };
/** Questions that are asked before any is measured: Java compiles what runs often. */
const WARM = 200;
const PLACES = 10;

const PARTS = [{ id: 'ingest' }, { id: 'search' }, { id: 'statistics' }, { id: 'recall' }, { id: 'sizing' }];

/** The two engines with the same documents. */
interface Pair {
  corpus: Corpus;
  questions: Question[];
  cluster: Engine;
  folder: Engine;
  nodes: NodeCosts;
}

export const cluster: Benchmark = {
  name: 'cluster',
  summary:
    'an index on a cluster of OpenSearch beside a data folder: ingest, searches by filter, statistics, recall',
  sections: PARTS.map(({ id }) => id),
  run: async (setting) => {
    const wanted = new Set(wantedOf(setting, PARTS).map(({ id }) => id));
    const found = new Map(PARTS.map(({ id }) => [id, [] as Figure[]]));
    const measured: Measured[] = [];
    const nodes = await startedNodes(setting.progress);
    const started = performance.now();
    try {
      for (const size of setting.passages ?? (setting.short ? SIZES.short : SIZES.whole)) {
        const corpus = await cachedCorpus(size, setting.progress);
        const made = await madePair(corpus, nodes, setting, found.get('ingest')!);
        try {
          const { pair, copied } = made;
          await warmedUp(pair);
          if (wanted.has('recall')) found.get('recall')!.push(...(await recallOf(pair, setting)));
          const searches = await searchesOf(pair, setting);
          found.get('search')!.push(...searches.figures);
          if (wanted.has('statistics')) found.get('statistics')!.push(...(await statisticsOf(pair, setting)));
          measured.push({ ...copied, searchCpuMs: searches.cpuMs });
        } finally {
          await made.close();
        }
      }
    } finally {
      await nodes.close();
    }
    found.get('sizing')!.push(...sizingFigures(measured));
    const seconds = Math.round((performance.now() - started) / 1000);
    return {
      models: {},
      sections: PARTS.filter(({ id }) => wanted.has(id)).map(
        ({ id }): Section => ({ id, ...TEXTS[id]!, figures: found.get(id)!, seconds, cpuSeconds: 0 }),
      ),
    };
  },
};

const TEXTS: Record<string, { title: string; about: string }> = {
  ingest: {
    title: 'Documents with ready vectors into each',
    about:
      'The documents of a generated folder with their vectors, committed 512 at a time: to a new data folder, merged and indexed at the end; and to a new index of one shard without replicas on one node (lucene, 512 MB of heap, Java with all its optimisations), whose segments are not merged. Reading the old folder is not counted. CPU is that of this process, and of the node. "Stored" is what lies on the disk then, texts included. The node shares the processors with this process.',
  },
  search: {
    title: 'Searches by filter, one after the other',
    about:
      'Requests of the library from one client without pauses, ten results, reranked: the same questions to both engines, by turns. "CPU" is that of this process and of the node together, for a search. On the cluster, all allowed passages are compared if the filter allows 50,000 or fewer, and the index is asked otherwise.',
  },
  statistics: {
    title: 'Statistics by four axes over at most 10,000 documents',
    about: 'semantic-analytics of the same questions, min_score 0.5, one after the other.',
  },
  recall: {
    title: 'Recall@10 of the cluster’s approximate searches',
    about:
      'Without the reranker. The reference is an exact scan of the data folder; a result counts if its similarity reaches that of the tenth exact one.',
  },
  sizing: {
    title: 'What larger indexes need, by simulation',
    about:
      'bench/cluster/sizing.ts states the formulas. Inputs are the figures above, of the largest size; bytes of the vectors in memory are those of the documentation of OpenSearch.',
  },
};

async function madePair(
  corpus: Corpus,
  nodes: NodeCosts,
  { progress, short }: Setting,
  figures: Figure[],
): Promise<{ pair: Pair; copied: Copied & { passages: number; documents: number }; close(): Promise<void> }> {
  const address: ClusterAddress = {
    engine: 'opensearch',
    nodes: nodes.urls,
    index: `bench-${randomUUID()}`,
    knnEngine: 'lucene',
    replicas: 0,
  };
  const dir = mkdtempSync(join(ROOT, '.bench', 'cluster-'));
  progress(`${corpus.name}: into the cluster (load ${load().toFixed(1)})`);
  const onCluster = await copiedToCluster(corpus.dir, address, nodes);
  progress(`${corpus.name}: into a folder (load ${load().toFixed(1)})`);
  const inFolder = await copiedToFolder(corpus.dir, dir);
  const { documents, passages } = onCluster;
  for (const [variant, copied] of [
    ['folder', inFolder],
    ['cluster', onCluster],
  ] as const) {
    const at = { measure: `${corpus.name} (${documents} documents)`, variant, n: 1 };
    figures.push(
      { ...at, metric: 'passages a second', value: passages / copied.seconds, unit: '/s' },
      { ...at, metric: 'time', value: copied.seconds, unit: 's' },
      { ...at, metric: 'CPU', value: copied.cpuSeconds, unit: 's' },
      { ...at, metric: 'stored a passage', value: copied.bytes / passages, unit: 'B' },
    );
  }
  const cluster = await open(address);
  const folder = await open(dir, { workers: 0 });
  const questions = questionsFor(corpus, short ? QUESTIONS.short : QUESTIONS.whole);
  return {
    pair: { corpus, questions, cluster, folder, nodes },
    copied: onCluster,
    close: async () => {
      await Promise.all([cluster.close(), folder.close()]);
      await nodes.remove(address.index!);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function warmedUp({ cluster, folder, corpus }: Pair): Promise<void> {
  for (const { text } of questionsFor(corpus, WARM)) {
    for (const engine of [cluster, folder]) await engine.search({ query: text });
  }
}

/** Names of the filters of latency/requests.ts, in their order. */
const FILTER_NAMES = [
  'its country',
  'two countries and a subclass',
  'five years',
  'grants of a class',
  'its applicant',
];

async function searchesOf(pair: Pair, { progress }: Setting): Promise<{ figures: Figure[]; cpuMs: number }> {
  const { corpus, questions } = pair;
  const next = stream(23);
  const kinds: [string, (question: Question) => object][] = [
    ['no filter', () => ({})],
    ...FILTERS.map((of, n): [string, (question: Question) => object] => [
      FILTER_NAMES[n]!,
      (question) => of(question, next),
    ]),
  ];
  const figures: Figure[] = [];
  let unfiltered = 0;
  for (const [name, of] of kinds) {
    progress(`${corpus.name}: searches, ${name} (load ${load().toFixed(1)})`);
    const requests = questions.map(
      (question) => ({ query: question.text, ...of(question) }) as SemanticRequest,
    );
    const timed = await timedOn(pair, requests, (engine, request) => engine.search(request));
    figures.push(...timed.figures(`${corpus.name}, ${name}`));
    if (name === 'no filter') unfiltered = timed.cpuMs.cluster;
  }
  return { figures, cpuMs: unfiltered };
}

async function statisticsOf(pair: Pair, { progress }: Setting): Promise<Figure[]> {
  progress(`${pair.corpus.name}: statistics (load ${load().toFixed(1)})`);
  const requests = pair.questions.map(({ text }): AnalyticsRequest => {
    return { query: text, stats_group_by: ['year', 'country', 'applicant', 'ipc'] };
  });
  const timed = await timedOn(pair, requests, (engine, request) => engine.analyze(request));
  return timed.figures(pair.corpus.name);
}

type Side = 'folder' | 'cluster';
const SIDES: readonly Side[] = ['folder', 'cluster'];

/** Sends each request to both engines, the first of a pair by turns. */
async function timedOn<R>(
  { cluster, folder, nodes }: Pair,
  requests: readonly R[],
  send: (engine: Engine, request: R) => Promise<unknown>,
) {
  const engines = { cluster, folder };
  const ms: Record<Side, number[]> = { folder: [], cluster: [] };
  const cpu: Record<Side, number> = { folder: 0, cluster: 0 };
  for (const [n, request] of requests.entries()) {
    for (const side of n % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const before = process.cpuUsage();
      const nodesBefore = side === 'cluster' ? await nodes.cpuMs() : 0;
      const started = performance.now();
      await send(engines[side], request);
      ms[side].push(performance.now() - started);
      const { user, system } = process.cpuUsage(before);
      const ofNodes = side === 'cluster' ? (await nodes.cpuMs()) - nodesBefore : 0;
      cpu[side] += (user + system) / 1e3 + ofNodes;
    }
  }
  const n = requests.length;
  const cpuMs = { folder: cpu.folder / n, cluster: cpu.cluster / n };
  const figures = (measure: string): Figure[] =>
    SIDES.flatMap((variant) => [
      { measure, variant, n, metric: 'p50', value: quantile(ms[variant], 0.5), unit: 'ms' },
      { measure, variant, n, metric: 'p99', value: quantile(ms[variant], 0.99), unit: 'ms' },
      { measure, variant, n, metric: 'CPU', value: cpuMs[variant], unit: 'ms' },
    ]);
  return { figures, cpuMs };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
}

async function recallOf(
  { corpus, questions, cluster, folder }: Pair,
  { progress }: Setting,
): Promise<Figure[]> {
  progress(`${corpus.name}: recall (load ${load().toFixed(1)})`);
  const shares: number[] = [];
  for (const { text } of questions) {
    const request = { query: text, top_k: PLACES };
    const exact = (await folder.search(request, { exact: true, rerank: false })).results;
    const found = (await cluster.search(request, { rerank: false })).results;
    const least = exact.at(-1)?.similarity_score ?? 0;
    if (exact.length === 0) continue;
    const good = found.filter(({ similarity_score }) => similarity_score >= least - 1e-6).length;
    shares.push(Math.min(good, exact.length) / exact.length);
  }
  return [
    { measure: corpus.name, metric: 'recall@10', variant: 'cluster', value: mean(shares), n: shares.length },
  ];
}
