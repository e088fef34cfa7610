/**
 * The log of requests and the usage counters, per key; log-file.ts describes their file. Lines wait in memory
 * for a quarter of a second and are written together. So a kill loses less than one second of lines, and a
 * request does not pay for a transaction.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import {
  ACCESS_FLUSH_MS,
  LOCK_WAIT_MS,
  LOG_QUERY_MAX_CHARS,
  REQUEST_LOG_MB,
  REQUEST_LOG_PRUNE_MS,
  REQUEST_LOG_WAITING,
} from '../limits.js';
import {
  daysKept,
  filteredPageOf,
  LOG_FILE,
  lastCallsOf,
  linePosition,
  openLog,
  pageOf,
  usageOf,
} from './log-file.js';
import {
  addCounts,
  addStatus,
  type LogBatch,
  type LogFilter,
  type LoggedRequest,
  type LogPage,
  NO_COUNTS,
  type UsageCounts,
  type UsageRow,
} from './log-records.js';
import { FileMissing, type Sqlite } from './sqlite.js';
import { type AccessWriter, writerHere } from './writer.js';

const DAY_MS = 86_400_000;

type Counting = Map<string, { at: [day: string, key: string, endpoint: string]; counts: UsageCounts }>;

export interface RequestLogOptions {
  days?: number;
  megabytes?: number;
  /** Store the queries of searches. */
  queries?: boolean;
  /** Longest time between removals of old lines, ms. Applies without new lines too. */
  pruneEveryMs?: number;
  /** The writer; absent: this thread writes. The log closes the writer. */
  writer?: AccessWriter;
  onError?(error: unknown): void;
}

export class RequestLog {
  readonly #folder: string;
  readonly #readerWaitMs: number;
  readonly #options: RequestLogOptions & Required<Omit<RequestLogOptions, 'days' | 'writer'>>;
  readonly #writer: AccessWriter;
  readonly #timer: NodeJS.Timeout;
  #log: Sqlite | undefined;
  #lines: LoggedRequest[] = [];
  #usage: Counting = new Map();
  #dropped = 0;
  #failing = false;
  #writtenAt = performance.now();
  #writing: Promise<void> | undefined;

