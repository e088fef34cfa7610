/**
 * The log of requests and the usage counters, per key, in an LMDB environment of their own: large and often
 * written, unlike the keys. Lines wait in memory and are written together, a quarter of a second's at a time, so a kill
 * loses less than the last second of them, and a request pays for no transaction.
 *
 *   blocks   [key id, time of the first line, writer]            → the lines of a key of a quarter of a second, JSON
 *   by_time  [time of the first line, key id, writer]            → bytes of that block
 *   usage    [day, key id, endpoint]                             → UsageCounts
 *   meta     'format' → FORMAT, 'bytes' → bytes of all blocks, 'days' → how long lines are kept
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { PriorartError } from '../errors.js';
import {
  ACCESS_FLUSH_MS,
  LOG_QUERY_MAX_CHARS,
  REQUEST_LOG_DAYS,
  REQUEST_LOG_MB,
  REQUEST_LOG_PRUNE_MS,
  REQUEST_LOG_WAITING,
  USAGE_DAYS,
} from '../limits.js';
import { faultOfLmdbFile } from '../store/lmdb-file.js';
import { dataFile } from './environment.js';
import { randomBase62 } from './key.js';
import {
  type LoggedRequest,
  type LogLine,
  type LogPage,
  linesOf,
  type StoredLine,
  type UsageCounts,
  type UsageRow,
} from './log-records.js';

const FORMAT = 1;
const DAY_MS = 86_400_000;
/** Blocks that one write removes at most, so that a lowered limit stops nobody for long. */
const PRUNED_AT_ONCE = 1_000;
const NO_COUNTS: UsageCounts = { requests: 0, ok: 0, client_errors: 0, server_errors: 0 };

type BlockKey = [key: string, time: number, writer: string];

interface Tables {
  root: RootDatabase;
  blocks: Database<Uint8Array, BlockKey>;
  byTime: Database<number, [number, string, string]>;
  usage: Database<UsageCounts, [string, string, string]>;
  meta: Database<number, string>;
}

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
  onError?(error: unknown): void;
}

export class RequestLog {
  readonly #dir: string;
  readonly #options: RequestLogOptions & Required<Omit<RequestLogOptions, 'days'>>;
  readonly #writer = randomBase62(6);
  readonly #timer: NodeJS.Timeout;
  #tables: Tables | undefined;
  #lines: Waiting = new Map();
  #usage: Counting = new Map();
  #waiting = 0;
  #dropped = 0;
  #blocksWritten = 0;
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
    this.#timer = setInterval(() => void this.flush(), ACCESS_FLUSH_MS);
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

  /** Writes what waits; resolves when it is committed. */
  async flush(): Promise<void> {
    // A second writer would only wait for the first one's lock.
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
    await tables?.root.close();
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
    const oldest = new Date(Date.now() - this.#daysKept(tables) * DAY_MS).toISOString();
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

  /** As this log was told, else as the servers of the folder were that write it. */
  #daysKept({ meta }: Tables): number {
    return this.#options.days ?? meta.get('days') ?? REQUEST_LOG_DAYS.default;
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
    try {
      const tables = this.#open();
      await tables.root.transaction(() => this.#store(tables, lines, usage));
    } catch (error) {
      this.#options.onError(error);
      this.#takeBack(lines, usage, waiting);
    }
  }

  #store(tables: Tables, lines: Waiting, usage: Counting): void {
    let bytes = tables.meta.get('bytes') ?? 0;
    for (const [key, block] of lines) {
      // Two blocks of one writer that begin in one millisecond must not be one.
      const writer = `${this.#writer}${(this.#blocksWritten++).toString(36)}`;
      const value = Buffer.from(`[${block.lines.join(',')}]`);
      tables.blocks.putSync([key, block.first, writer], value);
      tables.byTime.putSync([block.first, key, writer], value.length);
      bytes += value.length;
    }
    for (const { at, counts } of usage.values()) {
      const sum = { ...(tables.usage.get(at) ?? NO_COUNTS) };
      addCounts(sum, counts);
      tables.usage.putSync(at, sum);
    }
    const days = this.#daysKept(tables);
    if (tables.meta.get('days') !== days) tables.meta.putSync('days', days);
    tables.meta.putSync('bytes', bytes - this.#prune(tables, bytes, days));
  }

  /** Removes the oldest blocks while there are too many bytes or they are too old. @returns bytes freed */
  #prune(tables: Tables, bytes: number, days: number): number {
    const { megabytes } = this.#options;
    const oldest = Date.now() - days * DAY_MS;
    let freed = 0;
    const old: [number, string, string][] = [];
    for (const { key: at, value } of tables.byTime.getRange({ limit: PRUNED_AT_ONCE })) {
      if (bytes - freed <= megabytes * 1e6 && at[0] >= oldest) break;
      old.push(at);
      freed += value;
    }
    for (const [time, key, writer] of old) {
      tables.blocks.removeSync([key, time, writer]);
      tables.byTime.removeSync([time, key, writer]);
    }
    const lastDay = dayOf(Date.now() - USAGE_DAYS * DAY_MS);
    const past = [...tables.usage.getKeys({ end: [lastDay, '', ''], limit: PRUNED_AT_ONCE })];
    for (const at of past) tables.usage.removeSync(at);
    return freed;
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

  #reading(): Tables | undefined {
    if (!this.#tables && !existsSync(dataFile(this.#dir))) return undefined;
    const tables = this.#open();
    tables.root.resetReadTxn();
    return tables;
  }

  #open(): Tables {
    if (this.#tables) return this.#tables;
    const file = dataFile(this.#dir);
    if (existsSync(file) && statSync(file).size > 0) {
      const fault = faultOfLmdbFile(file);
      if (fault !== undefined) throw new Error(`${file} is damaged: ${fault}`);
    } else mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const root = open({ path: this.#dir, noSubdir: false, maxDbs: 8 });
    root.readerCheck();
    const meta = root.openDB<number, string>({ name: 'meta' });
    root.transactionSync(() => {
      if (meta.get('format') === undefined) meta.putSync('format', FORMAT);
    });
    if (meta.get('format') !== FORMAT) throw new Error(`${file} has a format that is not ${FORMAT}`);
    this.#tables = {
      root,
      meta,
      blocks: root.openDB({ name: 'blocks', encoding: 'binary' }),
      byTime: root.openDB({ name: 'by_time' }),
      usage: root.openDB({ name: 'usage' }),
    };
    return this.#tables;
  }
}

function addStatus(counts: UsageCounts, status: number): void {
  counts.requests++;
  if (status < 400) counts.ok++;
  else if (status < 500) counts.client_errors++;
  else counts.server_errors++;
}

function addCounts(to: UsageCounts, more: UsageCounts): void {
  to.requests += more.requests;
  to.ok += more.ok;
  to.client_errors += more.client_errors;
  to.server_errors += more.server_errors;
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
