/**
 * The log of requests and the usage counters, per key. A LogStore keeps them: a file, or the cluster of several servers.
 * Lines wait in memory for a quarter of a second and are written together. So a kill loses less than one second of lines,
 * and a request does not pay for a transaction. While the store fails, a bounded number of lines waits.
 */
import { isPriorartError } from '../errors.js';
import {
  ACCESS_FLUSH_MS,
  LOG_QUERY_MAX_CHARS,
  REQUEST_LOG_BATCH,
  REQUEST_LOG_PRUNE_MS,
  REQUEST_LOG_WAITING,
} from '../limits.js';
import { FileLog, type FileLogOptions } from './file-log.js';
import {
  addStatus,
  type LogBatch,
  type LogFilter,
  type LoggedRequest,
  type LogPage,
  NO_COUNTS,
  type UsageRow,
} from './log-records.js';
import type { LogStore } from './log-store.js';

const DAY_MS = 86_400_000;

export interface RequestLogOptions {
  /** Store the queries of searches. */
  queries?: boolean;
  /** Time between removals of old lines, ms. Applies without new lines too. */
  pruneEveryMs?: number;
  onError?(error: unknown): void;
}

export class RequestLog {
  readonly #store: LogStore;
  readonly #options: Required<RequestLogOptions>;
  readonly #timer: NodeJS.Timeout;
  #lines: LoggedRequest[] = [];
  #usage = new Map<string, LogBatch['usage'][0]>();
  /** The batch that is written, or whose write failed. It is written again before the others. */
  #unfinished: LogBatch | undefined;
  #dropped = 0;
  #failing = false;
  #writing: Promise<void> | undefined;
  #prunedAt = performance.now();
  #pruning: Promise<void> | undefined;

