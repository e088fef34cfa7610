/** One load on one server: what came back, and what it cost. */
import { availableParallelism } from 'node:os';
import { busySeconds } from '../machine.js';
import type { Figure } from '../result.js';
import { generate, type Load, type Measured, type Message } from './generator.js';
import type { Served } from './served.js';

export interface Run extends Measured {
  /** Processor time of the server for each request that it answered in any way, µs. */
  cpuMicros: number;
  /** The longest that 99 % of the turns of the event loop were late, ms. */
  lagMs: number;
  /** Answers of 2xx and 3xx a second; of all that were asked, those that were not. */
  goodPerSecond: number;
  failedShare: number;
  /** Of the machine's processors, what other processes and the host took meanwhile; NaN where it cannot be told. */
  othersShare: number;
}

type Options = Pick<Load, 'seconds' | 'connections'> & Partial<Pick<Load, 'rate' | 'seed'>>;

export async function loaded(served: Served, requests: readonly Message[], options: Options): Promise<Run> {
  await served.metrics();
  const [before, busy, own, started] = [served.cost(), busySeconds(), process.cpuUsage(), performance.now()];
  const measured = await generate({
    host: '127.0.0.1',
    port: served.port,
    patienceSeconds: 5,
    seed: 1,
    ...options,
    requests,
  });
  const cpu = served.cost().cpu - before.cpu;
  const { user, system } = process.cpuUsage(own);
  const others = busySeconds() - busy - cpu - measured.cpuSeconds - (user + system) / 1e6;
  const there = ((performance.now() - started) / 1000) * availableParallelism();
  const metrics = await served.metrics();
  const answers = Object.values(measured.statuses).reduce((sum, count) => sum + count, 0);
  const good = measured.answered.n;
  return {
    ...measured,
    cpuMicros: (cpu * 1e6) / answers,
    lagMs: (metrics.get('nodejs_eventloop_lag_p99_seconds') ?? Number.NaN) * 1000,
    goodPerSecond: good / options.seconds,
    failedShare: 1 - good / (answers + measured.unanswered),
    othersShare: Math.max(0, others / there),
  };
}

/** Figures of one row each. */
export function figures(
  measure: string,
  variant: string,
  n: number,
  values: Readonly<Record<string, [value: number, unit: string]>>,
): Figure[] {
  return Object.entries(values).map(([metric, [value, unit]]) => ({
    measure,
    metric,
    variant,
    value,
    unit,
    n,
  }));
}
