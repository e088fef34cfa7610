/** Writes the log of requests, and removes lines that exceed the age or size limit. */
import { LOCK_WAIT_MS, USAGE_DAYS } from '../limits.js';
import { daysKept, openLog } from './log-file.js';
import type { LogBatch, LoggedRequest, LogLimits } from './log-records.js';
import type { Sqlite } from './sqlite.js';

const DAY_MS = 86_400_000;
/**
 * Lines per delete statement, and the limit of one write. A lowered limit must not block a write for long.
 */
const PRUNED_AT_ONCE = 1_000;
const PRUNED_MAX = 20_000;
/** Bytes of a row of usage besides its texts: the header of the record, four counts, and the free part of its page. */
const USAGE_ROW_BYTES = 40;
/** The usage grows slowly, and summing it reads all of it. */
const USAGE_KNOWN_MS = 3_600_000;

export class LogWriter {
  readonly #folder: string;
  readonly #limits: LogLimits;
  #log: Sqlite | undefined;
  #usage: { bytes: number; until: number } | undefined;

  /** @param folder folder of the access store. The first write creates the file if it does not exist. */
  constructor(folder: string, limits: LogLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /**
   * Writes all of the batch or nothing. The batch is on the disk when this returns. Waits for other processes
   * for at most LOCK_WAIT_MS.
   * @throws Error
   */
  write({ lines, usage }: LogBatch): void {
    if (this.#log?.isMoved()) this.close();
    try {
      this.#log ??= openLog(this.#folder, { create: true, waitMs: LOCK_WAIT_MS });
      const log = this.#log;
      log.write(() => {
        for (const line of lines) addLine(log, line);
        for (const { at, counts } of usage) addUsage(log, at, counts);
        this.#prune(log, lines.length);
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    const log = this.#log;
    this.#log = undefined;
    log?.close();
  }

  /** Bytes of the usage, about. It has its own limit, in days, so it takes nothing of the room for the lines. */
  #usageBytes(log: Sqlite): number {
    const now = Date.now();
    if (this.#usage === undefined || this.#usage.until < now) {
      const bytes = log.row<[number]>(
        `SELECT coalesce(sum(${USAGE_ROW_BYTES} + length(day) + length(key) + length(endpoint)), 0) FROM usage`,
      )![0];
      this.#usage = { bytes, until: now + USAGE_KNOWN_MS };
    }
    return this.#usage.bytes;
  }

  #prune(log: Sqlite, added: number): void {
    const days = daysKept(log, this.#limits.days);
    log.rows("INSERT OR REPLACE INTO settings (name, value) VALUES ('days', ?)", days);
    const oldest = Date.now() - days * DAY_MS;
    const old = 'SELECT id FROM lines WHERE time < ? ORDER BY time LIMIT ?';
    log.rows(`DELETE FROM lines WHERE id IN (${old})`, oldest, PRUNED_MAX);
    const first = 'SELECT id FROM lines ORDER BY time LIMIT ?';
    const most = this.#limits.megabytes * 1e6;
    const isTooMuch = () => {
      const used = bytesUsed(log);
      return used > most && used - this.#usageBytes(log) > most;
    };
    for (let pruned = 0; pruned < PRUNED_MAX + added && isTooMuch(); pruned += PRUNED_AT_ONCE)
      log.rows(`DELETE FROM lines WHERE id IN (${first})`, PRUNED_AT_ONCE);
    log.rows(
      'DELETE FROM usage WHERE day < ?',
      new Date(Date.now() - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10),
    );
  }
}

function addLine(log: Sqlite, line: LoggedRequest): void {
  log.rows(
    `INSERT INTO lines (key, time, request_id, endpoint, status, ms, client, result_count, query, code)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    line.key,
    line.time,
    line.requestId,
    line.endpoint,
    line.status,
    line.ms,
    line.client,
    line.resultCount ?? null,
    line.query ?? null,
    line.code ?? null,
  );
}

function addUsage(log: Sqlite, at: LogBatch['usage'][0]['at'], counts: LogBatch['usage'][0]['counts']): void {
  log.rows(
    `INSERT INTO usage (day, key, endpoint, requests, ok, client_errors, server_errors) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       requests = requests + excluded.requests, ok = ok + excluded.ok,
       client_errors = client_errors + excluded.client_errors,
       server_errors = server_errors + excluded.server_errors`,
    ...at,
    counts.requests,
    counts.ok,
    counts.client_errors,
    counts.server_errors,
  );
}

/** Bytes of the file in use. SQLite reuses free pages before the file grows. */
function bytesUsed(log: Sqlite): number {
  const number = (pragma: string) => log.row<[number]>(`PRAGMA ${pragma}`)![0];
  return (number('page_count') - number('freelist_count')) * number('page_size');
}
