/**
 * Ingest. This thread splits sources into units, and workers prepare the documents in batches. `ingest-run.ts` commits
 * the results in the order of the sources.
 */
import { availableParallelism } from 'node:os';
import { whyNoDrawings } from '../drawings/convert.js';
import { LocalDrawings } from '../drawings/files.js';
import { PriorartError } from '../errors.js';
import { IngestProgressFile } from '../store/ingest-progress.js';
import type { Store } from '../store/store.js';
import { FolderFigures } from './figure-table.js';
import { Figures } from './figures.js';
import { FolderTarget } from './folder-target.js';
import { IngestRun } from './ingest-run.js';
import type { PatentRecords } from './patent-schema.js';
import type { Prepared, Preparer } from './prepare.js';
import type { Unit } from './readers/reader.js';
import { openRecords, RECORDS_NAME } from './records.js';
import { isFailure, openSources, type SourceOptions } from './source.js';
import type { DrawingSummary, IngestOptions, IngestProgress, IngestSummary } from './summary.js';
import type { Ended } from './tally.js';
import type { IngestTarget } from './target.js';

/** Bytes and units of a full batch. A full batch goes to a worker. */
const BATCH_BYTES = 512 << 10;
const BATCH_UNITS = 64;
/**
 * Limit of the bytes of all units in progress. One larger unit runs alone. Reading a unit takes about twenty
 * times its bytes.
 */
const IN_FLIGHT_BYTES = 16 << 20;
/**
 * Reads all files under the given paths, or the records of an application, into the store. Rejects only if
 * the ingest cannot continue.
 * @throws PriorartError `cancelled` when the signal fires, `disk_full`; also any error of the iteration over
 * the records
 */
export async function ingest(
  store: Store,
  preparer: Preparer,
  source: readonly string[] | { records: PatentRecords },
  options: IngestOptions = {},
): Promise<IngestSummary> {
  const shown = new IngestProgressFile(store.dir, () => store.displacement() === undefined);
  const failures: unknown[] = [];
  const throwFailure = () => {
    if (failures.length > 0) throw failures[0];
  };
  const onProgress = (progress: IngestProgress) => {
    const { bytesRead, totalBytes, documents, failed } = progress;
    shown.update({ bytes_read: bytesRead, total_bytes: totalBytes, documents, failed });
    throwFailure();
    const returned: unknown = options.onProgress?.(progress);
    // An async function of the application that fails ends the ingest, as one that throws does.
    if (returned instanceof Promise) returned.catch((error: unknown) => failures.push(error));
  };
  try {
    const summary = await ingestAll(store, preparer, source, { ...options, onProgress });
    throwFailure();
    return summary;
  } finally {
    shown.end();
  }
}

async function ingestAll(
  store: Store,
  preparer: Preparer,
  source: readonly string[] | { records: PatentRecords },
  options: IngestOptions,
): Promise<IngestSummary> {
  const { drawings = true } = options;
  const unavailable = drawings ? await whyNoDrawings() : undefined;
  const files = new LocalDrawings(store.dir);
  const figures =
    drawings && unavailable === undefined
      ? new Figures(
          new FolderFigures(store),
          files,
          (bytes) => preparer.keepImage(bytes),
          Math.min(preparer.parallel, availableParallelism()),
        )
      : undefined;
  // Leftovers may wait: a folder that another user owns is no reason to refuse publications.
  await files.removeAbandoned().catch(() => []);
  const summary = await ingestInto(new FolderTarget(store, options), preparer, source, options, figures);
  return unavailable === undefined ? summary : { ...summary, drawings: { ...NO_DRAWINGS, unavailable } };
}

/**
 * Reads all files under the given paths, or the records of an application, into a target.
 * @throws PriorartError as `ingest`
 */
