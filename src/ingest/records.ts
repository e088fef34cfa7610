/** Records of an application become units like those of a file, one per record. */
import { PriorartError } from '../errors.js';
import { INGEST_COMMIT_MS } from '../limits.js';
import type { PatentRecords } from './patent-schema.js';
import { jsonLines, recordId } from './readers/json-lines.js';
import type { Failure, Unit } from './readers/reader.js';
import type { SourceOptions } from './source.js';

/** Name of the records in failures and in the ledger. */
export const RECORDS_NAME = 'records';

/**
 * Limit of the publications in progress. Their ids are kept, so that a later record finds the earlier record.
 */
const ON_THE_WAY_MAX = 50_000;

/** Records within `INGEST_COMMIT_MS` below which a source is slow: they fill no batch of every worker. */
const SLOW = 256;

export interface RecordOptions extends Pick<SourceOptions, 'signal' | 'onProgress' | 'onEnd'> {
  /** Commits all units yielded so far. */
  commit: () => Promise<void>;
  /** Milliseconds after which the units of a slow source are committed. */
  commitMs?: number;
}

const encoder = new TextEncoder();

/**
 * Takes the next record when the unit of the previous record is in progress, and yields a unit for each. The units of a slow
 * feed are committed while its next record is awaited.
 * @throws PriorartError `invalid_request` for a source of bytes or texts; any error of the iteration; the reason of the
 * signal when it fires, also while the next record is awaited
 */
export async function* openRecords(
  records: PatentRecords,
  name: string,
  { signal, onProgress, onEnd, commit, commitMs = INGEST_COMMIT_MS }: RecordOptions,
): AsyncGenerator<Unit | Failure, void, undefined> {
  const modified = new Date().toISOString();
  const onTheWay = new Set<string>();
  let at = 0;
  let total = 0;
  let uncommitted = 0;
  // Records of the last `commitMs`, and when that time began.
  let [inTime, since] = [0, performance.now()];
  const commitAll = async () => {
    if (uncommitted > 0) await commit();
    onTheWay.clear();
    [uncommitted, inTime, since] = [0, 0, performance.now()];
  };
  for await (const record of untilAborted(records, signal, { ms: commitMs, do: commitAll })) {
    const position = `record ${++at}`;
    if (at === 1 && (ArrayBuffer.isView(record) || typeof record === 'string')) throw notRecords(record);
    const written = jsonOf(record);
    if ('reason' in written) {
      yield { file: name, position, reason: written.reason };
      continue;
    }
    const bytes = encoder.encode(written.json);
    total += bytes.length;
    const id = recordId(record);
    const isRepeated = id !== undefined && onTheWay.has(id);
    if (id !== undefined) onTheWay.add(id);
    const unit: Unit = {
      file: name,
      position,
      folder: name,
      format: jsonLines.format,
      bytes,
      replaces: true,
    };
    yield isRepeated ? { ...unit, isRepeated } : unit;
    onProgress?.(total, 0);
    [uncommitted, inTime] = [uncommitted + 1, inTime + 1];
    const isOver = performance.now() - since > commitMs;
    if ((isOver && inTime < SLOW) || onTheWay.size >= ON_THE_WAY_MAX) await commitAll();
    else if (isOver) [inTime, since] = [0, performance.now()];
  }
  onEnd?.({ path: name, bytes: total, modified }, name, false);
}

/** The source is a file that was opened as a stream, or a list of texts. */
function notRecords(first: ArrayBufferView | string): PriorartError {
  const got = typeof first === 'string' ? 'texts' : 'bytes';
  return new PriorartError(
    'invalid_request',
    `records: got a source of ${got}; expected one of records. To read files, give their paths in an array`,
  );
}

function jsonOf(record: unknown): { json: string } | { reason: string } {
  try {
    const json = JSON.stringify(record) as string | undefined;
    return json === undefined ? { reason: `the record: ${typeof record}; expected an object` } : { json };
  } catch (error) {
    return { reason: `cannot be written as JSON: ${(error as Error).message}` };
  }
}

/** The values of an iterable, until the signal fires. @param idle what is done once if a value takes longer than a time */
async function* untilAborted<T>(
  values: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
  idle: { ms: number; do: () => Promise<void> },
): AsyncGenerator<T> {
  const iterator =
    Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  // Of the record that is awaited. One promise for all records, as in Promise.race, would keep each of them until the end.
  let give = (): void => {};
  const stop = (): void => give();
  signal?.addEventListener('abort', stop, { once: true });
  let isDone = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      let idling = Promise.resolve();
      const timer = setTimeout(() => {
        idling = idle.do();
        idling.catch(() => {}); // Awaited below.
      }, idle.ms);
      let next: IteratorResult<T>;
      try {
        next = await new Promise<IteratorResult<T>>((resolve, reject) => {
          give = () => reject(signal?.reason);
          Promise.resolve(iterator.next()).then(resolve, reject);
        });
      } catch (error) {
        // An iterator that throws has ended. After an abort, `return` below tells the iterator to stop.
        isDone = signal?.aborted !== true;
        // The caller may close what a commit still uses.
        await idling.catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
      await idling;
      isDone = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Not awaited: a generator answers only after its next record arrives.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
