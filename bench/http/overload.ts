/** Load of five times the server's capacity, for two minutes. */
import { QUIET_SHARE, untilQuiet } from '../machine.js';
import type { Figure } from '../result.js';
import { ADAPTERS, type Bench, type Part } from './http.js';
import { figures, loaded, type Run } from './runs.js';
import type { Served } from './served.js';

const TIMES = 5;
const UNLOADED = 0.2;
/** Maximum time to wait until other processes are idle, before each adapter, s. */
const PATIENCE_S = 600;

interface Lengths {
  warming: number;
  capacity: number;
  unloaded: number;
  overload: number;
}

const LENGTHS: Lengths = { warming: 7, capacity: 20, unloaded: 40, overload: 120 };
const SHORT: Lengths = { warming: 1, capacity: 3, unloaded: 3, overload: 5 };

export const overload: Part = {
  id: 'overload',
  title: 'Overload',
  about: ({ short }) => {
    const { unloaded, overload } = short ? SHORT : LENGTHS;
    return (
      `Searches at ${TIMES} times the rate that 8 clients without pauses reach, for ${overload} s, beside the same at a fifth of it for ${unloaded} s before and after. ` +
      'Goals: the p99 of accepted requests is at most three times the lower p99 of these two, other requests are refused at once, and memory does not grow between a third of the time and the end. ' +
      `"taken by others" is the share of the machine's processors that other processes used meanwhile: above ${QUIET_SHARE * 100} %, they dominate the latencies.`
    );
  },
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) {
      found.push(
        ...(await bench.serving(adapter, async (served) => {
          await quiet(bench, adapter);
          return overloaded(bench, adapter, served);
        })),
      );
    }
    return found;
  },
};

/** Waits until the processors are idle. The server is started but has no requests. */
async function quiet(bench: Bench, adapter: string): Promise<void> {
  const share = await untilQuiet(bench.short ? 0 : PATIENCE_S);
  if (share > QUIET_SHARE) {
    bench.progress(`  ${adapter}: ${percent(share)} of the processors are in use before the first request`);
  }
}

async function overloaded(bench: Bench, adapter: string, served: Served): Promise<Figure[]> {
  const { searches } = bench.data;
  const seconds = bench.short ? SHORT : LENGTHS;
  await loaded(served, searches, { seconds: seconds.warming, connections: 8 });
  const most = await loaded(served, searches, { seconds: seconds.capacity, connections: 8 });
  const capacity = most.goodPerSecond;
  const calm = async (seed: number) => {
    const rate = capacity * UNLOADED;
    const run = await loaded(served, searches, { rate, seconds: seconds.unloaded, connections: 200, seed });
    bench.progress(`  ${adapter}: ${rate.toFixed(0)}/s, ${described(run)}`);
    return run;
  };
  const before = await calm(1);
  let early = 0;
  const third = setTimeout(
    () => {
      early = served.cost().memory;
    },
    (seconds.overload * 1000) / 3,
  );
  const rate = capacity * TIMES;
  const run = await loaded(served, searches, { rate, seconds: seconds.overload, connections: 2_000 });
  clearTimeout(third);
  const memory = served.cost().memory;
  bench.progress(`  ${adapter}: ${rate.toFixed(0)}/s, ${described(run)}, ${JSON.stringify(run.statuses)}`);
  const after = await calm(2);
  const unloaded = Math.min(before.answered.p99, after.answered.p99);
  const refused = run.byKind['503'];
  const asked = Object.values(run.statuses).reduce((sum, count) => sum + count, run.unanswered);
  const { p50, p99, p999, n } = run.answered;
  return figures(`${TIMES} times the capacity`, adapter, n, {
    'capacity a second': [capacity, '/s'],
    'p99 unloaded, before': [before.answered.p99, 'ms'],
    'p99 unloaded, after': [after.answered.p99, 'ms'],
    'p50 of accepted': [p50, 'ms'],
    'p99 of accepted': [p99, 'ms'],
    'p99.9 of accepted': [p999, 'ms'],
    'p99 against unloaded': [p99 / unloaded, '×'],
    'accepted a second': [run.goodPerSecond, '/s'],
    'refused with 503': [((refused?.n ?? 0) / asked) * 100, '%'],
    'neither answered nor refused': [(1 - (n + (refused?.n ?? 0)) / asked) * 100, '%'],
    'p50 of refusals': [refused?.p50 ?? Number.NaN, 'ms'],
    'p99 of refusals': [refused?.p99 ?? Number.NaN, 'ms'],
    'memory after a third': [early / 1e6, 'MB'],
    'memory at the end': [memory / 1e6, 'MB'],
    'event loop lag p99': [run.lagMs, 'ms'],
    'sent late p99': [run.late.p99, 'ms'],
    'taken by others, unloaded': [Math.max(before.othersShare, after.othersShare) * 100, '%'],
    'taken by others, overloaded': [run.othersShare * 100, '%'],
  });
}

function described({ answered, othersShare }: Run): string {
  return `p99 ${answered.p99.toFixed(1)} ms, others took ${percent(othersShare)} of the processors`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
