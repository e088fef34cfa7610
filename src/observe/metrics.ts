/**
 * What a monitoring system reads at /metrics, in Prometheus' text format. Counted where it happens; gauges are asked
 * for when somebody reads. Labels come from tables of the program, never from a client.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredQuestion, IndexState, PoolState } from './observations.js';

/** Of OpenTelemetry's conventions for http.server.request.duration, s. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Stages of a search take from microseconds to what a large reranker takes, s. */
const STAGE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Whatever else a client sends as a method is one label, or it could make as many as it likes. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What gauges are read from. */
export interface MetricSources {
  connections(): number;
  activeRequests(): number;
  pool(): PoolState | undefined;
  index(): IndexState | undefined;
}

/** The metrics of one server. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request to its answer, by endpoint',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  readonly #questions = new Histogram({
    name: 'priorart_question_duration_seconds',
    help: 'Time that a question took on its worker',
    labelNames: ['kind'],
    buckets: STAGE_SECONDS,
    registers: [this.#registry],
  });
  readonly #waits = new Histogram({
    name: 'priorart_queue_wait_seconds',
    help: 'Time that a question waited for a worker',
    buckets: STAGE_SECONDS,
    registers: [this.#registry],
  });
  readonly #stages = new Histogram({
    name: 'priorart_search_stage_duration_seconds',
    help: 'Time of each stage of a search: embed, filter, knn, rerank, fetch',
    labelNames: ['stage'],
    buckets: STAGE_SECONDS,
    registers: [this.#registry],
  });
  readonly #scans = new Counter({
    name: 'priorart_segment_scans_total',
    help: 'How the planner had segments scanned: exact, ivf, hnsw, none',
    labelNames: ['scan'],
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  readonly contentType = this.#registry.contentType;

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** @param ms from the request's head to its answer */
  requestFinished(request: { method: string; endpoint: string; status: number; ms: number }): void {
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    this.#requests.observe(
      {
        http_request_method: method,
        http_route: request.endpoint,
        http_response_status_code: request.status,
      },
      request.ms / 1000,
    );
  }

  readonly answered = ({ kind, ms, waitedMs, timings, scans }: AnsweredQuestion): void => {
    this.#questions.observe({ kind }, ms / 1000);
    this.#waits.observe(waitedMs / 1000);
    for (const stage in timings) this.#stages.observe({ stage }, timings[stage]! / 1000);
    for (const scan of scans ?? []) this.#scans.inc({ scan });
  };

  /** Gauges that are read from elsewhere when somebody asks. To be called once. */
  watch(sources: MetricSources): void {
    const { connections, activeRequests, pool, index } = sources;
    this.#gauge('http_server_active_requests', 'Requests whose answers are not out yet', activeRequests);
    this.#gauge('http_server_open_connections', 'Open connections', connections);
    this.#gauge('priorart_pool_workers', 'Worker threads', () => pool()?.workers);
    this.#gauge('priorart_pool_slots', 'Questions that may run at once', () => pool()?.parallel);
    this.#gauge('priorart_pool_running', 'Questions that run', () => pool()?.running);
    this.#gauge('priorart_queue_waiting', 'Questions that wait for a worker', () => pool()?.waiting);
    this.#gauge('priorart_queue_limit', 'Questions that may wait', () => pool()?.waitingMax);
    this.#gauge('priorart_queue_shedding', '1 while questions are refused to keep waits short', () => {
      const state = pool();
      return state && Number(state.shedding);
    });
    this.#counter(
      'priorart_queue_refused_total',
      'Questions that were refused since the queue was full',
      () => {
        return pool()?.refused;
      },
    );
    this.#gauge('priorart_index_generation', 'Commits of the index so far', () => index()?.generation);
    this.#gauge('priorart_index_documents', 'Publications in the index', () => index()?.documents);
    this.#gauge('priorart_index_passages', 'Passages in the index', () => index()?.passages);
    this.#gauge('priorart_index_segments', 'Segments of the index', () => index()?.segments);
    this.#gauge('priorart_index_bytes', 'Bytes of segments and their indexes', () => index()?.bytes);
  }

  #gauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        const value = read();
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  }

  #counter(name: string, help: string, read: () => number | undefined): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read() ?? 0);
      },
    });
  }
}
