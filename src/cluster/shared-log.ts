/**
 * The log of requests of all servers on a cluster. A write may be repeated: a line is a document with an id of its own, and a
 * count is a total of its server (usage-totals.ts).
 */
import { randomInt } from 'node:crypto';
import type {
  LogBatch,
  LogFilter,
  LoggedRequest,
  LogLimits,
  LogPage,
  UsageRow,
} from '../access/log-records.js';
import type { LogStore } from '../access/log-store.js';
import { REQUEST_LOG_MB, USAGE_DAYS } from '../limits.js';
import { reasonOf } from './bulk.js';
import { type BulkItem, type BulkOperation, type ClusterClient, type Json, unavailable } from './client.js';
import { inTime } from './in-time.js';
import { IF_ANY, LogIndexes } from './log-indexes.js';
import {
  LogReader,
  SETTINGS_ID,
  type StoredLine,
  type StoredSettings,
  type StoredUsage,
} from './log-reader.js';
import { UsageTotals } from './usage-totals.js';

const DAY_MS = 86_400_000;
/** Operations of one bulk request, and lines that one request removes. */
const BULK = 2_000;
const REMOVED_AT_ONCE = 2_000;
/** Part of the size limit that may be written between two removals, and that a removal leaves. */
const WRITTEN_BETWEEN = 0.05;
const KEPT = 0.95;
const CONFLICT = 409;
/** The alias does not exist. */
const MISSING = 404;
/** The status of an entry that is wrong in itself, and the error of an index that an operator has closed, which has it, too. */
const WRONG = 400;
const CLOSED = 'index_closed_exception';
const NAME_CHARS = 10;
const NUMBER_CHARS = 8;

/** A batch, and what of it is not stored yet. */
interface Taken {
  batch: LogBatch;
  operations: BulkOperation[];
  refused?: string;
}

export class ClusterLog implements LogStore {
  readonly #client: ClusterClient;
  readonly #indexes: LogIndexes;
  readonly #reader: LogReader;
  readonly #days: number | undefined;
  readonly #bytesMost: number;
  readonly #totals = new UsageTotals(randomName);
  /** The beginning of the ids of this log's lines. */
  readonly #name = randomName();
  #lines = 0;
  #taken: Taken | undefined;
  #saysDays: boolean;
  /** Bytes of lines since the last removal. The first write is followed by one. */
  #bytes = Number.POSITIVE_INFINITY;
  #isClosed = false;

  /** @param client the caller closes it, after the log */
  constructor(client: ClusterClient, { days, megabytes = REQUEST_LOG_MB.default }: Partial<LogLimits>) {
    this.#client = client;
    this.#indexes = new LogIndexes(client);
    this.#reader = new LogReader(this.#indexes, days);
    this.#days = days;
    this.#saysDays = days !== undefined;
    this.#bytesMost = megabytes * 1e6;
  }

