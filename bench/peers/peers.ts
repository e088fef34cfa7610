/** `npm run bench -- peers`: compares this project with other libraries at equal vectors, filters, k and recall. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedCorpus } from '../corpus/cached.js';
import { ROOT } from '../machine.js';
import { Target } from '../recall/target.js';
import type { Benchmark, Figure, Plot, Section, Setting } from '../result.js';
import { wantedOf } from '../sections.js';
import { exported } from './export.js';
import { own } from './own.js';

const SIZES = { short: [30_000], whole: [200_000] };
const K = 10;
/** The recall goal of this project's plans. */
const RECALL = 0.99;
/** A lower recall that is common for libraries with a setting for it. */
const LESS = 0.95;
const OWN = 'priorart';

/** A measurement of one library: of its index, or of one case at one effort, or the reason for a failure. */
export interface Line {
  library: string;
  case?: string;
  effort?: number;
  recall?: number;
  cpuMs?: number;
  p50Ms?: number;
  builtSeconds?: number;
  builtCpuSeconds?: number;
  unsupported?: boolean;
  failed?: string;
}

export const peers: Benchmark = {
  name: 'peers',
  summary: 'the same vectors, filters, k and recall through FAISS alone, hnswlib, usearch and LanceDB',
  sections: ['peers'],
  run: async (setting) => {
    wantedOf(setting, [{ id: 'peers' }]);
    const sections: Section[] = [];
    for (const size of setting.passages ?? (setting.short ? SIZES.short : SIZES.whole)) {
      sections.push(await sectionOf(setting, size));
    }
    return { models: {}, sections };
  },
};

async function sectionOf(setting: Setting, size: number): Promise<Section> {
  const started = performance.now();
  const corpus = await cachedCorpus(size, setting.progress);
  const target = new Target(corpus.dir);
  const questions = setting.short ? 20 : 100;
  let lines: Line[];
  const notes: string[] = [];
  try {
    const dir = join(ROOT, '.bench', `peers-${corpus.name}${setting.short ? '-short' : ''}`);
    const data = await exported(corpus, target, dir, { k: K, recall: RECALL, questions });
    setting.progress(`${corpus.name}: ${OWN}`);
    lines = await own(data, target, K);
    const python = pythonWithPeers(setting);
    if ('missing' in python) notes.push(`No peers: ${python.missing}.`);
    else lines.push(...(await ask(python.path, dir, setting)));
  } finally {
    await target.close();
  }
  for (const { library, failed } of lines) if (failed) notes.push(`${library}: ${failed}.`);
  return {
    id: corpus.name,
    title: `The best ${K} of ${corpus.name} passages, at a recall of ${RECALL}`,
    about: `Vectors of generated documents, ${questions} questions, one thread (LanceDB: processor time of all of its threads). The effort of each library is raised until recall@${K} reaches ${RECALL} for a filter. "–": the library does not reach it, takes more than 250 ms, or has no filters in Python (usearch). FAISS, hnswlib and usearch get the rows that pass a filter as a ready bitmap; ${OWN} and LanceDB evaluate the filter each time. Every passage counts as a document, for ${OWN} too. "ratio" is processor time relative to ${OWN}, geometric mean over filters with equal weights. The plans of ${OWN} aim at this recall and have no setting for it; if its recall is lower, the others have to reach that lower recall. In the second ratio they stop at ${LESS}. The filter of hnswlib is a Python function, the only form that its interface accepts. OpenSearch is not compared: it cannot be installed from a package registry. ${notes.join(' ')}`,
    figures: figuresOf(lines),
    plots: plotsOf(lines),
    seconds: Math.round(performance.now() - started) / 1000,
    cpuSeconds: 0,
  };
}

/** The line of the least effort that reaches the recall, or this project's recall if that is lower. */
function reached(lines: readonly Line[], library: string, name: string, recall = RECALL): Line | undefined {
  const ours = lines.find((line) => line.library === OWN && line.case === name)?.recall ?? 1;
  const least = Math.min(recall, ours);
  return lines.find((line) => line.library === library && line.case === name && (line.recall ?? 0) >= least);
}

