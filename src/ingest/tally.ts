/** Tracks each file during an ingest. A file enters the ledger when all of its documents are committed. */
import { registryDigest } from '../store/ledger.js';
import {
  type EndedSource,
  FAILURES_KEPT,
  keptFailure,
  NO_COUNTS,
  type SourceCounts,
  type SourceFailure,
  type SourceFile,
} from '../store/source-record.js';
import { kiprisTables } from './readers/kipris-tables.js';
import type { Failure } from './readers/reader.js';
import { READER_VERSIONS } from './readers/registry.js';

interface Tally extends SourceCounts {
  readers: Record<string, number>;
  failures: SourceFailure[];
  /** Whether a later run has to read the file again, even if it has not changed. */
  again: boolean;
}

/** A file that was read to its end. `name` is its path in the units. */
export interface Ended {
  file: SourceFile;
  name: string;
  /** True for a table. Its publications were counted with its folder. */
  joined: boolean;
}

export class Tallies {
  /** Files in progress, by the path of the source. */
  readonly #open = new Map<string, Tally>();
  #ended: Ended[] = [];
  /** Start of the run. */
  readonly #run = new Date().toISOString();

  count(file: string, what: keyof SourceCounts, by = 1): void {
    this.#of(file)[what] += by;
  }

  failed(failure: Failure): void {
    this.count(failure.file, 'failed');
    const { failures } = this.#of(failure.file);
    if (failures.length < FAILURES_KEPT) failures.push(keptFailure(failure));
  }

  /** Adds a failure that has nothing to do with the file. The file does not enter the ledger, so the next run reads it again. */
  failedForNow(failure: Failure): void {
    this.failed(failure);
    this.#of(failure.file).again = true;
  }

  /** Adds a document of this format from the file. */
  read(file: string, format: string): void {
    this.#of(file).readers[format] = READER_VERSIONS[format]!;
  }

  /** Marks the end of a file. Some of its documents may still wait for a commit. */
  end(ended: Ended): void {
    if (ended.joined) this.read(ended.name, kiprisTables.format);
    this.#ended.push(ended);
  }

  /** The files that ended since the last call and are read for good. Call it only when no document waits for a commit. */
  takeEnded(): EndedSource[] {
    const registry = registryDigest(READER_VERSIONS);
    const ended = this.#ended.flatMap(({ file, name, joined }) => {
      const { failures, again, ...tally } = this.#of(name);
      if (again) return [];
      return {
        ...{ ...file, ...tally, registry, run: this.#run },
        ...(failures.length > 0 ? { failures } : {}),
        ...(joined ? { joined } : {}),
      };
    });
    for (const { name } of this.#ended) this.#open.delete(name);
    this.#ended = [];
    return ended;
  }

  #of(file: string): Tally {
    const known = this.#open.get(file);
    if (known) return known;
    const fresh = { ...NO_COUNTS, readers: {}, failures: [], again: false };
    this.#open.set(file, fresh);
    return fresh;
  }
}
