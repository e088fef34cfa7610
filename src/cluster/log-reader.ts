/** Reads the log of requests of all servers on a cluster. Every read sees all that was written before it. */
import {
  dayStart,
  type LogFilter,
  type LoggedRequest,
  type LogLine,
  lineOf,
  type UsageRow,
} from '../access/log-records.js';
import { invalidCursor } from '../access/log-store.js';
import { REQUEST_LOG_DAYS } from '../limits.js';
import { again } from './again.js';
import type { Json, SearchAnswer } from './client.js';
import { inTime } from './in-time.js';
import { IF_ANY, type LogIndexes } from './log-indexes.js';

const DAY_MS = 86_400_000;
/** Rows of usage of one request, and keys of one request. */
const USAGE_PAGE = 5_000;
const KEYS_PAGE = 10_000;
const FAILING = 'the cluster does not give the log of requests';
/** The document with the settings that servers and commands share. */
export const SETTINGS_ID = 'settings';

/** A line as it is stored. Lines of the same time are in order of their ids. */
export type StoredLine = LoggedRequest & { id: string };
export type StoredUsage = UsageRow;
export interface StoredSettings {
  /** Days for which lines are kept. */
  days: number;
}

/** Bucket of an aggregation. */
interface KeyBucket {
  key: string;
  last: { value: number };
}
type Counted = 'requests' | 'ok' | 'client_errors' | 'server_errors';
const COUNTED: readonly Counted[] = ['requests', 'ok', 'client_errors', 'server_errors'];
type UsageBucket = { key: Pick<UsageRow, 'day' | 'key' | 'endpoint'> } & Record<Counted, { value: number }>;

export class LogReader {
  readonly #indexes: LogIndexes;
  readonly #days: number | undefined;

  /** @param days for which lines are shown; absent: as the servers say that keep the log */
  constructor(indexes: LogIndexes, days: number | undefined) {
    this.#indexes = indexes;
    this.#days = days;
  }

