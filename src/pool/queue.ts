/**
 * A bounded queue in front of the workers. Piscina's own queue can not let go of a running task without
 * killing its thread; here a question that waits is simply taken out, and one that runs is told by a flag.
 *
 * How many may wait depends on why they wait. A burst is taken in as far as the limit goes, and so are the requests of
 * a few dozen clients that each wait for their answer: all of it will be worked off. But where more keeps coming than
 * can be worked off, the queue stays full, and every answer is late by the whole of it, for nothing. So, as in CoDel,
 * a full queue is judged by whether a wait was short within the last interval. If none was, the queue sheds: one
 * question waits for each that runs, and every other is refused at once. Of those that wait at that moment the latest
 * stay: the others are late already.
 *
 * One that waits keeps a worker busy only where the next comes before the work is done. A choked event loop brings a
 * hundred in one turn and none until the next. So a worker that has nothing to do says that too few may wait: their
 * number doubles, and halves after each interval in which no worker was idle. Shedding ends when as many may wait as
 * without it, or when nothing had to be refused for an interval, a second at most. CoDel would stop as soon as a wait is
 * short, and at five times the capacity the queue would be full again at once.
 *
 * Where work takes long (a reranker of the user's own, say), the queue is full before that: a search that could not come
 * to its turn before its deadline is refused at once, instead of at its deadline.
 */
import { setMaxListeners } from 'node:events';
import { PriorartError } from '../errors.js';

interface RunOptions {
  signal?: AbortSignal | undefined;
  background?: boolean | undefined;
  withinMs?: number | undefined;
  isPatient?: boolean | undefined;
}

interface WaitingTask {
  since: number;
  isPatient: boolean;
  start(): void;
  cancel(): void;
  refuse(error: PriorartError): void;
}

/** Searches after which waiting background work gets a turn. */
const BACKGROUND_AFTER = 8;
/** A wait is short up to so many times the time that work takes, or ms. */
const SHORT_WAIT = { times: 1, ms: 5 };
/** For how long waits may not have been short: so many times the time that work takes, and ms at least. */
const INTERVAL = { times: 20, ms: 100 };
/** Shedding ends when nothing was refused for this long, ms, however long the interval is. */
const SHED_MAX_MS = 1000;
/**
 * The quickest of so many searches tells how long those before one will take at least. Before there were so many, nothing
 * does: the first ones load their models.
 */
const QUICKEST_OF = 16;
/** Part of the newest work in the average of what work takes. */
const AVERAGE_OF = 0.05;

export class Queue {
  readonly #running: { limit: number; count: number };
  readonly #limit: number;
  readonly #now: () => number;
  #waiting = new Set<WaitingTask>();
  /** Searches that went before background work that was waiting, too. */
  #passedOver = 0;
  #closed: { whenIdle(): void } | undefined;
  /** Work that nobody waits for in front of a screen. */
  #background = new Set<WaitingTask>();
  /** What a search takes on a worker, ms; a moving average. */
  #workMs = 0;
  /** What the last ones took, ms. */
  readonly #lastMs: number[] = [];
  /** Since when no wait was short; when somebody was last refused while shedding, undefined unless it sheds; ms. */
  #longSince: number | undefined;
  #shedAt: number | undefined;
  /** How many may wait while it sheds, and since when no worker was idle or this number was not changed; ms. */
  #shedTo = 0;
  #busySince = 0;
  #refused = 0;

  /**
   * @param parallel how many run at once
   * @param limit how many searches may wait; background work is bounded by whoever asks for it
   * @param now a clock in ms
   */
  constructor(parallel: number, limit: number, now: () => number = () => performance.now()) {
    this.#running = { limit: parallel, count: 0 };
    this.#limit = limit;
    this.#now = now;
  }

  /** How many run at once; more may start, or running ones be waited for, when it is changed. */
  get parallel(): number {
    return this.#running.limit;
  }

