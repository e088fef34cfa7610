/**
 * The metrics at /metrics, in Prometheus' text format. Counters are incremented as events occur. Gauges are read when
 * /metrics is requested. Labels come from tables of the program, never from a client.
 */
import type { Figures } from './figures.js';
import { Latencies } from './latencies.js';
import type { AnsweredQuestion, IndexState, PoolState, RecallCount } from './observations.js';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from './prometheus.js';

/** Histogram buckets, s, from OpenTelemetry's conventions for http.server.request.duration. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Histogram buckets of search stages, s: from microseconds to the duration of a large reranker. */
const STAGE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Methods with a label of their own. All others share one, so that a client cannot add labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Weight of one check in the running mean of recall. */
const RECALL_WEIGHT = 0.01;

/** Functions that gauges are read from. */
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
    help: 'Segment scans by plan: exact, ivf, hnsw, codes, none',
    labelNames: ['scan'],
    registers: [this.#registry],
  });
  readonly #passages = new Counter({
    name: 'priorart_search_passages_total',
    help: 'Passages that searches read: estimated by an index, scored exactly',
    labelNames: ['how'],
    registers: [this.#registry],
  });
  readonly #replanned = new Counter({
    name: 'priorart_search_replanned_total',
    help: 'Segments whose index search was widened, or that were scanned as a whole against the plan (rescanned)',
    labelNames: ['how'],
    registers: [this.#registry],
  });
  readonly #recallChecks = new Counter({
    name: 'priorart_recall_checks_total',
    help: 'Searches that were repeated exactly to check them, and checks that failed',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #recallDocuments = new Counter({
    name: 'priorart_recall_documents_total',
    help: 'Documents among the exact best ten of checked searches: wanted, and those that the search found',
    labelNames: ['which'],
    registers: [this.#registry],
  });
  readonly #recall = new Gauge({
    name: 'priorart_recall_at_10',
    help: 'Share of the exact best ten that searches found, mean over about the last hundred checks',
    registers: [this.#registry],
  });
  /** Durations for operators. Buckets of Prometheus are too wide for percentiles. */
  readonly #latencies = new Latencies();
  #recallNow: number | undefined;
  #sources: MetricSources | undefined;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    // NaN until the first check, because 0 would raise an alarm.
    this.#recall.set(Number.NaN);
  }

  readonly contentType = this.#registry.contentType;

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The figures for an operator, since the start. */
  figures(): Figures {
    const { rss, heapUsed } = process.memoryUsage();
    const [pool, index] = [this.#sources?.pool(), this.#sources?.index()];
    return {
      uptime_s: Math.round(process.uptime()),
      latency: this.#latencies.list(),
      ...(pool ? { pool } : {}),
      ...(index ? { index } : {}),
      ...(this.#recallNow === undefined ? {} : { recall: this.#recallNow }),
      memory: { resident: rss, heap: heapUsed },
    };
  }

  /** @param ms from the request's head to its answer */
  requestFinished(request: {
    method: string;
    endpoint: string;
    status: number;
    ms: number;
    code?: string;
  }): void {
    this.#latencies.add(request.endpoint, request.status, request.ms, request.code);
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

  readonly answered = (answered: AnsweredQuestion): void => {
    const { kind, ms, waitedMs, timings, scans, passages, replanned, recall } = answered;
    this.#questions.observe({ kind }, ms / 1000);
    this.#waits.observe(waitedMs / 1000);
    for (const stage in timings) this.#stages.observe({ stage }, timings[stage]! / 1000);
    for (const scan of scans ?? []) this.#scans.inc({ scan });
    for (const [how, count] of Object.entries(passages ?? {})) this.#passages.inc({ how }, count);
    for (const [how, count] of Object.entries(replanned ?? {})) this.#replanned.inc({ how }, count);
    if (recall) this.#checked(recall);
  };

  #checked({ checks, failed, wanted, found }: RecallCount): void {
    this.#recallChecks.inc({ outcome: 'done' }, checks);
    this.#recallChecks.inc({ outcome: 'failed' }, failed);
    this.#recallDocuments.inc({ which: 'wanted' }, wanted);
    this.#recallDocuments.inc({ which: 'found' }, found);
    if (wanted === 0) return;
    const recall = found / wanted;
    const weight = Math.min(1, checks * RECALL_WEIGHT);
    this.#recallNow =
      this.#recallNow === undefined ? recall : this.#recallNow + weight * (recall - this.#recallNow);
    this.#recall.set(this.#recallNow);
  }

  /** Registers the gauges that are read when /metrics is requested. To be called once. */
  watch(sources: MetricSources): void {
    const { connections, activeRequests, pool, index } = sources;
    this.#sources = sources;
    this.#gauge('http_server_active_requests', 'Requests in progress', activeRequests);
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
    this.#counter('priorart_queue_refused_total', 'Questions refused because the queue was full', () => {
      return pool()?.refused;
    });
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