  /** @param store closed with the log */
  constructor(store: LogStore, options: RequestLogOptions = {}) {
    this.#store = store;
    this.#options = { queries: false, pruneEveryMs: REQUEST_LOG_PRUNE_MS, onError: () => {}, ...options };
    this.#timer = setInterval(() => {
      // A second writer would only wait for the first writer.
      if (!this.#writing) void this.flush();
    }, ACCESS_FLUSH_MS);
    this.#timer.unref();
  }

  /** The log in the folder of an access store. */
  static ofFolder(folder: string, options: RequestLogOptions & FileLogOptions = {}): RequestLog {
    const { writer, days, megabytes, ...others } = options;
    const limits = {
      ...(days === undefined ? {} : { days }),
      ...(megabytes === undefined ? {} : { megabytes }),
    };
    return new RequestLog(new FileLog(folder, { ...limits, ...(writer ? { writer } : {}) }), others);
  }

  /** Adds a request. The line is stored within a second. Never throws. */
  add(request: LoggedRequest): void {
    const { key, endpoint, status } = request;
    this.#count([dayOf(request.time), key, endpoint], status);
    if (this.#lines.length + (this.#unfinished?.lines.length ?? 0) >= REQUEST_LOG_WAITING) {
      this.#dropped++;
      return;
    }
    const { query, ...line } = request;
    const isKept = this.#options.queries && query !== undefined;
    this.#lines.push({
      ...line,
      ms: Math.round(request.ms * 100) / 100,
      ...(isKept ? { query: query.slice(0, LOG_QUERY_MAX_CHARS) } : {}),
    });
  }

  /** Writes the waiting lines. Resolves when all earlier lines are stored, or have failed. */
  async flush(): Promise<void> {
    // A running write lacks the lines that came after its start. The next write has all of them.
    await this.#writing;
    if (this.#writing) return this.#writing;
    this.#pruneIfDue();
    if (this.#unfinished === undefined && this.#lines.length === 0 && this.#usage.size === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.flush();
    const lost = this.#dropped + this.#lines.length + (this.#unfinished?.lines.length ?? 0);
    if (lost > 0) this.#tellDropped(lost, 'the log could not be written before the end');
    await this.#store.close();
    await this.#pruning;
  }

  /**
   * Lines of a key, newest first, from all servers that share the store. Lines beyond the age limit are omitted,
   * even if they have not been removed yet.
   * @param cursor `next` of the previous page
   * @throws LockHeld, as a rejection
   * @throws PriorartError `usage` if the cursor is invalid, `unavailable` if the log cannot be read, as a rejection
   */
  page(key: string, limit: number, cursor?: string): Promise<LogPage> {
    return this.#store.page(key, limit, cursor);
  }

  /**
   * Lines of several keys, newest first, as `page`. Each line has its key.
   * @param keys undefined for all keys
   * @throws the errors of `page`
   */
  pageOfKeys(
    keys: readonly string[] | undefined,
    limit: number,
    options: { filter?: LogFilter; cursor?: string | undefined },
  ): Promise<LogPage> {
    return this.#store.pageOfKeys(keys, limit, options);
  }

  /**
   * Calls by day, key and endpoint. Both days are inclusive, `YYYY-MM-DD` in UTC.
   * @throws LockHeld, as a rejection
   * @throws PriorartError `unavailable` if the log cannot be read, as a rejection
   */
  usage(from: string, to: string, keys?: ReadonlySet<string>): Promise<UsageRow[]> {
    return this.#store.usage(from, to, keys);
  }

  /**
   * Records, each with the time of its key's last call in the log, ISO 8601. Without it if the log cannot be read now: a
   * log that is locked, damaged or out of reach hides no record.
   * @param keyOf id of the key of a record
   */
  async withLastUse<T extends object>(
    records: readonly T[],
    keyOf: (record: T) => string,
  ): Promise<(T & { last_used_at?: string })[]> {
    try {
      // Includes the lines that this server has not written yet.
      await this.flush();
      const last = await this.#store.lastCalls([...new Set(records.map(keyOf))]);
      return records.map((record) => {
        const time = last.get(keyOf(record));
        return time === undefined ? record : { ...record, last_used_at: new Date(time).toISOString() };
      });
    } catch (error) {
      if (isPriorartError(error)) return [...records];
      throw error;
    }
  }

  /** Removes old lines beside the writes, which must not wait for it. */
  #pruneIfDue(): void {
    const isTime = performance.now() - this.#prunedAt >= this.#options.pruneEveryMs;
    if (this.#pruning || !(isTime || this.#store.isPruneDue())) return;
    this.#prunedAt = performance.now();
    this.#pruning = this.#store
      .prune()
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#pruning = undefined;
      });
  }

  #count(at: [string, string, string], status: number): void {
    const name = at.join('/');
    let entry = this.#usage.get(name);
    if (!entry) {
      entry = { at, counts: { ...NO_COUNTS } };
      this.#usage.set(name, entry);
    }
    addStatus(entry.counts, status);
  }

  async #write(): Promise<void> {
    try {
      await this.#finish();
      // Lines that come meanwhile wait for the next write: it would be a request for each few of them otherwise.
      let waiting = this.#lines.length;
      let isMore = waiting > 0 || this.#usage.size > 0;
      while (isMore) {
        const lines = this.#lines.splice(0, Math.min(waiting, REQUEST_LOG_BATCH));
        waiting -= lines.length;
        this.#unfinished = { lines, usage: [...this.#usage.values()] };
        this.#usage = new Map();
        await this.#finish();
        isMore = waiting > 0;
      }
      this.#failing = false;
      if (this.#dropped > 0) this.#tellDropped(this.#dropped, 'too many waited');
      this.#dropped = 0;
    } catch (error) {
      // The write is repeated four times per second; one report is enough.
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
    }
  }

  /** Writes the batch that is not finished. */
  async #finish(): Promise<void> {
    if (!this.#unfinished) return;
    const refused = await this.#store.write(this.#unfinished);
    this.#unfinished = undefined;
    if (refused !== undefined)
      this.#options.onError(new Error(`lines of the log of requests were refused: ${refused}`));
  }

  #tellDropped(lines: number, reason: string): void {
    this.#options.onError(new Error(`${lines} lines of the log of requests were dropped: ${reason}`));
  }
}

let lastDay = { number: Number.NaN, text: '' };

/** `YYYY-MM-DD` in UTC. Consecutive requests are usually of the same day. */
function dayOf(time: number): string {
  const number = Math.floor(time / DAY_MS);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(time).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}
