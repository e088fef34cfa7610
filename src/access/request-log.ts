/**
 * The log of requests and the usage counters, per key; log-tables.ts says where they lie. Lines wait in memory and are
 * written together, a quarter of a second's at a time, so a kill loses less than the last second of them, and a request
 * pays for no transaction.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  ACCESS_FLUSH_MS,
  LOG_BLOCK_MS,
  LOG_QUERY_MAX_CHARS,
  REQUEST_LOG_MB,
  REQUEST_LOG_PRUNE_MS,
  REQUEST_LOG_WAITING,
} from '../limits.js';
import { dataFile } from './environment.js';
import { pageOf, readCursor } from './log-page.js';
import {
  addCounts,
  addStatus,
  type LogBatch,
  type LoggedRequest,
  type LogPage,
  NO_COUNTS,
  type StoredLine,
  type UsageCounts,
  type UsageRow,
} from './log-records.js';
import { daysKept, type LogTables, openLogTables } from './log-tables.js';
import { type AccessWriter, writerHere } from './writer.js';

const DAY_MS = 86_400_000;

/** Lines that wait, by key: the blocks that they are to be. */
type Waiting = Map<string, { first: number; lines: string[] }[]>;
type Counting = Map<string, { at: [day: string, key: string, endpoint: string]; counts: UsageCounts }>;

export interface RequestLogOptions {
  days?: number;
  megabytes?: number;
  /** Keep what was searched for. */
  queries?: boolean;
  /** Removes what is too old at least this often, also where nothing is written, ms. */
  pruneEveryMs?: number;
  /** Who writes, where it is not to be this thread. It is closed with the log. */
  writer?: AccessWriter;
  onError?(error: unknown): void;
}

export class RequestLog {
  readonly #dir: string;
  readonly #options: RequestLogOptions & Required<Omit<RequestLogOptions, 'days' | 'writer'>>;
  readonly #writer: AccessWriter;
  readonly #timer: NodeJS.Timeout;
  #tables: LogTables | undefined;
  #lines: Waiting = new Map();
  #usage: Counting = new Map();
  #waiting = 0;
  #dropped = 0;
  /** Whether the last write failed, and whether one has succeeded. */
  #failing = false;
  #hasWritten = false;
  #writtenAt = performance.now();
  #writing: Promise<void> | undefined;

