/**
 * log.db: the log of requests and the usage counters. This file is large and often written, so it is separate
 * from the keys. A commit is on the disk when it returns.
 */
import { join } from 'node:path';
import { LOG_LINES_READ, REQUEST_LOG_DAYS } from '../limits.js';
import {
  dayStart,
  type LogFilter,
  type LogLine,
  type LogPage,
  lineOf,
  type UsageRow,
} from './log-records.js';
import { invalidCursor } from './log-store.js';
import { type Layout, type OpenOptions, Sqlite } from './sqlite.js';

export const LOG_LAYOUT: Layout = {
  format: 2,
  tables: [
    // Time in ms since 1970. A new id is larger than all existing ids.
    `CREATE TABLE lines (
       id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, time INTEGER NOT NULL, request_id TEXT NOT NULL,
       endpoint TEXT NOT NULL, status INTEGER NOT NULL, ms REAL NOT NULL, client TEXT NOT NULL,
       result_count INTEGER, query TEXT, code TEXT
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
  upgrades: { 1: ['ALTER TABLE lines ADD COLUMN code TEXT'] },
  synchronous: 'FULL',
  pageBytes: 4096,
  checkpoints: true,
  // The file may be large: a check takes 1 ms per megabyte.
  checked: false,
  remedy:
    'Stop the servers on this folder and move it away with the files whose names begin with its name: it is created again, ' +
    'and the log of requests and the usage begin again',
};

export const LOG_FILE = 'log.db';

/**
 * Opens the log in the folder of the access store.
 * @throws the errors of Sqlite, with the remedy if the file is damaged
 */
export function openLog(folder: string, options: OpenOptions): Sqlite {
  return new Sqlite(join(folder, LOG_FILE), LOG_LAYOUT, options);
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
  code: string | null,
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
    `SELECT id, time, request_id, endpoint, status, ms, client, result_count, query, code FROM lines
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
  return { lines: shown.map(outputOf), ...next };
}

const NEWEST: LinePosition = { time: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/** @throws PriorartError `usage` if the text is not a cursor */
export function linePosition(cursor: string): LinePosition {
  const [, time, id] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined)
    return { time: Number.parseInt(time, 36), id: Number.parseInt(id, 36) };
  throw invalidCursor(cursor);
}

type KeyedRow = [...LineRow, key: string];

// json_each has columns of these names, too.
const KEYED_COLUMNS = `lines.id, lines.time, lines.request_id, lines.endpoint, lines.status, lines.ms, lines.client,
  lines.result_count, lines.query, lines.code, lines.key`;
const LINES_OF_ALL = `
  SELECT ${KEYED_COLUMNS} FROM lines WHERE time >= ?1 AND (time, id) < (?2, ?3) ORDER BY time DESC, id DESC LIMIT ?4`;
/**
 * The newest lines of each key, ?4 of each at most, and ?6 in all. The inner statement is a look-up in the index
 * `lines_of_a_key` for each key, so the cost does not depend on the lines of other keys.
 */
const LINES_OF_KEYS = `
  SELECT ${KEYED_COLUMNS} FROM json_each(?5) CROSS JOIN lines
  WHERE lines.id IN (
    SELECT own.id FROM lines own WHERE own.key = json_each.value AND own.time >= ?1 AND (own.time, own.id) < (?2, ?3)
    ORDER BY own.time DESC, own.id DESC LIMIT ?4
  )
  ORDER BY time DESC, lines.id DESC LIMIT ?6`;

/**
 * Lines of several keys, newest first. A call reads a bounded number of lines, of all keys together. With many keys,
 * or with a filter that leaves out most lines, the page may be short. Its `next` continues behind the lines that
 * were read.
 * @param keys undefined for all keys
 * @param oldest ms since 1970
 * @throws PriorartError `usage` if the cursor is invalid
 */
export function filteredPageOf(
  log: Sqlite,
  keys: readonly string[] | undefined,
  limit: number,
  oldest: number,
  { filter = {}, cursor }: { filter?: LogFilter; cursor?: string | undefined },
): LogPage {
  const start = cursor === undefined ? NEWEST : linePosition(cursor);
  const [from, until] = [Math.max(oldest, dayStart(filter.from, 0) ?? 0), dayStart(filter.to, 1)];
  const before = until !== undefined && until <= start.time ? { time: until, id: 0 } : start;
  const read = Math.max(1, Math.floor(LOG_LINES_READ / Math.max(1, keys?.length ?? 1)));
  const most = isEmpty(filter) ? Math.min(limit + 1, read) : read;
  // Without a filter, one line behind the page says that there are more.
  const needed = isEmpty(filter) ? limit + 1 : LOG_LINES_READ;
  const range = [from, before.time, before.id, most] as const;
  const rows =
    keys === undefined
      ? log.rows<KeyedRow>(LINES_OF_ALL, ...range)
      : log.rows<KeyedRow>(LINES_OF_KEYS, ...range, JSON.stringify(keys), needed);
  const end = endOf(rows, most, keys !== undefined);
  const matching = rows.filter(
    (row) => fits(row, filter) && (end === undefined || !isNewer(end, positionOf(row))),
  );
  const shown = matching.slice(0, limit);
  const last = matching.length > limit ? positionOf(shown.at(-1)!) : end;
  return {
    lines: shown.map((row) => ({ key: row[10], ...outputOf(row.slice(0, 10) as LineRow) })),
    ...(last === undefined ? {} : { next: cursorOf(last) }),
  };
}

/**
 * Time of the last call of each key, ms since 1970; keys without a line are left out.
 * @param oldest ms since 1970
 */
export function lastCallsOf(log: Sqlite, keys: readonly string[], oldest: number): Map<string, number> {
  const rows = log.rows<[key: string, time: number | null]>(
    `SELECT value, (SELECT max(time) FROM lines WHERE key = value AND time >= ?) FROM json_each(?)`,
    oldest,
    JSON.stringify(keys),
  );
  return new Map(rows.filter((row): row is [string, number] => row[1] !== null));
}

/**
 * Calls by day, key and endpoint. With keys, the cost does not depend on the other keys: the statement finds the days
 * that have rows, and looks up each key on each of them.
 * @param keys undefined for all keys
 */
export function usageOf(log: Sqlite, from: string, to: string, keys?: readonly string[]): UsageRow[] {
  type Row = [string, string, string, number, number, number, number];
  const columns = 'day, key, endpoint, requests, ok, client_errors, server_errors';
  const rows =
    keys === undefined
      ? log.rows<Row>(
          `SELECT ${columns} FROM usage WHERE day BETWEEN ? AND ? ORDER BY day, key, endpoint`,
          from,
          to,
        )
      : log.rows<Row>(
          `WITH RECURSIVE days (day) AS (
             SELECT min(day) FROM usage WHERE day >= ?1
             UNION ALL SELECT (SELECT min(u.day) FROM usage u WHERE u.day > days.day) FROM days WHERE days.day < ?2
           )
           SELECT ${columns} FROM usage
           WHERE day IN (SELECT day FROM days WHERE day <= ?2) AND key IN (SELECT value FROM json_each(?3))
           ORDER BY day, key, endpoint`,
          from,
          to,
          JSON.stringify(keys),
        );
  return rows.map(([day, key, endpoint, requests, ok, client_errors, server_errors]) => ({
    day,
    key,
    endpoint,
    requests,
    ok,
    client_errors,
    server_errors,
  }));
}

/**
 * Where a page ends at the latest: behind the last line of a key that was not read to its end, lines of that key may
 * be missing. Undefined if all lines were read.
 * @param rows newest first
 * @param most lines that were read of each key, at most
 * @param byKey otherwise of all keys together
 */
function endOf(rows: readonly KeyedRow[], most: number, byKey: boolean): LinePosition | undefined {
  const counts = new Map<string | undefined, number>();
  for (const row of rows) {
    const key = byKey ? row[10] : undefined;
    const count = (counts.get(key) ?? 0) + 1;
    // The newest end comes first.
    if (count === most) return positionOf(row);
    counts.set(key, count);
  }
  return undefined;
}

function positionOf([id, time]: KeyedRow): LinePosition {
  return { time, id };
}

function cursorOf({ time, id }: LinePosition): string {
  return `${time.toString(36)}-${id.toString(36)}`;
}

function isNewer(one: LinePosition, two: LinePosition): boolean {
  return one.time > two.time || (one.time === two.time && one.id > two.id);
}

function isEmpty({ endpoint, status }: LogFilter): boolean {
  return endpoint === undefined && status === undefined;
}

function fits([, , , endpoint, status]: KeyedRow, wanted: LogFilter): boolean {
  const { endpoint: name } = wanted;
  if (name !== undefined && endpoint !== name && !endpoint.startsWith(`${name}.`)) return false;
  if (wanted.status === undefined) return true;
  const text = `${status}`;
  return wanted.status.endsWith('xx') ? text[0] === wanted.status[0] : text === wanted.status;
}

function outputOf(row: LineRow): LogLine {
  const [, time, requestId, endpoint, status, ms, client, resultCount, query, code] = row;
  return lineOf({ time, requestId, endpoint, status, ms, client, resultCount, query, code });
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
