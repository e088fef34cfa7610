/** What becomes of each file while an ingest runs, until all it held is committed and it can enter the ledger. */
import { registryDigest } from '../store/ledger.js';
import { type EndedSource, NO_COUNTS, type SourceCounts, type SourceFile } from '../store/source-record.js';
import { kiprisTables } from './readers/kipris-tables.js';
import { READER_VERSIONS } from './readers/registry.js';

interface Tally extends SourceCounts {
  readers: Record<string, number>;
}

/** A file that was read to its end; `name` is its path as the units bear it. */
export interface Ended {
  file: SourceFile;
  name: string;
  /** It is a table, whose publications were counted with its folder. */
  joined: boolean;
}

export class Tallies {
  /** By the path that the source gave. */
  readonly #open = new Map<string, Tally>();
  #ended: Ended[] = [];

  count(file: string, what: keyof SourceCounts, by = 1): void {
    this.#of(file)[what] += by;
  }

  /** A document of this format was read out of the file. */
  read(file: string, format: string): void {
    this.#of(file).readers[format] = READER_VERSIONS[format]!;
  }

  /** Everything that the file holds was taken in, though some of it may wait for its commit. */
  end(ended: Ended): void {
    if (ended.joined) this.read(ended.name, kiprisTables.format);
    this.#ended.push(ended);
  }

  /** The files that ended since the last call: to be asked for when nothing waits for its commit. */
  takeEnded(): EndedSource[] {
    const registry = registryDigest(READER_VERSIONS);
    const ended = this.#ended.map(({ file, name, joined }) => ({
      ...{ ...file, ...this.#of(name), registry },
      ...(joined ? { joined } : {}),
    }));
    for (const { name } of this.#ended) this.#open.delete(name);
    this.#ended = [];
    return ended;
  }

  #of(file: string): Tally {
    const known = this.#open.get(file);
    if (known) return known;
    const fresh = { ...NO_COUNTS, readers: {} };
    this.#open.set(file, fresh);
    return fresh;
  }
}
