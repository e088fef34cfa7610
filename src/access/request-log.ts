/**
 * The log of requests and the usage counters, per key; log-tables.ts says where they lie. Lines wait in memory and are
 * written together, a quarter of a second's at a time, so a kill loses less than the last second of them, and a request
 * pays for no transaction.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PriorartError } from '../errors.js';
import {
  ACCESS_FLUSH_MS,
  LOG_QUERY_MAX_CHARS,
  REQUEST_LOG_MB,
  REQUEST_LOG_PRUNE_MS,
  REQUEST_LOG_WAITING,
} from '../limits.js';
import { dataFile } from './environment.js';
import {
  addCounts,
  addStatus,
  type LogBatch,
  type LoggedRequest,
  type LogLine,
  type LogPage,
  linesOf,
  NO_COUNTS,
  type StoredLine,
  type UsageCounts,
  type UsageRow,
} from './log-records.js';
import { type BlockKey, daysKept, type LogTables, openLogTables } from './log-tables.js';
import { type AccessWriter, writerHere } from './writer.js';

const DAY_MS = 86_400_000;

/** Lines that wait, by key. */
type Waiting = Map<string, { first: number; lines: string[] }>;
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
    const block = this.#lines.get(key);
    if (block) block.lines.push(JSON.stringify(line));
    else this.#lines.set(key, { first: request.time, lines: [JSON.stringify(line)] });
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
   * Lines of a key, newest first; those of several servers on one folder by the quarter of a second. Lines that are
   * too old and lie there still, since nothing was written that would have removed them, are left out.
   * @param cursor `next` of the page before
   * @throws PriorartError `usage` where the cursor is none
   */
  page(key: string, limit: number, cursor?: string): LogPage {
    const from = cursor === undefined ? undefined : readCursor(cursor);
    const tables = this.#reading();
    if (!tables) return { lines: [] };
    const days = daysKept(tables, this.#options.days);
    const oldest = new Date(Date.now() - days * DAY_MS).toISOString();
    const start: BlockKey = from ? [key, from.time, from.writer] : [key, Number.MAX_VALUE, ''];
    const lines: LogLine[] = [];
    for (const block of tables.blocks.getRange({
      start,
      end: [key, 0, ''],
      reverse: true,
    })) {
      const [, time, writer] = block.key;
      const stored = linesOf(block.value);
      const isFirst = from !== undefined && time === from.time && writer === from.writer;
      if (stored.every((line) => line.time < oldest)) break;
      for (let i = Math.min(isFirst ? from.index : stored.length, stored.length) - 1; i >= 0; i--) {
        if (stored[i]!.time < oldest) continue;
        if (lines.length === limit) return { lines, next: writeCursor(time, writer, i + 1) };
        lines.push(stored[i]!);
      }
    }
    return { lines };
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
      blocks: Array.from(lines, ([key, block]) => ({
        key,
        first: block.first,
        lines: `[${block.lines.join(',')}]`,
      })),
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
    for (const [key, block] of lines) {
      const newer = this.#lines.get(key);
      this.#lines.set(key, { first: block.first, lines: [...block.lines, ...(newer?.lines ?? [])] });
    }
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

function writeCursor(time: number, writer: string, index: number): string {
  return `${time.toString(36)}-${writer}-${index.toString(36)}`;
}

function readCursor(text: string): { time: number; writer: string; index: number } {
  const [, time = '', writer = '', index = ''] =
    /^([0-9a-z]{1,10})-([0-9A-Za-z]{1,24})-([0-9a-z]{1,8})$/.exec(text) ?? [];
  if (writer !== '') return { time: Number.parseInt(time, 36), writer, index: Number.parseInt(index, 36) };
  throw new PriorartError(
    'usage',
    `cursor: got ${JSON.stringify(text.slice(0, 80))}; expected the \`next\` of the page before`,
  );
}