  /** @param folder the access store's; nothing is made before there is something to write */
  constructor(folder: string, options: RequestLogOptions = {}) {
    this.#dir = join(folder, 'log');
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
      // A second writer would only wait for the first one's lock.
      if (!this.#writing) void this.flush();
    }, ACCESS_FLUSH_MS);
    this.#timer.unref();
  }

  /** Takes a request up; it is on the disk within a second. Never throws. */
  add(request: LoggedRequest): void {
    const { key, endpoint, status } = request;
    this.#count([dayOf(request.time), key, endpoint], status);
    if (this.#waiting >= REQUEST_LOG_WAITING) {
      this.#dropped++;
      return;
    }
    const line: StoredLine = {
      t: request.time,
      id: request.requestId,
      e: endpoint,
      s: status,
      ms: Math.round(request.ms * 100) / 100,
      c: request.client,
    };
    if (request.resultCount !== undefined) line.n = request.resultCount;
    if (this.#options.queries && request.query !== undefined)
      line.q = request.query.slice(0, LOG_QUERY_MAX_CHARS);
    const blocks = this.#lines.get(key);
    const block = blocks?.at(-1);
    const age = block === undefined ? Number.NaN : request.time - block.first;
    if (block && age >= 0 && age < LOG_BLOCK_MS) block.lines.push(JSON.stringify(line));
    else {
      const fresh = { first: request.time, lines: [JSON.stringify(line)] };
      if (blocks) blocks.push(fresh);
      else this.#lines.set(key, [fresh]);
    }
    this.#waiting++;
  }

  /** Writes what waits; resolves when all that was told before is committed, or could not be. */
  async flush(): Promise<void> {
    // A write that runs does not have what came since it began; one that begins after it has all of it.
    await this.#writing;
    if (this.#writing) return this.#writing;
    if (this.#waiting === 0 && this.#usage.size === 0 && !this.#isPruneDue()) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.flush();
    const tables = this.#tables;
    this.#tables = undefined;
    await Promise.all([tables?.root.close(), this.#writer.close()]);
  }

  /**
   * Lines of a key, newest first, of all servers on the folder together. Lines that are too old and lie there still,
   * since nothing was written that would have removed them, are left out.
   * @param cursor `next` of the page before
   * @throws PriorartError `usage` where the cursor is none
   */
  page(key: string, limit: number, cursor?: string): LogPage {
    const from = cursor === undefined ? undefined : readCursor(cursor);
    const tables = this.#reading();
    if (!tables) return { lines: [] };
    const days = daysKept(tables, this.#options.days);
    const oldest = new Date(Date.now() - days * DAY_MS).toISOString();
    return pageOf(tables, key, { limit, oldest, from });
  }

  /** Calls by day, key and endpoint; days inclusive, as `YYYY-MM-DD`, in UTC. */
  usage(from: string, to: string, keys?: ReadonlySet<string>): UsageRow[] {
    const tables = this.#reading();
    if (!tables) return [];
    const rows: UsageRow[] = [];
    for (const { key: at, value } of tables.usage.getRange({
      start: [from, '', ''],
      end: [`${to}~`, '', ''],
    })) {
      const [day, key, endpoint] = at;
      if (keys === undefined || keys.has(key)) rows.push({ day, key, endpoint, ...value });
    }
    return rows;
  }

  #isPruneDue(): boolean {
    if (performance.now() - this.#writtenAt < this.#options.pruneEveryMs) return false;
    this.#writtenAt = performance.now();
    return existsSync(dataFile(this.#dir));
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
    const [lines, usage, dropped] = [this.#lines, this.#usage, this.#dropped];
    const waiting = this.#waiting;
    this.#lines = new Map();
    this.#usage = new Map();
    this.#waiting = 0;
    this.#dropped = 0;
    this.#writtenAt = performance.now();
    if (dropped > 0)
      this.#options.onError(
        new Error(`${dropped} lines of the log of requests were dropped: too many waited`),
      );
    const batch: LogBatch = {
      blocks: [...lines].flatMap(([key, blocks]) =>
        blocks.map((block) => ({ key, first: block.first, lines: `[${block.lines.join(',')}]` })),
      ),
      usage: [...usage.values()],
    };
    try {
      await this.#writer.writeLog(batch);
      this.#failing = false;
      this.#hasWritten = true;
    } catch (error) {
      // Tried again four times a second: once is enough to be told.
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
      this.#takeBack(lines, usage, waiting);
    }
  }

  /** What could not be written waits again. */
  #takeBack(lines: Waiting, usage: Counting, waiting: number): void {
    for (const { at, counts } of usage.values()) {
      const newer = this.#usage.get(at.join('/'));
      if (newer) addCounts(newer.counts, counts);
      else this.#usage.set(at.join('/'), { at, counts });
    }
    for (const [key, blocks] of lines) this.#lines.set(key, [...blocks, ...(this.#lines.get(key) ?? [])]);
    this.#waiting += waiting;
  }

  #reading(): LogTables | undefined {
    if (!this.#tables && !existsSync(dataFile(this.#dir))) return undefined;
    this.#tables ??= openLogTables(this.#dir, this.#hasWritten);
    this.#tables.root.resetReadTxn();
    return this.#tables;
  }
}

let lastDay = { number: Number.NaN, text: '' };

/** `YYYY-MM-DD` in UTC. Requests of one day come one after the other. */
function dayOf(time: number): string {
  const number = Math.floor(time / DAY_MS);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(time).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}
