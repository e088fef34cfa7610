/** Runs one load on one server and measures answers and cost. */
import { availableParallelism } from 'node:os';
import { busySeconds } from '../machine.js';
import type { Figure } from '../result.js';
import { generate, type Load, type Measured, type Message } from './generator.js';
import type { Served } from './served.js';

export interface Run extends Measured {
  /** Processor time of the server per answered request, of any status, µs. */
  cpuMicros: number;
  /** Delay of the event loop, 99th percentile, ms. */
  lagMs: number;
  /** 2xx and 3xx answers a second; share of all requests that were not answered so. */
  goodPerSecond: number;
  failedShare: number;
  /** Share of the machine's processors that other processes and the host used meanwhile; NaN if unknown. */
  othersShare: number;
}

interface Options extends Pick<Load, 'seconds' | 'connections'>, Partial<Pick<Load, 'rate' | 'seed'>> {
  /** Processors of the load generator; default: all. */
  processors?: readonly number[] | undefined;
}

export async function loaded(
  served: Served,
  requests: readonly Message[],
  { processors, ...options }: Options,
): Promise<Run> {
  await served.metrics();
  const [before, busy, own, started] = [served.cost(), busySeconds(), process.cpuUsage(), performance.now()];
  const load = { host: '127.0.0.1', port: served.port, patienceSeconds: 5, seed: 1, ...options, requests };
  const measured = await generate(load, processors);
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

/** Makes one figure for each metric. */
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