function figuresOf(lines: readonly Line[]): Figure[] {
  const libraries = [
    ...new Set(lines.filter(({ case: name }) => name !== undefined).map(({ library }) => library)),
  ];
  const cases = [...new Set(lines.flatMap(({ case: name }) => (name === undefined ? [] : [name])))];
  const cells = cases.flatMap((name) =>
    libraries.flatMap((library): Figure[] => {
      const line = reached(lines, library, name);
      const best = lines.filter((one) => one.library === library && one.case === name).at(-1);
      const at = { measure: name, variant: library, n: K };
      return [
        { ...at, metric: 'CPU', unit: 'ms', value: line?.cpuMs ?? Number.NaN },
        { ...at, metric: 'p50', unit: 'ms', value: line?.p50Ms ?? Number.NaN, detail: true },
        { ...at, metric: 'recall@10', value: line?.recall ?? best?.recall ?? Number.NaN },
      ];
    }),
  );
  const ratios = libraries.flatMap((library) =>
    [RECALL, LESS].map((recall): Figure => {
      const pairs = cases.flatMap((name) => {
        const [theirs, ours] = [reached(lines, library, name, recall), reached(lines, OWN, name)];
        return theirs && ours ? [Math.log(theirs.cpuMs! / ours.cpuMs!)] : [];
      });
      const value = pairs.length > 0 ? geometricMean(pairs) : Number.NaN;
      const measure = `all filters that it reached, recall ${recall}`;
      return { measure, variant: library, metric: 'ratio of CPU', unit: '×', value, n: pairs.length };
    }),
  );
  const built = lines.flatMap(({ library, builtCpuSeconds }): Figure[] =>
    builtCpuSeconds === undefined
      ? []
      : [
          {
            measure: 'index',
            metric: 'CPU to open or build it',
            variant: library,
            unit: 's',
            value: builtCpuSeconds,
            n: 1,
          },
        ],
  );
  return [...ratios, ...bestOfFaiss(lines, cases), ...cells, ...built];
}

/** FAISS with the best of its indexes chosen for each filter. */
function bestOfFaiss(lines: readonly Line[], cases: readonly string[]): Figure[] {
  const names = [...new Set(lines.map(({ library }) => library))].filter((name) => name.startsWith('faiss'));
  return [RECALL, LESS].flatMap((recall): Figure[] => {
    const pairs = cases.flatMap((name) => {
      const times = names.flatMap((library) => reached(lines, library, name, recall)?.cpuMs ?? []);
      const ours = reached(lines, OWN, name)?.cpuMs;
      return times.length > 0 && ours !== undefined ? [Math.log(Math.min(...times) / ours)] : [];
    });
    if (pairs.length === 0) return [];
    const measure = `the best of the four FAISS indexes for each filter, recall ${recall}`;
    const value = geometricMean(pairs);
    return [{ measure, metric: 'ratio of CPU', variant: 'best faiss', unit: '×', value, n: pairs.length }];
  });
}

function geometricMean(logarithms: readonly number[]): number {
  return Math.exp(logarithms.reduce((sum, x) => sum + x, 0) / logarithms.length);
}

function plotsOf(lines: readonly Line[]): Plot[] {
  const libraries = [...new Set(lines.map(({ library }) => library))];
  const shareOf = (name: string) => (name === 'no filter' ? 100 : Number(/dates, ([\d.]+)/.exec(name)?.[1]));
  return [
    {
      title: `Processor time by the share of passages that pass a filter by dates, recall ≥ ${RECALL}`,
      x: { label: 'passages that pass the filter, %', log: true },
      y: { label: 'ms', log: true },
      series: libraries.map((library) => ({
        name: library,
        points: [...new Set(lines.flatMap(({ case: name }) => name ?? []))].flatMap(
          (name): [number, number][] => {
            const share = shareOf(name);
            const line = reached(lines, library, name);
            return line && Number.isFinite(share) ? [[share, line.cpuMs!]] : [];
          },
        ),
      })),
    },
  ];
}

const PACKAGES = join(ROOT, 'bench/peers/packages.txt');

/** A Python environment with the peers, installed once in .bench. */
function pythonWithPeers({ progress }: Setting): { path: string } | { missing: string } {
  const wanted = createHash('sha256').update(readFileSync(PACKAGES)).digest('hex');
  const dir = join(ROOT, '.bench/peers-python');
  const path = join(dir, 'bin/python');
  const stamp = join(dir, 'packages');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { path };
  progress('installing the peers into .bench/peers-python');
  rmSync(dir, { recursive: true, force: true });
  const python = process.env['PRIORART_BENCH_PYTHON'] ?? 'python3';
  for (const [command, args] of [
    [python, ['-m', 'venv', dir]],
    [path, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', PACKAGES]],
  ] as const) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
    if (status === 0) continue;
    const reason = (error?.message ?? stderr).trim().split('\n').at(-1);
    return { missing: `${command} ${args[0]} ${args[1]} failed (${reason})` };
  }
  writeFileSync(stamp, wanted);
  return { path };
}

async function ask(python: string, dir: string, { progress }: Setting): Promise<Line[]> {
  const child = spawn(python, [join(ROOT, 'bench/peers/peers.py'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as Line;
    if (line.builtSeconds !== undefined)
      progress(`${line.library}: opened after ${line.builtSeconds.toFixed(1)} s`);
    lines.push(line);
  }
  const code = await ended;
  if (code !== 0) lines.push({ library: 'peers.py', failed: `ended with ${code}` });
  return lines;
}
