/** The figures of a running server for its operator: what the metrics hold, as one JSON document. */
import type { IndexState, PoolState } from './observations.js';

/** Durations of requests since the start of the server, ms; percentiles are estimated from buckets. */
export interface Latency {
  endpoint: string;
  requests: number;
  p50: number;
  p95: number;
  p99: number;
}

export interface Figures {
  /** Time since the start of the process, s. */
  uptime_s: number;
  latency: Latency[];
  pool?: PoolState;
  index?: IndexState;
  /** Share of the exact best ten that searches found; absent before the first check. */
  recall?: number;
  /** Bytes. */
  memory: { resident: number; heap: number };
}

/** Cumulative counts of a histogram, by the upper bound of the bucket, s, ascending. The last bound is infinite. */
export type Buckets = readonly { upTo: number; count: number }[];

/**
 * A percentile of a histogram, ms, between the bounds of its bucket in proportion to the counts. For the last
 * bucket, which has no upper bound, the lower bound.
 * @param share from 0 to 1
 */
export function percentile(buckets: Buckets, share: number): number {
  const wanted = share * (buckets.at(-1)?.count ?? 0);
  let [below, counted] = [0, 0];
  for (const { upTo, count } of buckets) {
    if (count >= wanted && count > counted) {
      const part = Number.isFinite(upTo) ? ((upTo - below) * (wanted - counted)) / (count - counted) : 0;
      return Math.round((below + part) * 1e5) / 100;
    }
    [below, counted] = [Number.isFinite(upTo) ? upTo : below, count];
  }
  return 0;
}
