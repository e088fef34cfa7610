/** Answers questions on worker threads, or on the calling thread. Both have the same interface. */
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PriorartError } from '../errors.js';
import { CONCURRENCY_MAX, QUEUE_PER_WORKER } from '../limits.js';
import type { AnswerObserver, PoolState } from '../observe/observations.js';
import type { Answering, Threads } from './answering.js';
import { Loading } from './loading.js';
import { movable } from './movable.js';
import { cancelled, Queue } from './queue.js';
import {
  type AnswerOf,
  errorOf,
  isStored,
  type Question,
  type Reply,
  type Task,
  type WorkerData,
} from './tasks.js';

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Time by which the answer is needed, ms since 1970. */
  deadline?: number | undefined;
  /** Never refused when the queue is full, but queued. */
  isPatient?: boolean | undefined;
  /** The observer is not told. */
  isUnobserved?: boolean | undefined;
}

/** The limits of a call, whose deadline is counted from now on. */
export function askOptions({
  signal,
  deadlineMs,
  isPatient,
}: Pick<AskOptions, 'signal' | 'isPatient'> & { deadlineMs?: number | undefined }): AskOptions {
  return { signal, isPatient, deadline: deadlineMs === undefined ? undefined : Date.now() + deadlineMs };
}

/** Answers questions about one index. */
export interface Answers {
  ask<Q extends Question>(question: Q, options?: AskOptions): Promise<AnswerOf<Q>>;
  /** Questions that run at the same time. */
  readonly parallel: number;
  readonly waiting: number;
  readonly state: PoolState;
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Worker threads; 0 answers on the calling thread. */
  workers: number;
  /** Searches that may wait for each worker. */
  queuePerWorker?: number | undefined;
  observe?: AnswerObserver | undefined;
}

const unobserved: AnswerObserver = () => {};

/** Answers by worker threads, or by the calling thread. */
export function answersOf(
  threads: Threads,
  { workers, queuePerWorker = QUEUE_PER_WORKER, observe }: PoolOptions,
): Answers {
  const told = observe && surviving(observe);
  if (workers === 0) return new Inline(threads, told);
  return new Pool(threads, workers, queuePerWorker, told);
}

