/**
 * What the log of requests needs of the place that keeps it: a file of the folder (file-log.ts), or the cluster of several
 * servers (src/cluster/shared-log.ts).
 */
import { PriorartError } from '../errors.js';
import type { LogBatch, LogFilter, LogPage, UsageRow } from './log-records.js';

export interface LogStore {
  /**
   * Stores a batch. A batch whose write failed must be given again, the same object, before any other: the store then adds
   * what it lacks, and counts nothing twice.
   * @returns why lines were refused for good, if some were
   */
  write(batch: LogBatch): Promise<string | undefined>;
  /** Removes lines that exceed the age or size limit, and old counts. */
  prune(): Promise<void>;
  /** Whether the next removal must not wait for its time, because of what was written since the last one. */
  isPruneDue(): boolean;
  /** @throws PriorartError as a rejection: `usage` for an invalid cursor, `unavailable` */
  page(key: string, limit: number, cursor?: string): Promise<LogPage>;
  /** @throws the errors of `page` */
  pageOfKeys(
    keys: readonly string[] | undefined,
    limit: number,
    options: { filter?: LogFilter; cursor?: string | undefined },
  ): Promise<LogPage>;
  /** @throws PriorartError `unavailable`, as a rejection */
  usage(from: string, to: string, keys?: ReadonlySet<string>): Promise<UsageRow[]>;
  /** @throws PriorartError `unavailable`, as a rejection */
  lastCalls(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ends a removal that runs. Nothing is read or written after it. */
  close(): Promise<void>;
}

/** The error for a text that is no cursor. */
export function invalidCursor(cursor: string): PriorartError {
  const got = JSON.stringify(cursor.slice(0, 80));
  return new PriorartError('usage', `cursor: got ${got}; expected the \`next\` of the page before`);
}
