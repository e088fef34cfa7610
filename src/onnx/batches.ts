/**
 * Runs the rows of concurrent requests together. A run holds rows of similar length, because padding costs time. It
 * starts with the row that has waited longest, so that no row starves.
 *
 * onnxruntime-node computes on the calling thread: during a run, a worker handles neither requests nor timers. Runs are
 * therefore sized to take about ONNX_RUN_MS, by the speed of earlier runs. Rows that arrive meanwhile join the next run.
 */
import { PriorartError } from '../errors.js';
import { ONNX_BATCH_ROWS, ONNX_FIRST_RUN_TOKENS, ONNX_RUN_MS } from '../limits.js';
import type { TokenRow } from './tokenizer.js';

export interface BatchOptions {
  /** Whether the rows run before rows that are not urgent. */
  urgent?: boolean;
  signal?: AbortSignal | undefined;
  /** Milliseconds since 1970 (`Date.now()`). Rows not started by then are left out. */
  deadline?: number | undefined;
}

/** Rows of one request. */
interface Request<T> extends BatchOptions {
  results: (T | undefined)[];
  waiting: number;
  failed?: boolean;
  resolve(results: (T | undefined)[]): void;
  reject(error: unknown): void;
}

interface Job<T> {
  row: TokenRow;
  index: number;
  request: Request<T>;
}

export class RowBatches<T> {
  readonly #run: (rows: TokenRow[]) => Promise<T[]>;
  readonly #maxTokens: number;
  readonly #lookahead: number;
  #urgent: Job<T>[] = [];
  #patient: Job<T>[] = [];
  #running = false;
  #tokensPerMs: number | undefined;
  #maxRows: number = ONNX_BATCH_ROWS;

  /**
   * @param run computes one result a row
   * @param maxTokens of one run, padding included; a single row may have more
   * @param lookahead number of waiting rows that rows of similar length are chosen from; small if the order matters
   */
  constructor(run: (rows: TokenRow[]) => Promise<T[]>, maxTokens: number, lookahead: number) {
    this.#run = run;
    this.#maxTokens = maxTokens;
    this.#lookahead = lookahead;
  }

  /**
   * Computes one result a row, in the order of the rows. Undefined for rows that the deadline left out.
   * @throws PriorartError `cancelled` if the signal fires; any error of `run` for these rows
   */
  add(rows: readonly TokenRow[], options: BatchOptions = {}): Promise<(T | undefined)[]> {
    if (rows.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const results = new Array<T | undefined>(rows.length).fill(undefined);
      const request = { ...options, results, waiting: rows.length, resolve, reject };
      const queue = options.urgent ? this.#urgent : this.#patient;
      for (const [index, row] of rows.entries()) queue.push({ row, index, request });
      if (!this.#running) void this.#work();
    });
  }

  /**
   * Runs every row alone from now on: for graphs whose rows influence each other. Dynamic quantisation scales all rows of
   * a run by one number. With MiniLM in int8, the vectors of texts alone and among others had a cosine of 0.992 (median
   * of 128 texts; minimum 0.975), so that answers depended on concurrent requests.
   */
  oneByOne(): void {
    this.#maxRows = 1;
  }

  async #work(): Promise<void> {
    this.#running = true;
    try {
      for (let jobs = this.#next(); jobs.length > 0; jobs = this.#next()) {
        await this.#compute(jobs);
        // Lets the event loop handle requests and timers. New rows may join the next run.
        await new Promise((resume) => setImmediate(resume));
      }
    } finally {
      this.#running = false;
    }
  }

  /** The rows of the next run; empty if no row waits. */
  #next(): Job<T>[] {
    this.#urgent = this.#urgent.filter(isWanted);
    this.#patient = this.#patient.filter(isWanted);
    const queue = this.#urgent.length > 0 ? this.#urgent : this.#patient;
    const lead = queue[0];
    if (lead === undefined) return [];
    const budget = this.#budget();
    const distance = ({ row }: Job<T>) => Math.abs(row.ids.length - lead.row.ids.length);
    const near = queue.slice(0, this.#lookahead).sort((a, b) => distance(a) - distance(b));
    const chosen = new Set<Job<T>>();
    let width = 0;
    for (const job of near) {
      width = Math.max(width, job.row.ids.length);
      if (chosen.size > 0 && (chosen.size >= this.#maxRows || (chosen.size + 1) * width > budget)) break;
      chosen.add(job);
    }
    const rest = queue.filter((job) => !chosen.has(job));
    if (queue === this.#urgent) this.#urgent = rest;
    else this.#patient = rest;
    return [...chosen];
  }

  #budget(): number {
    const affordable =
      this.#tokensPerMs === undefined ? ONNX_FIRST_RUN_TOKENS : this.#tokensPerMs * ONNX_RUN_MS;
    return Math.min(this.#maxTokens, affordable);
  }

  async #compute(jobs: Job<T>[]): Promise<void> {
    try {
      const started = performance.now();
      const results = await this.#run(jobs.map(({ row }) => row));
      const width = Math.max(...jobs.map(({ row }) => row.ids.length));
      this.#learn((width * jobs.length) / (performance.now() - started));
      for (const [n, job] of jobs.entries()) finish(job, results[n]);
    } catch (error) {
      const requests = [...new Set(jobs.map(({ request }) => request))];
      // A request whose text the graph cannot read must not fail the other requests in the run.
      if (requests.length === 1) return fail(requests[0]!, error);
      for (const request of requests) await this.#compute(jobs.filter((job) => job.request === request));
    }
  }

  #learn(tokensPerMs: number): void {
    this.#tokensPerMs =
      this.#tokensPerMs === undefined ? tokensPerMs : 0.7 * this.#tokensPerMs + 0.3 * tokensPerMs;
  }
}

/** Whether a row must still be computed. If it was cancelled, rejects its request. */
function isWanted<T>(job: Job<T>): boolean {
  const { signal, deadline } = job.request;
  if (job.request.failed) return false;
  if (signal?.aborted) {
    fail(job.request, new PriorartError('cancelled', 'the request was cancelled'));
    return false;
  }
  if (deadline === undefined || Date.now() < deadline) return true;
  finish(job, undefined);
  return false;
}

/** Rejects a request. Its other rows are no longer computed. */
function fail<T>(request: Request<T>, error: unknown): void {
  request.failed = true;
  request.reject(error);
}

function finish<T>({ request, index }: Job<T>, result: T | undefined): void {
  request.results[index] = result;
  request.waiting -= 1;
  if (request.waiting === 0) request.resolve(request.results);
}
