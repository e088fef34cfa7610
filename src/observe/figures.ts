/** The figures of a running server for its operator, as one JSON document. */
import type { IndexState, PoolState } from './observations.js';

/** Requests of an endpoint since the start of the server. */
export interface Latency {
  endpoint: string;
  requests: number;
  /** Answered with 4xx. */
  refused: number;
  /** Answered with 5xx, but for those of maintenance. */
  failed: number;
  /** Refused because of maintenance; absent if there were none. */
  maintenance?: number;
  /** Durations of the other requests; absent if there are none. */
  duration?: Durations;
}

/** ms. A percentile is at most 0.1 % higher than the duration of that rank; the maximum is exact. */
export interface Durations {
  p50: number;
  p95: number;
  p99: number;
  max: number;
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
