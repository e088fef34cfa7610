/**
 * A bounded queue in front of the workers. Piscina's own queue cannot drop a running task without killing its
 * thread. Here a waiting question is removed from the queue, and a running one is stopped by a flag.
 *
 * How many may wait depends on the cause. A burst is accepted up to the limit, and so are the requests of a
 * few dozen clients that each wait for their answer: all of them will be answered. But if requests keep
 * coming faster than they are answered, the queue stays full, and every answer is delayed by the whole queue.
 * So, as in CoDel, a full queue is judged by whether any wait within the last interval was short. If none
 * was, the queue sheds load: for each running question, one may wait, and further questions are refused at
 * once. Of the questions that wait at that moment, the latest are kept, since the others are late already.
 *
 * One waiting question keeps a worker busy only if the next one arrives before the work is done. A blocked
 * event loop delivers a hundred in one turn and none until the next. So an idle worker means that too few may
 * wait: the number doubles, and halves after each interval in which no worker was idle. Shedding ends when
 * the number reaches the normal limit, or when nothing was refused for an interval, at most a second. CoDel
 * would stop as soon as a wait is short; at five times the capacity, the queue would be full again at once.
 *
 * The limit is meant for searches. If work is quick, such as that of details, the same number is a short time, and a pause of a
 * tenth of a second would fill the queue at half of the capacity. So more may wait if work takes less than `QUEUE_QUICK`.
 *
 * If work takes long, for example with a slow reranker, a search that could not start before its deadline is
 * refused at once, even if the queue is not full.
 */
import { setMaxListeners } from 'node:events';
import { PriorartError } from '../errors.js';
import { QUEUE_QUICK } from '../limits.js';

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

/** After this number of searches, waiting background work gets a turn. */
const BACKGROUND_AFTER = 8;
/** A wait is short if it is at most `times` the duration of work, or at most `ms`. */
const SHORT_WAIT = { times: 1, ms: 5 };
/** Interval in which at least one wait must be short: `times` the duration of work, at least `ms`. */
const INTERVAL = { times: 20, ms: 100 };
/** Shedding ends when nothing was refused for this time, ms, even if the interval is longer. */
const SHED_MAX_MS = 1000;
/**
 * Number of recent searches of which the quickest gives a lower bound of a search's duration. With fewer
 * searches there is no bound, because the first ones load their models.
 */
const QUICKEST_OF = 16;
/** Weight of the newest duration in the moving average. */
const AVERAGE_OF = 0.05;

export class Queue {
  readonly #running: { limit: number; count: number };
  readonly #limit: number;
  readonly #now: () => number;
  #waiting = new Set<WaitingTask>();
  /** Searches that started before waiting background work, since the last turn of background work. */
  #passedOver = 0;
  #closed: { whenIdle(): void } | undefined;
  /** Work without a user who waits for it, such as that of an ingest. */
  #background = new Set<WaitingTask>();
  /** Duration of a search on a worker, ms; a moving average. */
  #workMs = 0;
  /** Durations of the last searches, ms. */
  readonly #lastMs: number[] = [];
  /**
   * Time since which no wait was short; and time of the last refusal, undefined unless the queue sheds; both
   * in ms.
   */
  #longSince: number | undefined;
  #shedAt: number | undefined;
  /**
   * Number that may wait while the queue sheds; and time since which no worker was idle and the number did
   * not change, ms.
   */
  #shedTo = 0;
  #busySince = 0;
  #refused = 0;

  /**
   * @param parallel questions that run at the same time
   * @param limit searches that may wait, more if they are quick; the callers bound background work
   * @param now a clock in ms
   */
  constructor(parallel: number, limit: number, now: () => number = () => performance.now()) {
    this.#running = { limit: parallel, count: 0 };
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Questions that run at the same time. When it grows, more start; when it shrinks, running ones are
   * completed first.
   */
  get parallel(): number {
    return this.#running.limit;
  }

  set parallel(limit: number) {
    if (limit === this.#running.limit) return;
    this.#running.limit = limit;
    this.#next();
  }

  /** Number of waiting searches. */
  get length(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.count;
  }

  /** Number of searches that may wait in the current state. */
  get limit(): number {
    const limit = this.#ordinaryLimit();
    return this.isShedding ? Math.min(limit, Math.max(this.#shedTo, this.parallel)) : limit;
  }

  /** Number of searches that may wait if the queue does not shed. */
  #ordinaryLimit(): number {
    if (this.#waiting.size < this.#limit || this.#lastMs.length < QUICKEST_OF) return this.#limit;
    // A pause makes one of the durations long, and the average with it, but not the median.
    const median = [...this.#lastMs].sort((a, b) => a - b)[QUICKEST_OF >> 1]!;
    return Math.floor(this.#limit * Math.max(1, Math.min(QUEUE_QUICK.ms / median, QUEUE_QUICK.times)));
  }

  get isShedding(): boolean {
    return this.#shedAt !== undefined;
  }

  /** Number of searches that were refused because too many waited. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Runs `work` when its turn comes.
   * @param options `withinMs`: time from now until the answer is needed; `isPatient`: never refused
   * @throws PriorartError `overloaded` at once if too many wait, `cancelled` if the signal fires first,
   *   `unavailable` after `close`
   */
  run<T>(work: (waitedMs: number) => Promise<T>, options: RunOptions): Promise<T> {
    const { signal, background, isPatient = false, withinMs = Number.POSITIVE_INFINITY } = options;
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    // An ingest uses one signal for many calls; Node would report its listeners as a leak.
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
        cancel: () => waiting.refuse(cancelled(signal)),
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

  /** Accepts no more work, drops waiting background work, and resolves when all searches are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = { whenIdle: resolve };
      for (const waiting of this.#background) waiting.refuse(closed());
      this.#next();
    });
  }

  /**
   * Searches go first, but background work gets a turn regularly, so that an ingest ends even under constant
   * load.
   */
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

  /** Records the wait of a search that starts. */
  #waited(ms: number): void {
    if (ms <= Math.max(SHORT_WAIT.ms, SHORT_WAIT.times * this.#workMs)) this.#longSince = undefined;
    else this.#longSince ??= this.#now();
  }

  /** Least time that a further question would wait, ms. */
  #leastWait(): number {
    if (this.#lastMs.length < QUICKEST_OF || this.#waiting.size < this.parallel) return 0;
    return (this.#waiting.size * Math.min(...this.#lastMs)) / this.parallel;
  }

  /** Whether a further question may wait. Begins and ends shedding. */
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

  /** Called when a worker is idle while the queue sheds. */
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
    // WaitingTask and running work takes this long. An earlier retry would find the same queue.
    const seconds = ((this.#waiting.size + this.#running.count) * this.#workMs) / this.parallel / 1000;
    const message = `${this.#waiting.size} searches are waiting already; try again later`;
    return new PriorartError('overloaded', message, { retryAfter: Math.max(1, Math.ceil(seconds)) });
  }
}

function closed(): PriorartError {
  return new PriorartError('unavailable', 'the index is closed');
}

/** The error of a cancelled search. Its cause is the reason of the signal. */
export function cancelled(signal: AbortSignal | undefined): PriorartError {
  return new PriorartError('cancelled', 'the request was cancelled', { cause: signal?.reason });
}
