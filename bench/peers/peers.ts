/** `npm run bench -- peers`: compares this project with other libraries at equal vectors, filters, k and recall. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Estimate, estimate } from '../../src/eval/bootstrap.js';
import { median } from '../estimate.js';
import { canPin, ROOT } from '../machine.js';
import type { Benchmark, Figure, Plot, Section, Setting } from '../result.js';
import { wantedOf } from '../sections.js';
import { type Exported, exported, type Unit } from './export.js';
import {
  bestPeer,
  GOAL,
  judged,
  type Line,
  meanOf,
  needOf,
  type Outcome,
  ratioOf,
  reaches,
} from './outcome.js';
import { buildOwn, OWN, type OwnJob } from './own.js';
import { askPeers, linesOf, pythonWithPeers } from './python.js';
import { generated, real, type Source } from './sources.js';
import { ForbiddenRow } from './truth.js';

const SIZES = { short: [30_000], whole: [200_000] };
const QUESTIONS = { short: 100, whole: 1_000 };
/** Results of a search. Recall is measured of the first 10 and of all. */
const K = 50;
const SECTIONS: readonly { id: string; unit: Unit }[] = [
  { id: 'generated', unit: 'passages' },
  { id: 'real', unit: 'passages' },
  { id: 'documents-generated', unit: 'documents' },
  { id: 'documents-real', unit: 'documents' },
];

export const peers: Benchmark = {
  name: 'peers',
  summary:
    'the same vectors, filters, k and recall through FAISS, hnswlib, USearch, ScaNN, LanceDB and NumPy, on generated and real vectors',
  sections: SECTIONS.map(({ id }) => id),
  run: async (setting) => {
    const count = setting.questions ?? (setting.short ? QUESTIONS.short : QUESTIONS.whole);
    const sections: Section[] = [];
    for (const { id, unit } of wantedOf(setting, SECTIONS)) {
      if (id.endsWith('generated')) {
        for (const size of setting.passages ?? (setting.short ? SIZES.short : SIZES.whole)) {
          const source = await generated(setting, size, count);
          sections.push(await sectionOf(setting, `${id}-${source.name}`, source, unit));
        }
        continue;
      }
      // Ingesting the collections takes too long for a short run.
      const source =
        setting.short && !setting.folder
          ? { missing: 'a short run without --folder' }
          : await real(setting, count);
      sections.push(
        'missing' in source
          ? skipped(id, 'Real passages', source.missing)
          : await sectionOf(setting, id, source, unit),
      );
    }
    return { models: {}, sections };
  },
};

function skipped(id: string, title: string, reason: string): Section {
  return { id, title, about: '', figures: [], skipped: reason, seconds: 0, cpuSeconds: 0 };
}

async function sectionOf(setting: Setting, id: string, source: Source, unit: Unit): Promise<Section> {
  const started = performance.now();
  const title =
    unit === 'documents' ? `The best ${K} documents by ${source.title}` : `The best ${K} of ${source.title}`;
  try {
    const python = pythonWithPeers(setting);
    if ('missing' in python) return skipped(id, title, python.missing);
    const data = await exported(source, join(ROOT, '.bench', `peers-${source.name}`), K, unit);
    const heard = (line: Line) => {
      const { library, case: name, failed, unreached, setting: how, builtSeconds } = line;
      if (line.callMs !== undefined) return;
      const outcome = failed ?? unreached ?? how ?? `built in ${builtSeconds?.toFixed(1)} s`;
      setting.progress(`${source.name}, ${unit}: ${library}${name ? `, ${name}` : ''}: ${outcome}`);
    };
    const args = [data.dir, data.questionsDir, ...(setting.peers ?? [])] as const;
    const built = [await buildOwn(source, data)];
    if (python.missing !== undefined) built.push({ library: 'graphs.cpp', failed: python.missing });
    built.push(...(await askPeers(python, 'build', false, args, heard)));
    // A short run is for busy machines, too.
    const onOne = !setting.short;
    const before = await own(data, source, 'before', onOne);
    const needs = Object.fromEntries(before.map((one) => [one.case, [needOf(one).at10, needOf(one).at50]]));
    writeFileSync(join(data.questionsDir, 'needs.json'), JSON.stringify(needs));
    const lines = await askPeers(python, 'measure', onOne, args, heard);
    const after = await own(data, source, 'after', onOne);
    const { outcomes: theirs, failed } = peersJudged(lines, data);
    built.push(...failed);
    const outcomes = [...before, ...theirs];
    const drift = after.map((one, n) => ({ ours: before[n]!.cpu, theirs: one.cpu }));
    return {
      id,
      title,
      about: aboutOf({ source, data, built, lines, outcomes, drift: ratioOf(drift, 1).mean, onOne }),
      figures: [...headline(outcomes), ...cellsOf(outcomes, lines), ...builtFigures(built)],
      plots: plotsOf(outcomes, data),
      seconds: Math.round(performance.now() - started) / 1000,
      cpuSeconds: 0,
    };
  } finally {
    await source.target.close();
  }
}