/** An observer whose errors do not fail the answers. The first one becomes a warning of the process. */
function surviving(observe: AnswerObserver): AnswerObserver {
  let hasFailed = false;
  const warn = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`observe threw, and further errors of it are not shown: ${message}`, {
      code: 'PRIORART_OBSERVE',
    });
  };
  return (answered) => {
    try {
      // An application may give an asynchronous function.
      const returned: unknown = observe(answered);
      if (returned instanceof Promise) returned.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}

/** Answers on worker threads. */
export class Pool implements Answers {
  readonly #workers: number;
  readonly #piscina: Piscina<unknown, Reply>;
  readonly #loading: Loading;
  readonly #queue: Queue;
  readonly #flags: Int32Array;
  readonly #freeSlots: number[];
  readonly #observe: AnswerObserver;
  /** Rejects each question that a thread has, or that waits for one. */
  readonly #asked = new Set<(error: unknown) => void>();
  /** Why there is no thread any more. */
  #fault: unknown;

  /** @param queuePerWorker searches that may wait for each worker */
  constructor(
    { worker, setting }: Threads,
    workers: number,
    queuePerWorker: number,
    observe: AnswerObserver = unobserved,
  ) {
    this.#workers = workers;
    this.#observe = observe;
    const slots = workers * CONCURRENCY_MAX;
    const flags = new SharedArrayBuffer(4 * slots);
    this.#flags = new Int32Array(flags);
    this.#freeSlots = Array.from({ length: slots }, (_, slot) => slot);
    this.#queue = new Queue(workers, workers * queuePerWorker);
    this.#piscina = new Piscina({
      filename: fileURLToPath(worker),
      minThreads: workers,
      maxThreads: workers,
      // The upper limit. The queue in front decides how many run; an idle worker is preferred.
      concurrentTasksPerWorker: CONCURRENCY_MAX,
      idleTimeout: Number.POSITIVE_INFINITY,
      // By default, a Piscina worker sleeps in Atomics.wait between tasks. Its event loop never turns, and
      // the finalizers that free the addon's memory (arrays, snapshots) run only there. Without it, a task
      // takes 3 µs longer.
      atomics: 'disabled',
      workerData: { setting, flags } satisfies WorkerData,
    });
    this.#loading = new Loading(this.#piscina);
    // A thread that replaces a lost one may fail to load, too. Without a listener, that would end the process. Without a thread,
    // no question would ever be answered.
    this.#piscina.on('error', (error: unknown) => {
      if (this.#piscina.threads.length > 0) return;
      this.#fault = error;
      for (const fail of this.#asked) fail(error);
    });
  }

  /** Asks a thread. The promise is rejected if no thread is left. */
  async #run(task: Task): Promise<Reply> {
    let fail!: (error: unknown) => void;
    try {
      return await new Promise<Reply>((resolve, reject) => {
        fail = reject;
        this.#asked.add(reject);
        if (this.#fault !== undefined) throw this.#fault;
        this.#piscina.run(task, { transferList: ownedBy(task.question) }).then(resolve, reject);
      });
    } catch (error) {
      return lostWorker(error);
    } finally {
      this.#asked.delete(fail);
    }
  }

  get parallel(): number {
    return this.#queue.parallel;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get state(): PoolState {
    return stateOf(this.#queue, this.#workers);
  }

  ask<Q extends Question>(question: Q, options: AskOptions = {}): Promise<AnswerOf<Q>> {
    const { signal, deadline, isPatient } = options;
    return this.#queue.run((waitedMs) => this.#work(question, options, waitedMs), {
      signal,
      isPatient,
      background: isStored(question),
      withinMs: deadline === undefined ? undefined : deadline - Date.now(),
    });
  }

  async #work<Q extends Question>(
    question: Q,
    { signal, deadline, isUnobserved = false }: AskOptions,
    waitedMs: number,
  ): Promise<AnswerOf<Q>> {
    const started = performance.now();
    // There is a slot for every question that can run at once, so one is free.
    const slot = this.#freeSlots.pop()!;
    Atomics.store(this.#flags, slot, 0);
    const cancel = () => {
      Atomics.store(this.#flags, slot, 1);
      Atomics.notify(this.#flags, slot);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const task = { question, slot, deadline } satisfies Task;
      const reply = await this.#run(task);
      // The worker does not know the reason of the signal.
      if ('refusal' in reply) throw signal?.aborted ? cancelled(signal) : errorOf(reply.refusal);
      this.#queue.parallel = this.#workers * Math.min(reply.concurrency, CONCURRENCY_MAX);
      if (!isUnobserved) {
        this.#observe({ kind: question.kind, ms: performance.now() - started, waitedMs, ...reply.trace });
      }
      if (signal?.aborted) throw cancelled(signal);
      return reply.answer as AnswerOf<Q>;
    } finally {
      signal?.removeEventListener('abort', cancel);
      // Wakes everything in the worker that still waits for a cancellation.
      Atomics.notify(this.#flags, slot);
      this.#freeSlots.push(slot);
    }
  }

  /** Finishes running and waiting searches. Ingests get no more answers. */
  async close(): Promise<void> {
    await this.#queue.close();
    await this.#loading.settled();
    await this.#piscina.close({ force: false });
  }
}

function stateOf(queue: Queue, workers: number): PoolState {
  const { parallel, running, length, limit, isShedding, refused } = queue;
  return { workers, parallel, running, waiting: length, waitingMax: limit, shedding: isShedding, refused };
}

/** Memory that is moved to the worker with a question instead of copied. Units are read only once. */
function ownedBy(question: Question): ArrayBuffer[] {
  if (question.kind !== 'prepare') return [];
  const whole = question.units
    .map(({ bytes }) => bytes)
    .filter((bytes) => bytes.byteLength === bytes.buffer.byteLength);
  return movable(whole);
}

/**
 * Error for a lost thread. A worker replies with the data of an exception and never throws, so a rejection
 * means that the thread has ended.
 */
function lostWorker(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new PriorartError('internal', `a worker thread ended unexpectedly: ${reason}`, { cause });
}

/** Longest time for which the calling thread answers without a turn of the event loop, ms. */
const TURN_AFTER_MS = 10;

/**
 * Answers on the calling thread: without start-up cost, and without parallel work except that of the models.
 */
export class Inline implements Answers {
  readonly #answering: Answering;
  readonly #queue = new Queue(1, Number.POSITIVE_INFINITY);
  readonly #observe: AnswerObserver;
  /** When the event loop turned last, as far as is known, ms. */
  #turned = performance.now();

  constructor(threads: Threads, observe: AnswerObserver = unobserved) {
    this.#observe = observe;
    this.#answering = threads.open();
  }

  get parallel(): number {
    return this.#queue.parallel;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get state(): PoolState {
    return stateOf(this.#queue, 0);
  }

  ask<Q extends Question>(
    question: Q,
    { signal, deadline, isUnobserved = false }: AskOptions = {},
  ): Promise<AnswerOf<Q>> {
    const check = () => {
      if (signal?.aborted) throw cancelled(signal);
    };
    const work = async (waitedMs: number) => {
      await this.#turn();
      check();
      const started = performance.now();
      const found = await this.#answering.answer(question, { check, signal, deadline });
      this.#queue.parallel = Math.min(this.#answering.concurrency, CONCURRENCY_MAX);
      if (!isUnobserved) {
        this.#observe({ kind: question.kind, ms: performance.now() - started, waitedMs, ...found.trace });
      }
      return found.answer;
    };
    return this.#queue.run(work, { signal, background: isStored(question) });
  }

  /**
   * Lets the event loop turn if it has not for a while. Answers are made without waiting, so a loop of searches would keep timers
   * and signals from firing.
   */
  async #turn(): Promise<void> {
    if (performance.now() - this.#turned < TURN_AFTER_MS) return;
    await setImmediate();
    this.#turned = performance.now();
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#answering.close();
  }
}
