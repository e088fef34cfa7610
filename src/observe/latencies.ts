/** Counts and durations of requests by endpoint, for the figures of an operator. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Latency } from './figures.js';

/** Digits that a histogram keeps of a duration: its error is at most 0.1 %. */
const DIGITS = 3;
/** Durations above this count as this long, µs. */
const LONGEST_US = 600e6;

/**
 * Requests by endpoint. Durations are kept in a histogram of HdrHistogram, about 160 KB for each endpoint that has
 * answered. Endpoints come from a table of the program, so the memory is bounded.
 */
export class Latencies {
  readonly #endpoints = new Map<string, EndpointLatency>();

  /**
   * @param ms from the head of the request to its answer
   * @param code X-Error-Code of the answer
   */
  add(endpoint: string, status: number, ms: number, code?: string): void {
    let known = this.#endpoints.get(endpoint);
    if (!known) {
      known = new EndpointLatency();
      this.#endpoints.set(endpoint, known);
    }
    known.add(status, ms, code);
  }

  /** Endpoints with most requests first. */
  list(): Latency[] {
    const all = [...this.#endpoints].map(([endpoint, latency]) => ({ endpoint, ...latency.figures() }));
    return all.sort((a, b) => b.requests - a.requests);
  }
}

class EndpointLatency {
  #requests = 0;
  #refused = 0;
  #failed = 0;
  #maintenance = 0;
  #durations: RecordableHistogram | undefined;
  #max = 0;

  add(status: number, ms: number, code: string | undefined): void {
    this.#requests++;
    // The operator wants these answers.
    if (code === 'maintenance') this.#maintenance++;
    else if (status >= 500) this.#failed++;
    else if (status >= 400) this.#refused++;
    else {
      this.#durations ??= createHistogram({ lowest: 1, highest: LONGEST_US, figures: DIGITS });
      this.#durations.record(Math.min(LONGEST_US, Math.max(1, Math.round(ms * 1000))));
      this.#max = Math.max(this.#max, ms);
    }
  }

  figures(): Omit<Latency, 'endpoint'> {
    const counts = {
      ...{ requests: this.#requests, refused: this.#refused, failed: this.#failed },
      ...(this.#maintenance === 0 ? {} : { maintenance: this.#maintenance }),
    };
    const durations = this.#durations;
    if (!durations) return counts;
    // The histogram names the upper end of a step, which may lie above the longest duration.
    const at = (percent: number) => hundredths(Math.min(durations.percentile(percent) / 1000, this.#max));
    return { ...counts, duration: { p50: at(50), p95: at(95), p99: at(99), max: hundredths(this.#max) } };
  }
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
