/**
 * What a server has counted, as totals. A total is written under a name of its own, with the number of requests as its
 * version: a repeated or late write changes nothing, and the usage is the sum over all names.
 */
import {
  addCounts,
  type LogBatch,
  NO_COUNTS,
  type UsageCounts,
  type UsageRow,
} from '../access/log-records.js';

/** Totals that are remembered. With more, or on another day, a server goes on under another name. */
const MOST = 10_000;

export interface UsageTotal {
  id: string;
  row: UsageRow;
}

export class UsageTotals {
  readonly #newName: () => string;
  readonly #most: number;
  readonly #now: () => number;
  #totals = new Map<string, UsageCounts>();
  #name = '';
  #day = -1;

  /** @param newName a name that no other server has, and was never used */
  constructor(newName: () => string, most: number = MOST, now: () => number = Date.now) {
    this.#newName = newName;
    this.#most = most;
    this.#now = now;
  }

  /**
   * Counts more.
   * @param counted what was returned before must have been written: it may be forgotten now
   * @returns the totals that have changed
   */
  add(counted: LogBatch['usage']): UsageTotal[] {
    const day = Math.floor(this.#now() / 86_400_000);
    if (this.#name === '' || day !== this.#day || this.#totals.size >= this.#most) {
      this.#name = this.#newName();
      this.#day = day;
      this.#totals = new Map();
    }
    return counted.map(({ at, counts }) => {
      const id = [this.#name, ...at].join('/');
      const total = this.#totals.get(id) ?? { ...NO_COUNTS };
      addCounts(total, counts);
      this.#totals.set(id, total);
      const [dayOf, key, endpoint] = at;
      return { id, row: { day: dayOf, key, endpoint, ...total } };
    });
  }
}
