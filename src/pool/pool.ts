/** The worker threads, and the engine without them: both answer the same questions. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PriorartError } from '../errors.js';
import { CONCURRENCY_MAX } from '../limits.js';
import { type ModelChoice, ThreadModels } from '../models/thread-models.js';
import type { AnswerObserver, PoolState } from '../observe/observations.js';
import { Folder } from '../search/folder.js';
import { RecallChecks } from '../search/recall-checks.js';
import { answer, type Thread } from './answer.js';
import { Loading } from './loading.js';
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
  /** Milliseconds since 1970 by which the answer is wanted. */
  deadline?: number | undefined;
  /** It waits for its turn, however many wait, instead of being refused. */
  isPatient?: boolean | undefined;
}

/** Whatever answers questions about one data folder. */
export interface Answers {
  ask<Q extends Question>(question: Q, options?: AskOptions): Promise<AnswerOf<Q>>;
  /** How many questions are worked on at once. */
  readonly parallel: number;
  readonly waiting: number;
  readonly state: PoolState;
  close(): Promise<void>;
}

/** Who is told of the answers, and what share of searches is repeated exactly to tell their recall. */
export interface Watching {
  observe?: AnswerObserver | undefined;
  recallCheck?: number | undefined;
}

const unobserved: AnswerObserver = () => {};

/** Answers on threads of their own. */
export class Pool implements Answers {
  readonly #workers: number;
  readonly #piscina: Piscina<unknown, Reply>;
  readonly #loading: Loading;
  readonly #queue: Queue;
  readonly #flags: Int32Array;
  readonly #freeSlots: number[];
  readonly #observe: AnswerObserver;

  /** @param queuePerWorker searches that may wait for each worker */
  constructor(
    dir: string,
    choice: ModelChoice,
    workers: number,
    queuePerWorker: number,
    { observe = unobserved, recallCheck = 0 }: Watching = {},
  ) {
    this.#workers = workers;
    this.#observe = observe;
    const slots = workers * CONCURRENCY_MAX;
    const flags = new SharedArrayBuffer(4 * slots);
    this.#flags = new Int32Array(flags);
    this.#freeSlots = Array.from({ length: slots }, (_, slot) => slot);
    this.#queue = new Queue(workers, workers * queuePerWorker);
    this.#piscina = new Piscina({
      filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
      minThreads: workers,
      maxThreads: workers,
      // How many there really are is decided by the queue in front: an idle worker is always preferred.
      concurrentTasksPerWorker: CONCURRENCY_MAX,
      idleTimeout: Number.POSITIVE_INFINITY,
      // By default Piscina lets a worker sleep in Atomics.wait between two tasks: its event loop never turns, and the
      // finalizers that give back the addon's memory (arrays, snapshots) run there only. Costs 3 µs a task.
      atomics: 'disabled',
      workerData: { dir, choice, flags, recallCheck } satisfies WorkerData,
    });
    this.#loading = new Loading(this.#piscina);
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
    { signal, deadline }: AskOptions,
    waitedMs: number,
  ): Promise<AnswerOf<Q>> {
    const started = performance.now();
    // As many slots as may run at once: one is free.
    const slot = this.#freeSlots.pop()!;
    Atomics.store(this.#flags, slot, 0);
    const cancel = () => {
      Atomics.store(this.#flags, slot, 1);
      Atomics.notify(this.#flags, slot);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const task = { question, slot, deadline } satisfies Task;
      const reply = await this.#piscina.run(task, { transferList: ownedBy(question) }).catch(lostWorker);
      if ('refusal' in reply) throw errorOf(reply.refusal);
      this.#queue.parallel = this.#workers * Math.min(reply.concurrency, CONCURRENCY_MAX);
      this.#observe({ kind: question.kind, ms: performance.now() - started, waitedMs, ...reply.trace });
      if (signal?.aborted) throw cancelled();
      return reply.answer as AnswerOf<Q>;
    } finally {
      signal?.removeEventListener('abort', cancel);
      // Lets go of whatever in the worker still waits for a cancellation.
      Atomics.notify(this.#flags, slot);
      this.#freeSlots.push(slot);
    }
  }

  /** Lets searches that were asked finish; ingests get no more answers. */
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

/** Memory that goes over to the worker with a question instead of being copied: units are read once. */
function ownedBy(question: Question): ArrayBuffer[] {
  if (question.kind !== 'prepare') return [];
  const whole = question.units.filter(({ bytes }) => bytes.byteLength === bytes.buffer.byteLength);
  return [...new Set(whole.map(({ bytes }) => bytes.buffer as ArrayBuffer))];
}

/** A worker answers with an exception's data and never throws: what rejects here is the end of its thread. */
function lostWorker(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new PriorartError('internal', `a worker ended while it was working: ${reason}`, { cause });
}

/** Answers on the calling thread: no start-up cost, no parallel work but that of the models. */
export class Inline implements Answers {
  readonly #thread: Thread;
  readonly #queue = new Queue(1, Number.POSITIVE_INFINITY);
  readonly #observe: AnswerObserver;

  constructor(dir: string, choice: ModelChoice, { observe = unobserved, recallCheck = 0 }: Watching = {}) {
    this.#observe = observe;
    const checks = recallCheck > 0 ? new RecallChecks(recallCheck) : undefined;
    this.#thread = { folder: new Folder(dir), models: new ThreadModels(dir, choice), checks };
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

  ask<Q extends Question>(question: Q, { signal, deadline }: AskOptions = {}): Promise<AnswerOf<Q>> {
    const check = () => {
      if (signal?.aborted) throw cancelled();
    };
    const work = async (waitedMs: number) => {
      const started = performance.now();
      const found = await answer(this.#thread, question, { check, signal, deadline });
      this.#queue.parallel = Math.min(this.#thread.models.concurrency, CONCURRENCY_MAX);
      this.#observe({ kind: question.kind, ms: performance.now() - started, waitedMs, ...found.trace });
      return found.answer;
    };
    return this.#queue.run(work, { signal, background: isStored(question) });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#thread.checks?.settled();
    await this.#thread.models.close();
    await this.#thread.folder.close();
  }
}