  /** @param folder folder of the access store. Nothing is created before the first write. */
  constructor(folder: string, options: RequestLogOptions = {}) {
    this.#folder = folder;
    // With a writer on a different thread, this thread must not block.
    this.#readerWaitMs = options.writer ? 0 : LOCK_WAIT_MS;
    this.#options = {
      megabytes: REQUEST_LOG_MB.default,
      queries: false,
      pruneEveryMs: REQUEST_LOG_PRUNE_MS,
      onError: () => {},
      ...options,
    };
    const { days, megabytes } = this.#options;
    this.#writer =
      options.writer ?? writerHere({ folder, megabytes, ...(days === undefined ? {} : { days }) });
    this.#timer = setInterval(() => {
      // A second writer would only wait for the lock of the first writer.
      if (!this.#writing) void this.flush();
    }, ACCESS_FLUSH_MS);
    this.#timer.unref();
  }

  /** Adds a request. The line is on the disk within a second. Never throws. */
  add(request: LoggedRequest): void {
    const { key, endpoint, status } = request;
    this.#count([dayOf(request.time), key, endpoint], status);
    if (this.#lines.length >= REQUEST_LOG_WAITING) {
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

  /** Writes the waiting lines. Resolves when all earlier lines are committed, or have failed. */
  async flush(): Promise<void> {
    // A running write lacks the lines that came after its start. The next write has all of them.
    await this.#writing;
    if (this.#writing) return this.#writing;
    if (this.#lines.length === 0 && this.#usage.size === 0 && !this.#isPruneDue()) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.flush();
    this.#closeLog();
    await this.#writer.close();
  }

  /**
   * Lines of a key, newest first, from all servers on the folder. Lines beyond the age limit are omitted,
   * even if no write has removed them yet.
   * @param cursor `next` of the previous page
   * @throws LockHeld
   * @throws PriorartError `usage` if the cursor is invalid, `unavailable` if the log is damaged
   */
  page(key: string, limit: number, cursor?: string): LogPage {
    if (cursor !== undefined) linePosition(cursor);
    return this.#reading({ lines: [] }, (log) => {
      const days = daysKept(log, this.#options.days);
      return pageOf(log, key, limit, Date.now() - days * DAY_MS, cursor);
    });
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
  ): LogPage {
    if (options.cursor !== undefined) linePosition(options.cursor);
    return this.#reading({ lines: [] }, (log) => {
      const days = daysKept(log, this.#options.days);
      return filteredPageOf(log, keys, limit, Date.now() - days * DAY_MS, options);
    });
  }

  /**
   * Calls by day, key and endpoint. Both days are inclusive, `YYYY-MM-DD` in UTC.
   * @throws LockHeld
   * @throws PriorartError `unavailable` if the log is damaged
   */
  usage(from: string, to: string, keys?: ReadonlySet<string>): UsageRow[] {
    return this.#reading([], (log) => usageOf(log, from, to, keys && [...keys]));
  }

  /**
   * Time of the last call of each key, ms since 1970, from all servers. Keys without a line in the log are left out.
   * @throws the errors of `page`
   */
  lastCalls(keys: readonly string[]): ReadonlyMap<string, number> {
    return this.#reading(new Map(), (log) =>
      lastCallsOf(log, keys, Date.now() - daysKept(log, this.#options.days) * DAY_MS),
    );
  }

  /**
   * Records, each with the time of its key's last call in the log, ISO 8601. Without it if the log cannot be read now: a
   * locked or damaged log hides no record.
   * @param keyOf id of the key of a record
   */
  async withLastUse<T extends object>(
    records: readonly T[],
    keyOf: (record: T) => string,
  ): Promise<(T & { last_used_at?: string })[]> {
    try {
      // Includes the lines that this server has not written yet.
      await this.flush();
      const last = this.lastCalls([...new Set(records.map(keyOf))]);
      return records.map((record) => {
        const time = last.get(keyOf(record));
        return time === undefined ? record : { ...record, last_used_at: new Date(time).toISOString() };
      });
    } catch (error) {
      if (isPriorartError(error)) return [...records];
      throw error;
    }
  }

  #isPruneDue(): boolean {
    if (performance.now() - this.#writtenAt < this.#options.pruneEveryMs) return false;
    this.#writtenAt = performance.now();
    return existsSync(join(this.#folder, LOG_FILE));
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
    const dropped = this.#dropped;
    const batch: LogBatch = { lines: this.#lines, usage: [...this.#usage.values()] };
    this.#lines = [];
    this.#usage = new Map();
    this.#dropped = 0;
    this.#writtenAt = performance.now();
    if (dropped > 0)
      this.#options.onError(
        new Error(`${dropped} lines of the log of requests were dropped: too many waited`),
      );
    try {
      await this.#writer.writeLog(batch);
      this.#failing = false;
    } catch (error) {
      // The write is retried four times per second; one report is enough.
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
      this.#takeBack(batch);
    }
  }

  /** Returns the lines of a failed write to the waiting lines. */
  #takeBack({ lines, usage }: LogBatch): void {
    for (const { at, counts } of usage) {
      const newer = this.#usage.get(at.join('/'));
      if (newer) addCounts(newer.counts, counts);
      else this.#usage.set(at.join('/'), { at, counts });
    }
    this.#lines = [...lines, ...this.#lines];
  }

  /** Reads the log. Returns `none` if the log does not exist yet. */
  #reading<T>(none: T, read: (log: Sqlite) => T): T {
    if (this.#log?.isMoved()) this.#closeLog();
    try {
      this.#log ??= openLog(this.#folder, { create: false, waitMs: this.#readerWaitMs });
      return read(this.#log);
    } catch (error) {
      this.#closeLog();
      if (error instanceof FileMissing) return none;
      if (isPriorartError(error)) throw error;
      const { message } = error as Error;
      throw new PriorartError('unavailable', `the log of requests cannot be read: ${message}`, {
        cause: error,
      });
    }
  }

  #closeLog(): void {
    const log = this.#log;
    this.#log = undefined;
    log?.close();
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