function outcomesOf(lines: readonly Line[], data: Exported): Outcome[] {
  return lines.flatMap((line) =>
    line.file === undefined ? [] : [judged(line as Parameters<typeof judged>[0], data)],
  );
}

/** The outcomes of the peers. A case in which one gives a row that it must not give is left out, and the page says so. */
function peersJudged(
  lines: readonly Line[],
  data: Exported,
): { outcomes: Outcome[]; failed: Pick<Line, 'library' | 'failed'>[] } {
  const outcomes: Outcome[] = [];
  const failed: Pick<Line, 'library' | 'failed'>[] = [];
  for (const line of lines) {
    try {
      outcomes.push(...outcomesOf([line], data));
    } catch (error) {
      if (!(error instanceof ForbiddenRow)) throw error;
      failed.push({ library: line.library, failed: error.message });
    }
  }
  return { outcomes, failed };
}

/** Measures this project in a process of its own, as the peers are. */
async function own(data: Exported, source: Source, run: string, onOne: boolean): Promise<Outcome[]> {
  const { dir, unit, questionsDir, dimensions, k } = data;
  const job: OwnJob = { dir, unit, questionsDir, folder: source.folder, k, dimensions, run };
  const script = fileURLToPath(new URL('./own.js', import.meta.url));
  if (!existsSync(questionsDir)) mkdirSync(questionsDir);
  return outcomesOf(await linesOf(process.execPath, [script, JSON.stringify(job)], { onOne }), data);
}

interface Measured {
  source: Source;
  data: Exported;
  built: readonly Line[];
  lines: readonly Line[];
  outcomes: readonly Outcome[];
  /** Processor time of this project after the peers, relative to before. */
  drift: number;
  /** Whether every library is kept on one processor. */
  onOne: boolean;
}

function casesOf(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ library }) => library === OWN);
}

