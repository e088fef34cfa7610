/**
 * log.db: the log of requests and the usage counters. This file is large and often written, so it is separate
 * from the keys. A commit is on the disk when it returns.
 */
import { join } from 'node:path';
import { PriorartError } from '../errors.js';
import { REQUEST_LOG_DAYS } from '../limits.js';
import type { LogLine, LogPage } from './log-records.js';
import { type Layout, type OpenOptions, Sqlite } from './sqlite.js';

const LAYOUT: Layout = {
  format: 1,
  tables: [
    // Time in ms since 1970. A new id is larger than all existing ids.
    `CREATE TABLE lines (
       id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, time INTEGER NOT NULL, request_id TEXT NOT NULL,
       endpoint TEXT NOT NULL, status INTEGER NOT NULL, ms REAL NOT NULL, client TEXT NOT NULL,
       result_count INTEGER, query TEXT
     ) STRICT`,
    'CREATE INDEX lines_of_a_key ON lines (key, time, id)',
    'CREATE INDEX lines_by_time ON lines (time)',
    `CREATE TABLE usage (
       day TEXT, key TEXT, endpoint TEXT, requests INTEGER NOT NULL, ok INTEGER NOT NULL,
       client_errors INTEGER NOT NULL, server_errors INTEGER NOT NULL, PRIMARY KEY (day, key, endpoint)
     ) STRICT, WITHOUT ROWID`,
    // 'days': days for which lines are kept.
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  ],
  synchronous: 'FULL',
  pageBytes: 4096,
  checkpoints: true,
  // The file may be large: a check takes 1 ms per megabyte.
  checked: false,
  remedy:
    'Stop the servers on this folder and move it away with the files whose names begin with its name: it is made anew, ' +
    'and the log of requests and the usage begin again',
};

export const LOG_FILE = 'log.db';

/**
 * Opens the log in the folder of the access store.
 * @throws the errors of Sqlite, with the remedy if the file is damaged
 */
export function openLog(folder: string, options: OpenOptions): Sqlite {
  return new Sqlite(join(folder, LOG_FILE), LAYOUT, options);
}

/** Position of a line. Lines are in order of time; lines of the same time are in order of their writing. */
interface LinePosition {
  time: number;
  id: number;
}

type LineRow = [
  id: number,
  time: number,
  requestId: string,
  endpoint: string,
  status: number,
  ms: number,
  client: string,
  resultCount: number | null,
  query: string | null,
];

/**
 * Lines of a key that are not older than `oldest`, newest first, from all servers.
 * @param oldest ms since 1970
 * @param cursor `next` of the previous page
 * @throws PriorartError `usage` if the cursor is invalid
 */
export function pageOf(log: Sqlite, key: string, limit: number, oldest: number, cursor?: string): LogPage {
  const { time, id } = cursor === undefined ? NEWEST : linePosition(cursor);
  const found = log.rows<LineRow>(
    `SELECT id, time, request_id, endpoint, status, ms, client, result_count, query FROM lines
     WHERE key = ? AND time >= ? AND (time, id) < (?, ?) ORDER BY time DESC, id DESC LIMIT ?`,
    key,
    oldest,
    time,
    id,
    limit + 1,
  );
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next =
    found.length > limit && last ? { next: `${last[1].toString(36)}-${last[0].toString(36)}` } : {};
  return { lines: shown.map(lineOf), ...next };
}

const NEWEST: LinePosition = { time: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** @throws PriorartError `usage` if the text is not a cursor */
export function linePosition(cursor: string): LinePosition {
  const [, time, id] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined)
    return { time: Number.parseInt(time, 36), id: Number.parseInt(id, 36) };
  throw new PriorartError(
    'usage',
    `cursor: got ${JSON.stringify(cursor.slice(0, 80))}; expected the \`next\` of the page before`,
  );
}

function lineOf([, time, requestId, endpoint, status, ms, client, resultCount, query]: LineRow): LogLine {
  return {
    time: new Date(time).toISOString(),
    request_id: requestId,
    endpoint,
    status,
    ms,
    client,
    ...(resultCount === null ? {} : { result_count: resultCount }),
    ...(query === null ? {} : { query }),
  };
}

/**
 * Days for which lines are kept: the setting of this process, or else the setting of the servers that write
 * to the folder.
 */
export function daysKept(log: Sqlite, told: number | undefined): number {
  return (
    told ??
    log.row<[number]>("SELECT value FROM settings WHERE name = 'days'")?.[0] ??
    REQUEST_LOG_DAYS.default
  );
}