  async write(batch: LogBatch): Promise<string | undefined> {
    if (this.#taken?.batch !== batch) this.#taken = { batch, operations: this.#operationsOf(batch) };
    const taken = this.#taken;
    while (taken.operations.length > 0) {
      const part = taken.operations.slice(0, BULK);
      const items = await inTime('the cluster does not take the log of requests', (signal) =>
        this.#bulk(part, signal),
      );
      const left = part.filter((_, n) => isLeft(items[n]!));
      taken.operations.splice(0, part.length, ...left);
      const refused = items.find(isRefused);
      if (refused) taken.refused = reasonOf(refused);
      if (left.length > 0)
        throw unavailable(
          `the cluster did not take ${left.length} entries of the log of requests: ${reasonOf(items.find(isLeft)!)}`,
        );
    }
    this.#taken = undefined;
    return taken.refused;
  }

  isPruneDue(): boolean {
    return this.#lines > 0 && this.#bytes > this.#bytesMost * WRITTEN_BETWEEN;
  }

  async prune(): Promise<void> {
    this.#bytes = 0;
    if (this.#days !== undefined) this.#saysDays = true;
    const oldest = await this.#reader.oldest();
    await this.#remove(this.#indexes.lines, { range: { time: { lt: oldest } } });
    const firstDay = new Date(Date.now() - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10);
    await this.#remove(this.#indexes.usage, { range: { day: { lt: firstDay } } });
    const excess = await this.#asking((signal) => this.#endOfExcess(signal));
    if (excess !== undefined) await this.#remove(this.#indexes.lines, { range: { time: { lte: excess } } });
  }

  async page(key: string, limit: number, cursor?: string): Promise<LogPage> {
    const { lines, ...rest } = await this.#reader.page([key], limit, { cursor });
    return { lines: lines.map(({ key: _, ...line }) => line), ...rest };
  }

  pageOfKeys(
    keys: readonly string[] | undefined,
    limit: number,
    options: { filter?: LogFilter; cursor?: string | undefined },
  ): Promise<LogPage> {
    return this.#reader.page(keys, limit, options);
  }

  usage(from: string, to: string, keys?: ReadonlySet<string>): Promise<UsageRow[]> {
    return this.#reader.usage(from, to, keys && [...keys]);
  }

  lastCalls(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#reader.lastCalls(keys);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #operationsOf({ lines, usage }: LogBatch): BulkOperation[] {
    const { lines: index, usage: usageIndex } = this.#indexes;
    const operations = lines.map((line): BulkOperation => {
      const stored: StoredLine = { ...wellFormed(line), id: this.#nextId() };
      const document = JSON.stringify(stored);
      this.#bytes += document.length;
      return { action: { create: { _index: index, _id: stored.id, require_alias: true } }, document };
    });
    for (const { id, row } of this.#totals.add(usage)) {
      const stored: StoredUsage = row;
      const version = { version: row.requests, version_type: 'external' };
      operations.push({
        action: { index: { _index: usageIndex, _id: id, require_alias: true, ...version } },
        document: JSON.stringify(stored),
      });
    }
    if (this.#saysDays && operations.length > 0) {
      this.#saysDays = false;
      const stored: StoredSettings = { days: this.#days! };
      operations.push({
        action: { index: { _index: index, _id: SETTINGS_ID, require_alias: true } },
        document: JSON.stringify(stored),
      });
    }
    return operations;
  }

  /** Ids of lines that this log adds one after the other are in the order of their texts. */
  #nextId(): string {
    return this.#name + (this.#lines++).toString(36).padStart(NUMBER_CHARS, '0');
  }

  async #bulk(operations: readonly BulkOperation[], signal: AbortSignal): Promise<BulkItem[]> {
    const items = await this.#client.bulk(operations, signal);
    if (!items.some(({ status }) => status === MISSING)) return items;
    await this.#indexes.make(signal);
    return this.#client.bulk(operations, signal);
  }

  /** Removes documents, some at a time: each request ends in time. */
  async #remove(index: string, query: Json): Promise<void> {
    for (let removed = REMOVED_AT_ONCE; removed >= REMOVED_AT_ONCE && !this.#isClosed; ) {
      const answer = await this.#asking((signal) =>
        this.#client.request<{ deleted: number; failures: { cause?: { reason?: string } }[] }>(
          'POST',
          `/${index}/_delete_by_query`,
          { query },
          {
            signal,
            query: {
              ...IF_ANY,
              // Another server may remove the same lines.
              conflicts: 'proceed',
              max_docs: REMOVED_AT_ONCE,
              refresh: true,
            },
          },
        ),
      );
      const [failure] = answer.failures;
      if (failure) throw unavailable(`old lines were not removed: ${failure.cause?.reason}`);
      removed = answer.deleted;
    }
  }

  /** Time up to which lines must be removed, because all together are too large. Undefined if they are not. */
  async #endOfExcess(signal: AbortSignal): Promise<number | undefined> {
    const { lines } = this.#indexes;
    await this.#indexes.refresh(lines, signal);
    const { indices = {} } = await this.#client.request<{ indices?: Record<string, Segmented> }>(
      'GET',
      `/${lines}/_segments`,
      undefined,
      { signal, ignore: [MISSING] },
    );
    let bytes = 0;
    // Removed lines take room until segments are merged.
    for (const { num_docs: left, deleted_docs: removed, size_in_bytes: size } of segmentsOf(indices))
      bytes += (size * left) / Math.max(1, left + removed);
    if (bytes <= this.#bytesMost) return undefined;
    const percent = 100 * (1 - (KEPT * this.#bytesMost) / bytes);
    const { aggregations } = await this.#client.search(
      `/${lines}/_search`,
      { size: 0, aggs: { oldest: { percentiles: { field: 'time', percents: [percent], keyed: false } } } },
      { signal, query: IF_ANY },
    );
    const [oldest] =
      (aggregations?.['oldest'] as { values: { value: number | null }[] } | undefined)?.values ?? [];
    return oldest?.value === undefined || oldest.value === null ? undefined : Math.floor(oldest.value);
  }

  #asking<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return inTime('the cluster does not remove old lines of the log of requests', work);
  }
}

interface Segment {
  num_docs: number;
  deleted_docs: number;
  size_in_bytes: number;
  /** Whether it is part of the index, and not only waits for its deletion. */
  search: boolean;
}

/** The segments of an index: those of each copy of each of its shards. */
interface Segmented {
  shards: Record<string, { routing: { primary: boolean }; segments: Record<string, Segment> }[]>;
}

/** Segments of one copy of each shard. */
function segmentsOf(indices: Record<string, Segmented>): Segment[] {
  const copies = Object.values(indices).flatMap(({ shards }) => Object.values(shards).flat());
  const primaries = copies.filter(({ routing }) => routing.primary);
  return primaries.flatMap(({ segments }) => Object.values(segments)).filter(({ search }) => search);
}

/** Whether an entry will never be taken. */
function isRefused({ status, error }: BulkItem): boolean {
  return status === WRONG && error?.type !== CLOSED;
}

/** Whether an entry is not stored, and may be later. One that is there already is a conflict. */
function isLeft(item: BulkItem): boolean {
  return item.error !== undefined && item.status !== CONFLICT && !isRefused(item);
}

/** A text that was cut may end in half of a character, which a cluster refuses. */
function wellFormed(line: LoggedRequest): LoggedRequest {
  return line.query === undefined ? line : { ...line, query: line.query.toWellFormed() };
}

/** A name of digits and small letters. */
function randomName(): string {
  return Array.from({ length: NAME_CHARS }, () => randomInt(36).toString(36)).join('');
}