function aboutOf({ source, data, built, lines, outcomes, drift, onOne }: Measured): string {
  const rows = casesOf(outcomes).map((ours) => ({ ours, best: bestPeer(outcomes, ours.case, ours) }));
  const named = rows.map(({ ours, best }) => {
    const missed = reaches(ours, GOAL) ? '' : ` (${OWN} misses the goal)`;
    return `${ours.case}: ${best ? `${best.library}, ${best.setting || 'no setting'}` : 'none'}${missed}`;
  });
  const lost = rows.filter(({ ours, best }) => best && meanOf(best.cpu) < meanOf(ours.cpu));
  const unjudged = rows.filter(({ ours }) => !reaches(ours, GOAL));
  const called = lines.find(({ callMs }) => callMs !== undefined)?.callMs;
  const failures = [...built, ...lines].flatMap(({ library, failed }) =>
    failed ? [`${library}: ${failed}`] : [],
  );
  return [
    source.about,
    `${count(data.rows)} passages of ${data.dimensions} dimensions, ${source.questions.length} questions.`,
    data.unit === 'documents'
      ? `A search asks for the best ${K} of ${count(data.docs.at(-1)! + 1)} documents, each by its best passage. A peer is asked for the least number of passages whose documents reach the recall in an exact scan, or for two larger numbers; the cheapest counts. Grouping its passages by document is not in its time.`
      : `A search asks for the best ${K} passages; every passage counts as a document, for ${OWN} too.`,
    `Recall is measured against brute force in float32, of the first 10 and of all ${K}. Each peer has the cheapest setting that reaches a recall@10 of ${GOAL.at10} and a recall@50 of ${GOAL.at50} over all questions, or what ${OWN} reaches if that is lower. ${OWN} has no setting: its plan aims at this recall.`,
    `CPU is the mean processor time of a question, wall the median time on the clock. Intervals: bootstrap over questions, 95 %.`,
    onOne && canPin()
      ? 'Each library runs alone, in one thread, on one processor.'
      : 'Each library runs alone, in one thread; it is not kept on one processor.',
    `FAISS, hnswlib, USearch, ScaNN and NumPy get the rows that pass a filter ready, as bitmap or numbers; ${OWN} and LanceDB evaluate the filter in every search ("filter ready": without that).`,
    `"–": no setting reaches the recall in time, or the library is not for this filter. A library over twice as slow as the fastest is measured with a tenth of the questions, and cannot be the best.`,
    `${OWN} after the peers, relative to before: ${drift.toFixed(2)}.`,
    called === undefined
      ? ''
      : `The figures of the peers contain the call from Python: of FAISS, ${(called * 1000).toFixed(0)} µs.`,
    lost.length === 0
      ? `${OWN} is slower than the best peer in no row.`
      : `**${OWN} is slower than the best peer in ${lost.length} of ${rows.length} rows: ${lost.map(({ ours }) => ours.case).join('; ')}.**`,
    unjudged.length === 0
      ? ''
      : `**${OWN} misses the recall goal in ${unjudged.length} rows: ${unjudged.map(({ ours }) => ours.case).join('; ')}.** There the peers stop at its recall.`,
    `The best peer of each row: ${named.join('; ')}.`,
    `Settings: ${built.flatMap(({ library, about }) => (about ? [`${library}: ${about}`] : [])).join('. ')}.`,
    failures.length > 0 ? `Failed: ${failures.join('; ')}.` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

function count(number: number): string {
  return number.toLocaleString('en');
}

const GEOMETRIC = 'all filters, geometric mean';

/** The best peer of each case against this project, and their geometric mean. */
function headline(outcomes: readonly Outcome[]): Figure[] {
  const rows = casesOf(outcomes).flatMap((ours) => {
    const best = bestPeer(outcomes, ours.case, ours);
    return best ? [{ ours, best }] : [];
  });
  if (rows.length === 0) return [];
  const figure = (measure: string, metric: string, { mean, low, high, n }: Estimate): Figure => ({
    measure,
    metric: `best peer ÷ ${OWN}, ${metric}`,
    variant: 'best peer',
    unit: '×',
    interval: true,
    value: mean,
    low,
    high,
    n,
  });
  const pairs = (theirs: 'cpu' | 'wall', ours: 'cpu' | 'wall' | 'ready') =>
    rows.map((row) => ({ ours: row.ours[ours], theirs: row.best[theirs] }));
  return [
    figure(GEOMETRIC, 'CPU', ratioOf(pairs('cpu', 'cpu'))),
    figure(GEOMETRIC, 'CPU, filter ready', ratioOf(pairs('cpu', 'ready'))),
    figure(GEOMETRIC, 'wall', ratioOf(pairs('wall', 'wall'))),
    ...rows.map(({ ours, best }) =>
      figure(ours.case, 'CPU', {
        ...ratioOf([{ ours: ours.cpu, theirs: best.cpu }]),
        n: ours.cpu.length,
      }),
    ),
  ];
}

function cellsOf(outcomes: readonly Outcome[], lines: readonly Line[]): Figure[] {
  const libraries = [...new Set([OWN, ...lines.flatMap((line) => (line.case ? [line.library] : []))])];
  return casesOf(outcomes).flatMap((ours) =>
    libraries.flatMap((library): Figure[] => {
      const one = outcomes.find((outcome) => outcome.library === library && outcome.case === ours.case);
      const seen = lines.find((line) => line.library === library && line.case === ours.case)?.best ?? [];
      const at = { measure: ours.case, variant: library, n: ours.cpu.length };
      const cpu = estimate(one?.cpu ?? []);
      const recall = (metric: string, values: number[] | undefined, other: number | undefined): Figure => {
        const { mean, low, high } = estimate(values ?? []);
        return { ...at, metric, value: values ? mean : (other ?? Number.NaN), low, high };
      };
      return [
        {
          ...at,
          metric: 'CPU',
          unit: 'ms',
          value: cpu.mean,
          low: cpu.low,
          high: cpu.high,
          interval: library === OWN,
        },
        ...(library === OWN
          ? [{ ...at, metric: 'CPU, filter ready', unit: 'ms', value: meanOf(ours.ready) }]
          : []),
        { ...at, metric: 'wall, p50', unit: 'ms', value: median(one?.wall ?? []) },
        recall('recall@10', one?.at10, seen[0]),
        recall('recall@50', one?.at50, seen[1]),
      ];
    }),
  );
}

function builtFigures(built: readonly Line[]): Figure[] {
  return built.flatMap(({ library, builtCpuSeconds }): Figure[] => {
    if (builtCpuSeconds === undefined) return [];
    const at = { measure: 'index', metric: 'CPU to build it, if it was not there', variant: library };
    return [{ ...at, unit: 's', value: builtCpuSeconds, n: 1, detail: true }];
  });
}

function plotsOf(outcomes: readonly Outcome[], { cases }: Exported): Plot[] {
  const shareOf = (name: string) => cases.find((one) => one.name === name)!.share * 100;
  const libraries = [...new Set(outcomes.map(({ library }) => library))];
  return [
    {
      title: 'Processor time by the share of passages that pass a filter by dates',
      x: { label: 'passages that pass the filter, %', log: true },
      y: { label: 'ms', log: true },
      series: libraries.map((library) => ({
        name: library,
        points: outcomes.flatMap((one): [number, number][] =>
          one.library === library && !one.case.startsWith('class')
            ? [[shareOf(one.case), meanOf(one.cpu)]]
            : [],
        ),
      })),
    },
  ];
}