export async function ingestInto(
  target: IngestTarget,
  preparer: Preparer,
  source: readonly string[] | { records: PatentRecords },
  options: IngestOptions = {},
  figures?: Figures | undefined,
): Promise<IngestSummary> {
  const { signal } = options;
  const run = new IngestRun(target, preparer, options, figures);
  const batches = new Batches(preparer, run);
  const sources: SourceOptions = {
    wanted: (file) => run.isWanted(file),
    settledMs: options.settledMs ?? 0,
    onPassedOver: () => run.passedOver(),
    onEnd: (file, name, joined) => batches.end({ file, name, joined }),
    onProgress: (read, total) => run.read(read, total),
    onSkipped: (file) => run.skippedFile(file),
  };
  if (signal) sources.signal = signal;
  if (figures) sources.onImage = (image) => figures.offer(image, () => batches.catchUp());
  const commit = async (): Promise<void> => {
    await batches.catchUp();
    await run.flush();
  };
  try {
    const items =
      'records' in source
        ? openRecords(source.records, options.name ?? RECORDS_NAME, { ...sources, commit })
        : openSources(source, sources);
    for await (const item of items) {
      if (isFailure(item)) run.failed([item]);
      else await batches.add(item);
    }
    await commit();
    const found = await figures?.finish();
    await run.settle();
    return run.summary(found);
  } catch (error) {
    await run.stop();
    if (!signal?.aborted) throw error;
    const message = 'the ingest was stopped; what was committed stays, run it again to go on';
    throw new PriorartError('cancelled', message, { cause: signal.reason });
  }
}

/** The summary of drawings if none can be stored. */
export const NO_DRAWINGS: DrawingSummary = {
  ...{ stored: 0, unchanged: 0, missing: 0, missing_first: [], unclaimed: 0, failures: 0, failed: [] },
};

/** Units on their way to the workers, and their results, in order. */
class Batches {
  readonly #preparer: Preparer;
  readonly #run: IngestRun;
  readonly #inFlight: { prepared: Promise<Prepared>; ended: Ended[]; bytes: number }[] = [];
  #batch: Unit[] = [];
  #ended: Ended[] = [];
  #bytes = 0;

  constructor(preparer: Preparer, run: IngestRun) {
    this.#preparer = preparer;
    this.#run = run;
  }

  async add(unit: Unit): Promise<void> {
    // A large unit gets its own batch, so that the other units do not wait for memory.
    if (this.#batch.length > 0 && this.#bytes + unit.bytes.byteLength > IN_FLIGHT_BYTES) await this.#send();
    this.#batch.push(unit);
    this.#bytes += unit.bytes.byteLength;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_UNITS) await this.#send();
  }

  /** Marks the end of a file, after all of its units. */
  end(ended: Ended): void {
    this.#ended.push(ended);
  }

  /** Waits until every added unit is prepared and taken. */
  async catchUp(): Promise<void> {
    if (this.#batch.length > 0 || this.#ended.length > 0) await this.#send();
    while (this.#inFlight.length > 0) await this.#finishOne();
  }

  async #send(): Promise<void> {
    while (!this.#hasRoom(this.#bytes)) await this.#finishOne();
    const prepared = this.#preparer.prepare(this.#batch);
    prepared.catch(() => {}); // Prevents an unhandled rejection before this promise is awaited.
    this.#inFlight.push({ prepared, ended: this.#ended, bytes: this.#bytes });
    this.#batch = [];
    this.#ended = [];
    this.#bytes = 0;
  }

  #hasRoom(bytes: number): boolean {
    const taken = this.#inFlight.reduce((sum, batch) => sum + batch.bytes, 0);
    if (taken > 0 && taken + bytes > IN_FLIGHT_BYTES) return false;
    return this.#inFlight.length <= this.#preparer.parallel;
  }

  async #finishOne(): Promise<void> {
    const next = this.#inFlight.shift();
    if (!next) return;
    await this.#run.take(await next.prepared);
    this.#run.ended(next.ended);
  }
}