  set parallel(limit: number) {
    if (limit === this.#running.limit) return;
    this.#running.limit = limit;
    this.#next();
  }

  /** Searches that wait. */
  get length(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.count;
  }

  /** How many searches may wait as things are. */
  get limit(): number {
    return this.isShedding ? Math.min(this.#limit, Math.max(this.#shedTo, this.parallel)) : this.#limit;
  }

  get isShedding(): boolean {
    return this.#shedAt !== undefined;
  }

  /** Searches that were refused since so many waited. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Runs `work` when its turn comes.
   * @param options `withinMs`: when the answer is wanted, from now; `isPatient`: it waits, however many wait
   * @throws PriorartError `overloaded` at once when too many wait, `cancelled` when the signal fires first,
   *   `unavailable` after `close`
   */
  run<T>(work: (waitedMs: number) => Promise<T>, options: RunOptions): Promise<T> {
    const { signal, background, isPatient = false, withinMs = Number.POSITIVE_INFINITY } = options;
    if (signal?.aborted) return Promise.reject(cancelled());
    // One signal may stand for many calls, as those of an ingest: Node would take its listeners for a leak.
    if (signal) setMaxListeners(0, signal);
    if (this.#closed) return Promise.reject(closed());
    const queue = background ? this.#background : this.#waiting;
    if (!background && !isPatient && !this.#admits(withinMs)) return Promise.reject(this.#tooMany());
    return new Promise<T>((resolve, reject) => {
      const waiting: WaitingTask = {
        since: this.#now(),
        isPatient,
        start: () => {
          signal?.removeEventListener('abort', waiting.cancel);
          this.#running.count += 1;
          const started = this.#now();
          work(started - waiting.since)
            .then(resolve, reject)
            .finally(() => {
              if (!background) this.#took(this.#now() - started);
              this.#running.count -= 1;
              this.#next();
              if (this.#waiting.size === 0 && this.isShedding) this.#idle();
            });
        },
        cancel: () => waiting.refuse(cancelled()),
        refuse: (reason) => {
          queue.delete(waiting);
          signal?.removeEventListener('abort', waiting.cancel);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', waiting.cancel, { once: true });
      queue.add(waiting);
      this.#next();
    });
  }

  /** Takes no more work, drops what waits in the background, and resolves when all searches are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = { whenIdle: resolve };
      for (const waiting of this.#background) waiting.refuse(closed());
      this.#next();
    });
  }

  /** Searches go first, but an ingest must come to its end under a load that never lets up. */
  #nextQueue(): Set<WaitingTask> {
    const due = this.#waiting.size === 0 || this.#passedOver >= BACKGROUND_AFTER;
    if (this.#background.size > 0 && due) {
      this.#passedOver = 0;
      return this.#background;
    }
    if (this.#background.size > 0) this.#passedOver += 1;
    return this.#waiting;
  }

  #next(): void {
    while (this.#running.count < this.#running.limit) {
      const queue = this.#nextQueue();
      const [first] = queue;
      if (first === undefined) break;
      queue.delete(first);
      if (queue === this.#waiting) this.#waited(this.#now() - first.since);
      first.start();
    }
    if (this.#running.count === 0) this.#closed?.whenIdle();
  }

  #took(ms: number): void {
    this.#lastMs.push(ms);
    if (this.#lastMs.length > QUICKEST_OF) this.#lastMs.shift();
    this.#workMs = this.#workMs === 0 ? ms : this.#workMs + AVERAGE_OF * (ms - this.#workMs);
  }

  /** A search begins after a wait. */
  #waited(ms: number): void {
    if (ms <= Math.max(SHORT_WAIT.ms, SHORT_WAIT.times * this.#workMs)) this.#longSince = undefined;
    else this.#longSince ??= this.#now();
  }

  /** How long one more would wait at least, ms. */
  #leastWait(): number {
    if (this.#lastMs.length < QUICKEST_OF || this.#waiting.size < this.parallel) return 0;
    return (this.#waiting.size * Math.min(...this.#lastMs)) / this.parallel;
  }

  /** Whether one more may wait; begins shedding and ends it. */
  #admits(withinMs: number): boolean {
    const now = this.#now();
    const interval = Math.max(INTERVAL.ms, INTERVAL.times * this.#workMs);
    if (this.#shedAt !== undefined && now - this.#shedAt > Math.min(interval, SHED_MAX_MS)) {
      this.#shedAt = undefined;
    }
    if (this.#waiting.size < this.limit && this.#leastWait() < withinMs) return true;
    if (this.#shedAt !== undefined) {
      this.#shedAt = now;
      if (now - this.#busySince > interval) this.#setShedTo(this.#shedTo / 2);
    } else if (this.#longSince !== undefined && now - this.#longSince > interval) this.#shed(now);
    return false;
  }

  #shed(now: number): void {
    this.#shedAt = now;
    this.#longSince = undefined;
    this.#setShedTo(this.parallel);
    const refusable = [...this.#waiting].filter(({ isPatient }) => !isPatient);
    const late = refusable.slice(0, Math.max(0, this.#waiting.size - this.limit));
    for (const waiting of late) waiting.refuse(this.#tooMany());
  }

  /** A worker has nothing to do while the queue sheds. */
  #idle(): void {
    this.#setShedTo(this.limit * 2);
    if (this.limit === this.#limit) this.#shedAt = undefined;
  }

  #setShedTo(count: number): void {
    this.#shedTo = Math.max(this.parallel, Math.floor(count));
    this.#busySince = this.#now();
  }

  #tooMany(): PriorartError {
    this.#refused += 1;
    // What waits and runs is done by then; who comes earlier finds the same queue.
    const seconds = ((this.#waiting.size + this.#running.count) * this.#workMs) / this.parallel / 1000;
    const message = `${this.#waiting.size} searches are waiting already; try again in a moment`;
    return new PriorartError('overloaded', message, { retryAfter: Math.max(1, Math.ceil(seconds)) });
  }
}

function closed(): PriorartError {
  return new PriorartError('unavailable', 'the index is closed');
}

/** The error of a search that nobody waits for. */
export function cancelled(): PriorartError {
  return new PriorartError('cancelled', 'the request was cancelled');
}
