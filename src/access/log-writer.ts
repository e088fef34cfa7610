/** Writes the log of requests, and removes what is too old or too much of it. */
import { USAGE_DAYS } from '../limits.js';
import { makeRoom, type Room, roomForValue } from '../store/room.js';
import { dataFile } from './environment.js';
import { randomBase62 } from './key.js';
import { addCounts, type LogBatch, type LogLimits, NO_COUNTS } from './log-records.js';
import { daysKept, type LogTables, openLogTables } from './log-tables.js';

const DAY_MS = 86_400_000;
/** Blocks that one write removes at most, so that a lowered limit stops nobody for long. */
const PRUNED_AT_ONCE = 1_000;

/** Bytes of pages that a new entry, or one that is pruned, may change. */
const CHANGED_BY_AN_ENTRY = 16 << 10;

function roomFor({ blocks, usage }: LogBatch): Room {
  const bytes = blocks.reduce((sum, { lines }) => sum + roomForValue(Buffer.byteLength(lines)), 0);
  return { bytes, changed: (PRUNED_AT_ONCE + blocks.length + usage.length) * CHANGED_BY_AN_ENTRY };
}

export class LogWriter {
  readonly #dir: string;
  readonly #limits: LogLimits;
  readonly #name = randomBase62(6);
  #tables: LogTables | undefined;
  #blocks = 0;

  /** @param dir where the environment is, or is made with the first write */
  constructor(dir: string, limits: LogLimits) {
    this.#dir = dir;
    this.#limits = limits;
  }

  /**
   * All of it or nothing; on the disk when this returns.
   * @throws Error
   */
  write(batch: LogBatch): void {
    this.#tables ??= openLogTables(this.#dir);
    const tables = this.#tables;
    tables.root.transactionSync(() => this.#store(tables, batch));
  }

  async close(): Promise<void> {
    const tables = this.#tables;
    this.#tables = undefined;
    await tables?.root.close();
  }

  #store(tables: LogTables, { blocks, usage }: LogBatch): void {
    makeRoom(dataFile(this.#dir), roomFor({ blocks, usage }));
    let bytes = tables.meta.get('bytes') ?? 0;
    for (const { key, first, lines } of blocks) {
      // Two blocks of one writer that begin in one millisecond must not be one.
      const writer = `${this.#name}${(this.#blocks++).toString(36).padStart(6, '0')}`;
      const value = Buffer.from(lines);
      tables.blocks.putSync([key, first, writer], value);
      tables.byTime.putSync([first, key, writer], value.length);
      bytes += value.length;
    }
    for (const { at, counts } of usage) {
      const sum = { ...(tables.usage.get(at) ?? NO_COUNTS) };
      addCounts(sum, counts);
      tables.usage.putSync(at, sum);
    }
    const days = daysKept(tables, this.#limits.days);
    if (tables.meta.get('days') !== days) tables.meta.putSync('days', days);
    tables.meta.putSync('bytes', bytes - this.#prune(tables, bytes, days));
  }

  /** Removes the oldest blocks while there are too many bytes or they are too old. @returns bytes freed */
  #prune(tables: LogTables, bytes: number, days: number): number {
    const { megabytes } = this.#limits;
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
    const lastDay = new Date(Date.now() - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10);
    const past = [...tables.usage.getKeys({ end: [lastDay, '', ''], limit: PRUNED_AT_ONCE })];
    for (const at of past) tables.usage.removeSync(at);
    return freed;
  }
}
