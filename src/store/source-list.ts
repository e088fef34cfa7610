/** The ledger for readers that ask again and again, such as a dashboard, while an ingest changes it. */
import { setImmediate } from 'node:timers/promises';
import type { SourceRecord } from './source-record.js';
import type { Store } from './store.js';

/** Entries that are read in one turn of the event loop: some 15 ms. */
const SLICE = 2_000;
/** After a long reading, the next one waits this many times as long. So reading takes at most a twentieth of the time. */
const REST = 20;
/** A reading of at most this time is repeated at once, ms. */
const SHORT_MS = 50;

export class SourceList<T> {
  readonly #store: Store;
  readonly #listed: (record: SourceRecord) => T;
  readonly #now: () => number;
  #transaction: number | undefined;
  #all: readonly T[] | undefined;
  #reading: Promise<readonly T[]> | undefined;
  #restsUntil = 0;

  /**
   * @param listed what is kept of an entry
   * @param now a clock, ms
   */
  constructor(store: Store, listed: (record: SourceRecord) => T, now = () => performance.now()) {
    this.#store = store;
    this.#listed = listed;
    this.#now = now;
  }

  /**
   * Every file in the ledger; the same array while it is not read again. It is read again after a commit. While commits
   * follow each other, a list that takes long to read may be as old as some readings of it.
   */
  async all(): Promise<readonly T[]> {
    const known = this.#all;
    if (known !== undefined && (this.#isCurrent() || this.#now() < this.#restsUntil)) return known;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  #isCurrent(): boolean {
    const transaction = this.#store.lastTransaction;
    return transaction !== undefined && transaction === this.#transaction;
  }

  async #read(): Promise<readonly T[]> {
    const began = this.#now();
    // Before the entries are read: a later commit has a greater number.
    const transaction = this.#store.lastTransaction;
    const all: T[] = [];
    for (let last: string | undefined; ; await setImmediate()) {
      this.#store.refresh();
      const from = last === undefined ? {} : { start: last, exclusiveStart: true };
      let read = 0;
      for (const { key, value } of this.#store.sources.getRange({ ...from, limit: SLICE })) {
        all.push(this.#listed(value));
        last = key;
        read++;
      }
      if (read < SLICE) break;
    }
    this.#transaction = transaction;
    this.#all = all;
    const took = this.#now() - began;
    this.#restsUntil = took <= SHORT_MS ? 0 : this.#now() + REST * took;
    return all;
  }
}
