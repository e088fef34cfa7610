/** Five times what the server can answer, for two minutes. */
import type { Figure } from '../result.js';
import { ADAPTERS, type Bench, type Part } from './http.js';
import { figures, loaded } from './runs.js';

const TIMES = 5;
const UNLOADED = 0.2;

export const overload: Part = {
  id: 'overload',
  title: 'Overload',
  about: ({ short }) =>
    `Searches at ${TIMES} times the rate that 8 clients without pauses reach, for ${short ? 5 : 120} s, beside the same at a fifth of it. What is accepted is to take no longer than three times as long at p99, what is not is to be refused at once, and memory is not to grow: it is read after a third of the time and at the end.`,
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) found.push(...(await overloaded(bench, adapter)));
    return found;
  },
};

async function overloaded(bench: Bench, adapter: (typeof ADAPTERS)[number]): Promise<Figure[]> {
  const { searches } = bench.data;
  const [seconds, calm] = bench.short ? [5, 3] : [120, 20];
  return bench.serving(adapter, async (served) => {
    await loaded(served, searches, { seconds: calm / 3, connections: 8 });
    const most = await loaded(served, searches, { seconds: calm, connections: 8 });
    const capacity = most.goodPerSecond;
    const unloaded = await loaded(served, searches, {
      rate: capacity * UNLOADED,
      seconds: calm,
      connections: 200,
    });
    bench.progress(
      `  ${adapter}: ${capacity.toFixed(0)}/s at most, p99 ${unloaded.answered.p99.toFixed(1)} ms unloaded`,
    );
    let early = 0;
    const third = setTimeout(
      () => {
        early = served.cost().memory;
      },
      (seconds * 1000) / 3,
    );
    const run = await loaded(served, searches, { rate: capacity * TIMES, seconds, connections: 2_000 });
    clearTimeout(third);
    const refused = run.byKind['503'];
    const asked = Object.values(run.statuses).reduce((sum, count) => sum + count, run.unanswered);
    const { p50, p99, p999, n } = run.answered;
    bench.progress(`  ${adapter}: p99 ${p99.toFixed(1)} ms, statuses ${JSON.stringify(run.statuses)}`);
    return figures(`${TIMES} times the capacity`, adapter, n, {
      'capacity a second': [capacity, '/s'],
      'p99 unloaded': [unloaded.answered.p99, 'ms'],
      'p50 of accepted': [p50, 'ms'],
      'p99 of accepted': [p99, 'ms'],
      'p99.9 of accepted': [p999, 'ms'],
      'p99 against unloaded': [p99 / unloaded.answered.p99, '×'],
      'accepted a second': [run.goodPerSecond, '/s'],
      'refused with 503': [((refused?.n ?? 0) / asked) * 100, '%'],
      'neither answered nor refused': [(1 - (n + (refused?.n ?? 0)) / asked) * 100, '%'],
      'p50 of refusals': [refused?.p50 ?? Number.NaN, 'ms'],
      'p99 of refusals': [refused?.p99 ?? Number.NaN, 'ms'],
      'memory after a third': [early / 1e6, 'MB'],
      'memory at the end': [served.cost().memory / 1e6, 'MB'],
      'event loop lag p99': [run.lagMs, 'ms'],
      'sent late p99': [run.late.p99, 'ms'],
    });
  });
}
