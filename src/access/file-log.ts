/** The log of requests in a file of the access store, which the servers on the folder share; log-file.ts describes it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { LOCK_WAIT_MS, REQUEST_LOG_MB } from '../limits.js';
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
import type { LogBatch, LogFilter, LogLimits, LogPage, UsageRow } from './log-records.js';
import type { LogStore } from './log-store.js';
import { FileMissing, type Sqlite } from './sqlite.js';
import { type AccessWriter, writerHere } from './writer.js';

const DAY_MS = 86_400_000;

export interface FileLogOptions extends Partial<LogLimits> {
  /** The writer; the caller closes it. Absent: this thread writes. */
  writer?: AccessWriter;
}

export class FileLog implements LogStore {
  readonly #folder: string;
  readonly #days: number | undefined;
  readonly #readerWaitMs: number;
  readonly #writer: AccessWriter;
  readonly #ownWriter: AccessWriter | undefined;
  #log: Sqlite | undefined;

  /** @param folder folder of the access store. Nothing is created before the first write. */
  constructor(folder: string, { writer, days, megabytes = REQUEST_LOG_MB.default }: FileLogOptions = {}) {
    this.#folder = folder;
    this.#days = days;
    // With a writer on a different thread, this thread must not block.
    this.#readerWaitMs = writer ? 0 : LOCK_WAIT_MS;
    const limits = { megabytes, ...(days === undefined ? {} : { days }) };
    this.#ownWriter = writer ? undefined : writerHere({ folder, ...limits });
    this.#writer = writer ?? this.#ownWriter!;
  }

  /** Stores all of the batch or nothing. Every write also removes lines that exceed the limits. */
  async write(batch: LogBatch): Promise<undefined> {
    await this.#writer.writeLog(batch);
  }

  async prune(): Promise<void> {
    if (existsSync(join(this.#folder, LOG_FILE))) await this.#writer.writeLog({ lines: [], usage: [] });
  }

  isPruneDue(): boolean {
    return false;
  }

  async page(key: string, limit: number, cursor?: string): Promise<LogPage> {
    if (cursor !== undefined) linePosition(cursor);
    return this.#reading({ lines: [] }, (log) => pageOf(log, key, limit, this.#oldest(log), cursor));
  }

  async pageOfKeys(
    keys: readonly string[] | undefined,
    limit: number,
    options: { filter?: LogFilter; cursor?: string | undefined },
  ): Promise<LogPage> {
    if (options.cursor !== undefined) linePosition(options.cursor);
    return this.#reading({ lines: [] }, (log) =>
      filteredPageOf(log, keys, limit, this.#oldest(log), options),
    );
  }

  async usage(from: string, to: string, keys?: ReadonlySet<string>): Promise<UsageRow[]> {
    return this.#reading([], (log) => usageOf(log, from, to, keys && [...keys]));
  }

  async lastCalls(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#reading(new Map(), (log) => lastCallsOf(log, keys, this.#oldest(log)));
  }

  async close(): Promise<void> {
    this.#closeLog();
    await this.#ownWriter?.close();
  }

  /** Time of the oldest line that may be shown, ms since 1970. */
  #oldest(log: Sqlite): number {
    return Date.now() - daysKept(log, this.#days) * DAY_MS;
  }

  /** Reads the log. Returns `none` if the log does not exist yet. @throws LockHeld */
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
