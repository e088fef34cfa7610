/**
 * `node dist/bench/ingest/beside.js --data FOLDER [--rounds 4] [--seconds 12] [--rate 20]`: how much slower searches are
 * during an ingest and during a merge that builds an index. A `priorart serve` gets requests at a fixed rate, in
 * alternating windows: alone, with `priorart ingest` of new documents, with merges. Each round has every window, so that
 * other work on the machine affects them equally. FOLDER, a generated one (bench/corpus), is changed: use a copy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mergeSegments } from '../../src/index/merge.js';
import { Store } from '../../src/store/store.js';
import { Blocks } from '../corpus/blocks.js';
import type { CorpusState } from '../corpus/build.js';
import { readMeasured } from '../corpus/shape.js';
import { readVocabulary } from '../corpus/vocabulary.js';
import { keyOf } from '../http/data.js';
import type { Message } from '../http/generator.js';
import { loaded, type Run } from '../http/runs.js';
import type { Served } from '../http/served.js';
import { serving } from '../http/serving.js';
import { mixOf, requestsOf } from '../latency/requests.js';

const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    rate: { type: 'string', default: '20' },
    /** Merges FOLDER repeatedly. For the child process of this program. */
    merge: { type: 'string' },
  },
});

/** Load besides the server: none, `priorart ingest`, the same at normal priority, merges. */
const WINDOWS = ['idle', 'ingest', 'ingest --nice 0', 'merge'] as const;
type Window = (typeof WINDOWS)[number];
/** A run, with the time that the server's threads waited for a processor, µs a request. */
type Beside = Run & { waitedMicros: number };
const QUESTIONS = 300;
/** Blocks in a file: more than a window can ingest. */
const BLOCKS_A_FILE = 40;

if (values.merge !== undefined) await mergeForever(values.merge);
else if (values.data !== undefined) await main(values.data);
else {
  console.error(
    'usage: node dist/bench/ingest/beside.js --data FOLDER [--rounds N] [--seconds S] [--rate R]',
  );
  process.exit(2);
}

/** Merges all segments into one and builds its index; then deletes a document, so that the next merge has work. */
async function mergeForever(dir: string): Promise<void> {
  for (;;) {
    const store = Store.open(dir);
    const { deleteDocuments } = await import('../../src/store/commit.js');
    const [first] = [...store.documents.getRange({ limit: 1 })];
    deleteDocuments(store, [first!.value.patent_id]);
    const began = performance.now();
    await mergeSegments(store, { full: true });
    console.log(`merge: ${Math.round(performance.now() - began)} ms`);
    await store.close();
  }
}

async function main(dir: string): Promise<void> {
  const state = JSON.parse(readFileSync(join(dir, 'corpus.json'), 'utf8')) as CorpusState;
  const blocks = new Blocks(readVocabulary(), readMeasured(), state.seed);
  const messages = mixOf(requestsOf(await keyOf(dir), blocks.questions(QUESTIONS, state.blocks)));
  const seconds = Number(values.seconds);
  const temporary = mkdtempSync(join(tmpdir(), 'priorart-beside-'));
  const runs: Record<Window, Beside[]> = { idle: [], ingest: [], 'ingest --nice 0': [], merge: [] };
  let block = state.blocks;
  try {
    await serving(dir, 'uws', async (served) => {
      await loaded(served, messages, { seconds: 5, rate: Number(values.rate), connections: 100 });
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const window of WINDOWS) {
          const file = join(temporary, 'new.jsonl');
          writeFileSync(file, '');
          for (const end = block + BLOCKS_A_FILE; window.startsWith('ingest') && block < end; block++) {
            const lines = blocks.patents(block).map((patent) => `${JSON.stringify(patent)}\n`);
            writeFileSync(file, lines.join(''), { flag: 'a' });
          }
          const run = await measured(served, messages, window, { dir, file, seconds });
          runs[window].push(run);
          show(`${round + 1} ${window}`, run);
        }
      }
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  for (const window of WINDOWS.slice(1)) {
    for (const what of ['p50', 'p99', 'cpu'] as const) {
      const ratios = runs[window].map((run, n) => figure(run, what) / figure(runs.idle[n]!, what));
      console.log(
        `${window}: ${what} ${median(ratios).toFixed(2)} times that of idle (${ratios.map((x) => x.toFixed(2)).join(', ')})`,
      );
    }
  }
}

function figure(run: Run, what: 'p50' | 'p99' | 'cpu'): number {
  return what === 'cpu' ? run.cpuMicros : run.answered[what];
}

async function measured(
  served: Served,
  messages: readonly Message[],
  window: Window,
  { dir, file, seconds }: { dir: string; file: string; seconds: number },
): Promise<Beside> {
  const beside = started(window, dir, file);
  // The process may end before the window does.
  const ended = new Promise((resolve) => beside?.once('exit', resolve));
  try {
    if (beside) await sleep(1_500); // Time to start the process.
    const before = served.waitedForProcessor();
    const run = await loaded(served, messages, { seconds, rate: Number(values.rate), connections: 100 });
    return { ...run, waitedMicros: (1e6 * (served.waitedForProcessor() - before)) / run.answered.n };
  } finally {
    if (beside) {
      beside.kill('SIGKILL');
      await ended;
    }
  }
}

function started(window: Window, dir: string, file: string): ChildProcess | undefined {
  if (window === 'idle') return undefined;
  const args =
    window === 'merge'
      ? [fileURLToPath(import.meta.url), '--merge', dir]
      : [CLI, ...window.split(' '), '--data', dir, file];
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

function show(what: string, { answered, cpuMicros, waitedMicros, statuses, late, lagMs }: Beside): void {
  const ms = [answered.p50, answered.p90, answered.p99, answered.max].map((x) => x.toFixed(1)).join(' / ');
  const rest = `CPU ${(cpuMicros / 1000).toFixed(2)} ms, waited for a processor ${(waitedMicros / 1000).toFixed(2)} ms, ${JSON.stringify(statuses)}, loop ${lagMs.toFixed(1)} ms, sent late p99 ${late.p99.toFixed(1)} ms`;
  console.log(
    `${what}: ${answered.n} answers, p50 / p90 / p99 / longest ${ms} ms, ${rest}, load ${loadavg()[0]!.toFixed(1)}`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