  /** Lines of keys, newest first. */
  async page(
    keys: readonly string[] | undefined,
    limit: number,
    { filter = {}, cursor }: { filter?: LogFilter; cursor?: string | undefined },
  ): Promise<{ lines: (LogLine & { key: string })[]; next?: string }> {
    const after = cursor === undefined ? {} : { search_after: positionOf(cursor) };
    await this.#refresh(this.#indexes.lines);
    const { hits } = await this.#search<StoredLine>(this.#indexes.lines, {
      // One line behind the page says that there are more.
      size: limit + 1,
      query: { bool: { filter: clausesOf(keys, await this.oldest(), filter) } },
      sort: [{ time: 'desc' }, { id: 'desc' }],
      track_total_hits: false,
      ...after,
    });
    const shown = hits.hits.slice(0, limit).map(({ _source }) => _source!);
    const last = shown.at(-1);
    return {
      lines: shown.map((line) => ({ key: line.key, ...lineOf(line) })),
      ...(last && hits.hits.length > limit ? { next: `${last.time.toString(36)}-${last.id}` } : {}),
    };
  }

  /** Calls by day, key and endpoint, in this order. */
  async usage(from: string, to: string, keys?: readonly string[]): Promise<UsageRow[]> {
    const filter: Json[] = [{ range: { day: { gte: from, lte: to } } }];
    if (keys) filter.push({ terms: { key: keys } });
    const sources = ['day', 'key', 'endpoint'].map((field) => ({ [field]: { terms: { field } } }));
    const sums = Object.fromEntries(COUNTED.map((field) => [field, { sum: { field } }]));
    await this.#refresh(this.#indexes.usage);
    const rows: UsageRow[] = [];
    let after: Json | undefined;
    do {
      const composite = { size: USAGE_PAGE, sources, ...(after ? { after } : {}) };
      const { aggregations } = await this.#search(this.#indexes.usage, {
        size: 0,
        query: { bool: { filter } },
        aggs: { rows: { composite, aggs: sums } },
      });
      const found = aggregations?.['rows'] as { after_key?: Json; buckets: UsageBucket[] } | undefined;
      for (const { key, ...counts } of found?.buckets ?? []) rows.push(usageRow(key, counts));
      after = found?.after_key;
    } while (after !== undefined);
    return rows;
  }

  /** Time of the last call of each key, ms since 1970; keys without a line are left out. */
  async lastCalls(keys: readonly string[]): Promise<Map<string, number>> {
    await this.#refresh(this.#indexes.lines);
    const oldest = await this.oldest();
    const found = new Map<string, number>();
    for (let at = 0; at < keys.length; at += KEYS_PAGE) {
      const asked = keys.slice(at, at + KEYS_PAGE);
      const last = { last: { max: { field: 'time' } } };
      const { aggregations } = await this.#search(this.#indexes.lines, {
        size: 0,
        query: { bool: { filter: clausesOf(asked, oldest, {}) } },
        aggs: { keys: { terms: { field: 'key', size: asked.length }, aggs: last } },
      });
      const { buckets } = (aggregations?.['keys'] ?? { buckets: [] }) as { buckets: KeyBucket[] };
      for (const bucket of buckets) found.set(bucket.key, bucket.last.value);
    }
    return found;
  }

  /** Time of the oldest line that may be shown, ms since 1970. */
  async oldest(): Promise<number> {
    return Date.now() - (this.#days ?? (await this.#daysStored())) * DAY_MS;
  }

  async #daysStored(): Promise<number> {
    const path = `/${this.#indexes.lines}/_doc/${SETTINGS_ID}`;
    const { client } = this.#indexes;
    const { _source } = await inTime(FAILING, (signal) => {
      const options = { signal, ignore: [404] };
      const ask = () => client.request<{ _source?: StoredSettings }>('GET', path, undefined, options);
      // The index may have been made just now.
      return again(ask, 'answer', signal);
    });
    return _source?.days ?? REQUEST_LOG_DAYS.default;
  }

  #refresh(index: string): Promise<void> {
    return inTime(FAILING, (signal) => this.#indexes.refresh(index, signal));
  }

  /** The answer of all shards. Those of an index that was just made, or of a node that left, are waited for. */
  #search<Source = Json>(index: string, body: Json): Promise<SearchAnswer<Source>> {
    return inTime(FAILING, (signal) => {
      const options = { signal, query: IF_ANY };
      const ask = () => this.#indexes.client.search<Source>(`/${index}/_search`, body, options);
      return again(ask, 'answer', signal);
    });
  }
}

function positionOf(cursor: string): [time: number, id: string] {
  const [, time, id] = /^([0-9a-z]{1,10})-([0-9a-z]{1,20})$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) throw invalidCursor(cursor);
  return [Number.parseInt(time, 36), id];
}

function clausesOf(
  keys: readonly string[] | undefined,
  oldest: number,
  { endpoint, status, from, to }: LogFilter,
): Json[] {
  const until = dayStart(to, 1);
  const gte = Math.max(oldest, dayStart(from, 0) ?? 0);
  const clauses: Json[] = [{ range: { time: { gte, ...(until === undefined ? {} : { lt: until }) } } }];
  if (keys !== undefined) clauses.push({ terms: { key: keys } });
  if (endpoint !== undefined) {
    const parts = { prefix: { endpoint: `${endpoint}.` } };
    clauses.push({ bool: { should: [{ term: { endpoint } }, parts], minimum_should_match: 1 } });
  }
  if (status?.endsWith('xx')) {
    const first = Number(status[0]) * 100;
    clauses.push({ range: { status: { gte: first, lt: first + 100 } } });
  } else if (status !== undefined) clauses.push({ term: { status: Number(status) } });
  return clauses;
}

function usageRow(
  { day, key, endpoint }: UsageBucket['key'],
  counts: Record<Counted, { value: number }>,
): UsageRow {
  const { requests, ok, client_errors, server_errors } = counts;
  return {
    day,
    key,
    endpoint,
    requests: requests.value,
    ok: ok.value,
    client_errors: client_errors.value,
    server_errors: server_errors.value,
  };
}
