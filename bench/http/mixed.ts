/** A typical mix of requests at rising rates, until the server is overloaded. */
import type { Figure } from '../result.js';
import { ADAPTERS, type Bench, type Part } from './http.js';
import { figures, loaded, type Run } from './runs.js';

/** Rates as shares of the saturation rate, which clients without pauses reach. */
const STEPS = [0.25, 0.5, 0.7, 0.85, 1, 1.2];
/** Share of failed requests above which the server counts as overloaded. */
const FAILED_MAX = 0.01;

export const mixed: Part = {
  id: 'mix',
  title: 'A realistic mix at rising rates',
  about: ({ data }) =>
    `${data.documents} publications, ${data.passages} passages. 70 % searches, half of them with filters, 15 % details of 1 to 10 patents, 10 % statistics by four axes, 5 % coverage and drawings; one load generator in a separate process, Poisson arrivals fixed in advance, latency from the time that a request was due. The rates are shares of the rate that 8 clients without pauses reach. CPU is that of the whole server process, workers included, per request; lag is that of the event loop.`,
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) found.push(...(await rising(bench, adapter)));
    return found;
  },
};

async function rising(bench: Bench, adapter: (typeof ADAPTERS)[number]): Promise<Figure[]> {
  const seconds = bench.short ? 2 : 15;
  const { mix } = bench.data;
  return bench.serving(adapter, async (served) => {
    await loaded(served, mix, { seconds: bench.short ? 1 : 5, connections: 8 });
    const most = await loaded(served, mix, { seconds, connections: 8 });
    bench.progress(`  ${adapter}: ${most.goodPerSecond.toFixed(0)} a second by 8 clients without pauses`);
    const found = figures('8 clients without pauses', adapter, most.answered.n, {
      'answered a second': [most.goodPerSecond, '/s'],
      'CPU a request': [most.cpuMicros, 'µs'],
    });
    for (const step of STEPS) {
      const rate = most.goodPerSecond * step;
      const run = await loaded(served, mix, { rate, seconds, connections: 1_000 });
      bench.progress(`  ${adapter}: ${rate.toFixed(0)}/s, p99 ${run.answered.p99.toFixed(1)} ms`);
      found.push(...rowsOf(`${Math.round(step * 100)} % of it`, adapter, rate, run));
      if (run.failedShare > FAILED_MAX) break;
    }
    return found;
  });
}

function rowsOf(measure: string, adapter: string, rate: number, run: Run): Figure[] {
  const { answered, byKind } = run;
  return figures(measure, adapter, answered.n, {
    'arrivals a second': [rate, '/s'],
    p50: [answered.p50, 'ms'],
    p90: [answered.p90, 'ms'],
    p99: [answered.p99, 'ms'],
    'p99.9': [answered.p999, 'ms'],
    'p99 of searches': [byKind['semantic']?.p99 ?? Number.NaN, 'ms'],
    failed: [run.failedShare * 100, '%'],
    'CPU a request': [run.cpuMicros, 'µs'],
    'event loop lag p99': [run.lagMs, 'ms'],
    'sent late p99': [run.late.p99, 'ms'],
  });
}
